#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/shared_id.hpp"

namespace sapwood {

/// Where each of some ids is, by its hash.
class SharedPlaces {
public:
    SharedPlaces() = default;
    explicit SharedPlaces(std::span<const SharedId> ids) {
        std::size_t size = 16;
        while (size < 2 * ids.size()) size *= 2;
        slots_.assign(size, {0, none});
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::size_t at = Random::mixed(ids[i]) & (size - 1);
            while (slots_[at].second != none) at = (at + 1) & (size - 1);
            slots_[at] = {ids[i], static_cast<std::int32_t>(i)};
        }
    }

    static constexpr std::int32_t none = -1;

    /// The place of an id; `none` if it is not among them.
    std::int32_t find(SharedId id) const {
        std::size_t at = Random::mixed(id) & (slots_.size() - 1);
        while (slots_[at].second != none && slots_[at].first != id) at = (at + 1) & (slots_.size() - 1);
        return slots_[at].second;
    }

private:
    std::vector<std::pair<SharedId, std::int32_t>> slots_{16, {0, none}};
};

/// What the nodes of a tree ask, by ids: each test once, in an order that depends on nothing else. First whether a
/// feature is on, then whether a number is above a threshold, then whether one of several features is on.
class SharedTests {
public:
    struct Above {
        /// The place of the number among those of the tree.
        std::size_t number;
        double threshold;
        bool missing_passes;

        auto key() const { return std::tuple(number, threshold, missing_passes); }
        bool operator<(const Above& other) const { return key() < other.key(); }
        bool operator==(const Above&) const = default;
    };
    using Among = std::vector<SharedId>;

    SharedTests() = default;
    SharedTests(std::vector<SharedId> on, std::vector<Above> above, std::vector<Among> among)
        : on_(unique(std::move(on))), above_(unique(std::move(above))), among_(unique(std::move(among))) {
        finish();
    }

    std::size_t size() const { return on_.size() + above_.size() + among_.size(); }
    std::size_t n_features() const { return features_.size(); }

    /// The place of a test, which is one of them.
    std::size_t place(SharedId on) const { return position(on_, on); }
    std::size_t place(const Above& above) const { return on_.size() + position(above_, above); }
    std::size_t place(const Among& among) const { return on_.size() + above_.size() + position(among_, among); }

    /// Which of the features that are asked about one is; `SharedPlaces::none` if it is none.
    std::int32_t feature(SharedId id) const { return places_.find(id); }

    /// Whether a point passes a test: `is_on` has a flag for every feature that is asked about, `values` a value for
    /// every number, NaN if it is missing.
    bool passes(std::size_t test, const std::uint8_t* is_on, const double* values) const {
        if (test < on_.size()) return is_on[of_on_[test]] != 0;
        test -= on_.size();
        if (test < above_.size()) {
            const double value = values[above_[test].number];
            return std::isnan(value) ? above_[test].missing_passes : value > above_[test].threshold;
        }
        const std::vector<std::uint32_t>& any = of_among_[test - above_.size()];
        return std::any_of(any.begin(), any.end(), [is_on](std::uint32_t feature) { return is_on[feature] != 0; });
    }

    template <class Mix>
    void mix_into(Mix mix) const {
        mix(on_.size());
        for (const SharedId id : on_) mix(id);
        mix(above_.size());
        for (const Above& each : above_) {
            mix(2 * each.number + (each.missing_passes ? 1 : 0));
            mix(std::bit_cast<std::uint64_t>(each.threshold));
        }
        mix(among_.size());
        for (const Among& each : among_) {
            mix(each.size());
            for (const SharedId id : each) mix(id);
        }
    }

    void put(ByteWriter& out) const {
        put_ids(out, on_);
        put_varint(out, above_.size());
        for (const Above& each : above_) {
            put_varint(out, 2 * each.number + (each.missing_passes ? 1 : 0));
            out.put(each.threshold);
        }
        put_varint(out, among_.size());
        for (const Among& each : among_) put_ids(out, each);
    }

    /// Those of these bytes, which may be anything: throws ModelFormatError unless some tests of that many numbers have
    /// them.
    static SharedTests get(ByteReader& in, std::size_t n_numbers) {
        SharedTests made;
        made.on_ = get_ids(in);
        const std::uint64_t n_above = get_varint(in, "the number of thresholds");
        in.require(n_above, 1 + sizeof(double), "the thresholds of a router");
        for (std::uint64_t i = 0; i < n_above; ++i) {
            const std::uint64_t code = get_varint(in, "the number of a threshold");
            const Above above{static_cast<std::size_t>(code / 2), in.get<double>("a threshold"), code % 2 == 1};
            // Minus infinity asks whether a number is present.
            require(above.number < n_numbers && above.threshold < std::numeric_limits<double>::infinity(),
                    "thresholds must be of numbers");
            require(i == 0 || made.above_.back() < above, "the thresholds of a router must ascend");
            made.above_.push_back(above);
        }
        const std::uint64_t n_among = get_varint(in, "the number of sets");
        in.require(n_among, 2, "the sets of a router");
        for (std::uint64_t i = 0; i < n_among; ++i) {
            Among among = get_ids(in);
            require(!among.empty() && (i == 0 || made.among_.back() < among), "the sets of a router must ascend");
            made.among_.push_back(std::move(among));
        }
        made.finish();
        return made;
    }

private:
    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    template <class T>
    static std::vector<T> unique(std::vector<T> list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    }
    template <class T>
    static std::size_t position(const std::vector<T>& list, const T& one) {
        return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), one) - list.begin());
    }

    static void put_ids(ByteWriter& out, const std::vector<SharedId>& ids) {
        put_varint(out, ids.size());
        SharedId last = 0;
        for (const SharedId id : ids) {
            put_varint(out, id - last);
            last = id;
        }
    }
    static std::vector<SharedId> get_ids(ByteReader& in) {
        const std::uint64_t size = get_varint(in, "the number of features");
        in.require(size, 1, "the features of a router");
        std::vector<SharedId> ids;
        SharedId id = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            const std::uint64_t gap = get_varint(in, "the features of a router");
            require((i == 0 || gap > 0) && id + gap >= id, "the features of a router must ascend");
            ids.push_back(id += gap);
        }
        return ids;
    }

    void finish() {
        features_ = on_;
        for (const Among& each : among_) features_.insert(features_.end(), each.begin(), each.end());
        features_ = unique(std::move(features_));
        places_ = SharedPlaces(features_);
        for (const SharedId id : on_) of_on_.push_back(static_cast<std::uint32_t>(position(features_, id)));
        for (const Among& each : among_) {
            of_among_.emplace_back();
            for (const SharedId id : each) {
                of_among_.back().push_back(static_cast<std::uint32_t>(position(features_, id)));
            }
        }
    }

    std::vector<SharedId> on_;
    std::vector<Above> above_;
    std::vector<Among> among_;
    /// All that are asked about, ascending, and where those of the tests are.
    std::vector<SharedId> features_;
    SharedPlaces places_;
    std::vector<std::uint32_t> of_on_;
    std::vector<std::vector<std::uint32_t>> of_among_;
};

}  // namespace sapwood
