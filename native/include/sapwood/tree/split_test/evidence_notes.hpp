#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/tree/split_test/evidence.hpp"
#include "sapwood/tree/split_test/split_notes.hpp"

namespace sapwood {

/// What the test by evidence keeps of a node: the order in which features occurred for the third time, and a bound that
/// says when no feature can have enough evidence.
///
/// Four bytes per feature that has occurred three times. The bound and what is remembered of leaders only save
/// questions, and are not saved.
class EvidenceNotes final : public SplitNotes {
public:
    /// The rank of a feature that has none is that of the next one to get one.
    void note(Features features, const SplitSearch& search) override {
        search.append_with(features, occurrences_for_rank, ranked_);
    }

    std::size_t n_ranked() const { return ranked_.size(); }
    const std::vector<FeatureId>& ranked() const { return ranked_; }

    /// What the evidence of a feature must reach at the `leaf`-th leaf; infinite if it has no rank yet.
    double needed(FeatureId feature, double log_delta, std::int64_t leaf) {
        for (const auto& [known, need] : needs_) {
            if (known == feature) return need;
        }
        const auto found = std::find(ranked_.begin(), ranked_.end(), feature);
        if (found == ranked_.end()) return std::numeric_limits<double>::infinity();
        const double need = evidence_needed(log_delta, leaf, found - ranked_.begin() + 1);
        // The leaders of a node are few and change seldom; a list of many would take longer to look through than to
        // make.
        if (needs_.size() >= most_remembered) needs_.clear();
        needs_.emplace_back(feature, need);
        return need;
    }

    /// While this plus the weighted entropy of the node is below 0, no feature has enough evidence.
    double bound() const { return bound_; }
    void set_bound(double bound) { bound_ = bound; }
    /// To be called when points were removed, or others merged: scores may have fallen.
    void forget_bound() { bound_ = std::numeric_limits<double>::infinity(); }

    void save(ByteWriter& out) const override {
        out.put(static_cast<std::uint32_t>(ranked_.size()));
        out.put_all(std::span<const FeatureId>(ranked_));
    }

    void load(ByteReader& in, const SplitSearch& search) override {
        const auto size = in.get<std::uint32_t>("the ranks of features");
        ranked_ = in.get_list<FeatureId>(size, "the ranks of features");
        if (const char* fault = why_broken(search)) {
            throw ModelFormatError(std::string("the ranks of a node must be of its features, got ") + fault);
        }
    }

    void validate(const SplitSearch& search) const override {
        if (const char* fault = why_broken(search)) throw std::logic_error(std::string("ranks are broken: ") + fault);
    }

    std::size_t n_bytes() const override {
        return sizeof(*this) + ranked_.capacity() * sizeof(FeatureId) + needs_.capacity() * sizeof(needs_[0]);
    }

private:
    static constexpr std::size_t most_remembered = 16;

    /// Every feature that has occurred three times has one rank, and no other has one.
    const char* why_broken(const SplitSearch& search) const {
        std::vector<FeatureId> sorted(ranked_);
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return "a feature twice";
        for (const FeatureId id : ranked_) {
            if (id < 0) return "a feature below 0";
            Count n_on = 0;
            for (const Count count : search.on(id)) n_on += count;
            if (n_on < occurrences_for_rank) return "a feature that has not occurred three times";
        }
        if (search.n_with_at_least(occurrences_for_rank) != ranked_.size()) return "not all that occurred three times";
        return nullptr;
    }

    std::vector<FeatureId> ranked_;
    std::vector<std::pair<FeatureId, double>> needs_;
    double bound_ = std::numeric_limits<double>::infinity();
};

}  // namespace sapwood
