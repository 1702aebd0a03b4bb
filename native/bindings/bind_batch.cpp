#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "guarded_tree.hpp"
#include "sapwood/forest/batch_draws.hpp"
#include "sapwood/io/write_tree.hpp"
#include "sapwood/tree/batch/absorb.hpp"
#include "sapwood/tree/batch/shard.hpp"
#include "shared_features.hpp"

namespace sapwood::bindings {
namespace {

std::span<const std::byte> bytes_of(const nb::bytes& data) {
    return {static_cast<const std::byte*>(data.data()), data.size()};
}
nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

/// The id of a name on which all who count agree. Throws if it is neither a column nor text.
SharedId shared_id_of(nb::handle name) {
    if (PyUnicode_Check(name.ptr()) != 0) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
        if (text == nullptr) nb::raise_python_error();
        return text_id({text, static_cast<std::size_t>(size)});
    }
    if (PyLong_Check(name.ptr()) != 0) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(name.ptr(), &overflow);
        if (overflow == 0 && value >= 0 && value < Keys::n_columns) return static_cast<SharedId>(value);
    }
    throw std::invalid_argument("features must be columns or text for batch_growth, got " + repr_of(name));
}

Vector<SharedId> ids_of_names(const nb::iterable& names) {
    std::vector<SharedId> ids;
    for (const nb::handle name : names) ids.push_back(shared_id_of(name));
    return to_numpy(std::move(ids));
}

/// The ids of texts one after the other in memory, as Arrow has them: text i ends where text i + 1 begins.
Vector<SharedId> ids_of_texts(const Array<std::int64_t>& offsets, const Array<std::uint8_t>& data) {
    const std::span<const std::int64_t> ends = span_of(offsets);
    std::vector<SharedId> ids;
    {
        nb::gil_scoped_release release;
        const bool right = !ends.empty() && ends.front() >= 0 && std::is_sorted(ends.begin(), ends.end()) &&
                           ends.back() <= static_cast<std::int64_t>(data.size());
        if (!right) throw std::invalid_argument("offsets must ascend within the data");
        const auto* text = reinterpret_cast<const char*>(data.data());
        ids.reserve(ends.size() - 1);
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            ids.push_back(text_id({text + ends[i], static_cast<std::size_t>(ends[i + 1] - ends[i])}));
        }
    }
    return to_numpy(std::move(ids));
}

/// Brings what is known of the ids of names up to date.
void refresh(SharedNames& shared, const Keys& keys) {
    shared.cover<WriteLock>(
        [&] { return keys.n_names(); },
        [&](std::size_t number) {
            const nb::object name = keys.name_at(number);
            return shared_id_of(name);
        },
        [](std::size_t number) { return std::numeric_limits<KeyId>::max() - static_cast<KeyId>(number); },
        [&](std::size_t number, KeyId other) {
            throw std::invalid_argument("names must have different hashes for batch_growth, got " +
                                        repr_of(keys.name_at(number)) + " and " + repr_of(keys.name(other)));
        });
}
void refresh(GuardedTree& self) {
    refresh(self.shared, self.keys());
    refresh(self.shared_numbers, self.number_keys());
}

/// The ids of the names of a tree, and the other way round.
class IdsOfTree {
public:
    explicit IdsOfTree(const GuardedTree& self) : self_(self) {}

    SharedId id_of(KeyId key) const { return id_in(self_.shared, key); }
    SharedId id_of_number(KeyId key) const { return id_in(self_.shared_numbers, key); }

    /// Throws if it is that of a name that the tree was not told.
    KeyId key_of(SharedId id) const { return key_in(self_.shared, id, "delta must have features"); }
    KeyId key_of_number(SharedId id) const { return key_in(self_.shared_numbers, id, "values must be of numbers"); }

private:
    static SharedId id_in(const SharedNames& names, KeyId key) {
        return key < Keys::n_columns ? static_cast<SharedId>(key) : names.id(Keys::number_of(key));
    }
    static KeyId key_in(const SharedNames& names, SharedId id, const char* what) {
        if (id < static_cast<SharedId>(Keys::n_columns)) return static_cast<KeyId>(id);
        const KeyId* const known = names.find(id);
        if (known == nullptr) {
            throw std::invalid_argument(std::string(what) + " that the tree has names of, got the id " +
                                        std::to_string(id));
        }
        return *known;
    }

    const GuardedTree& self_;
};

/// Appends the features of ids that the tree has learned.
auto finder_of(const GuardedTree& self) {
    return [&self, keys = std::vector<KeyId>(), found = std::vector<FeatureId>()](
               std::span<const SharedId> ids, std::vector<FeatureId>& features) mutable {
        keys.clear();
        for (const SharedId id : ids) {
            if (id < static_cast<SharedId>(Keys::n_columns)) {
                keys.push_back(static_cast<KeyId>(id));
            } else if (const KeyId* const known = self.shared.find(id)) {
                keys.push_back(*known);
            }
        }
        Vocabulary::Reading(self.vocabulary()).find(keys, found);
        features.insert(features.end(), found.begin(), found.end());
    };
}

void require_batches(const GuardedTree& self) {
    if (self.tree.options().growth != Growth::batch) {
        throw std::invalid_argument("the growth must be 'batch', got '" +
                                    std::string(word_of(self.tree.options().growth)) + "'");
    }
}

Router router_of(GuardedTree& self) { return make_router(self.tree, self.vocabulary(), IdsOfTree(self)); }

Router router(GuardedTree& self) {
    require_batches(self);
    refresh(self);
    const ReadLock lock(self.mutex);
    return router_of(self);
}

void absorb_delta(GuardedTree& self, const Delta& delta, const Gradients* gradients) {
    require_batches(self);
    refresh(self);
    const WriteLock lock(self.mutex);
    change(self.mutex,
           [&] { absorb(self.tree, self.vocabulary(), delta, gradients, router_of(self).version(), IdsOfTree(self)); });
}

void meet_values_of_batch(GuardedTree& self, const ValueCounts& values) {
    require_batches(self);
    refresh(self);
    const WriteLock lock(self.mutex);
    change(self.mutex, [&] { meet_values(self.tree, self.vocabulary(), values, IdsOfTree(self)); });
}

bool learns_gradients(GuardedTree& self) {
    const ReadLock lock(self.mutex);
    return SlopeLayout::of(self.tree.body().predictor()).is_needed();
}

nb::bytes answers(GuardedTree& self) {
    require_batches(self);
    std::string bytes;
    {
        // Not to be read only: as `to_bytes`.
        const WriteLock lock(self.mutex);
        bytes = write_answers(self.tree);
    }
    return as_bytes(bytes);
}

std::size_t grow(GuardedTree& self) {
    require_batches(self);
    nb::gil_scoped_release release;
    const std::unique_lock lock(self.mutex);
    return change(self.mutex, [&] { return self.tree.grow(); });
}

/// The ids of features of a delta that the tree has no name of.
Vector<SharedId> unnamed(GuardedTree& self, const Delta& delta) {
    refresh(self);
    std::vector<SharedId> found;
    for (const SharedId id : delta.features()) {
        if (!is_bin_id(id) && id >= static_cast<SharedId>(Keys::n_columns) && self.shared.find(id) == nullptr)
            found.push_back(id);
    }
    return to_numpy(std::move(found));
}

void cover_classes(GuardedTree& self, std::int64_t n_classes) {
    const std::size_t covered = checked_classes(n_classes);
    const WriteLock lock(self.mutex);
    change(self.mutex, [&] { self.tree.cover_classes(covered); });
}

std::span<const Count> weights_of(const std::optional<Array<Count>>& weights) {
    return weights ? span_of(*weights) : std::span<const Count>();
}

/// Numbers by row, as workers pass them: offsets, ids and values; None if there are none.
using SharedNumberArrays = std::optional<std::tuple<Array<std::int64_t>, Array<SharedId>, Array<double>>>;

SharedNumbers numbers_of(const SharedNumberArrays& numbers) {
    if (!numbers) return {};
    return {span_of(std::get<0>(*numbers)), span_of(std::get<1>(*numbers)), span_of(std::get<2>(*numbers))};
}

std::int64_t n_by_weight(const SharedRows& rows) {
    if (rows.weights.empty()) return static_cast<std::int64_t>(rows.size());
    return std::accumulate(rows.weights.begin(), rows.weights.end(), std::int64_t{0});
}

/// Throws if a point has two values of one category.
void check_categories(const Vocabulary& vocabulary, const CsrView& rows) {
    std::unordered_map<KeyId, CategoryId> of_key;
    for (const KeyId key : rows.indices) {
        if (!of_key.contains(key)) of_key.emplace(key, vocabulary.category_of(key));
    }
    std::vector<CategoryId> met;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        met.clear();
        for (const KeyId key : rows.row(i)) {
            if (const CategoryId category = of_key.at(key); category != no_category) met.push_back(category);
        }
        std::sort(met.begin(), met.end());
        if (std::adjacent_find(met.begin(), met.end()) != met.end()) {
            throw std::invalid_argument(
                "a point must have one value of a category at most for batch_growth, got two in row " +
                std::to_string(i));
        }
    }
}

void learn_rows_of_batch(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                         const Array<Label>& labels, const std::optional<Array<Count>>& weights, std::int64_t n_classes,
                         const NumberArrays& numbers) {
    require_batches(self);
    refresh(self);
    nb::gil_scoped_release release;
    const std::unique_lock lock(self.mutex);
    const std::shared_lock names(self.shared.mutex());
    const std::shared_lock names_of_numbers(self.shared_numbers.mutex());
    const KeyedRows given = checked_points(indptr, keys, numbers);
    const IdsOfTree ids_of(self);
    std::vector<SharedId> ids;
    ids.reserve(given.keys.indices.size());
    for (const KeyId key : given.keys.indices) ids.push_back(ids_of.id_of(key));
    std::vector<SharedId> number_ids;
    number_ids.reserve(given.numbers.indices.size());
    for (const KeyId key : given.numbers.indices) number_ids.push_back(ids_of.id_of_number(key));
    const SharedRows rows{
        given.keys.indptr, ids, span_of(labels), weights_of(weights), {given.numbers.indptr, number_ids, given.values}};
    const auto all = static_cast<std::size_t>(std::max<std::int64_t>(n_classes, 2));
    check_shared_rows(rows, all);
    check_room(static_cast<Count>(self.tree.n()), n_by_weight(rows));
    if (Vocabulary::Writing(self.vocabulary()).has_categories()) check_categories(self.vocabulary(), given.keys);
    change(self.mutex, [&] {
        self.tree.cover_classes(all);
        learn_batch(self.tree, self.vocabulary(), rows, ids_of, finder_of(self));
    });
}

/// The slopes of points at the weights of a tree, which does not change.
Gradients gradients(GuardedTree& self, const Array<std::int64_t>& indptr, const Array<SharedId>& ids,
                    const Array<Label>& labels, const std::optional<Array<Count>>& weights, std::uint32_t part,
                    std::uint32_t n_parts, const SharedNumberArrays& numbers) {
    require_batches(self);
    if (!learns_gradients(self)) {
        throw std::invalid_argument("leaf_prediction must be 'logistic', 'adaptive' or 'mixed' for gradients, got '" +
                                    std::string(word_of(self.tree.options().leaf_prediction)) + "'");
    }
    refresh(self);
    const SharedRows rows{span_of(indptr), span_of(ids), span_of(labels), weights_of(weights), numbers_of(numbers)};
    nb::gil_scoped_release release;
    const std::shared_lock lock(self.mutex);
    const std::shared_lock names(self.shared.mutex());
    const std::shared_lock names_of_numbers(self.shared_numbers.mutex());
    check_shared_rows(rows, self.tree.n_classes());
    check_room(0, n_by_weight(rows));
    return sum_gradients(self.tree, router_of(self), rows, finder_of(self), part, n_parts);
}

Delta count(const Router& self, const Array<std::int64_t>& indptr, const Array<SharedId>& ids,
            const Array<Label>& labels, const std::optional<Array<Count>>& weights, std::uint32_t part,
            std::uint32_t n_parts, const SharedNumberArrays& numbers) {
    nb::gil_scoped_release release;
    const SharedRows rows{span_of(indptr), span_of(ids), span_of(labels), weights_of(weights), numbers_of(numbers)};
    check_shared_rows(rows, self.n_classes());
    return count_rows(self, rows, part, n_parts);
}

/// The values that must be known before points are counted.
ValueCounts values_of(const Router& self, const Array<std::int64_t>& indptr, const Array<SharedId>& ids,
                      const Array<Label>& labels, const std::optional<Array<Count>>& weights,
                      const SharedNumberArrays& numbers) {
    nb::gil_scoped_release release;
    const SharedRows rows{span_of(indptr), span_of(ids), span_of(labels), weights_of(weights), numbers_of(numbers)};
    check_shared_rows(rows, self.n_classes());
    return count_values(self, rows);
}

/// How often a tree of a forest learns each point of a batch.
Vector<Count> draws_of_batch(const Array<std::int64_t>& indptr, const Array<SharedId>& ids, const Array<Label>& labels,
                             const std::optional<Array<Count>>& weights, double mean, std::uint64_t seed,
                             std::uint64_t tree, std::uint64_t batch, const SharedNumberArrays& numbers) {
    std::vector<Count> draws;
    {
        nb::gil_scoped_release release;
        const SharedRows rows{span_of(indptr), span_of(ids), span_of(labels), weights_of(weights), numbers_of(numbers)};
        check_shared_rows(rows, std::size_t{max_classes});
        draws = batch_draws(rows, mean, seed, tree, batch);
    }
    return to_numpy(std::move(draws));
}

/// The birth number of the leaf that each point reaches.
Vector<std::uint64_t> leaves_of(const Router& self, const Array<std::int64_t>& indptr, const Array<SharedId>& ids,
                                const SharedNumberArrays& numbers) {
    const std::vector<Label> labels(indptr.size() == 0 ? 0 : indptr.size() - 1);
    const SharedRows rows{span_of(indptr), span_of(ids), labels, {}, numbers_of(numbers)};
    check_shared_rows(rows, self.n_classes());
    Router::Walk walk(self);
    std::vector<std::uint64_t> leaves;
    for (std::size_t i = 0; i < rows.size(); ++i) leaves.push_back(self.born(walk.leaf_of(rows.row(i))));
    return to_numpy(std::move(leaves));
}

/// The counts: of each leaf the points of each class, and the leaf, feature, class and count of every entry.
nb::tuple counts_of(const Delta& self) {
    nb::dict leaves;
    for (const Delta::Leaf& leaf : self.leaves()) leaves[nb::int_(leaf.born)] = nb::cast(leaf.of_class);
    std::vector<std::uint64_t> born;
    std::vector<SharedId> features;
    std::vector<Label> labels;
    std::vector<std::int64_t> counts;
    for (const Delta::Entry& entry : self.entries()) {
        born.push_back(entry.born);
        features.push_back(entry.feature);
        labels.push_back(entry.label);
        counts.push_back(entry.count);
    }
    return nb::make_tuple(leaves, to_numpy(std::move(born)), to_numpy(std::move(features)), to_numpy(std::move(labels)),
                          to_numpy(std::move(counts)));
}

}  // namespace

std::vector<SharedId> ids_of_features(GuardedTree& self) {
    require_batches(self);
    refresh(self);
    const IdsOfTree ids_of(self);
    std::vector<SharedId> ids;
    for (const KeyId key : Vocabulary::Reading(self.vocabulary()).keys()) ids.push_back(ids_of.id_of(key));
    return ids;
}

std::vector<KeyId> keys_of_ids(GuardedTree& self, std::span<const SharedId> ids) {
    refresh(self);
    const IdsOfTree ids_of(self);
    std::vector<KeyId> keys;
    for (const SharedId id : ids) keys.push_back(ids_of.key_of(id));
    return keys;
}

void bind_batch(nb::module_& module) {
    module.def("ids_of_names", &ids_of_names, nb::arg("names"),
               "The ids of features on which all who count agree: columns by number, text by a hash.");
    module.def("ids_of_texts", &ids_of_texts, nb::arg("offsets"), nb::arg("data"),
               "The same of texts one after the other, as Arrow has them.");
    module.def("batch_draws", &draws_of_batch, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights"),
               nb::arg("mean"), nb::arg("seed"), nb::arg("tree"), nb::arg("batch"), nb::arg("numbers") = nb::none(),
               "How often a tree of a forest learns each point of a batch: the weight times what a hash draws.");
    nb::class_<Delta>(module, "Delta", "What points add to the leaves of one version of a tree.")
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return Delta::from_bytes(bytes_of(data)); }, nb::arg("data"),
            "The delta of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const Delta& self) { return as_bytes(self.to_bytes()); })
        .def("merge", &Delta::merge, nb::arg("other"))
        .def("version", &Delta::version)
        .def("n", &Delta::n)
        .def("n_met", &Delta::n_met)
        .def("n_classes", &Delta::n_classes)
        .def("n_leaves", [](const Delta& self) { return self.leaves().size(); })
        .def("features", [](const Delta& self) { return to_numpy(self.features()); })
        .def("counts", &counts_of)
        .def(
            "divided", [](const Delta& self, std::size_t n_shards) { return divided(self, n_shards); },
            nb::arg("n_shards"), "A delta for each shard, of its features in all leaves.")
        .def(
            "without_features",
            [](const Delta& self) { return Delta(self.version(), self.n_classes(), self.leaves(), {}); },
            "The points of each class in every leaf alone.");
    nb::class_<Gradients>(module, "Gradients", "The slopes of points at the weights of one version of a tree, summed.")
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return Gradients::from_bytes(bytes_of(data)); }, nb::arg("data"),
            "The gradients of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const Gradients& self) { return as_bytes(self.to_bytes()); })
        .def("merge", &Gradients::merge, nb::arg("other"))
        .def("version", &Gradients::version);
    nb::class_<ValueCounts>(module, "ValueCounts", "The values of some numbers in points, and how often each occurs.")
        .def(nb::init<>())
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return ValueCounts::from_bytes(bytes_of(data)); },
            nb::arg("data"), "The values of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const ValueCounts& self) { return as_bytes(self.to_bytes()); })
        .def("merge", &ValueCounts::merge, nb::arg("other"))
        .def("n_numbers", [](const ValueCounts& self) { return self.numbers().size(); });
    nb::class_<Router>(module, "Router", "Where points go in one version of a tree, and nothing else.")
        .def_static(
            "from_bytes", [](const nb::bytes& data) { return Router::from_bytes(bytes_of(data)); }, nb::arg("data"),
            "The router of what `to_bytes` gave. Raises ModelFormatError.")
        .def("to_bytes", [](const Router& self) { return as_bytes(self.to_bytes()); })
        .def("count", &count, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none(),
             nb::arg("part") = 0, nb::arg("n_parts") = 1, nb::arg("numbers") = nb::none())
        .def("values", &values_of, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("numbers") = nb::none(),
             "The values of numbers that a tree must know before it counts points: `Tree.meet_values`.")
        .def("leaves", &leaves_of, nb::arg("indptr"), nb::arg("ids"), nb::arg("numbers") = nb::none())
        .def(
            "edges",
            [](const Router& self) {
                nb::dict edges;
                for (const Router::Number& each : self.numbers()) edges[nb::int_(each.id)] = nb::cast(each.edges);
                return edges;
            },
            "The edges between the bins of each number, by its id.")
        .def("is_settled", &Router::is_settled, nb::arg("number"),
             "Whether the edges of a number, by its id, stay as they are.")
        .def("version", &Router::version)
        .def("n_classes", &Router::n_classes)
        .def("n_nodes", &Router::n_nodes)
        .def("n_leaves", &Router::n_leaves);
}

void bind_tree_batch(nb::class_<GuardedTree>& tree) {
    tree.def("learn_batch", &learn_rows_of_batch, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("n_classes") = 2, nb::arg("numbers") = nb::none())
        .def("router", &router)
        .def("absorb", &absorb_delta, nb::arg("delta"), nb::arg("gradients") = nb::none())
        .def("gradients", &gradients, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("part") = 0, nb::arg("n_parts") = 1,
             nb::arg("numbers") = nb::none())
        .def("meet_values", &meet_values_of_batch, nb::arg("values"))
        .def("learns_gradients", &learns_gradients, "Whether leaves learn from gradients, and not from counts alone.")
        .def("answers", &answers, "The bytes of a tree that answers the same, and has no feature to split on.")
        .def("grow", &grow)
        .def("unnamed", &unnamed, nb::arg("delta"))
        .def("cover_classes", &cover_classes, nb::arg("n_classes"));
}

}  // namespace sapwood::bindings
