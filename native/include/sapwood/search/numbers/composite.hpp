#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/search/numbers/attribute_search.hpp"
#include "sapwood/search/search_choice.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood {

/// The split search of a node whose points have numbers or categories: the best of a search over features and a search
/// over attributes, which each find their own in their own way.
///
/// Guarantee: that of the two. If the search over features is exact, so is this one.
class CompositeSearch final : public SplitSearch {
public:
    /// `flags`: a search over features, which may have counted points in which no number differed. `attributes` must
    /// outlive this search.
    CompositeSearch(const SearchChoice& choice, std::unique_ptr<SplitSearch> flags, const Attributes& attributes)
        : flags_(std::move(flags)),
          attributes_(choice.criterion, static_cast<std::size_t>(choice.n_classes),
                      choice.search == SearchKind::exhaustive, attributes) {}

    const SplitSearch& flags() const { return *flags_; }
    const AttributeSearch& attribute_search() const { return attributes_; }

    // ---- points and answers -------------------------------------------------------------------------------------

    void add(Features features, Label label, Count weight) override { flags_->add(features, label, weight); }
    void add_counts(const AddedCounts& added) override {
        attributes_.add_counts(added, *flags_);
        flags_->add_counts(added);
    }
    /// Of points without numbers.
    void take_back_counts(const SummedCounts& gone) override { flags_->take_back_counts(gone); }
    void remove(Features features, Label label, Count weight) override { remove_point(Point(features), label, weight); }

    void add_point(const Point& point, Label label, Count weight) override {
        attributes_.add(point, label, weight, *flags_);
        flags_->add(point.on, label, weight);
    }

    void remove_point(const Point& point, Label label, Count weight) override {
        attributes_.check_removal(point, label, weight);
        const Count n = flags_->n();
        flags_->remove(point.on, label, weight);
        attributes_.remove(point, label, weight, n);
    }

    void take_back_point(const Point& point, Label label, Count weight) override {
        const Count n = flags_->n();
        flags_->take_back(point.on, label, weight);
        attributes_.remove(point, label, weight, n);
    }

    void merge(SplitSearch& other, Merge how) override {
        AttributeSearch merged = attributes_;
        auto* composite = dynamic_cast<CompositeSearch*>(&other);
        if (composite != nullptr) {
            merged.merge(composite->attributes_, *flags_, *composite->flags_);
            flags_->merge(*composite->flags_, how);
        } else {
            merged.merge(attributes_.like_new(), *flags_, other);
            flags_->merge(other, how);
        }
        attributes_ = std::move(merged);
    }

    std::optional<Split> best() override {
        std::vector<Split> top;
        if (std::optional<Split> found = flags_->best()) top.push_back(std::move(*found));
        attributes_.join(top, 1, *flags_);
        return top.empty() ? std::nullopt : std::optional<Split>(std::move(top.front()));
    }

    std::vector<Split> top(std::size_t k) override {
        std::vector<Split> top = flags_->top(k);
        attributes_.join(top, k, *flags_);
        return top;
    }

    bool is_exact() const override { return flags_->is_exact(); }

    std::vector<Count> passing(const Test& test) const override { return attributes_.passing(test, *flags_); }
    void keep(const Test& test) override { attributes_.keep(test, *flags_); }
    const Attributes* attributes() const override { return &attributes_.attributes(); }
    std::uint32_t gap_of(const Test& test) const override { return attributes_.gap_of(test); }

    bool rest_sets(Count asked_at, Count n) override { return attributes_.rest_sets(asked_at, n); }
    void end_rest() override { attributes_.end_rest(); }
    bool wake() override { return attributes_.wake(); }

    SplitSearch& over_features() override { return *flags_; }
    const AttributeSearch* over_attributes() const override { return &attributes_; }

    // ---- what is counted ----------------------------------------------------------------------------------------

    Count n() const override { return flags_->n(); }
    std::vector<Count> of_classes() const override { return flags_->of_classes(); }
    std::size_t n_features() const override { return flags_->n_features(); }
    std::vector<Count> on(FeatureId id) const override { return flags_->on(id); }
    void append_with(Features features, Count n, std::vector<FeatureId>& found) const override {
        flags_->append_with(features, n, found);
    }
    std::size_t n_with_at_least(Count n) const override { return flags_->n_with_at_least(n); }

    // ---- kept and continued -------------------------------------------------------------------------------------

    std::unique_ptr<SplitSearch> clone() const override { return std::make_unique<CompositeSearch>(*this); }
    CompositeSearch(const CompositeSearch& other) : flags_(other.flags_->clone()), attributes_(other.attributes_) {}
    CompositeSearch& operator=(const CompositeSearch&) = delete;
    /// A copy with a copy of the attributes, for whoever is to go on without regard to this one.
    std::unique_ptr<SplitSearch> clone_over(const Attributes& copy) const {
        auto made = std::make_unique<CompositeSearch>(*this);
        made->attributes_.look_at(copy);
        return made;
    }

    void save(ByteWriter& out) override {
        flags_->save(out);
        attributes_.save(out);
    }
    void load(ByteReader& in, const SavedSearch& expected) override {
        flags_->load(in, expected);
        load_attributes(in);
    }
    /// What `over_attributes()->save` wrote, once the features are as they were then.
    void load_attributes(ByteReader& in) { attributes_.load(in, *flags_); }

    /// Those of the features alone.
    SearchState state() override { return flags_->state(); }
    void restore(SearchState state) override { flags_->restore(std::move(state)); }

    /// The same search over more classes, of whose features `flags` is the search.
    std::unique_ptr<SplitSearch> widened(const SearchChoice& wider, std::unique_ptr<SplitSearch> flags) const {
        auto made = std::make_unique<CompositeSearch>(wider, std::move(flags), attributes_.attributes());
        made->attributes_ = attributes_;
        made->attributes_.widen(static_cast<std::size_t>(wider.n_classes));
        return made;
    }
    SplitSearch& flags() { return *flags_; }

    bool take_classes(std::size_t n_classes) override {
        if (!flags_->take_classes(n_classes)) return false;
        attributes_.widen(n_classes);
        return true;
    }

    // ---- what it costs ------------------------------------------------------------------------------------------

    std::size_t n_bytes() const override {
        return sizeof(*this) + block_overhead + flags_->n_bytes() + attributes_.n_bytes();
    }
    std::uint64_t n_examined() const override { return flags_->n_examined() + attributes_.n_examined(); }
    std::vector<std::pair<std::string, std::uint64_t>> stats() const override {
        std::vector<std::pair<std::string, std::uint64_t>> counters = flags_->stats();
        counters.emplace_back("numbers", attributes_.n_numbers());
        counters.emplace_back("attributes_examined", attributes_.n_examined());
        return counters;
    }
    void validate() override {
        flags_->validate();
        attributes_.validate(*flags_);
    }

private:
    std::unique_ptr<SplitSearch> flags_;
    AttributeSearch attributes_;
};

}  // namespace sapwood
