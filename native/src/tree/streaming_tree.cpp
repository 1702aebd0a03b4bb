#include "sapwood/tree/streaming_tree.hpp"

#include <optional>
#include <utility>

#include "sapwood/tree/growth/make_growth.hpp"
#include "sapwood/tree/pausing.hpp"
#include "sapwood/tree/widen_tree.hpp"

namespace sapwood {

StreamingTree::StreamingTree(const TreeOptions& options, std::shared_ptr<KnownAttributes> known)
    : body_(options, std::move(known)), growth_(make_growth(options)) {}

StreamingTree::StreamingTree(TreeBody body, std::unique_ptr<GrowthPolicy> growth)
    : body_(std::move(body)), growth_(std::move(growth)) {}

StreamingTree::StreamingTree(StreamingTree&&) noexcept = default;
StreamingTree::~StreamingTree() = default;

void StreamingTree::use_attributes() {
    if (!body_.uses_attributes()) body_.use_attributes();
}

void StreamingTree::learn(const Point& point, Label label, Weight weight) {
    check_room(static_cast<Count>(n()), weight.count);
    growth_->learn(body_, point, label, weight);
}

void StreamingTree::absorb(NodeId leaf, const AddedCounts& added, const AddedCounts& seen, const SummedSlopes* summed) {
    body_.absorb(leaf, added, seen, summed);
}

void StreamingTree::absorb_shared(const AddedCounts& added, const SummedSlopes& summed, std::int64_t n_met,
                                  std::int64_t n_active) {
    body_.absorb_shared(added, summed, n_met, n_active);
}

void StreamingTree::note_points(std::int64_t n, std::int64_t n_met) { body_.note_points(n, n_met); }

std::size_t StreamingTree::grow() { return growth_->grow(body_); }

void StreamingTree::restrict_splits(const SplitCandidates& candidates) { body_.restrict_splits(candidates); }

void StreamingTree::adopt_trunk(const Mixing& trunk) {
    LeafPredictor& predictor = body_.restored_predictor();
    const bool is_alike = trunk.layout().room == predictor.layout().room;
    predictor.mixing() = is_alike ? trunk : trunk.widened(predictor.layout());
}

Weight StreamingTree::rounded(double weight) { return body_.rounded(weight); }

void StreamingTree::predict(const Point& point, Scores& scores) const { body_.predict(point, scores); }

Label StreamingTree::predict_label(const Point& point, Scores& scores, std::span<const std::int64_t> places) const {
    const std::optional<Label> certain = body_.predict_label(point, scores);
    return certain ? *certain : label_of(scores.probabilities, places);
}

Scores StreamingTree::make_scores() const { return Scores(body_.predictor().layout()); }

Label StreamingTree::label_of(std::span<const double> probabilities, std::span<const std::int64_t> places) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < probabilities.size(); ++k) {
        const bool ties = probabilities[k] == probabilities[best] && k < places.size();
        if (probabilities[k] > probabilities[best] || (ties && places[k] < places[best])) best = k;
    }
    return static_cast<Label>(best);
}

void StreamingTree::check_classes(std::size_t n_classes) const {
    if (n_classes <= this->n_classes()) return;
    sapwood::check_classes(options(), n_classes);
    Pausing::check_classes(body_, n_classes);
}

void StreamingTree::cover_classes(std::size_t n_classes) {
    if (n_classes <= this->n_classes()) return;
    check_classes(n_classes);
    widen(n_classes);
}

void StreamingTree::expect_classes(std::size_t n_classes) {
    if (n_classes <= body_.expected_classes()) return;
    body_.set_expected_classes(n_classes);
    if (this->n_classes() > 2 && !body_.has_room_for(body_.class_room(this->n_classes()))) {
        widen(this->n_classes());
    }
}

void StreamingTree::widen(std::size_t n_classes) {
    Pausing(body_).make_room_to_widen(n_classes);
    if (body_.has_room_for(n_classes) && n_classes > this->n_classes()) {
        body_.take_classes(n_classes);
    } else {
        body_.widen(n_classes);
    }
    Pausing(body_).keep_within_after_widening();
}

void StreamingTree::validate(bool with_contents) const {
    body_.validate(growth_->counts_inner_nodes(), growth_->counts_all_points(), growth_->forgets_points(),
                   with_contents);
}

}  // namespace sapwood
