// The counters of a certified search, packed and plain, against a map: counts of any size, certificates that run out
// when they should, and scans that see each seen feature once, whether or not unseen ones are watched for.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "sapwood/impurity.hpp"
#include "sapwood/search/certified/certificate.hpp"
#include "sapwood/search/certified/multiclass_certificate.hpp"

namespace {

using namespace sapwood;

/// Counters and a map beside them; every feature that runs out is given a new certificate, of some length.
template <class Certificate>
class Beside {
public:
    using Counters = typename Certificate::Counters;

    Beside() : counters_(2), scorer_(2) {}

    /// Adds or removes a point of a weight that is in the map.
    void touch(const std::vector<FeatureId>& ids, Label label, Count change, std::mt19937& random) {
        const Count uses = std::abs(change);
        for (const FeatureId id : ids) {
            // A feature stays seen when its last point is removed, and the counters must be told.
            if (change > 0) break;
            auto record = counters_.find(id);
            counters_.set_flags(record, counters_.flags(record) | RecordFlags::seen_before);
        }
        counters_.touch(ids, label, change, uses, [&](FeatureId id, typename Counters::Record record) {
            Expected& expected = of(id);
            // One that nobody has promised anything yet may run out early.
            CHECK(expected.left < uses || expected.is_new);
            expected.renewed = true;
            expected.left = static_cast<Count>(random() % 8192 >> random() % 14);
            counters_.set_left(id, record, expected.left);
        });
        for (const FeatureId id : ids) {
            Expected& expected = of(id);
            expected.on[label] += change;
            if (!expected.renewed) expected.left -= uses;
            expected.is_new &= !expected.renewed;
            expected.renewed = false;
            // None runs out late.
            if (!CHECK(expected.left >= 0)) expected.left = 0;
        }
    }

    /// Lets every feature, seen or not, occur `limit` times.
    void allow(Count limit) {
        std::map<FeatureId, int> others;
        const std::size_t n_seen = counters_.make_rare(0, counters_.size(), limit, true,
                                                       [&](FeatureId id, typename Counters::Record) { ++others[id]; });
        counters_.set_first_left(limit);
        first_left_ = limit;
        CHECK(n_seen == expected_.size());
        for (auto& [id, expected] : expected_) {
            const Count on = expected.on[0] + expected.on[1];
            if (!CHECK(others.count(id) == (on > limit ? 1 : 0))) return;
            if (on <= limit) expected.left = limit - on;
            if (on <= limit) expected.is_new = false;
        }
        for (const auto& [id, times] : others) CHECK(times == 1);
    }

    Count on(FeatureId id, Label label) const {
        const auto known = expected_.find(id);
        return known == expected_.end() ? 0 : known->second.on[label];
    }

    void agrees() {
        std::map<FeatureId, int> walked;
        std::array<Count, 2> most{};
        for (const auto& [id, expected] : expected_) {
            const auto on = counters_.counts(id);
            if (!CHECK(on[0] == expected.on[0] && on[1] == expected.on[1])) return;
            for (std::size_t k = 0; k < 2; ++k) most[k] = std::max(most[k], expected.on[k]);
        }
        counters_.for_each([&](FeatureId id, auto record) { walked[id] += counters_.seen(record) ? 1 : 0; });
        typename Certificate::ClassCounts of_class{};
        if constexpr (requires { of_class.resize(2); }) of_class.resize(2);
        std::copy(most.begin(), most.end(), of_class.begin());
        scorer_.cover(of_class[0] + of_class[1]);
        std::map<FeatureId, double> scored;
        const auto note = [&](const double* scores, std::size_t size, auto id, bool) {
            for (std::size_t i = 0; i < size; ++i) {
                if (scores[i] < std::numeric_limits<double>::infinity()) {
                    CHECK(scored.emplace(id(i), scores[i]).second);
                }
            }
        };
        // Those that are on in few points are left out on demand, and counted all the same.
        constexpr Count limit = 2;
        constexpr bool leaves_out_rare = !requires { of_class.resize(2); };
        CHECK(counters_.template scan<256>(scorer_, of_class, note, [&] { return limit; }) == expected_.size());
        for (const auto& [id, expected] : expected_) {
            const bool is_above = expected.on[0] + expected.on[1] > limit;
            CHECK(is_above ? scored.count(id) == 1 : !leaves_out_rare || scored.count(id) == 0);
        }
        scored.clear();
        const std::size_t n_seen = counters_.template scan<256>(scorer_, of_class, note, [] { return Count{0}; });
        for (const auto& [id, expected] : expected_) {
            double again = 0;
            counters_.scores(scorer_, of_class, std::array{id}, &again);
            const double score = scorer_.score(expected.on.data(), of_class);
            if (!CHECK(walked[id] == 1 && scored.count(id) == 1 && scored[id] == score && again == score)) return;
        }
        CHECK(n_seen == expected_.size() && scored.size() == expected_.size());
    }

private:
    struct Expected {
        std::array<Count, 2> on{};
        Count left = 0;
        bool renewed = false;
        bool is_new = false;
    };

    Expected& of(FeatureId id) { return expected_.emplace(id, Expected{{}, first_left_, false, true}).first->second; }

    Counters counters_;
    Certificate scorer_;
    std::map<FeatureId, Expected> expected_;
    Count first_left_ = 0;
};

template <class Certificate>
void follow_a_map(FeatureId gap, int heaviest, bool removes) {
    std::mt19937 random(static_cast<unsigned>(gap + heaviest));
    Beside<Certificate> both;
    std::array<std::int64_t, 2> n{};
    for (int i = 0; i < 3000; ++i) {
        std::vector<FeatureId> ids;
        // More and more features, so that the table grows between scans.
        for (FeatureId id = 0; id < 6; ++id)
            ids.push_back(static_cast<FeatureId>(random() % (20u + static_cast<unsigned>(i) / 10)) * gap);
        ids.push_back(0);
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        const auto label = static_cast<Label>(random() % 2);
        const auto weight = static_cast<Count>(1 + random() % (1u << random() % static_cast<unsigned>(heaviest + 1)));
        if (removes && random() % 3 == 0) {
            std::erase_if(ids, [&](FeatureId id) { return both.on(id, label) < weight; });
            both.touch(ids, label, -weight, random);
        } else {
            if (n[0] + n[1] + weight > max_points) break;
            n[label] += weight;
            both.touch(ids, label, weight, random);
        }
        if (i < 50 || i % 20 == 0) both.agrees();
    }
    both.agrees();
}

/// So many features that the table grows by and by: all answers are right in the middle of it, in a copy made there
/// too, and no feature is ever allowed more than it should be, though its record may have been made when more was
/// allowed.
template <class Certificate>
void grow_like_a_map(FeatureId gap, unsigned n_ids, bool scans_often) {
    std::mt19937 random(11);
    Beside<Certificate> both;
    for (int i = 0; i < 2400; ++i) {
        std::vector<FeatureId> ids;
        for (int k = 0; k < 15; ++k) ids.push_back(static_cast<FeatureId>(random() % n_ids) * gap);
        for (FeatureId id = 0; id < 3; ++id) ids.push_back(id * 5);
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        both.touch(ids, static_cast<Label>(random() % 2), 1, random);
        if (i % 97 == 0) both.allow(static_cast<Count>(random() % 12));
        if (i % (scans_often ? 160 : 800) == 0) both.agrees();
        if (i % 700 == 0) {
            Beside<Certificate> copy(both);
            copy.touch(ids, 1, 1, random);
            copy.agrees();
        }
    }
    both.agrees();
}

}  // namespace

int main() {
    grow_like_a_map<BinaryCertificate<Gini>>(1, 400000, false);
    grow_like_a_map<BinaryCertificate<Entropy>>(13, 40000, true);
    grow_like_a_map<BinaryCertificate<Gini>>(2000, 1000000, true);
    grow_like_a_map<MulticlassCertificate<Gini>>(1, 120000, true);
    for (const FeatureId gap : {1, 7, 15, 40000}) {
        for (const int heaviest : {0, 4, 11, 13, 18, 24}) {
            follow_a_map<BinaryCertificate<Gini>>(gap, heaviest, false);
            follow_a_map<BinaryCertificate<Entropy>>(gap, heaviest, false);
            follow_a_map<BinaryCertificate<Gini>>(gap, heaviest, true);
            follow_a_map<MulticlassCertificate<Gini>>(gap, heaviest, true);
        }
    }
    return check::finish();
}
