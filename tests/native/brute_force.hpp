// The oracle: a split search that keeps the points' counts in a map and computes every score from its definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood::oracle {

/// The impurity of shares that sum to 1.
struct EntropyByDefinition {
    static double of(const std::vector<double>& shares) {
        double sum = 0;
        for (const double p : shares) sum -= p > 0 ? p * std::log(p) : 0.0;
        return sum;
    }
};

struct GiniByDefinition {
    static double of(const std::vector<double>& shares) {
        double sum = 0;
        for (const double p : shares) sum += p * (1 - p);
        return sum;
    }
};

/// For two classes only.
struct KearnsMansourByDefinition {
    static double of(const std::vector<double>& shares) { return 2 * std::sqrt(shares[0] * shares[1]); }
};

template <class Definition>
class BruteForce {
public:
    explicit BruteForce(std::size_t n_classes = 2) : of_class_(n_classes) {}

    void add(Features features, Label label, double weight = 1) {
        of_class_[label] += weight;
        for (const FeatureId id : features) {
            on_.try_emplace(id, of_class_.size()).first->second[label] += weight;
        }
    }

    /// Whether the counts leave room for a point to be removed: enough points of its class have each of its features,
    /// and enough lack each of the others.
    bool may_remove(Features features, Label label, double weight = 1) const {
        if (of_class_[label] < weight) return false;
        for (const FeatureId id : features) {
            const auto at = on_.find(id);
            if (at == on_.end() || at->second[label] < weight) return false;
        }
        for (const auto& [id, on] : on_) {
            const bool has = std::find(features.begin(), features.end(), id) != features.end();
            if (!has && of_class_[label] - on[label] < weight) return false;
        }
        return true;
    }

    void remove(Features features, Label label, double weight = 1) {
        of_class_[label] -= weight;
        for (const FeatureId id : features) on_.at(id)[label] -= weight;
    }

    double score(FeatureId id) const {
        const std::vector<double>& on = on_.at(id);
        std::vector<double> off(of_class_);
        for (std::size_t k = 0; k < off.size(); ++k) off[k] -= on[k];
        return weighted(on) + weighted(off);
    }

    double gain(FeatureId id) const {
        const double n = sum(of_class_);
        return n > 0 ? (weighted(of_class_) - score(id)) / n : 0.0;
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
    static double sum(const std::vector<double>& counts) {
        double n = 0;
        for (const double count : counts) n += count;
        return n;
    }

    static double weighted(std::vector<double> counts) {
        const double n = sum(counts);
        if (n == 0) return 0.0;
        for (double& count : counts) count /= n;
        return n * Definition::of(counts);
    }

    std::vector<double> of_class_;
    std::map<FeatureId, std::vector<double>> on_;
};

}  // namespace sapwood::oracle
