#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/random.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/batch/shared_id.hpp"
#include "sapwood/tree/batch/shared_rows.hpp"
#include "sapwood/tree/batch/shared_tests.hpp"
#include "sapwood/tree/nodes.hpp"
#include "sapwood/tree/number_grid.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Where points go in one version of a tree, and which bins their numbers are in, and nothing else: what a worker is
/// sent. 12 bytes per node, 8 per leaf and per feature that is tested, 16 per threshold, and 8 per edge of a number.
///
/// Guarantee: a point is led to the leaf that the tree leads it to, in O(m + depth). The version is a hash of all that
/// leads points and divides numbers, so that a delta of another tree, or of the same one before or after, is
/// recognised.
class Router {
public:
    /// A number of the tree, by its place.
    struct Number {
        SharedId id;
        std::vector<double> edges;
        /// Whether its edges stay as they are; else its values in a batch must be known before it is counted.
        bool is_settled;

        std::size_t bin_of(double value) const { return first_not_below(edges, value); }
        bool operator==(const Number&) const = default;
    };

    /// `id_of(feature)` is the id of a feature that a node tests; `attributes` and `numbers` are those of the tree.
    template <class IdOf>
    Router(const Nodes& nodes, std::size_t n_classes, IdOf id_of, const Attributes& attributes,
           std::vector<Number> numbers)
        : n_classes_(n_classes), numbers_(std::move(numbers)) {
        const std::vector<NodeId> order = nodes.in_order();
        std::vector<std::int32_t> place(nodes.n_ids());
        for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<std::int32_t>(i);
        const auto above_of = [&](const Test& test) {
            // A number is present where it is above minus infinity.
            return test.kind() == TestKind::is_on
                       ? SharedTests::Above{static_cast<std::size_t>(attributes.number_present_with(test.feature())),
                                            -std::numeric_limits<double>::infinity(), false}
                       : SharedTests::Above{index_of(test.attribute()), test.threshold(), test.missing_passes()};
        };
        const auto kind_of = [&](const Test& test) {
            const bool is_presence = test.kind() == TestKind::is_on && attributes.is_presence(test.feature());
            return is_presence ? TestKind::is_above : test.kind();
        };
        const auto among_of = [&](const Test& test) {
            SharedTests::Among ids;
            for (const FeatureId feature : test.categories()) ids.push_back(id_of(feature));
            std::sort(ids.begin(), ids.end());
            return ids;
        };
        std::vector<SharedId> on;
        std::vector<SharedTests::Above> above;
        std::vector<SharedTests::Among> among;
        for (const NodeId at : order) {
            const TestKind kind = nodes.is_leaf(at) ? TestKind::nothing : kind_of(nodes.test(at));
            if (kind == TestKind::is_on) on.push_back(id_of(nodes.test(at).feature()));
            if (kind == TestKind::is_above) above.push_back(above_of(nodes.test(at)));
            if (kind == TestKind::is_among) among.push_back(among_of(nodes.test(at)));
        }
        tests_ = SharedTests(std::move(on), std::move(above), std::move(among));
        for (const NodeId at : order) {
            if (nodes.is_leaf(at)) {
                routes_.push_back({leaf, {static_cast<std::int32_t>(born_.size()), leaf}});
                born_.push_back(nodes.born(at));
                continue;
            }
            const Test& test = nodes.test(at);
            const TestKind kind = kind_of(test);
            const std::size_t asked = kind == TestKind::is_on      ? tests_.place(id_of(test.feature()))
                                      : kind == TestKind::is_above ? tests_.place(above_of(test))
                                                                   : tests_.place(among_of(test));
            routes_.push_back({static_cast<std::int32_t>(asked),
                               {place[index(nodes.child(at, false))], place[index(nodes.child(at, true))]}});
        }
        finish();
    }

    std::uint64_t version() const { return version_; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_nodes() const { return routes_.size(); }
    std::size_t n_leaves() const { return born_.size(); }
    /// The birth number of a leaf by its number.
    std::uint64_t born(std::size_t number) const { return born_[number]; }

    /// The numbers of the tree, by their places.
    const std::vector<Number>& numbers() const { return numbers_; }
    /// Whether the edges of a number stay as they are; not those of one that is new.
    bool is_settled(SharedId number) const {
        const std::int32_t place = places_.find(number);
        return place >= 0 && numbers_[static_cast<std::size_t>(place)].is_settled;
    }

    /// Leads points to their leaves; one at a time, with room of its own.
    class Walk {
    public:
        explicit Walk(const Router& router)
            : router_(router),
              on_(router.tests_.n_features()),
              values_(router.numbers_.size(), std::numeric_limits<double>::quiet_NaN()) {}

        /// The number of the leaf that a point reaches.
        std::size_t leaf_of(const SharedPoint& row) {
            for (const SharedId id : row.ids) {
                const std::int32_t feature = router_.tests_.feature(id);
                if (feature < 0) continue;
                on_[static_cast<std::size_t>(feature)] = 1;
                set_.push_back(feature);
            }
            places_.clear();
            for (std::size_t i = 0; i < row.numbers.size(); ++i) {
                places_.push_back(router_.places_.find(row.numbers[i]));
                if (places_.back() >= 0) values_[static_cast<std::size_t>(places_.back())] = row.values[i];
            }
            const Route* at = router_.routes_.data();
            while (at->test != leaf) {
                const bool passes =
                    router_.tests_.passes(static_cast<std::size_t>(at->test), on_.data(), values_.data());
                at = &router_.routes_[static_cast<std::size_t>(at->next[passes ? 1 : 0])];
            }
            for (const std::int32_t feature : set_) on_[static_cast<std::size_t>(feature)] = 0;
            set_.clear();
            for (const std::int32_t place : places_) {
                if (place >= 0) values_[static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
            }
            return static_cast<std::size_t>(at->next[0]);
        }

        /// Appends the ids of the bins of the numbers of the point that was led last. Throws std::invalid_argument if
        /// the tree does not know one.
        void append_bins(const SharedPoint& row, std::vector<SharedId>& bins) const {
            for (std::size_t i = 0; i < places_.size(); ++i) {
                if (places_[i] < 0) {
                    throw std::invalid_argument("numbers must be known before they are counted, got the id " +
                                                std::to_string(row.numbers[i]));
                }
                const auto place = static_cast<std::size_t>(places_[i]);
                bins.push_back(bin_id(place, router_.numbers_[place].bin_of(row.values[i])));
            }
        }

    private:
        const Router& router_;
        std::vector<std::uint8_t> on_;
        std::vector<std::int32_t> set_;
        /// Of every number its value, or NaN.
        std::vector<double> values_;
        /// Which numbers those of the last point are.
        std::vector<std::int32_t> places_;
    };

    std::string to_bytes() const {
        ByteWriter out;
        out.put_raw(magic);
        put_varint(out, n_classes_);
        put_varint(out, numbers_.size());
        for (const Number& number : numbers_) {
            out.put(number.id);
            put_varint(out, 2 * number.edges.size() + (number.is_settled ? 1 : 0));
            out.put_all(std::span<const double>(number.edges));
        }
        tests_.put(out);
        put_varint(out, routes_.size());
        // In pre-order the first child of a node is the next node.
        for (const Route& route : routes_) {
            put_varint(out, static_cast<std::uint64_t>(route.test + 1));
            put_varint(out, route.test == leaf ? born_[static_cast<std::size_t>(route.next[0])]
                                               : static_cast<std::uint64_t>(route.next[1]));
        }
        return out.take();
    }

    /// The router of these bytes, which may be anything: throws ModelFormatError unless some router has them.
    static Router from_bytes(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        Router made;
        require(in.get_raw(magic.size(), "the mark of a router") == magic, "a router must begin with its mark");
        const std::uint64_t n_classes = get_varint(in, "the number of classes");
        require(n_classes >= 2 && n_classes <= std::uint64_t{max_classes}, "a router must have 2 to 65535 classes");
        made.n_classes_ = static_cast<std::size_t>(n_classes);
        made.read_numbers(in);
        made.tests_ = SharedTests::get(in, made.numbers_.size());
        const std::uint64_t n_nodes = get_varint(in, "the number of nodes");
        in.require(n_nodes, 2, "the nodes of a router");
        made.read_nodes(in, static_cast<std::size_t>(n_nodes));
        require(in.left() == 0, "a router must end with its last node");
        made.finish();
        return made;
    }

private:
    static constexpr std::string_view magic = "SwR2";
    static constexpr std::int32_t leaf = -1;

    struct Route {
        /// Which of the tests; of a leaf none.
        std::int32_t test;
        /// The nodes for points that do not pass and that do; of a leaf its number.
        std::array<std::int32_t, 2> next;
    };
    static_assert(sizeof(Route) == 12);

    Router() = default;

    static std::size_t index(NodeId at) { return static_cast<std::size_t>(at); }
    static void require(bool holds, const char* what) {
        if (!holds) throw ModelFormatError(std::string(what) + ", got other bytes");
    }

    void read_numbers(ByteReader& in) {
        const std::uint64_t n_numbers = get_varint(in, "the number of numbers");
        in.require(n_numbers, sizeof(SharedId) + 1, "the numbers of a router");
        std::vector<SharedId> ids;
        for (std::uint64_t i = 0; i < n_numbers; ++i) {
            Number number{in.get<SharedId>("a number"), {}, false};
            const std::uint64_t code = get_varint(in, "the edges of a number");
            number.is_settled = code % 2 == 1;
            require(code / 2 <= NumberGrid::most_edges, "the edges of a number must be within their limit");
            number.edges = in.get_list<double>(static_cast<std::size_t>(code / 2), "the edges of a number");
            const bool ascend = std::adjacent_find(number.edges.begin(), number.edges.end(),
                                                   [](double a, double b) { return !(a < b); }) == number.edges.end();
            require(ascend && std::all_of(number.edges.begin(), number.edges.end(),
                                          [](double edge) { return std::isfinite(edge); }),
                    "the edges of a number must ascend");
            ids.push_back(number.id);
            numbers_.push_back(std::move(number));
        }
        std::sort(ids.begin(), ids.end());
        require(std::adjacent_find(ids.begin(), ids.end()) == ids.end(), "the numbers of a router must differ");
    }

    /// Nodes in pre-order: each but the root is the next one of the node before it, or the second child of one above.
    void read_nodes(ByteReader& in, std::size_t n_nodes) {
        std::vector<std::int32_t> waiting{0};
        std::vector<bool> is_tested(tests_.size());
        for (std::size_t i = 0; i < n_nodes; ++i) {
            require(!waiting.empty() && waiting.back() == static_cast<std::int32_t>(i),
                    "the nodes of a router must be a tree");
            waiting.pop_back();
            const std::uint64_t test = get_varint(in, "a test");
            const std::uint64_t value = get_varint(in, "a node");
            require(test <= tests_.size(), "a test must be one of the router");
            if (test == 0) {
                routes_.push_back({leaf, {static_cast<std::int32_t>(born_.size()), leaf}});
                born_.push_back(value);
                continue;
            }
            require(value > i + 1 && value < n_nodes, "a child must come after its parent");
            is_tested[static_cast<std::size_t>(test - 1)] = true;
            routes_.push_back({static_cast<std::int32_t>(test) - 1,
                               {static_cast<std::int32_t>(i) + 1, static_cast<std::int32_t>(value)}});
            waiting.push_back(static_cast<std::int32_t>(value));
            waiting.push_back(static_cast<std::int32_t>(i) + 1);
        }
        require(n_nodes > 0 && waiting.empty(), "the nodes of a router must be a tree");
        require(std::find(is_tested.begin(), is_tested.end(), false) == is_tested.end(),
                "every test of a router must be asked");
        std::vector<std::uint64_t> sorted(born_);
        std::sort(sorted.begin(), sorted.end());
        require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "leaves must be born one by one");
    }

    void finish() {
        std::vector<SharedId> ids;
        for (const Number& number : numbers_) ids.push_back(number.id);
        places_ = SharedPlaces(ids);
        version_ = Random::mixed(n_classes_);
        const auto mix = [this](std::uint64_t value) { version_ = Random::mixed(version_ ^ value) + value; };
        // Whether a number is settled leads no point.
        for (const Number& number : numbers_) {
            mix(number.id);
            mix(number.edges.size());
            for (const double edge : number.edges) mix(std::bit_cast<std::uint64_t>(edge));
        }
        tests_.mix_into(mix);
        for (const Route& route : routes_) {
            mix(static_cast<std::uint64_t>(route.test + 1));
            mix(static_cast<std::uint64_t>(route.next[1] + 1));
        }
        for (const std::uint64_t born : born_) mix(born);
    }

    std::size_t n_classes_ = 2;
    std::vector<Number> numbers_;
    SharedPlaces places_;
    SharedTests tests_;
    std::vector<Route> routes_;
    std::vector<std::uint64_t> born_;
    std::uint64_t version_ = 0;
};

}  // namespace sapwood
