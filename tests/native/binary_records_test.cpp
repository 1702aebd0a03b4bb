// What leaves that mix do with the records of a point of two classes, against one model after the other, bit for bit.
#include "sapwood/tree/predict/binary_records.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "sapwood/tree/predict/logistic_regression.hpp"

namespace {

using namespace sapwood;

constexpr std::size_t words = 8;

/// Records of features, as the trunk has them; those of a leaf have their words elsewhere.
struct Drawn {
    Drawn(std::mt19937& random, std::size_t size, bool of_trunk) : all(size) {
        std::uniform_real_distribution<float> weight(-3, 3);
        std::uniform_real_distribution<float> square(0, 50);
        for (auto& record : all) {
            const std::size_t counts = of_trunk ? binary_records::InTrunk::counts : binary_records::InLeaf::counts;
            for (std::size_t t = 0; of_trunk && t < n_trunks; ++t) record[t].weight = weight(random);
            if (!of_trunk) record[binary_records::InLeaf::weight].weight = weight(random);
            record[of_trunk ? binary_records::InTrunk::squares : binary_records::InLeaf::squares].weight =
                square(random);
            // Some were never on, and some very often.
            for (std::size_t k = 0; k < 2; ++k) {
                record[counts + k].count = static_cast<Count>(random() % 3 * (random() % 100'000'000));
            }
        }
    }

    std::vector<const Word*> to_read() const {
        std::vector<const Word*> found;
        for (const auto& record : all) found.push_back(record.data());
        return found;
    }
    std::vector<Word*> to_change() {
        std::vector<Word*> found;
        for (auto& record : all) found.push_back(record.data());
        return found;
    }
    bool operator==(const Drawn& other) const {
        return all.empty() || std::memcmp(all.data(), other.all.data(), all.size() * sizeof(all[0])) == 0;
    }

    std::vector<std::array<Word, words>> all;
};

void check_asking(std::mt19937& random, std::size_t size) {
    const std::array<std::int64_t, 2> n{300'000'000, 400'000'000};
    for (const bool of_trunk : {true, false}) {
        const Drawn drawn(random, size, of_trunk);
        const std::vector<const Word*> records = drawn.to_read();
        const std::size_t counts = of_trunk ? binary_records::InTrunk::counts : binary_records::InLeaf::counts;
        std::array<double, n_trunks> sums{0.25, -0.5, 1};
        std::array<double, n_trunks> expected = sums;
        binary_records::BayesSum bayes;
        const std::size_t first = of_trunk ? 0 : binary_records::InLeaf::weight;
        const std::size_t n_sums = of_trunk ? n_trunks : 1;
        for (const Word* record : records) {
            for (std::size_t t = 0; t < n_sums; ++t) expected[t] += static_cast<double>(record[first + t].weight);
        }
        if (of_trunk) {
            binary_records::ask_trunk(records.data(), size, sums.data(), NaiveBayes::per_point(n), bayes);
        } else {
            binary_records::ask_leaf(records.data(), size, sums[0], NaiveBayes::per_point(n), bayes);
        }
        CHECK(sums == expected);
        CHECK(NaiveBayes::log_odds(bayes.log_ratio, bayes.n_on, n) == NaiveBayes::log_odds(records, counts, n));
    }
}

void check_teaching(std::mt19937& random, std::size_t size) {
    for (const std::size_t label : {0u, 1u}) {
        Drawn trunk(random, size, true);
        Drawn expected = trunk;
        const std::array<float, n_trunks> change{0.3F, -1.2F, 0.01F};
        const float square = 0.49F;
        for (auto& record : expected.all) {
            float& squares = record[binary_records::InTrunk::squares].weight;
            squares += square;
            const float per = 1 / std::sqrt(static_cast<float>(mixing::first_square) + squares);
            for (std::size_t t = 0; t < n_trunks; ++t) record[t].weight += change[t] * per;
            record[binary_records::InTrunk::counts + label].count += 3;
        }
        const std::vector<Word*> in_trunk = trunk.to_change();
        binary_records::teach_trunk(in_trunk.data(), size, change, square, label, 3);
        CHECK(trunk == expected);

        Drawn leaf(random, size, false);
        Drawn wanted = leaf;
        const double gradient = -0.7;
        for (auto& record : wanted.all) {
            detail::adagrad_step(record[binary_records::InLeaf::weight].weight,
                                 record[binary_records::InLeaf::squares].weight, gradient,
                                 {0.21, mixing::first_square});
            record[binary_records::InLeaf::counts + label].count += 2;
        }
        const std::vector<Word*> in_leaf = leaf.to_change();
        binary_records::teach_leaf(in_leaf.data(), size, gradient, 0.21, label, 2);
        CHECK(leaf == wanted);
    }
}

}  // namespace

int main() {
    std::mt19937 random(7);
    // None, less than a product, whole products, a chunk, and more than one.
    for (const std::size_t size : {0u, 1u, 2u, 15u, 16u, 17u, 32u, 42u, 63u, 64u, 65u, 80u, 128u, 200u}) {
        check_asking(random, size);
        check_teaching(random, size);
    }
    return sapwood::check::finish();
}
