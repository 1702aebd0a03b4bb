#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/forest/answer_trust.hpp"
#include "sapwood/forest/forest_block.hpp"
#include "sapwood/forest/forest_options.hpp"
#include "sapwood/forest/member.hpp"
#include "sapwood/forest/poisson.hpp"
#include "sapwood/forest/tree_mixer.hpp"
#include "sapwood/forest/workers.hpp"
#include "sapwood/points.hpp"
#include "sapwood/tree/class_room.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// What the trees of a forest say of one point, and what that amounts to; each thread that asks has room of its own.
struct ForestScores {
    Scores of_tree;
    TrunkAnswers trunk;
    std::vector<double> opinions;
    std::vector<double> mixed;
    /// The probabilities that each tree tells, and those of their mix, where answers are mixed.
    std::vector<double> answers;
    std::vector<double> probabilities;
};

/// Many trees over one stream.
///
/// Every tree learns every point as often as a draw says (poisson.hpp), and may split on a share of the features
/// (split_candidates.hpp). All trees share what does not depend on how they grow: the features and what is known of
/// numbers and categories, and where leaves mix, the trunk that they build on, which learns every point once. Their
/// answers are mixed by a regression that learns from what they said before they learned a point (tree_mixer.hpp), and
/// the mix is trusted as far as it is better than single trees (answer_trust.hpp).
///
/// Guarantee: the forest depends only on its options, the points and their order; not on how many threads learn, nor on
/// how points are divided into blocks. A forest of one tree which learns every point once and may split on all features
/// is that tree, node for node and answer for answer. Any number of threads may read one forest while none changes it.
class Forest {
public:
    explicit Forest(const ForestOptions& options)
        : options_((check_options(options), options)),
          known_(std::make_shared<KnownAttributes>()),
          draws_(options.lambda_value),
          weights_(options.tree.seed),
          shared_(options.tree.leaf_prediction, 2),
          mixer_(make_mixer(options)),
          trust_(n_trees()) {
        for (std::size_t t = 0; t < n_trees(); ++t) members_.emplace_back(options_, known_, t);
    }

    /// What is saved of a forest besides its parts.
    struct Counts {
        std::size_t n_classes;
        std::int64_t n;
        std::int64_t n_met;
        WeightRounding::State weights;
    };
    /// A forest without trees, to be filled with what was saved: options that were checked.
    Forest(const ForestOptions& options, const Counts& counts)
        : options_(options),
          known_(std::make_shared<KnownAttributes>()),
          draws_(options.lambda_value),
          weights_(options.tree.seed),
          shared_(options.tree.leaf_prediction, counts.n_classes, std::nullopt,
                  room_for_classes(counts.n_classes, 0, options.bytes_of_trunk())),
          mixer_(make_mixer(options)),
          trust_(n_trees()),
          n_(counts.n),
          n_met_(counts.n_met) {
        weights_.restore(counts.weights);
        for (std::size_t t = 0; t < n_trees(); ++t) members_.emplace_back(options_, known_, t, Member::Empty());
    }

    Forest(Forest&& other) noexcept
        : options_(other.options_),
          known_(std::move(other.known_)),
          draws_(std::move(other.draws_)),
          weights_(other.weights_),
          shared_(std::move(other.shared_)),
          members_(std::move(other.members_)),
          mixer_(std::move(other.mixer_)),
          trust_(std::move(other.trust_)),
          n_(other.n_),
          n_met_(other.n_met_),
          expected_classes_(other.expected_classes_) {
        for (Member& member : members_) member.refer_to(options_);
    }
    Forest& operator=(Forest&&) = delete;

    const ForestOptions& options() const { return options_; }
    std::size_t n_trees() const { return static_cast<std::size_t>(options_.n_estimators); }
    const StreamingTree& tree(std::size_t t) const { return members_[t].tree(); }
    const Member& member(std::size_t t) const { return members_[t]; }
    Member& member(std::size_t t) { return members_[t]; }
    const TreeMixer& mixer() const { return mixer_; }
    AnswerTrust& trust() { return trust_; }
    const AnswerTrust& trust() const { return trust_; }
    /// Whether the answers of the trees are mixed.
    bool mixes() const { return options_.combining == Combining::mixed && !is_one_tree(); }
    /// The trunk that all leaves build on; nothing if they do not mix.
    const std::optional<Mixing>& trunk() const { return shared_.mixing(); }
    std::optional<Mixing>& trunk() { return shared_.mixing(); }
    const WeightRounding& weights() const { return weights_; }
    std::size_t n_classes() const { return shared_.layout().n_classes; }
    /// The points learned, by weight; and each once.
    std::int64_t n() const { return n_; }
    std::int64_t n_met() const { return n_met_; }

    // ---- what is known of numbers and categories ------------------------------------------------------------------

    const Attributes& attributes() const { return known_->attributes; }
    Attributes& attributes() { return known_->attributes; }
    const NumberRanges& ranges() const { return known_->ranges; }
    const KnownAttributes& known() const { return *known_; }
    KnownAttributes& known() { return *known_; }
    const std::shared_ptr<KnownAttributes>& shared_known() const { return known_; }

    /// Notes a number that the point to learn after `n_met` others has: `reserve()` gives a feature without a name.
    template <class Reserve>
    void meet_number(AttributeId attribute, double value, std::int64_t n_met, Reserve reserve) {
        known_->meet_number(attribute, value, n_met, shared_.layout().keeps_anything(), reserve);
    }
    /// To be called when the attributes know a number or a category that the next point has.
    void use_attributes() {
        if (uses_attributes()) return;
        for (Member& member : members_) member.use_attributes();
    }
    bool uses_attributes() const { return members_.front().tree().body().uses_attributes(); }

    /// A weight from 0 to `max_points`, rounded for what counts.
    Weight rounded(double weight) { return weights_.rounded(weight); }

    // ---- answers ----------------------------------------------------------------------------------------------------

    ForestScores make_scores() const {
        const ModelLayout& layout = shared_.layout();
        ForestScores scores{Scores(layout),
                            {},
                            std::vector<double>(room()),
                            std::vector<double>(layout.n_outputs()),
                            std::vector<double>(mixes() ? trust_.n_answers() * layout.n_classes : 0),
                            std::vector<double>(layout.n_classes)};
        scores.trunk.resize(1, layout.n_outputs());
        return scores;
    }

    /// Computes the probability of each class for a point, into `scores.probabilities`.
    void predict(Point point, ForestScores& scores) const {
        TrunkSays says = scores.trunk.of(0);
        if (const auto& mixing = shared_.mixing()) {
            mixing->ask_trunk(point, says, scores.of_tree);
            point.says = &says;
        }
        if (is_one_tree()) {
            tree(0).predict(point, scores.of_tree);
            scores.probabilities = scores.of_tree.probabilities;
            return;
        }
        for (std::size_t t = 0; t < n_trees(); ++t) {
            members_[t].answer(point, scores.of_tree, std::span(scores.opinions).subspan(t * width(), width()));
        }
        combine(scores);
    }

    // ---- learning ---------------------------------------------------------------------------------------------------

    /// Throws std::invalid_argument unless the forest can have `n_classes` classes, at any time from now on.
    void check_classes(std::size_t n_classes) const {
        for (const Member& member : members_) member.check_classes(n_classes);
    }

    /// Makes room for `n_classes` classes, if they are more than before. Throws std::invalid_argument, and changes
    /// nothing, if `check_classes` does.
    void cover_classes(std::size_t n_classes) {
        if (n_classes <= this->n_classes()) return;
        check_classes(n_classes);
        for (Member& member : members_) member.cover_classes(n_classes);
        mixer_.cover_classes(n_classes);
        if (shared_.layout().has_room_for(n_classes)) {
            shared_.take_classes(n_classes);
        } else {
            widen_trunk(n_classes);
        }
    }

    /// Says how many classes there will be, so that those yet to come find room, as in a tree (streaming_tree.hpp).
    void expect_classes(std::size_t n_classes) {
        if (n_classes <= expected_classes_) return;
        expected_classes_ = n_classes;
        for (Member& member : members_) member.expect_classes(n_classes);
        if (this->n_classes() > 2 && !shared_.layout().has_room_for(class_room(this->n_classes()))) {
            widen_trunk(this->n_classes());
        }
    }

    /// Whether a block is to be learned before another point is added to it. The longer a block, the more often a tree
    /// finds in the cache what the points before have brought there: on the paper's stream blocks of 8,192 take a third
    /// less time than those of 256, and blocks of 32,768 a twelfth less than those. What is kept of its points takes a
    /// few megabytes at most, and less where memory is limited. A single point where what happens to one tree depends
    /// on the others.
    bool is_enough(const ForestBlock& block) const {
        if (options_.on_drift == OnDrift::reset_worst) return block.size() >= 1;
        if (options_.tree.max_bytes) return block.size() >= 256;
        return block.size() >= 32768 || block.n_features() >= (1U << 20U) || block.size() * room() >= (1U << 19U);
    }

    /// Learns the points of a block. `answer(i, probabilities)` is called for each, in order, with what the forest
    /// answers before it learns it, if `wants_answers`; it must not throw.
    template <class Answer>
    void learn(ForestBlock& block, Workers& workers, bool wants_answers, Answer answer) {
        teach_trunk(block);
        block.said_of_learned.resize(n_trees() * block.size() * width());
        block.said_of_asked.resize(n_trees() * block.asked().size() * width());
        workers.run(n_trees(), [&](std::size_t t) { teach_tree(t, block, wants_answers); });
        combine_all(block, wants_answers, answer);
        if (options_.on_drift == OnDrift::reset_worst) reset_worst();
        for (std::size_t i = 0; i < block.size(); ++i) n_ += block.row(i).weight.count;
        n_met_ += static_cast<std::int64_t>(block.size());
    }

    /// Throws std::overflow_error unless every tree can count points of so much more weight, whatever it draws.
    void check_room_for(std::int64_t more) const {
        check_room(static_cast<Count>(n_), more);
        std::int64_t most = 0;
        for (const Member& member : members_) most = std::max(most, member.tree().n());
        check_room(static_cast<Count>(most), more * draws_.largest());
    }

    void restore_mixer(std::vector<double> weights, std::vector<std::int64_t> of_class) {
        mixer_.restore(std::move(weights), std::move(of_class));
    }

    /// The memory of what trees share, and of all.
    std::size_t shared_bytes() const { return shared_.n_bytes(); }
    std::size_t n_bytes() const {
        std::size_t bytes = shared_bytes();
        for (const Member& member : members_) bytes += member.n_bytes();
        return bytes;
    }

private:
    /// What trees add can be added up where leaves answer by counts. A regression of the whole stream says the same in
    /// all trees, and is not to count as often as there are trees.
    static TreeMixer make_mixer(const ForestOptions& options) {
        const bool counts_only = !ModelLayout::of(options.tree.leaf_prediction, 2).keeps_logistic;
        const bool adds_up = counts_only && options.combining == Combining::mixed && options.n_estimators > 1;
        return TreeMixer(static_cast<std::size_t>(options.n_estimators), adds_up);
    }

    /// With one tree there is nothing to combine, nor to watch it against.
    bool is_one_tree() const { return n_trees() == 1; }
    /// The numbers that a tree says of a point; and those that all trees do, with room for what the mixer adds.
    std::size_t width() const { return mixes() ? shared_.layout().n_outputs() : n_classes(); }
    std::size_t room() const { return mixer_.n_experts() * width(); }

    /// The classes that records are to have room for where there are `n_classes`.
    std::size_t class_room(std::size_t n_classes) const {
        return room_for_classes(n_classes, expected_classes_, options_.bytes_of_trunk());
    }

    /// Makes the records of the trunk anew; it begins anew if they are too large then.
    void widen_trunk(std::size_t n_classes) {
        shared_.adopt(LeafPredictor::Widened(shared_, n_classes, class_room(n_classes)));
        const auto limit = options_.bytes_of_trunk();
        if (limit && shared_.n_bytes() > static_cast<std::size_t>(*limit)) shared_.clear_trunk();
    }

    /// Lets the trunk answer and learn every point.
    void teach_trunk(ForestBlock& block) {
        if (!shared_.mixing()) return;
        block.says_of_learned.resize(block.size(), shared_.layout().n_outputs());
        block.says_of_asked.resize(block.asked().size(), shared_.layout().n_outputs());
        Scores scores(shared_.layout());
        for (std::size_t i = 0; i < block.size(); ++i) {
            const ForestBlock::Row& row = block.row(i);
            if (row.asks != ForestBlock::itself) {
                const Point asked = block.asked().point(row.asks);
                TrunkSays says = block.says_of_asked.of(row.asks);
                shared_.mixing()->ask_trunk(asked, says, scores);
                block.says_of_asked.set(row.asks, says);
            }
            const Point point = block.learned().point(i);
            TrunkSays says = block.says_of_learned.of(i);
            if (const auto limit = options_.bytes_of_trunk()) {
                shared_.teach_trunk(point, row.label, row.weight, says, [&](std::size_t more) {
                    return shared_.n_bytes() + more <= static_cast<std::size_t>(*limit);
                });
            } else {
                shared_.teach_trunk(point, row.label, row.weight, says, Unlimited());
            }
            block.says_of_learned.set(i, says);
        }
    }

    /// Lets one tree answer and learn every point.
    void teach_tree(std::size_t t, ForestBlock& block, bool wants_answers) {
        Member& member = members_[t];
        const bool has_trunk = shared_.mixing().has_value();
        const std::span<double> of_learned = of_tree(t, block.said_of_learned);
        const std::span<double> of_asked = of_tree(t, block.said_of_asked);
        const auto place = [&](std::span<double> said, std::size_t i) { return said.subspan(i * width(), width()); };
        TrunkSays says;
        for (std::size_t i = 0; i < block.size(); ++i) {
            const ForestBlock::Row& row = block.row(i);
            const Weight weight = times(row.weight, member, n_met_ + static_cast<std::int64_t>(i));
            if (row.asks != ForestBlock::itself) {
                Point asked = block.asked().point(row.asks);
                if (has_trunk) {
                    says = block.says_of_asked.of(row.asks);
                    asked.says = &says;
                }
                if (is_one_tree()) {
                    member.probabilities(asked, place(of_asked, row.asks));
                } else {
                    member.answer(asked, place(of_asked, row.asks));
                }
            }
            Point point = block.learned().point(i);
            if (has_trunk) {
                says = block.says_of_learned.of(i);
                point.says = &says;
            }
            if (!is_one_tree()) {
                member.learn(point, row.label, weight, place(of_learned, i));
                continue;
            }
            if (wants_answers) member.probabilities(point, place(of_learned, i));
            member.learn(point, row.label, weight);
        }
    }

    /// What one tree says of every point.
    std::span<double> of_tree(std::size_t t, std::vector<double>& said) const {
        const std::size_t size = said.size() / n_trees();
        return std::span(said).subspan(t * size, size);
    }
    /// What every tree says of one point, into `out`.
    void gather(const std::vector<double>& said, std::size_t i, std::span<double> out) const {
        const std::size_t size = said.size() / n_trees();
        for (std::size_t t = 0; t < n_trees(); ++t) {
            const double* const from = said.data() + t * size + i * width();
            for (std::size_t k = 0; k < width(); ++k) out[t * width() + k] = from[k];
        }
    }

    /// The weight that a tree learns the n-th point with.
    Weight times(Weight weight, const Member& member, std::int64_t n) const {
        const Count draw = draws_.draw(member.seed_of_draws(), n);
        return {weight.count * draw, weight.exact * draw};
    }

    /// Combines what the trees say of a point, `scores.opinions`, into the probabilities of the classes.
    void combine(ForestScores& scores) const {
        const std::span<double> probabilities(scores.probabilities);
        if (is_one_tree()) {
            std::copy_n(scores.opinions.begin(), probabilities.size(), probabilities.begin());
        } else if (mixes()) {
            mixer_.mix(scores.opinions, scores.mixed);
            const auto answer = [&](std::size_t a) {
                return std::span(scores.answers).subspan(a * n_classes(), n_classes());
            };
            for (std::size_t t = 0; t < n_trees(); ++t) {
                LogisticRegression::probabilities(std::span(scores.opinions).subspan(t * width(), width()), answer(t));
            }
            LogisticRegression::probabilities(scores.mixed, answer(n_trees()));
            trust_.weigh(scores.answers, probabilities);
        } else {
            std::fill(probabilities.begin(), probabilities.end(), 0.0);
            for (std::size_t i = 0; i < n_trees() * probabilities.size(); ++i) {
                probabilities[i % probabilities.size()] += scores.opinions[i];
            }
            double sum = 0;
            for (const double each : probabilities) sum += each;
            const double size = static_cast<double>(probabilities.size());
            for (double& each : probabilities) each = sum > 0 ? each / sum : 1 / size;
        }
    }

    /// Combines what the trees said of every point, and lets what mixes them learn.
    template <class Answer>
    void combine_all(ForestBlock& block, bool wants_answers, Answer answer) {
        ForestScores scores = make_scores();
        for (std::size_t i = 0; i < block.size(); ++i) {
            const ForestBlock::Row& row = block.row(i);
            const bool asks_other = row.asks != ForestBlock::itself;
            if (wants_answers) {
                gather(asks_other ? block.said_of_asked : block.said_of_learned, asks_other ? row.asks : i,
                       scores.opinions);
                combine(scores);
                answer(i, std::span<const double>(scores.probabilities));
            }
            if (!mixes()) continue;
            if (asks_other || !wants_answers) {
                gather(block.said_of_learned, i, scores.opinions);
                combine(scores);
            }
            const std::span<const double> answers(scores.answers);
            mixer_.learn(scores.opinions, scores.mixed, answers.last(n_classes()), row.label, row.weight);
            trust_.learn(answers, row.label, row.weight.exact, n_met_ + static_cast<std::int64_t>(i) + 1);
        }
    }

    /// Replaces the tree with the largest error by a new one if the error of any has risen.
    void reset_worst() {
        if (is_one_tree()) return;
        const auto drifted = [](const Member& member) { return member.has_drifted(); };
        if (std::none_of(members_.begin(), members_.end(), drifted)) return;
        const auto is_better = [](const Member& a, const Member& b) { return a.error() < b.error(); };
        std::max_element(members_.begin(), members_.end(), is_better)->reset();
    }

    ForestOptions options_;
    std::shared_ptr<KnownAttributes> known_;
    PoissonDraws draws_;
    WeightRounding weights_;
    /// The trunk that the leaves of all trees build on, where they mix.
    LeafPredictor shared_;
    std::vector<Member> members_;
    TreeMixer mixer_;
    AnswerTrust trust_;
    std::int64_t n_ = 0;
    std::int64_t n_met_ = 0;
    std::size_t expected_classes_ = 0;
};

}  // namespace sapwood
