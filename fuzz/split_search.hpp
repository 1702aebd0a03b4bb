// Operations on split searches: after each the exact ones answer as their twin does, to the last bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operations.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/families.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct SplitSearches {
    static constexpr std::string_view name = "split_search";

    /// Points of which feature 0 tells the label, all kinds of operations among them.
    static std::vector<std::string> seeds() {
        std::vector<std::string> made;
        for (const char head : {'\0', '\1', '\2', '\3', '\4', '\5', '\11', '\22'}) {
            std::string bytes(1, head);
            for (int i = 0; i < 60; ++i) {
                const int kind = i % 9 == 8 ? 1 + i % 7 : 0;
                const int features = (i * 37 % 256) & ~1;
                for (const int byte : {kind, features | i % 2, i * 11 % 256, i % 2, i % 3, 1}) {
                    bytes.push_back(static_cast<char>(byte));
                }
            }
            made.push_back(bytes);
        }
        return made;
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes);
        const std::uint32_t head = numbers.next();
        operations::Case the_case;
        the_case.n_classes = (head & 1) == 0 ? 2 : 2 + (head >> 5);
        const std::uint32_t spread = head >> 1 & 3;
        for (FeatureId j = 0; j < n_features; ++j) {
            the_case.ids.push_back(spread == 0   ? j
                                   : spread == 1 ? max_points - j
                                   : spread == 2 ? (j % 2 == 0 ? j : max_points - 77 * j)
                                                 : static_cast<FeatureId>(j * 1'000'003));
        }
        while (!numbers.empty() && the_case.list.size() < most_operations) {
            the_case.list.push_back(operation(numbers, the_case.n_classes));
        }
        const bool is_gini = (head >> 3 & 1) != 0;
        if ((head & 1) != 0) {
            const std::size_t k = the_case.n_classes;
            if (is_gini) {
                check<Gini, false>(the_case,
                                   [k](std::size_t) { return make_multiclass_certified(Criterion::gini, k); });
            } else {
                check<Entropy, false>(the_case,
                                      [k](std::size_t) { return make_multiclass_certified(Criterion::entropy, k); });
            }
        } else if (is_gini) {
            check<Gini, true>(the_case, [](std::size_t) { return make_binary_certified(Criterion::gini); });
        } else if ((head >> 4 & 1) != 0) {
            check<KearnsMansour, true>(the_case,
                                       [](std::size_t) { return make_binary_certified(Criterion::kearns_mansour); });
        } else {
            check<Entropy, true>(the_case, [](std::size_t) { return make_binary_certified(Criterion::entropy); });
        }
    }

private:
    static constexpr FeatureId n_features = 16;
    /// More would only be slower.
    static constexpr std::size_t most_operations = 400;

    static operations::Operation operation(Numbers& numbers, std::size_t n_classes) {
        using operations::Kind;
        operations::Operation made;
        // Mostly points that come and go.
        const std::uint32_t kind = numbers.below(16);
        made.kind = kind < 7 ? static_cast<Kind>(kind) : kind < 13 ? Kind::add : Kind::remove;
        const std::uint32_t on = numbers.pair();
        for (std::size_t j = 0; j < n_features; ++j) {
            if ((on >> j & 1) != 0) made.features.push_back(j);
        }
        made.label = static_cast<Label>(numbers.below(static_cast<std::uint32_t>(n_classes)));
        const std::uint32_t weight = numbers.next();
        made.weight = weight < 224 ? 1 + static_cast<Count>(weight % 4) : Count{1} << (weight - 224) % 31;
        const std::uint32_t asked = numbers.next();
        made.query = asked % 32;
        made.validates = asked >= 224;
        return made;
    }

    template <class Impurity, bool Binary, class Make>
    static void check(const operations::Case& the_case, Make make) {
        operations::Runner<Impurity, Binary, Make> runner(the_case, make);
        const auto failure = runner.run();
        if (!failure) return;
        operations::print(the_case);
        std::fprintf(stderr, "operation %zu: %s\n", failure->at, failure->what.c_str());
        std::abort();
    }
};

}  // namespace sapwood::fuzz
