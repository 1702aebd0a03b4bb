// The bytes of a tree that forgets: anything is refused with ModelFormatError, or is a tree that is settled, forgets
// and is saved as the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sapwood/dynamic/dynamic_tree.hpp"
#include "sapwood/dynamic/leaf_answer.hpp"
#include "sapwood/dynamic/validate_dynamic.hpp"
#include "sapwood/io/dynamic_bytes.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct DynamicBytes {
    static constexpr std::string_view name = "dynamic_bytes";

    /// The first byte is the number of features.
    static std::vector<std::string> seeds() {
        std::vector<std::string> made;
        for (const double beta : {0.0, 0.1}) {
            for (const std::size_t n_classes : {2u, 3u}) {
                DynamicOptions options;
                options.beta = beta;
                options.stopping = n_classes == 2 ? Stopping::none : Stopping::evidence;
                options.leaf_prediction = n_classes == 2 ? LeafPrediction::majority : LeafPrediction::naive_bayes;
                DynamicTree tree(options);
                const std::vector<Label> same{0, 1};
                tree.renumber(same, n_classes);
                for (std::uint32_t i = 0; i < 40; ++i) {
                    std::vector<FeatureId> features;
                    for (FeatureId id = 0; id < 6; ++id) {
                        if ((i * 7 + static_cast<std::uint32_t>(id) * 3) % 5 < 2) features.push_back(id);
                    }
                    tree.learn(features, static_cast<Label>(i % n_classes));
                }
                const ById order;
                tree.settle(order);
                made.push_back('\6' + write_dynamic_tree(tree, order));
            }
        }
        return made;
    }

    static void run(Bytes bytes) {
        if (bytes.empty()) return;
        const ById order;
        try {
            DynamicTree tree = read_dynamic_tree(std::as_bytes(bytes.subspan(1)), bytes[0]);
            tree.settle(order);
            tree.validate();
            const std::string saved = write_dynamic_tree(tree, order);
            DynamicTree again = read_dynamic_tree(as_bytes(saved), bytes[0]);
            again.settle(order);
            promise(write_dynamic_tree(again, order) == saved, "what was saved and loaded is saved as the same bytes");
            use(tree, order);
        } catch (const ModelFormatError&) {
            return;
        }
    }

private:
    class ById final : public FeatureOrder {
    public:
        bool comes_before(FeatureId a, FeatureId b) const override { return a < b; }
    };

    static void use(DynamicTree& tree, const FeatureOrder& order) {
        const std::vector<FeatureId> features{0, 3};
        LeafAnswer answer(tree);
        for (const double p : answer.of(features)) promise(p >= 0 && p <= 1 + 1e-9, "a probability is from 0 to 1");
        const std::vector<PointId> held = tree.points_below(Nodes::root);
        for (std::size_t i = 0; i < held.size(); i += 2) tree.forget(held[i], tree.points().weight(held[i]));
        tree.settle(order);
        tree.validate();
    }
};

}  // namespace sapwood::fuzz
