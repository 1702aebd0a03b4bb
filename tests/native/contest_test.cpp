// Who is better of two models: the share of contests that one wins which is no better, and what points in runs are
// worth.
#include "sapwood/drift/contest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "sapwood/drift/independent_share.hpp"
#include "sapwood/storage/recent_points.hpp"

namespace {

using sapwood::Contest;
using sapwood::independent_share;
using sapwood::Random;
using sapwood::RecentPoints;
using sapwood::Stake;

/// Of two models that are equally good the challenger ever wins with a probability of at most delta.
void equals_seldom_win() {
    Random random({1, 2, 3, 4});
    int won = 0;
    int lost = 0;
    constexpr int contests = 2000;
    for (int i = 0; i < contests; ++i) {
        Contest contest;
        bool is_won = false;
        bool is_lost = false;
        for (int n = 0; n < 500; ++n) {
            contest.note(random.chance(0.5), random.chance(0.5));
            is_won = is_won || contest.is_won(0.05, 1);
            is_lost = is_lost || contest.is_lost(0.05, 1);
        }
        won += is_won ? 1 : 0;
        lost += is_lost ? 1 : 0;
    }
    CHECK(won <= contests / 20 && lost <= contests / 20);
    CHECK(won > 0 && lost > 0);
}

/// A better one wins, later the less its points are worth, and not at all if they are worth nothing.
void shares_delay() {
    Contest contest;
    std::array<int, 3> won_after{};
    constexpr std::array shares{1.0, 0.5, 0.0};
    for (int n = 1; n <= 2000; ++n) {
        contest.note(true, n % 5 == 0);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            if (won_after[i] == 0 && contest.is_won(0.05, shares[i])) won_after[i] = n;
        }
        CHECK(!contest.is_lost(0.05, 1));
    }
    CHECK(0 < won_after[0] && won_after[0] < won_after[1] && won_after[2] == 0);
    CHECK(contest.stake.is_possible(2000) && contest.standing_stake.told() > 0);
}

/// Where a point is worth little, a contest goes on far beyond the largest number: it is decided at the point where
/// logarithms say so, falls as it rose, and what is saved of it says it all.
void stakes_have_no_end() {
    for (const double delta : {0.05, 1e-250}) {
        for (const double share : {0.02, 0.005, 0.002}) {
            Contest contest;
            double log_stake = 0;
            int won_after = 0;
            int expected = 0;
            for (int n = 1; n <= 500'000 && won_after == 0; ++n) {
                const double bet = n == 1 ? 0.5 : (n - 0.5) / n;
                log_stake += std::log(2 * bet);
                contest.note(true, false);
                CHECK(contest.stake.is_possible(n) && !contest.is_lost(delta, share));
                if (expected == 0 && log_stake * share >= -std::log(delta)) expected = n;
                if (contest.is_won(delta, share)) won_after = n;
            }
            CHECK(expected > 0 && std::abs(won_after - expected) <= 1);
        }
    }
    // 2,000 points won and 800 lost: up to e^1381, and back to what a number can hold.
    Contest contest;
    double log_stake = 0;
    const auto told = [&] {
        const double number = contest.stake.told();
        return number > 0 ? std::log(number) : -number;
    };
    for (int n = 0; n < 2'800; ++n) {
        const double bet = std::max(0.5, (static_cast<double>(contest.wins) + 0.5) / (n + 1));
        log_stake += std::log(2 * (n < 2'000 ? bet : 1 - bet));
        contest.note(n < 2'000, n >= 2'000);
        const Stake again(contest.stake.told());
        CHECK(again.told() == contest.stake.told());
        CHECK(std::fabs(told() - log_stake) < 1e-6);
    }
    CHECK(0 < contest.stake.told() && contest.stake.told() < 1e299);
    // What no bets lead to.
    for (const double wrong : {-1e4, -1.0, 1e300, 0.0, std::nan("")}) CHECK(!Stake(wrong).is_possible(1000));
}

/// What the store says of its labels is a recount of them, and a share is that of its definition.
void labels_of_recent_points() {
    Random random({5, 6, 7, 8});
    RecentPoints recent(300);
    std::vector<sapwood::Label> labels;
    sapwood::Label label = 0;
    for (int i = 0; i < 3000; ++i) {
        // Runs of ten, of two classes and for some time of three, with a stretch of one class.
        if (random.chance(0.1)) label = static_cast<sapwood::Label>((label + 1) % (i % 1000 < 500 ? 2 : 3));
        if (i > 2000 && i < 2400) label = 1;
        while (recent.is_full() || (recent.size() > 0 && random.chance(0.01))) {
            recent.pop();
            labels.erase(labels.begin());
        }
        recent.push(sapwood::Point(sapwood::Features()), label, 1, 1);
        labels.push_back(label);
        std::vector<std::int64_t> of_class(recent.of_class().size());
        std::int64_t repeats = 0;
        for (std::size_t j = 0; j < labels.size(); ++j) {
            ++of_class[labels[j]];
            if (j > 0 && labels[j] == labels[j - 1]) ++repeats;
        }
        CHECK(std::equal(of_class.begin(), of_class.end(), recent.of_class().begin()));
        CHECK(recent.n_repeats() == repeats);
        const double share = independent_share(recent.of_class(), recent.n_repeats());
        CHECK(share >= 0 && share <= 1);
    }
    CHECK(independent_share(std::array<std::int64_t, 2>{50, 50}, 49) == 1);
    // 100 points in two runs, and in runs of ten: a = .97980 and .81818.
    CHECK(std::fabs(independent_share(std::array<std::int64_t, 2>{50, 50}, 98) - 0.0102041) < 1e-6);
    CHECK(std::fabs(independent_share(std::array<std::int64_t, 2>{50, 50}, 90) - 0.1) < 1e-12);
    CHECK(independent_share(std::array<std::int64_t, 2>{100, 0}, 99) == 0);
    CHECK(independent_share(std::array<std::int64_t, 2>{0, 0}, 0) == 0);
}

}  // namespace

int main() {
    equals_seldom_win();
    shares_delay();
    stakes_have_no_end();
    labels_of_recent_points();
    return sapwood::check::finish();
}
