// The bounds of the split tests: figures by hand and from the formulas of the works cited, quantiles from tables, and
// the variance of a gain against derivatives taken numerically and against simulated streams.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brute_force.hpp"
#include "check.hpp"
#include "sapwood/tree/split_test/gain_units.hpp"
#include "sapwood/tree/split_test/gaussian.hpp"
#include "sapwood/tree/split_test/hoeffding.hpp"
#include "sapwood/tree/split_test/make_split_test.hpp"
#include "sapwood/tree/split_test/mcdiarmid.hpp"

namespace {

using sapwood::Count;
using sapwood::Criterion;
using sapwood::SplitTestKind;

bool is_close(double found, double true_value, double relative = 1e-12) {
    return std::abs(found - true_value) <= relative * std::max(1.0, std::abs(true_value));
}

// ---- bounds that depend on the number of points alone ------------------------------------------------------------

void hoeffding() {
    // R sqrt(ln(1 / delta) / (2 n)): with delta = e^-2 and n = 4 it is R / 2.
    CHECK(is_close(sapwood::hoeffding_bound(1, std::exp(-2.0), 4), 0.5));
    CHECK(is_close(sapwood::hoeffding_bound(3, std::exp(-2.0), 4), 1.5));
    // The usual setting: delta = 1e-7, two classes, 200 points.
    CHECK(is_close(sapwood::hoeffding_bound(1, 1e-7, 200), 0.20073674085078645));
    // The range of information gain is log2 of the number of classes, and never less than of two.
    CHECK(is_close(sapwood::gain_range(Criterion::entropy, 8), 3) &&
          is_close(sapwood::gain_range(Criterion::entropy, 1), 1));
    CHECK(sapwood::gain_range(Criterion::gini, 8) == 1 && sapwood::gain_range(Criterion::kearns_mansour, 2) == 1);

    const sapwood::HoeffdingBound bound(Criterion::entropy, std::exp(-2.0));
    CHECK(bound.is_uniform());
    // Four classes of which one has no point yet: three are seen.
    const std::vector<Count> of_class{2, 1, 0, 1};
    CHECK(is_close(bound.value(of_class, {}, {}), std::log2(3) / 2));
}

void mcdiarmid() {
    // C_Gain(K, N) = 6 (K log2(e N) + log2(2 N)) + 2 log2 K. With K = 2 and N = 8: log2(8 e) = 3 + log2 e, log2 16 = 4.
    const double log2_e = 1.4426950408889634;
    const double range = 6 * (2 * (3 + log2_e) + 4) + 2;
    CHECK(is_close(sapwood::mcdiarmid_bound(Criterion::entropy, 2, std::exp(-4.0), 8), range / 2));
    CHECK(is_close(sapwood::mcdiarmid_bound(Criterion::entropy, 1, std::exp(-4.0), 8), range / 2));
    const double range_of_four = 6 * (4 * (3 + log2_e) + 4) + 4;
    CHECK(is_close(sapwood::mcdiarmid_bound(Criterion::entropy, 4, std::exp(-4.0), 8), range_of_four / 2));
    // 8 sqrt(ln(1 / delta) / (2 N)) for Gini, whatever the number of classes.
    CHECK(is_close(sapwood::mcdiarmid_bound(Criterion::gini, 2, std::exp(-4.0), 8), 4));
    CHECK(is_close(sapwood::mcdiarmid_bound(Criterion::gini, 9, std::exp(-4.0), 32), 2));

    const sapwood::McDiarmidBound bound(Criterion::gini, std::exp(-4.0));
    CHECK(bound.is_uniform());
    CHECK(is_close(bound.value(std::vector<Count>{5, 3}, {}, {}), 4));
    CHECK(sapwood::why_no_test(SplitTestKind::mcdiarmid, Criterion::kearns_mansour).has_value());
    CHECK(!sapwood::why_no_test(SplitTestKind::mcdiarmid, Criterion::gini) &&
          !sapwood::why_no_test(SplitTestKind::gaussian, Criterion::kearns_mansour));
}

void quantiles() {
    // The upper quantiles of the normal distribution, as tables have them.
    const std::array<std::pair<double, double>, 7> known{{{0.4, 0.2533471031357997},
                                                          {0.158655253931457, 1.0},
                                                          {0.05, 1.6448536269514722},
                                                          {0.025, 1.9599639845400545},
                                                          {0.001, 3.090232306167813},
                                                          {1e-7, 5.199337582192817},
                                                          {1e-12, 7.034483825301131}}};
    for (const auto& [delta, quantile] : known) CHECK(is_close(sapwood::normal_quantile(delta), quantile, 1e-9));
    CHECK(sapwood::normal_quantile(0.4999999) < 1e-6);
}

// ---- the variance of a gain --------------------------------------------------------------------------------------

using Cells = std::array<std::vector<double>, 2>;

template <class Definition>
double weighted(const std::vector<double>& counts) {
    double n = 0;
    for (const double count : counts) n += count;
    if (n == 0) return 0;
    std::vector<double> shares(counts);
    for (double& share : shares) share /= n;
    return n * Definition::of(shares);
}

double impurity(Criterion criterion, const std::vector<double>& counts) {
    if (criterion == Criterion::entropy) return weighted<sapwood::oracle::EntropyByDefinition>(counts) / std::log(2.0);
    if (criterion == Criterion::gini) return weighted<sapwood::oracle::GiniByDefinition>(counts);
    return weighted<sapwood::oracle::KearnsMansourByDefinition>(counts);
}

/// The gain of a table of shares, or of counts, per point.
double gain(Criterion criterion, const Cells& cells) {
    std::vector<double> all(cells[0].size());
    double n = 0;
    for (std::size_t k = 0; k < all.size(); ++k) n += all[k] = cells[0][k] + cells[1][k];
    return (impurity(criterion, all) - impurity(criterion, cells[0]) - impurity(criterion, cells[1])) / n;
}

/// The delta method by numbers: the covariance of the shares of cells is diag(p) - p p^T, and a derivative is a
/// difference. Any extension of the gain to shares that do not sum to 1 gives the same.
double variance_by_differences(Criterion criterion, const Cells& counts) {
    Cells cells = counts;
    double n = 0;
    for (const auto& side : counts) {
        for (const double count : side) n += count;
    }
    for (auto& side : cells) {
        for (double& cell : side) cell /= n;
    }
    double mean = 0;
    double square = 0;
    for (auto& side : cells) {
        for (double& cell : side) {
            const double share = cell;
            if (share == 0) continue;
            const double step = 1e-5 * share;
            cell = share + step;
            const double above = gain(criterion, cells);
            cell = share - step;
            const double below = gain(criterion, cells);
            cell = share;
            const double derivative = (above - below) / (2 * step);
            mean += share * derivative;
            square += share * derivative * derivative;
        }
    }
    return square - mean * mean;
}

void variance_against_differences() {
    std::mt19937 random(3);
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini, Criterion::kearns_mansour}) {
        for (int i = 0; i < 300; ++i) {
            const std::size_t n_classes = criterion == Criterion::kearns_mansour ? 2 : 2 + random() % 4;
            std::vector<Count> on(n_classes);
            std::vector<Count> of_class(n_classes);
            Cells cells{std::vector<double>(n_classes), std::vector<double>(n_classes)};
            for (std::size_t k = 0; k < n_classes; ++k) {
                on[k] = static_cast<Count>(random() % 200);
                of_class[k] = on[k] + static_cast<Count>(random() % 200);
                // An impurity of Kearns and Mansour has no derivative where a cell is empty.
                if (criterion == Criterion::kearns_mansour) {
                    on[k] += 1;
                    of_class[k] += 2;
                }
                cells[0][k] = of_class[k] - on[k];
                cells[1][k] = on[k];
            }
            const double found = sapwood::gain_variance(criterion, on, of_class);
            if (!CHECK(is_close(found, variance_by_differences(criterion, cells), 1e-6))) return;
        }
    }
}

/// By hand: a feature that is the class, of which one half of the points has each. Its gain is as large for any share
/// nearby to first order, so it has no variance; one that says nothing has none either.
void variance_by_hand() {
    const std::vector<Count> halves{50, 50};
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini, Criterion::kearns_mansour}) {
        CHECK(sapwood::gain_variance(criterion, std::vector<Count>{0, 50}, halves) < 1e-15);
        CHECK(sapwood::gain_variance(criterion, std::vector<Count>{25, 25}, halves) < 1e-15);
    }
    // The feature is the class, with shares of 1/4 and 3/4: the gain is H(p), with the derivatives -log2 p_k.
    const double log2_3 = 1.584962500721156;
    const double square = 0.25 * 4 + 0.75 * (2 - log2_3) * (2 - log2_3);
    const double mean = 0.25 * 2 + 0.75 * (2 - log2_3);
    CHECK(is_close(sapwood::gain_variance(Criterion::entropy, std::vector<Count>{0, 75}, std::vector<Count>{25, 75}),
                   square - mean * mean));
    // Gini: 2 p (1 - p), so n * variance = (2 - 4 p)^2 p (1 - p) = 3/16.
    CHECK(is_close(sapwood::gain_variance(Criterion::gini, std::vector<Count>{0, 75}, std::vector<Count>{25, 75}),
                   3.0 / 16));
}

/// The gains of many samples from the same distribution scatter as the delta method says.
void variance_against_simulation() {
    std::mt19937 random(4);
    const std::array<double, 6> shares{0.1, 0.25, 0.15, 0.3, 0.15, 0.05};
    std::discrete_distribution<std::size_t> draw(shares.begin(), shares.end());
    constexpr int n = 2000;
    constexpr int n_samples = 1500;
    for (const Criterion criterion : {Criterion::entropy, Criterion::gini, Criterion::kearns_mansour}) {
        const std::size_t n_classes = criterion == Criterion::kearns_mansour ? 2 : 3;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < n_samples; ++i) {
            Cells cells{std::vector<double>(n_classes), std::vector<double>(n_classes)};
            for (int j = 0; j < n; ++j) {
                const std::size_t cell = draw(random);
                cells[cell / 3][cell % 3 % n_classes] += 1;
            }
            const double found = gain(criterion, cells);
            sum += found;
            squares += found * found;
        }
        const double simulated = n * (squares - sum * sum / n_samples) / (n_samples - 1);
        std::vector<Count> on(n_classes);
        std::vector<Count> of_class(n_classes);
        for (std::size_t cell = 0; cell < shares.size(); ++cell) {
            const auto count = static_cast<Count>(std::lround(shares[cell] * n));
            of_class[cell % 3 % n_classes] += count;
            if (cell >= 3) on[cell % 3 % n_classes] += count;
        }
        // A variance from 1500 samples is off by 3.7 % (one standard deviation).
        CHECK(is_close(simulated / sapwood::gain_variance(criterion, on, of_class), 1, 0.15));
    }
}

// ---- the Gaussian test -------------------------------------------------------------------------------------------

void gaussian() {
    const std::vector<Count> of_class{25, 75};
    const std::vector<Count> pure{0, 75};
    // Gini again: a variance of 3/16 a point, and of the difference of two such features of twice that.
    const double one = 1.6448536269514722 * std::sqrt(3.0 / 16 / 100);
    const sapwood::GaussianBound bound(Criterion::gini, 0.05);
    CHECK(!bound.is_uniform());
    CHECK(is_close(bound.value(of_class, pure, {}), one, 1e-9));
    CHECK(is_close(bound.value(of_class, pure, pure), one * std::sqrt(2.0), 1e-9));

    // On in 20 of 100 points: the class with 25 expects 5 of them, just enough. A class without points expects none.
    CHECK(sapwood::is_nearly_normal(std::vector<Count>{10, 10}, of_class));
    CHECK(!sapwood::is_nearly_normal(std::vector<Count>{9, 10}, of_class));
    CHECK(sapwood::is_nearly_normal(std::vector<Count>{10, 0, 10}, std::vector<Count>{25, 0, 75}));
    CHECK(!sapwood::is_nearly_normal(std::vector<Count>{16, 65}, of_class));
    const double infinite = std::numeric_limits<double>::infinity();
    const std::vector<Count> rare{1, 0};
    CHECK(bound.value(of_class, rare, {}) == infinite);
    CHECK(bound.value(of_class, pure, rare) == infinite);
}

void units() {
    CHECK(is_close(sapwood::in_tree_units(Criterion::entropy, std::log(2.0)), 1));
    CHECK(sapwood::in_tree_units(Criterion::gini, 0.3) == 0.3);
}

/// A node whose points come and go, as in a window: what it knows of its gains without asking is never too little.
void gains_without_asking(Criterion criterion, int n_classes, unsigned seed) {
    constexpr sapwood::FeatureId d = 6;
    constexpr std::size_t width = 40;
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    struct Kept {
        std::vector<sapwood::FeatureId> on;
        sapwood::Label label;
        Count count;
    };
    std::deque<Kept> window;
    sapwood::SearchChoice choice;
    choice.criterion = criterion;
    choice.n_classes = n_classes;
    sapwood::NodeStatistics node(static_cast<std::size_t>(n_classes));
    node.start(sapwood::make_search(choice), nullptr);
    sapwood::GainMeter meter(criterion);
    int known = 0;
    for (int step = 0; step < 3000; ++step) {
        // Now and then most points are of one class, so that the loss of one of the others shows.
        const bool is_one_sided = step / 200 % 2 == 0;
        Kept kept{{}, static_cast<sapwood::Label>(is_one_sided && below(30) > 0 ? 0 : below(n_classes)), 1 + below(2)};
        for (sapwood::FeatureId j = 0; j < d; ++j) {
            if (below(4) == 0 || (j == 0 && kept.label != 0)) kept.on.push_back(j);
        }
        node.add(sapwood::Point(kept.on), kept.label, kept.count);
        window.push_back(std::move(kept));
        while (window.size() > (step % 300 > 250 ? width / 4 : width)) {
            node.remove(sapwood::Point(window.front().on), window.front().label, window.front().count);
            window.pop_front();
        }
        if (below(5) == 0) node.ask();
        if (!node.least_score()) continue;
        ++known;
        const double most = meter.most(node);
        for (sapwood::FeatureId j = 0; j < d; ++j) CHECK(meter.of(node, sapwood::Test(j)) <= most);
    }
    CHECK(known > 2000);
}

}  // namespace

int main() {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        for (const int n_classes : {2, 4}) {
            gains_without_asking(Criterion::entropy, n_classes, seed);
            gains_without_asking(Criterion::gini, n_classes, seed);
        }
        gains_without_asking(Criterion::kearns_mansour, 2, seed);
    }
    hoeffding();
    mcdiarmid();
    quantiles();
    variance_against_differences();
    variance_by_hand();
    variance_against_simulation();
    gaussian();
    units();
    return sapwood::check::finish();
}
