#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/types.hpp"

namespace sapwood {

// BaseEnt and BaseGini written down as the paper defines them: the yardstick of its speed-ups, which `search/` has
// left behind. Not for use: the exhaustive search gives the same answers several times as fast.

struct PlainEntropy {
    /// Of c points among `total`: -c ln(c / total), where 0 ln 0 = 0.
    static double term(double c, double total) { return c > 0 ? -c * std::log(c / total) : 0.0; }
};

struct PlainGini {
    static double term(double c, double total) { return c > 0 ? c * (1.0 - c / total) : 0.0; }
};

/// Scores every feature seen, one after the other, at every query.
template <class Criterion>
class PlainExhaustive {
public:
    explicit PlainExhaustive(std::size_t n_features) : place_(n_features, no_slot) {}

    void add(Features features, Label label) {
        ++of_class_[label];
        for (const FeatureId id : features) {
            Slot& place = place_[static_cast<std::size_t>(id)];
            if (place == no_slot) {
                place = slot_at(seen_.size());
                seen_.push_back({});
            }
            ++seen_[index_of(place)][label];
        }
    }

    /// The smallest score, infinite before any feature was seen.
    double best_score() const {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& on : seen_) {
            const double on0 = on[0], on1 = on[1];
            const double off0 = of_class_[0] - on0, off1 = of_class_[1] - on1;
            const double score = side(on0, on1) + side(off0, off1);
            if (score < best) best = score;
        }
        return best;
    }

private:
    static double side(double c0, double c1) {
        const double total = c0 + c1;
        return Criterion::term(c0, total) + Criterion::term(c1, total);
    }

    std::vector<Slot> place_;
    std::vector<std::array<Count, 2>> seen_;
    std::array<double, 2> of_class_{};
};

}  // namespace sapwood
