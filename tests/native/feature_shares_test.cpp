// What FeatureShares says of a feature is what NaiveBayes says of its record alone, to the last bit.

#include "sapwood/tree/predict/feature_shares.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"

using namespace sapwood;

int main() {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t k = 2 + random() % 4;
        std::vector<std::int64_t> n_of_class(k);
        std::vector<Word> record(k);
        const bool is_never_on = random() % 5 == 0;
        for (std::size_t c = 0; c < k; ++c) {
            n_of_class[c] = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 100'000);
            record[c].count =
                is_never_on ? 0 : static_cast<Count>(random() % static_cast<std::uint64_t>(n_of_class[c] + 1));
        }
        const Word* const counts = record.data();
        const FeatureShares shares(n_of_class);
        std::vector<double> expected(k);
        std::vector<double> products(k);
        NaiveBayes::add_scores(Records(&counts, 1), n_of_class, expected, products);
        std::vector<double> found(k);
        shares.add(counts, 1, found);
        CHECK(found == expected);
        shares.add(counts, 0.25, found);
        for (std::size_t c = 0; c < k; ++c) CHECK(found[c] == expected[c] + 0.25 * expected[c]);
        if (k > 2) continue;
        std::vector<double> odds(1);
        shares.add(counts, 1, odds);
        CHECK(odds[0] == NaiveBayes::log_odds(Records(&counts, 1), 0, n_of_class));
    }
    return check::finish();
}
