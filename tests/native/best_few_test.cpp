// The best few of what is offered, against sorting all of it.
#include "sapwood/search/certified/best_few.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using namespace sapwood;

bool same(const Scored& a, const Scored& b) { return a.feature == b.feature && a.score == b.score; }

void agrees_with_sorting() {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t k = 1 + random() % BestFew::most;
        // Few distinct scores, so that many are equal.
        std::vector<Scored> all;
        const std::size_t size = random() % 40;
        for (std::size_t i = 0; i < size; ++i) {
            all.push_back({static_cast<FeatureId>(i), static_cast<double>(random() % 12)});
        }
        std::shuffle(all.begin(), all.end(), random);
        BestFew best(k);
        for (const Scored& scored : all) best.offer(scored);
        std::sort(all.begin(), all.end(), is_better);
        all.resize(std::min(k, all.size()));
        CHECK(std::equal(best.begin(), best.end(), all.begin(), all.end(), same));
        const std::size_t fewer = 1 + random() % k;
        best.cut(fewer);
        all.resize(std::min(fewer, all.size()));
        CHECK(std::equal(best.begin(), best.end(), all.begin(), all.end(), same));
        if (all.empty()) continue;
        CHECK(same(best.front(), all.front()) && same(best.back(), all.back()));
    }
}

}  // namespace

int main() {
    agrees_with_sorting();
    return check::finish();
}
