// The search among a few ascending numbers, against a look at each.
#include "sapwood/search/numbers/first_not_below.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"

int main() {
    std::mt19937 random(1);
    std::size_t wrong = 0;
    for (std::size_t size = 0; size <= 130; ++size) {
        std::vector<double> numbers(size);
        // Some are equal, and some are as far from the others as numbers can be.
        for (double& each : numbers) each = static_cast<double>(random() % 200) - 100;
        if (size > 2) {
            numbers[0] = std::numeric_limits<double>::lowest();
            numbers[1] = std::numeric_limits<double>::denorm_min();
            numbers[2] = std::numeric_limits<double>::max();
        }
        std::sort(numbers.begin(), numbers.end());
        const auto check = [&](double value) {
            std::size_t at = 0;
            while (at < size && numbers[at] < value) ++at;
            wrong += sapwood::first_not_below(numbers, value) == at ? 0 : 1;
        };
        for (double value = -101; value <= 101; value += 0.5) check(value);
        for (const double value : numbers) check(value);
        check(std::numeric_limits<double>::infinity());
        check(-std::numeric_limits<double>::infinity());
    }
    CHECK(wrong == 0);
    return sapwood::check::finish();
}
