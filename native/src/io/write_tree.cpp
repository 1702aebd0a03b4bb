#include "sapwood/io/write_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sapwood/io/attributes_section.hpp"
#include "sapwood/io/gaussians_section.hpp"
#include "sapwood/io/option_bytes.hpp"
#include "sapwood/io/sections.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/io/trunk_section.hpp"
#include "sapwood/io/write_pages.hpp"
#include "sapwood/search/make_search.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/split_test/make_split_notes.hpp"

namespace sapwood {

using namespace detail;

namespace {

class TreeWriter {
public:
    /// `shares`: whether what is known of numbers and categories is shared, and written elsewhere. `counts`: whether
    /// what leaves have counted of features, to split on them, is written.
    explicit TreeWriter(StreamingTree& tree, bool shares = false, bool counts = true)
        : tree_(tree), searches_(tree), shares_(shares), counts_(counts), order_(tree.body().all_nodes()) {}

    std::string write() {
        ByteWriter out;
        // Most trees take fewer bytes in a file than in memory.
        out.reserve(tree_.n_bytes());
        out.put_raw(tree_format::magic);
        out.put(tree_format::version);
        put_section(out, "options", [this](ByteWriter& section) { put_options(section); });
        put_section(out, "counts", [this](ByteWriter& section) { put_counts(section); });
        if (!shares_ && !tree_.attributes().empty()) {
            put_section(out, "attributes", [this](ByteWriter& section) { put_attributes(section, tree_.known()); });
        }
        put_section(out, "models", [this](ByteWriter& section) { put_models(section); });
        if (detail::has_gaussians(tree_.body())) {
            put_section(out, "gaussians", [this](ByteWriter& section) { put_gaussians(section); });
        }
        if (detail::has_trunk_gaussians(tree_.body())) {
            put_section(out, "trunk_gaussians", [this](ByteWriter& section) { put_trunk_gaussians(section); });
        }
        put_section(out, "nodes", [this](ByteWriter& section) { put_nodes(section); });
        put_section(out, "growth", [this](ByteWriter& section) { tree_.growth().save(section, tree_.body()); });
        return out.take();
    }

private:
    const ModelLayout& layout() const { return tree_.body().predictor().layout(); }

    void put_options(ByteWriter& out) const {
        for_each_option(tree_.options(),
                        [&](std::string_view name, const auto& option) { put_option(out, name, option); });
    }

    void put_counts(ByteWriter& out) const {
        out.put(static_cast<std::uint32_t>(tree_.n_classes()));
        out.put(tree_.n());
        out.put(tree_.n_met());
        out.put_all(std::span<const std::uint64_t>(tree_.body().weights().state()));
        out.put(tree_.nodes().n_born());
        if (tree_.body().following()) out.put(tree_.nodes().n_born_beside());
        for_each_count(tree_.tally(), [&](std::string_view, std::int64_t count) { out.put(count); });
    }

    /// What leaves share: the trunk, and the pages that their models are made of.
    void put_models(ByteWriter& out) {
        const LeafPredictor& predictor = tree_.body().predictor();
        put_shared(out, predictor.shared());
        if (tree_.body().options().follows_change()) {
            out.put(static_cast<std::uint8_t>(predictor.beside() ? 1 : 0));
            if (predictor.beside()) put_shared(out, *predictor.beside());
        }
        if (!layout().keeps_anything()) return;
        for (const NodeId at : order_) {
            if (tree_.node(at).models) pages_.meet(*tree_.node(at).models);
        }
        pages_.put_pages(out, layout());
    }

    void put_shared(ByteWriter& out, const SharedModels& shared) const {
        if (shared.mixing) {
            put_mixing(out, *shared.mixing);
        } else if (layout().keeps_logistic) {
            const Trunk& trunk = shared.trunk;
            out.put(static_cast<std::uint32_t>(trunk.size()));
            const auto put_record = [&](const Word* record) {
                put_words(out, record, trunk.n_outputs());
                put_words(out, record + trunk.room(), trunk.n_outputs());
            };
            put_record(trunk.intercept());
            for (std::size_t i = 0; i < trunk.size(); ++i) put_record(trunk.record(static_cast<FeatureId>(i)));
        }
    }

    void put_nodes(ByteWriter& out) {
        out.put(static_cast<std::uint32_t>(order_.size()));
        for (const NodeId at : order_) put_node(out, at);
    }

    const LeafMixer* mixer_of(NodeId at) const {
        const auto& models = tree_.node(at).models;
        return models && models->mixer ? &*models->mixer : nullptr;
    }
    void put_gaussians(ByteWriter& out) const {
        for (const NodeId at : order_) {
            if (const LeafMixer* const mixer = mixer_of(at)) detail::put_gaussians(out, *mixer, layout().n_classes);
        }
    }

    void put_trunk_gaussians(ByteWriter& out) const {
        const LeafPredictor& predictor = tree_.body().predictor();
        put_clouds(out, predictor.mixing()->trunk().gaussians(), layout().n_classes);
        if (predictor.beside()) {
            put_clouds(out, predictor.beside()->mixing->trunk().gaussians(), layout().n_classes);
        }
        for (const NodeId at : order_) {
            if (const LeafMixer* const mixer = mixer_of(at)) out.put(mixer->weights[trunk_gaussians_expert]);
        }
    }

    void put_node(ByteWriter& out, NodeId at) {
        const Node& node = tree_.node(at);
        out.put(static_cast<std::uint8_t>(tree_.options().growth));
        put_test(out, tree_.nodes().test(at));
        out.put(tree_.nodes().born(at));
        out.put_all(std::span<const std::int64_t>(node.of_class));
        if (!tree_.nodes().is_leaf(at)) {
            out.put(node.split.gain);
            out.put(node.split.margin);
            out.put(node.split.at);
        }
        put_statistics(out, at);
        if (node.models)
            pages_.put_models(out, *node.models, tree_.body().predictor().layout(), tree_.body().predictor().chooses());
        if (tree_.body().following()) tree_.body().watch(at).save(out);
    }

    static void put_test(ByteWriter& out, const Test& test) {
        out.put(static_cast<std::uint8_t>(test.kind()));
        if (test.kind() == TestKind::nothing) return;
        if (test.kind() == TestKind::is_among) {
            out.put(static_cast<std::uint32_t>(test.categories().size()));
            out.put_all(std::span<const FeatureId>(test.categories()));
            return;
        }
        out.put(test.feature());
        if (test.kind() == TestKind::is_on) return;
        out.put(static_cast<std::uint8_t>(test.missing_passes() ? 1 : 0));
        out.put(test.threshold());
    }

    void put_statistics(ByteWriter& out, NodeId at) {
        using State = NodeStatistics::State;
        const NodeStatistics& statistics = tree_.node(at).statistics;
        if (!counts_ && statistics.is_counting()) {
            put_without_features(out, statistics);
            return;
        }
        out.put(static_cast<std::uint8_t>(statistics.state()));
        // Statistics that ended with the split: the classes of the node, of which all were tested.
        if (statistics.state() == State::ended) return;
        out.put_all(std::span<const Count>(statistics.counted()));
        out.put(statistics.tested_at());
        if (statistics.is_counting()) {
            searches_.search(at)->save(out);
            if (statistics.notes() != nullptr) statistics.notes()->save(out);
            return;
        }
        out.put(statistics.n_missed());
        if (statistics.is_paused()) out.put(static_cast<std::uint64_t>(statistics.paused_bytes()));
    }

    /// Statistics of points of the same classes, of which none has a feature.
    void put_without_features(ByteWriter& out, const NodeStatistics& statistics) const {
        const TreeBody& body = tree_.body();
        NodeStatistics plain(tree_.n_classes());
        plain.start(
            make_search(body.search_choice(tree_.n_classes()), body.uses_attributes() ? &body.attributes() : nullptr),
            make_split_notes(tree_.options()));
        AddedCounts added;
        added.of_class = statistics.counted();
        added.of_label.resize(tree_.n_classes());
        plain.add_counts(added);
        out.put(static_cast<std::uint8_t>(plain.state()));
        out.put_all(std::span<const Count>(plain.counted()));
        out.put(plain.tested_at());
        plain.search()->save(out);
        if (plain.notes() != nullptr) plain.notes()->save(out);
    }

    const StreamingTree& tree_;
    /// The same tree, whose searches may bring themselves up to date when they are saved.
    StreamingTree& searches_;
    bool shares_;
    bool counts_;
    std::vector<NodeId> order_;
    PageWriter pages_;
};

}  // namespace

std::string write_tree(StreamingTree& tree) { return TreeWriter(tree).write(); }

std::string write_answers(StreamingTree& tree) { return TreeWriter(tree, false, false).write(); }

std::string write_shared_tree(StreamingTree& tree) { return TreeWriter(tree, true).write(); }

}  // namespace sapwood
