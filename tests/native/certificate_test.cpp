// The theorems behind certificates, by enumeration: where a certificate is granted, every state that it covers has a
// computed gain below theta. And certificates are granted where they should be.
#include "sapwood/search/certified/certificate.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"

namespace {

using namespace sapwood;
using Counts = std::vector<Count>;

/// Calls `use(counts)` for every vector of counts from `first` to `last`, both included.
template <class Use>
void for_each_between(const Counts& first, const Counts& last, Use use) {
    for (std::size_t k = 0; k < first.size(); ++k) {
        if (first[k] > last[k]) return;
    }
    Counts counts = first;
    while (true) {
        use(counts);
        std::size_t k = 0;
        while (k < counts.size() && counts[k] == last[k]) counts[k] = first[k], ++k;
        if (k == counts.size()) return;
        ++counts[k];
    }
}

template <class ClassCounts>
ClassCounts as(const Counts& counts) {
    ClassCounts result{};
    if constexpr (requires { result.resize(counts.size()); }) result.resize(counts.size());
    std::copy(counts.begin(), counts.end(), result.begin());
    return result;
}

/// The gains of all features in all nodes with at most `most` points of each class.
template <class Certificate>
class AllGains {
public:
    AllGains(std::size_t n_classes, Count most) : base_(static_cast<std::size_t>(most) + 1) {
        Certificate certificate(n_classes);
        certificate.cover(most * static_cast<Count>(n_classes));
        std::size_t size = 1;
        for (std::size_t k = 0; k < 2 * n_classes; ++k) size *= base_;
        gains_.assign(size, -std::numeric_limits<double>::infinity());
        const Counts none(n_classes);
        for_each_between(none, Counts(n_classes, most), [&](const Counts& c) {
            for_each_between(none, c, [&](const Counts& on) {
                const auto of_class = as<typename Certificate::ClassCounts>(c);
                gains_[at(on, c)] = certificate.whole(of_class) - certificate.score(on.data(), of_class);
            });
        });
    }

    /// Minus infinity where the feature is on more often than there are points.
    double operator()(const Counts& on, const Counts& c) const { return gains_[at(on, c)]; }

private:
    std::size_t at(const Counts& on, const Counts& c) const {
        std::size_t index = 0;
        for (const Count count : on) index = index * base_ + static_cast<std::size_t>(count);
        for (const Count count : c) index = index * base_ + static_cast<std::size_t>(count);
        return index;
    }

    std::size_t base_;
    std::vector<double> gains_;
};

/// Whether r touches can change the counts of a feature from one to the other.
bool in_reach(const Counts& from, const Counts& to, Count r, bool removals) {
    Count touches = 0;
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (to[k] < from[k] && !removals) return false;
        touches += std::abs(to[k] - from[k]);
    }
    return touches <= r;
}

struct Tally {
    long asked = 0;
    long sound = 0;
    long granted = 0;
};

/// For every box, feature and r: a certificate that its largest gain refutes must be refused, and a good share must be
/// granted for a theta that is some factor above that gain.
template <class Certificate>
void holds_only_if_true(const std::string& name, std::size_t n_classes, Count most, Count most_touches, bool removals,
                        double factor, double share) {
    using ClassCounts = typename Certificate::ClassCounts;
    const AllGains<Certificate> gain(n_classes, most);
    const Counts none(n_classes);
    Certificate certificate(n_classes);
    Tally tally;
    for_each_between(none, Counts(n_classes, most), [&](const Counts& lower) {
        for_each_between(lower, Counts(n_classes, most), [&](const Counts& upper) {
            const Region<ClassCounts> box{as<ClassCounts>(lower), as<ClassCounts>(upper)};
            // The largest gain of each feature anywhere in the box.
            std::vector<std::pair<Counts, double>> largest;
            for_each_between(none, upper, [&](const Counts& on) {
                double most_gain = -std::numeric_limits<double>::infinity();
                for_each_between(lower, upper, [&](const Counts& c) { most_gain = std::max(most_gain, gain(on, c)); });
                largest.emplace_back(on, most_gain);
            });
            for (const auto& [on, its_gain] : largest) {
                for (Count r = 0; r <= most_touches; ++r) {
                    double reached = its_gain;
                    for (const auto& [other, other_gain] : largest) {
                        if (in_reach(on, other, r, removals)) reached = std::max(reached, other_gain);
                    }
                    ++tally.asked;
                    certificate.promise(box, reached, removals);
                    tally.sound += !certificate.holds(on.data(), r);
                    certificate.promise(box, factor * reached + 0.1, removals);
                    tally.granted += certificate.holds(on.data(), r);
                }
            }
        });
    });
    CHECK(tally.asked > 10'000);
    if (!CHECK(tally.sound == tally.asked)) std::fprintf(stderr, "  %s\n", name.c_str());
    const double granted = static_cast<double>(tally.granted) / static_cast<double>(tally.asked);
    if (!CHECK(granted >= share)) std::fprintf(stderr, "  %s\n", name.c_str());
    std::fprintf(stderr, "%s, %s removals: %ld certificates, %.0f %% granted\n", name.c_str(),
                 removals ? "with" : "without", tally.asked, 100 * granted);
}

/// Draws from 0 to `most`, small numbers as often as large ones.
Count draw(std::mt19937& random, Count most) {
    const auto limit = static_cast<std::uint32_t>(most) >> (random() % 31);
    return static_cast<Count>(random() % (limit + std::uint32_t{1}));
}

/// States drawn from large boxes, up to 2^31 - 1 points: the gain of each refutes a certificate.
template <class Certificate>
void holds_only_if_true_of_large_counts(std::size_t n_classes, int boxes) {
    using ClassCounts = typename Certificate::ClassCounts;
    std::mt19937 random(17);
    Certificate certificate(n_classes);
    long refused = 0;
    long asked = 0;
    for (int i = 0; i < boxes; ++i) {
        const bool removals = random() % 2 == 0;
        const Count most = (max_points >> (random() % 28)) / static_cast<Count>(n_classes);
        Counts lower(n_classes);
        Counts upper(n_classes);
        Counts on(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) {
            lower[k] = draw(random, most);
            upper[k] = lower[k] + draw(random, most - lower[k]);
            on[k] = draw(random, lower[k]);
        }
        const Count r = draw(random, most);
        for (int j = 0; j < 30; ++j) {
            Counts c(n_classes);
            Counts now = on;
            Count left = r;
            for (std::size_t k = 0; k < n_classes; ++k) {
                // Corners of the box more often than not.
                const auto corner = random() % 3;
                c[k] = corner == 0 ? lower[k] : corner == 1 ? upper[k] : lower[k] + draw(random, upper[k] - lower[k]);
                const bool down = removals && random() % 2 == 0;
                const Count room = std::min(left, down ? now[k] : c[k] - now[k]);
                const Count step = random() % 2 == 0 ? room : draw(random, room);
                now[k] += down ? -step : step;
                left -= step;
            }
            const auto of_class = as<ClassCounts>(c);
            Count n = 0;
            for (const Count count : c) n += count;
            certificate.cover(n);
            const double gain = certificate.whole(of_class) - certificate.score(now.data(), of_class);
            certificate.promise({as<ClassCounts>(lower), as<ClassCounts>(upper)}, gain, removals);
            ++asked;
            refused += !certificate.holds(on.data(), r);
        }
    }
    CHECK(asked > 0);
    CHECK(refused == asked);
}

/// For every cone with corners at small counts, feature and r: a certificate that any state of the cone refutes, as far
/// as states are enumerated, must be refused. And where the feature has as few occurrences as there are points of
/// either class, it must be granted for a theta just above the largest gain in the box of the same corners, though the
/// cone is so much larger.
template <class Certificate>
void holds_only_if_true_in_cones(const std::string& name, Count most, Count farthest, Count most_touches) {
    using ClassCounts = typename Certificate::ClassCounts;
    const AllGains<Certificate> gain(2, farthest);
    const Counts one{1, 1};
    Certificate certificate(2);
    Tally tally;
    long wanted = 0;
    for_each_between(one, Counts(2, most), [&](const Counts& lower) {
        for_each_between(lower, Counts(2, most), [&](const Counts& upper) {
            const Region<ClassCounts> cone{as<ClassCounts>(lower), as<ClassCounts>(upper), true, 2 * farthest};
            std::vector<Counts> states;
            for_each_between(lower, Counts(2, farthest), [&](const Counts& c) {
                if (cone.contains(as<ClassCounts>(c))) states.push_back(c);
            });
            for_each_between({0, 0}, upper, [&](const Counts& on) {
                double reached = -std::numeric_limits<double>::infinity();
                double in_box = reached;
                for (Count r = 0; r <= most_touches; ++r) {
                    for (Count more = 0; more <= r; ++more) {
                        const Counts later{on[0] + more, on[1] + r - more};
                        for (const Counts& c : states) {
                            if (later[0] > c[0] || later[1] > c[1]) continue;
                            reached = std::max(reached, gain(later, c));
                            if (c[0] <= upper[0] && c[1] <= upper[1]) in_box = std::max(in_box, gain(later, c));
                        }
                    }
                    // Nothing to refute, and nothing to grant, where the feature is on too often for the region.
                    if (in_box < 0) continue;
                    ++tally.asked;
                    certificate.promise(cone, reached, false);
                    tally.sound += !certificate.holds(on.data(), r);
                    if (on[0] + r > lower[0] || on[1] + r > lower[1]) continue;
                    ++wanted;
                    certificate.promise(cone, in_box + 1e-9, false);
                    tally.granted += certificate.holds(on.data(), r);
                }
            });
        });
    });
    CHECK(tally.asked > 10'000);
    if (!CHECK(tally.sound == tally.asked)) std::fprintf(stderr, "  %s\n", name.c_str());
    CHECK(wanted > 1'000);
    if (!CHECK(tally.granted == wanted)) std::fprintf(stderr, "  %s\n", name.c_str());
    std::fprintf(stderr, "%s, cones: %ld certificates, %ld granted of %ld\n", name.c_str(), tally.asked, tally.granted,
                 wanted);
}

/// States drawn from large cones, up to 2^31 - 1 points: the gain of each refutes a certificate, also one that was made
/// before the cone was narrowed around later counts.
template <class Certificate>
void holds_only_if_true_in_large_cones(int cones) {
    using ClassCounts = typename Certificate::ClassCounts;
    std::mt19937 random(18);
    Certificate certificate(2);
    long refused = 0;
    long asked = 0;
    long narrowed = 0;
    for (int i = 0; i < cones; ++i) {
        const Count most = (max_points >> (random() % 28)) / 2;
        const auto grown = [&](Count from, Count to) { return from + draw(random, to - from); };
        Region<ClassCounts> cone;
        cone.is_cone = true;
        cone.most = max_points;
        for (std::size_t k = 0; k < 2; ++k) {
            cone.lower[k] = 1 + draw(random, most - 1);
            cone.upper[k] = grown(cone.lower[k], most);
        }
        const Counts on{draw(random, cone.lower[0]), draw(random, cone.lower[1])};
        const Count r = draw(random, most);
        for (int j = 0; j < 30; ++j) {
            ClassCounts c{grown(cone.lower[0], most), grown(cone.lower[1], most)};
            // At a side of the cone more often than not.
            const std::size_t side = random() % 3;
            if (side < 2) {
                const std::int64_t at_most = std::int64_t{c[1 - side]} * cone.upper[side] / cone.lower[1 - side];
                c[side] = static_cast<Count>(std::min<std::int64_t>(at_most, most));
            }
            if (c[0] < cone.lower[0] || c[1] < cone.lower[1] || !cone.contains(c)) continue;
            Counts now = on;
            Count left = r;
            for (const std::size_t k : {random() % 2, random() % 2}) {
                const Count room = std::min(left, c[k] - now[k]);
                const Count step = random() % 2 == 0 ? room : draw(random, room);
                now[k] += step;
                left -= step;
            }
            certificate.cover(c[0] + c[1]);
            const double gain = certificate.whole(c) - certificate.score(now.data(), c);
            certificate.promise(cone, gain, false);
            ++asked;
            refused += !certificate.holds(on.data(), r);
            // What is left of the cone further on is part of it.
            Region<ClassCounts> later = cone;
            later.narrow(c, {draw(random, most - c[0]), draw(random, most - c[1])}, false);
            const ClassCounts further{grown(later.lower[0], most), grown(later.lower[1], most)};
            if (!later.contains(further)) continue;
            ++narrowed;
            CHECK(cone.contains(further));
            certificate.promise(later, gain, false);
            refused += certificate.holds(now.data(), 0) ? 0 : 1;
            ++asked;
        }
    }
    CHECK(asked > 10 * cones);
    CHECK(narrowed > cones);
    CHECK(refused == asked);
}

template <class Certificate>
void certificates_for_two_classes(const std::string& name) {
    holds_only_if_true<Certificate>(name, 2, 7, 4, false, 1.1, 0.95);
    holds_only_if_true<Certificate>(name, 2, 7, 4, true, 1.1, 0.75);
    holds_only_if_true_of_large_counts<Certificate>(2, 20000);
    holds_only_if_true_in_cones<Certificate>(name, 7, 24, 4);
    holds_only_if_true_in_large_cones<Certificate>(20000);
}

template <class Certificate>
void certificates_for_more_classes(const std::string& name) {
    // The bounds are sums over the classes, and counts as small as these are the worst for them.
    holds_only_if_true<Certificate>(name + ", 2 classes", 2, 5, 3, false, 3, 0.6);
    holds_only_if_true<Certificate>(name + ", 3 classes", 3, 3, 3, false, 3, 0.6);
    holds_only_if_true<Certificate>(name + ", 3 classes", 3, 3, 3, true, 3, 0.6);
    holds_only_if_true<Certificate>(name + ", 4 classes", 4, 2, 2, false, 3, 0.6);
    holds_only_if_true<Certificate>(name + ", 4 classes", 4, 2, 2, true, 3, 0.6);
    for (const std::size_t n_classes : {2u, 3u, 5u, 20u}) {
        holds_only_if_true_of_large_counts<Certificate>(n_classes, 5000);
    }
}

}  // namespace

int main() {
    certificates_for_two_classes<BinaryCertificate<Entropy>>("entropy");
    certificates_for_two_classes<BinaryCertificate<Gini>>("gini");
    certificates_for_two_classes<BinaryCertificate<KearnsMansour>>("kearns_mansour");
    certificates_for_more_classes<MulticlassCertificate<Entropy>>("multiclass entropy");
    certificates_for_more_classes<MulticlassCertificate<Gini>>("multiclass gini");
    return check::finish();
}
