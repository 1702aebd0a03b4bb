#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sapwood/types.hpp"

namespace sapwood {

/// Why certificates are renewed: the class counts are about to leave the region, or the gain that queries need has come
/// close to theta.
enum class RenewalCause : std::uint8_t { region, gain };

/// How much certificates are made to allow for: how far the gain that queries need may fall, and how far the class
/// counts may stray. Much makes renewals rare and candidates many; so they follow what the stream makes dear.
class Margins {
public:
    /// What is promised where queries need such a gain.
    double theta(double gain) const { return (1 - slack_) * gain; }

    /// Below this a gain has come close to theta: two thirds of what it may fall have been used, so that a renewal in
    /// slices has a third left to be completed in.
    double calm_gain(double theta) const { return theta * (1 + slack_ / 3); }

    /// How far a region is to reach from the class counts of n points. In a cone the counts may stray from their ratio
    /// as far as they do by chance: from n points on, that of class k to the other strays by about
    /// sqrt(n c_k / c_other) / 2, and more later, but in proportion to the points it never does by more than that.
    template <class ClassCounts>
    ClassCounts room(const ClassCounts& of_class, Count n, Count gap, bool is_cone) const {
        ClassCounts room = of_class;
        const Count most = (max_points - n) / static_cast<Count>(of_class.size());
        for (std::size_t k = 0; k < of_class.size(); ++k) {
            // Nor is a box worth making that has been left when the next query comes.
            const double wanted = is_cone ? reach_ * std::sqrt(static_cast<double>(n) * of_class[k] / of_class[1 - k])
                                          : std::max(std::min(gaps * gap, most_of_gaps * n), box_share * reach_ * n);
            room[k] = static_cast<Count>(std::min<double>(std::max(2.0, std::min<double>(wanted, n)), most));
        }
        return room;
    }

    /// To allow for less, because candidates are dear.
    void narrow() {
        slack_ = std::max(slack_ * narrower, least_slack);
        reach_ = std::max(reach_ * narrower, least_reach);
    }

    /// To allow for more of what made the last renewal necessary, because renewals are dear.
    void widen(RenewalCause cause) {
        if (cause == RenewalCause::gain) slack_ = std::min(slack_ * wider, most_slack);
        if (cause == RenewalCause::region) reach_ = std::min(reach_ * wider, most_reach);
    }

private:
    // Chosen together by `benchmarks.micro speed` when cones were introduced. What other values cost is in instructions
    // of all of a stream of 10 000 sparse features: noise, two classes; and five classes with a signal.

    /// The steps: one is about the inverse of the other, so that a step back undoes a step. Of 0.5 and 2, noise takes 3
    /// % more and five classes 54 %; of 0.85 and 1.2, 5 % and 7 % less.
    static constexpr double narrower = 0.7;
    static constexpr double wider = 1.5;
    /// A gain falls by a fiftieth by chance. Where it falls by half, rare features must be looked at too
    /// (Promise::find_rare).
    static constexpr double least_slack = 0.02;
    static constexpr double most_slack = 0.5;
    /// From one standard deviation (see `room`), which chance uses up, to what no stream does.
    static constexpr double least_reach = 0.5;
    static constexpr double most_reach = 1000;
    /// With the first reach of 2 a box reaches for 7 % of the points, as boxes did before there were cones.
    static constexpr double box_share = 0.035;
    /// A box reaches for two gaps between queries, unless that were more than three tenths of the points: such a box
    /// has few certificates.
    static constexpr double gaps = 2.0;
    static constexpr double most_of_gaps = 0.3;

    /// theta is the gain that a query needs, less this share. A tenth, as in the prototype of the method: with 0.05
    /// noise takes 12 % more and five classes 9 %, with 0.2 5 % and 26 %.
    double slack_ = 0.1;
    /// How far regions reach; for a cone in pairs of standard deviations: four of them at first, which chance seldom
    /// uses up. With 1 noise takes 4 % more and five classes 62 %, with 4 36 % and 5 %.
    double reach_ = 2;
};

}  // namespace sapwood
