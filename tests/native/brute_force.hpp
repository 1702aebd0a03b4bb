// The oracle: a split search that keeps the points' counts in a map and computes every score from its definition.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood::oracle {

struct EntropyByDefinition {
    static double of(double p) { return p <= 0 || p >= 1 ? 0.0 : -p * std::log(p) - (1 - p) * std::log1p(-p); }
};

struct GiniByDefinition {
    static double of(double p) { return 2 * p * (1 - p); }
};

template <class Definition>
class BruteForce {
public:
    void add(Features features, Label label) {
        ++of_class_[label];
        for (const FeatureId id : features) ++on_[id][label];
    }

    double score(FeatureId id) const {
        const auto& on = on_.at(id);
        return weighted(on[0], on[1]) + weighted(of_class_[0] - on[0], of_class_[1] - on[1]);
    }

    double gain(FeatureId id) const {
        return (weighted(of_class_[0], of_class_[1]) - score(id)) / (of_class_[0] + of_class_[1]);
    }

    /// The scores of all seen features, the smallest first.
    std::vector<double> scores() const {
        std::vector<double> all;
        for (const auto& [id, on] : on_) all.push_back(score(id));
        std::sort(all.begin(), all.end());
        return all;
    }

    std::size_t n_features() const { return on_.size(); }

private:
    static double weighted(double u, double v) { return u + v > 0 ? (u + v) * Definition::of(v / (u + v)) : 0.0; }

    std::array<double, 2> of_class_{};
    std::map<FeatureId, std::array<double, 2>> on_;
};

}  // namespace sapwood::oracle
