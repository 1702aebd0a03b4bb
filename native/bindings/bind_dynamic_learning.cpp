#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamic_rows.hpp"
#include "guarded_dynamic_tree.hpp"
#include "point.hpp"
#include "sapwood/dynamic/leaf_answer.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood::bindings {
namespace {

/// How many numbers a point has.
std::size_t n_numbers_of(nb::handle x) {
    struct {
        std::size_t n = 0;
        void flag(nb::handle) {}
        void category(nb::handle, nb::handle) {}
        void number(nb::handle, double) { ++n; }
    } sink;
    read_point(x, nb::none(), sink);
    return sink.n;
}

void require_classes(const DynamicTree& tree, std::size_t n_classes) {
    if (n_classes <= tree.n_classes()) return;
    throw std::invalid_argument("labels must be below the " + std::to_string(tree.n_classes()) +
                                " classes of the tree, got " + std::to_string(n_classes - 1));
}

/// Points that one call has learned, and can take back if it has to refuse: then nothing has changed.
class Learning {
public:
    explicit Learning(GuardedDynamicTree& self, bool named) : self_(self), named_(named) {}

    void learn(std::span<const KeyId> keys, Label label, Count weight) {
        PointId id = no_point;
        if (weight > 0) {
            self_.learnable(keys, features_);
            follow();
            id = self_.tree.learn(features_, label, weight);
            if (named_) self_.tree.add_named(id, weight);
            if (const auto most = self_.tree.options().max_bytes) {
                if (static_cast<std::int64_t>(self_.tree.points_bytes()) > *most) refuse(id, weight);
            }
            if (!self_.tree.options().lazy) self_.settle();
        }
        learned_.emplace_back(id, weight);
    }

    /// To be called after the last point: makes sure that all fit into memory.
    void finish() {
        const auto most = self_.tree.options().max_bytes;
        if (!most) return;
        self_.settle();
        if (static_cast<std::int64_t>(self_.tree.n_bytes()) > *most) refuse(no_point, 0);
    }

    std::vector<PointId> ids() const {
        std::vector<PointId> ids;
        for (const auto& [id, weight] : learned_) ids.push_back(id);
        return ids;
    }

private:
    void follow() { self_.order.follow(Vocabulary::Reading(self_.vocabulary()).keys()); }

    [[noreturn]] void refuse(PointId last, Count weight) {
        const std::size_t bytes = self_.tree.n_bytes();
        // They may have grown beyond what they need without the points.
        self_.tree.drop_statistics();
        if (last != no_point) learned_.emplace_back(last, weight);
        for (const auto& [id, taken] : learned_) {
            if (taken == 0) continue;
            if (named_) self_.tree.add_named(id, -taken);
            self_.tree.forget(id, taken);
        }
        self_.settle();
        throw std::invalid_argument("max_bytes must have room for the points and their statistics, got " +
                                    std::to_string(*self_.tree.options().max_bytes) + " where " +
                                    std::to_string(bytes) +
                                    " are needed; forget points, or learn fewer, or split less deep");
    }

    GuardedDynamicTree& self_;
    bool named_;
    std::vector<FeatureId> features_;
    std::vector<std::pair<PointId, Count>> learned_;
};

/// Checks what needs the interpreter, before points are learned.
void prepare(GuardedDynamicTree& self, std::span<const KeyId> keys) {
    const WriteLock lock(self.mutex);
    self.order.read(self.keys());
    self.order.check(keys, self.keys());
}

void check_can_learn(const DynamicTree& tree, const Rows& rows) {
    require_classes(tree, rows.n_classes());
    check_room(static_cast<Count>(tree.n()), rows.weight());
}

/// Learns the rows; returns their entries in the store if they are named. All or nothing.
std::optional<Vector<PointId>> learn(GuardedDynamicTree& self, const Array<std::int64_t>& indptr,
                                     const Array<KeyId>& keys, const Array<Label>& labels,
                                     const std::optional<Array<double>>& weights, const NumberArrays& numbers,
                                     bool named) {
    refuse_numbers(numbers);
    prepare(self, span_of(keys));
    std::vector<PointId> ids;
    {
        nb::gil_scoped_release release;
        const Rows rows(indptr, keys, labels, weights);
        const std::unique_lock lock(self.mutex);
        check_can_learn(self.tree, rows);
        change(self.mutex, [&] {
            Learning learning(self, named);
            for (std::size_t i = 0; i < rows.size(); ++i) learning.learn(rows.row(i), rows.label(i), rows.weight(i));
            learning.finish();
            ids = learning.ids();
        });
    }
    if (!named) return std::nullopt;
    return to_numpy(std::move(ids));
}

/// The keys of a point that is to be learned, by the one rule.
std::vector<KeyId> new_keys(GuardedDynamicTree& self, nb::handle x) {
    // Looked at first, so that one that is refused adds nothing.
    refuse_numbers(n_numbers_of(x));
    return self.names.new_point(x).keys;
}

/// Learns one point; returns its entry in the store.
std::int64_t learn_one(GuardedDynamicTree& self, nb::handle x, std::int64_t label, double weight,
                       std::optional<double> binarize, bool typed, bool named) {
    const Count count = whole_of(weight);
    const std::vector<KeyId> keys = count == 0 ? known_keys(self, x, binarize, typed)
                                    : typed    ? new_keys(self, x)
                                               : self.keys().new_point(x, binarize);
    const WriteLock lock(self.mutex);
    self.order.read(self.keys());
    self.order.check(keys, self.keys());
    if (label < 0) throw std::invalid_argument("label must not be negative, got " + std::to_string(label));
    if (count == 0) return -1;
    require_classes(self.tree, static_cast<std::size_t>(label) + 1);
    check_room(static_cast<Count>(self.tree.n()), count);
    return change(self.mutex, [&] {
        Learning learning(self, named);
        learning.learn(keys, static_cast<Label>(label), count);
        learning.finish();
        return learning.ids().front();
    });
}

nb::tuple prequential(GuardedDynamicTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
                      const Array<Label>& labels, const std::optional<Array<double>>& weights,
                      const std::optional<Array<std::int64_t>>& places, const NumberArrays& numbers) {
    refuse_numbers(numbers);
    prepare(self, span_of(keys));
    std::vector<Label> answers;
    std::vector<double> probabilities;
    std::array<std::size_t, 2> shape{};
    {
        nb::gil_scoped_release release;
        const Rows rows(indptr, keys, labels, weights);
        const std::span<const std::int64_t> order = places ? span_of(*places) : std::span<const std::int64_t>();
        const std::unique_lock lock(self.mutex);
        check_can_learn(self.tree, rows);
        shape = {rows.size(), self.tree.n_classes()};
        change(self.mutex, [&] {
            Learning learning(self, false);
            std::vector<FeatureId> features;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                self.settle();
                self.find(rows.row(i), features);
                LeafAnswer answer(self.tree);
                const std::span<const double> found = answer.of(features);
                answers.push_back(StreamingTree::label_of(found, order));
                probabilities.insert(probabilities.end(), found.begin(), found.end());
                learning.learn(rows.row(i), rows.label(i), rows.weight(i));
            }
            learning.finish();
        });
    }
    return nb::make_tuple(to_numpy(std::move(answers)), to_numpy(std::move(probabilities), shape));
}

}  // namespace

void bind_dynamic_learning(nb::class_<GuardedDynamicTree>& tree) {
    tree.def("learn", &learn, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none(),
             nb::arg("numbers") = nb::none(), nb::arg("named") = false)
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight") = 1,
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false, nb::arg("named") = false)
        .def("prequential", &prequential, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"),
             nb::arg("weights") = nb::none(), nb::arg("places") = nb::none(), nb::arg("numbers") = nb::none());
}

}  // namespace sapwood::bindings
