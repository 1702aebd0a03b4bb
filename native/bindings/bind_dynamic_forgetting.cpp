#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamic_rows.hpp"
#include "guarded_dynamic_tree.hpp"
#include "point.hpp"

namespace sapwood::bindings {
namespace {

/// What is to be taken from each entry.
class Forgetting {
public:
    explicit Forgetting(GuardedDynamicTree& self) : self_(self) {}

    /// Notes a point; throws std::invalid_argument, which begins with `what`, if the tree does not hold it so often.
    void note(std::span<const KeyId> keys, Label label, Count weight, const std::string& what) {
        if (weight == 0) return;
        PointId id = no_point;
        if (self_.find(keys, features_)) {
            std::sort(features_.begin(), features_.end());
            id = self_.tree.points().find(features_, label);
        }
        const PointStore& points = self_.tree.points();
        const Count named = id == no_point ? 0 : points.named(id);
        const Count held = id == no_point ? 0 : points.weight(id) - named;
        Count& wanted = wanted_[id];
        if (wanted + weight > held) {
            throw std::invalid_argument(
                what + " must be held: learned more often than it was forgotten, got one that is held " +
                (held == 1 ? "once" : std::to_string(held) + " times") +
                (named > 0 ? ", and " + std::to_string(named) + " times by id: forget(ids) takes those back" : ""));
        }
        wanted += weight;
    }

    void carry_out() {
        std::vector<Taken> taken;
        for (const auto& [id, weight] : wanted_) {
            if (weight > 0) taken.push_back({id, weight});
        }
        change(self_.mutex, [&] {
            self_.tree.forget(taken);
            if (!self_.tree.options().lazy) self_.settle();
        });
    }

private:
    GuardedDynamicTree& self_;
    std::vector<FeatureId> features_;
    std::unordered_map<PointId, Count> wanted_;
};

/// `first_row`: what the first of the rows is called where one is refused.
void forget(GuardedDynamicTree& self, const Array<std::int64_t>& indptr, const Array<KeyId>& keys,
            const Array<Label>& labels, const std::optional<Array<double>>& weights, const NumberArrays& numbers,
            std::size_t first_row) {
    refuse_numbers(numbers);
    nb::gil_scoped_release release;
    const Rows rows(indptr, keys, labels, weights);
    const std::unique_lock lock(self.mutex);
    Forgetting forgetting(self);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        forgetting.note(rows.row(i), rows.label(i), rows.weight(i), "row " + std::to_string(first_row + i));
    }
    forgetting.carry_out();
}

/// The keys of a point to be forgotten. What never had a key was never learned, and gets none: it counts as one that no
/// feature has.
std::vector<KeyId> keys_to_forget(GuardedDynamicTree& self, nb::handle x, std::optional<double> binarize, bool typed) {
    struct {
        const Keys& names;
        std::vector<KeyId> keys;
        void flag(nb::handle name) { keys.push_back(names.find(name).value_or(Vocabulary::no_key)); }
        void category(nb::handle name, nb::handle text) {
            keys.push_back(names.find_value(name, text).value_or(Vocabulary::no_key));
        }
        void number(nb::handle, double) { refuse_numbers(1); }
    } sink{self.keys(), {}};
    if (typed) {
        read_point(x, nb::none(), sink);
    } else {
        for_each_active(x, binarize, [&](nb::handle name) { sink.flag(name); });
    }
    return Keys::without_repeats(std::move(sink.keys));
}

void forget_one(GuardedDynamicTree& self, nb::handle x, std::int64_t label, double weight,
                std::optional<double> binarize, bool typed) {
    const Count count = whole_of(weight);
    const std::vector<KeyId> keys = keys_to_forget(self, x, binarize, typed);
    const WriteLock lock(self.mutex);
    if (label < 0 || label >= max_classes) throw std::invalid_argument("label must be one of the classes");
    Forgetting forgetting(self);
    forgetting.note(keys, static_cast<Label>(label), count, "the point");
    forgetting.carry_out();
}

/// Takes named weight from entries. Whoever named them knows that they are there.
void forget_named(GuardedDynamicTree& self, const Array<PointId>& ids, const Array<Count>& weights) {
    const WriteLock lock(self.mutex);
    std::unordered_map<PointId, Count> wanted;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const PointId id = ids.data()[i];
        Count& sum = wanted[id];
        if (!self.tree.points().holds(id) || (sum += weights.data()[i]) > self.tree.points().named(id)) {
            throw std::invalid_argument("entries must hold what is taken, got " + std::to_string(id));
        }
    }
    std::vector<Taken> taken;
    for (const auto& [id, weight] : wanted) {
        if (weight > 0) taken.push_back({id, weight});
    }
    change(self.mutex, [&] {
        for (const auto& [id, weight] : taken) self.tree.add_named(id, -weight);
        self.tree.forget(taken);
        if (!self.tree.options().lazy) self.settle();
    });
}

}  // namespace

void bind_dynamic_forgetting(nb::class_<GuardedDynamicTree>& tree) {
    tree.def("forget", &forget, nb::arg("indptr"), nb::arg("ids"), nb::arg("labels"), nb::arg("weights") = nb::none(),
             nb::arg("numbers") = nb::none(), nb::arg("first_row") = 0)
        .def("forget_one", &forget_one, nb::arg("x").none(), nb::arg("label"), nb::arg("weight") = 1,
             nb::arg("binarize") = nb::none(), nb::arg("typed") = false)
        .def("forget_named", &forget_named, nb::arg("points"), nb::arg("weights"));
}

}  // namespace sapwood::bindings
