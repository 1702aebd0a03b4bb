#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sapwood/tree/predict/feature_shares.hpp"
#include "sapwood/tree/streaming_tree.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// What a feature that is on adds to the score of each class, a row of classes for each of the features 0, ...,
/// n_features - 1: the mean over the points of the leaves of what it adds in the model that answers there, which is
/// what contributions.hpp tells of one point. Nothing where classes alone answer.
///
/// One output for two classes, the score of the second less that of the first, is half of it for each.
/// O(features + what the leaves keep of features), times the classes.
class FeatureScores {
public:
    /// `shared`: the trunk that leaves which mix build on, where it is not the tree's own: of a tree of a forest.
    FeatureScores(const StreamingTree& tree, std::size_t n_features, const Mixing* shared = nullptr)
        : predictor_(tree.body().predictor()), layout_(predictor_.layout()), n_features_(n_features) {
        scores_.resize(n_features_ * layout_.n_classes);
        double all = 0;
        for_each_leaf(tree, [&](const Node&, double points) { all += points; });
        if (!layout_.keeps_anything() || all == 0) return;
        if (predictor_.mixing()) {
            add_mixed(tree, shared != nullptr ? *shared : *predictor_.mixing(), all);
            return;
        }
        double by_trunk = 0;
        for_each_leaf(tree, [&](const Node& leaf, double points) {
            const Model model = predictor_.model_of(leaf.models);
            const double share = points / all;
            if (model == trunk || model == logistic) by_trunk += share;
            if (model == logistic || model == naive_bayes) add_leaf(*leaf.models, model, share);
        });
        if (by_trunk > 0) add_trunk(by_trunk);
    }

    std::vector<double>& scores() { return scores_; }

private:
    template <class Use>
    static void for_each_leaf(const StreamingTree& tree, Use use) {
        for (const NodeId at : tree.nodes().in_order()) {
            if (!tree.nodes().is_leaf(at)) continue;
            double points = 0;
            for (const std::int64_t count : tree.node(at).of_class) points += static_cast<double>(count);
            use(tree.node(at), points);
        }
    }

    /// Of leaves that mix: every model, times the weight that the leaf gives it.
    void add_mixed(const StreamingTree& tree, const Mixing& mixing, double all) {
        std::array<double, n_trunks> by_trunk{};
        double by_bayes = 0;
        std::vector<double> outputs(layout_.n_outputs());
        for_each_leaf(tree, [&](const Node& leaf, double points) {
            const double share = points / all;
            const LeafModels& models = *leaf.models;
            const std::span<const double, n_experts> mixer = mixing.weights(models);
            const FeatureShares bayes(models.n_of_class);
            for (std::size_t t = 0; t < n_trunks; ++t) by_trunk[t] += share * mixer[trunk_expert + t];
            // The leaf corrects the first of them, and so speaks through it as well.
            by_trunk[0] += share * mixer[corrected_expert];
            by_bayes += share * mixing::bayes_scale * mixer[trunk_bayes_expert];
            for_each_record(models, [&](std::size_t feature, const Word* record) {
                for (std::size_t k = 0; k < outputs.size(); ++k) {
                    outputs[k] = mixer[corrected_expert] * static_cast<double>(record[layout_.weights_at() + k].weight);
                }
                bayes.add(record, mixing::bayes_scale * mixer[leaf_bayes_expert], outputs);
                add_outputs(feature, outputs, share);
            });
        });
        const MixedTrunk& trunk = mixing.trunk();
        const FeatureShares bayes(trunk.n_of_class());
        for (std::size_t i = 0; i < n_features_ && trunk.contains(static_cast<FeatureId>(i)); ++i) {
            const Word* record = trunk.record(static_cast<FeatureId>(i));
            std::fill(outputs.begin(), outputs.end(), 0.0);
            for (std::size_t t = 0; t < n_trunks; ++t) {
                for (std::size_t k = 0; k < outputs.size(); ++k) {
                    outputs[k] += by_trunk[t] * static_cast<double>(record[trunk.weights_at(t) + k].weight);
                }
            }
            bayes.add(record + trunk.counts_at(), by_bayes, outputs);
            add_outputs(i, outputs, 1);
        }
    }

    /// Calls `use(feature, record)` for every record that a leaf keeps.
    template <class Use>
    void for_each_record(const LeafModels& models, Use use) const {
        models.table.for_each_page([&](std::size_t page, const PagePool::Page* kept) {
            const std::size_t first = page * PagePool::records_per_page;
            const std::size_t size = first < n_features_ ? n_features_ - first : 0;
            for (std::size_t r = 0; r < std::min(size, PagePool::records_per_page); ++r) {
                use(first + r, kept->words() + r * layout_.record_size());
            }
        });
    }

    void add_trunk(double share) {
        const Trunk& model = predictor_.trunk_model();
        std::vector<double> outputs(layout_.n_outputs());
        for (std::size_t i = 0; i < std::min(n_features_, model.size()); ++i) {
            std::fill(outputs.begin(), outputs.end(), 0.0);
            LogisticRegression::add_scores(model.record(static_cast<FeatureId>(i)), outputs);
            add_outputs(i, outputs, share);
        }
    }

    void add_leaf(const LeafModels& models, Model model, double share) {
        std::vector<double> outputs(layout_.n_outputs());
        const FeatureShares bayes(models.n_of_class);
        for_each_record(models, [&](std::size_t feature, const Word* record) {
            if (model == logistic) {
                std::fill(outputs.begin(), outputs.end(), 0.0);
                LogisticRegression::add_scores(record + layout_.weights_at(), outputs);
                add_outputs(feature, outputs, share);
            } else {
                bayes.add(record, share, std::span(scores_).subspan(feature * layout_.n_classes, layout_.n_classes));
            }
        });
    }

    void add_outputs(std::size_t feature, std::span<const double> outputs, double share) {
        if (outputs.size() == 1) {
            at(feature, 0) -= share * outputs[0] / 2;
            at(feature, 1) += share * outputs[0] / 2;
            return;
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) at(feature, k) += share * outputs[k];
    }

    double& at(std::size_t feature, std::size_t k) { return scores_[feature * layout_.n_classes + k]; }

    const LeafPredictor& predictor_;
    const ModelLayout& layout_;
    std::size_t n_features_;
    std::vector<double> scores_;
};

}  // namespace sapwood
