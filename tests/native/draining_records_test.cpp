// Hashed records on their way to another table, against a map: found after every step, wherever they are, also when
// ids collide and when more are put to those that have not been moved.
#include "sapwood/storage/draining_records.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "check.hpp"

namespace {

using namespace sapwood;

template <class Word, std::size_t fixed_stride>
class Beside {
public:
    using Records = HashedRecords<Word, fixed_stride>;

    Beside(std::size_t stride, std::size_t n_buckets, const std::vector<FeatureId>& ids)
        : stride_(stride), draining_(fill(n_buckets, ids)), target_(stride, 4 * n_buckets) {}

    /// Puts a record where it belongs, if there is none of its id and it leaves an empty place.
    void put(FeatureId fresh) {
        if (expected_.count(fresh) == 0 && !draining_.records().is_crammed()) insert(fresh);
    }

    /// Moves some buckets, and puts a record where it belongs.
    bool step(std::size_t amount, FeatureId fresh) {
        const auto prepare = [this](FeatureId id) { CHECK(expected_.count(id) == 1); };
        done_ = draining_.drain(amount, prepare, [this](FeatureId id, const Word* record) {
            CHECK(target_.find(id) == nullptr);
            target_.insert(id, record);
        });
        if (done_ && !CHECK(draining_.records().size() == 0)) return false;
        put(fresh);
        return CHECK(draining_.records().size() + target_.size() == expected_.size());
    }

    bool agrees() {
        for (const auto& [id, word] : expected_) {
            const Word* record = table_of(id).find(id);
            if (!CHECK(record != nullptr && record[0] == word && record[stride_ - 1] == word)) return false;
        }
        return true;
    }

    bool is_done() const { return done_; }

private:
    Records& table_of(FeatureId id) { return draining_.keeps(id) ? draining_.records() : target_; }

    void insert(FeatureId id) {
        const auto word = static_cast<Word>(7 * std::uint64_t(id) + 1);
        const std::vector<Word> first(stride_, word);
        expected_[id] = word;
        CHECK(table_of(id).find(id) == nullptr);
        CHECK(table_of(id).find_or_insert(id, first.data()).second);
    }

    Records fill(std::size_t n_buckets, const std::vector<FeatureId>& ids) {
        Records records(stride_, n_buckets);
        for (const FeatureId id : ids) {
            if (records.is_crammed()) break;
            const auto word = static_cast<Word>(7 * std::uint64_t(id) + 1);
            expected_[id] = word;
            records.find_or_insert(id, std::vector<Word>(stride_, word).data());
        }
        return records;
    }

    std::size_t stride_;
    std::unordered_map<FeatureId, Word> expected_;
    DrainingRecords<Word, fixed_stride> draining_;
    Records target_;
    bool done_ = false;
};

/// So many ids that belong in the buckets from `first` to `last`.
std::vector<FeatureId> ids_of_buckets(std::size_t n_buckets, std::size_t first, std::size_t last, std::size_t n) {
    const HashedRecords<std::uint64_t, 1> records(1, n_buckets);
    std::vector<FeatureId> ids;
    for (FeatureId id = max_points; ids.size() < n; --id) {
        if (first <= records.home(id) && records.home(id) <= last) ids.push_back(id);
    }
    return ids;
}

template <class Word, std::size_t fixed_stride>
void follows_a_map(std::size_t stride, std::size_t n_buckets, const std::vector<FeatureId>& ids) {
    std::mt19937 random(5);
    // The first three quarters are there when it begins, the others come while records are moved.
    const std::size_t before = ids.size() - ids.size() / 4;
    for (const std::size_t amount : {std::size_t{1}, std::size_t{3}, n_buckets}) {
        Beside<Word, fixed_stride> both(stride, n_buckets,
                                        {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(before)});
        std::size_t next = before;
        // Some before anything is moved: they may fill the bucket that it was to begin after.
        for (int i = 0; i < 6 && next < ids.size(); ++i) both.put(ids[next++]);
        if (!both.agrees()) return;
        for (std::size_t i = 0; i <= n_buckets && !both.is_done(); ++i) {
            const FeatureId fresh = next < ids.size() ? ids[next++] : static_cast<FeatureId>(random() >> 1);
            if (!both.step(1 + random() % amount, fresh) || !both.agrees()) return;
        }
        CHECK(both.is_done());
    }
}

void on_all_kinds_of_ids(std::size_t n_buckets) {
    std::mt19937 random(6);
    const std::size_t n = n_buckets * 5 * 7 / 8;
    std::vector<std::vector<FeatureId>> kinds(4);
    for (std::size_t i = 0; i < n; ++i) {
        kinds[0].push_back(static_cast<FeatureId>(random() >> 1));
        kinds[1].push_back(static_cast<FeatureId>(i << 16 & 0x7fffffff));
        kinds[2].push_back(static_cast<FeatureId>(i));
    }
    for (int bits = 0; bits < 31; ++bits) kinds[3].push_back(1 << bits);
    kinds[3].push_back(max_points);
    // All in one bucket, in the last, in the first, and in those around the end: what has no room is put beyond it.
    for (const std::size_t bucket : {n_buckets / 2, n_buckets - 1, std::size_t{0}}) {
        kinds.push_back(ids_of_buckets(n_buckets, bucket, bucket, n));
    }
    kinds.push_back(ids_of_buckets(n_buckets, n_buckets - n_buckets / 4 - 1, n_buckets - 1, n));
    kinds.push_back(ids_of_buckets(n_buckets, 0, n_buckets / 4, n));
    for (const auto& ids : kinds) {
        follows_a_map<std::uint64_t, 1>(1, n_buckets, ids);
        follows_a_map<std::int32_t, 0>(6, n_buckets, ids);
    }
}

}  // namespace

int main() {
    for (const std::size_t n_buckets : {1u, 2u, 3u, 16u, 64u}) on_all_kinds_of_ids(n_buckets);
    return check::finish();
}
