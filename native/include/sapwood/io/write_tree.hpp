#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sapwood/io/tree_format.hpp"
#include "sapwood/io/write_pages.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

namespace detail {

class TreeWriter {
public:
    explicit TreeWriter(StreamingTree& tree) : tree_(tree), searches_(tree), order_(tree.nodes().in_order()) {}

    std::string write() {
        ByteWriter out;
        out.put_raw(tree_format::magic);
        out.put(tree_format::version);
        put_section(out, "options", [this](ByteWriter& section) { put_options(section); });
        put_section(out, "counts", [this](ByteWriter& section) { put_counts(section); });
        put_section(out, "models", [this](ByteWriter& section) { put_models(section); });
        put_section(out, "nodes", [this](ByteWriter& section) { put_nodes(section); });
        put_section(out, "growth", [this](ByteWriter& section) { tree_.growth().save(section); });
        return out.take();
    }

private:
    template <class Put>
    static void put_section(ByteWriter& out, std::string_view name, Put put) {
        ByteWriter section;
        put(section);
        const std::string bytes = section.take();
        out.put_word(name);
        out.put(static_cast<std::uint64_t>(bytes.size()));
        out.put_raw(bytes);
    }

    const ModelLayout& layout() const { return tree_.body().predictor().layout(); }

    void put_options(ByteWriter& out) const {
        for_each_option(tree_.options(), [&](std::string_view name, const auto& option) {
            out.put_word(name);
            put_option(out, option);
        });
    }

    template <class T>
    static void put_option(ByteWriter& out, const T& option) {
        if constexpr (std::is_enum_v<T>) {
            out.put_word(word_of(option));
        } else {
            out.put(option);
        }
    }
    template <class T>
    static void put_option(ByteWriter& out, const std::optional<T>& option) {
        out.put(static_cast<std::uint8_t>(option ? 1 : 0));
        if (option) out.put(*option);
    }

    void put_counts(ByteWriter& out) const {
        out.put(static_cast<std::uint32_t>(tree_.n_classes()));
        out.put(tree_.n());
        out.put(tree_.n_met());
        out.put_all(std::span<const std::uint64_t>(tree_.body().weights().state()));
        out.put(tree_.nodes().n_born());
        for_each_count(tree_.tally(), [&](std::string_view, std::int64_t count) { out.put(count); });
    }

    /// What leaves share: the trunk, and the pages that their models are made of.
    void put_models(ByteWriter& out) {
        if (const auto& mixing = tree_.body().predictor().mixing()) {
            put_mixing(out, *mixing);
        } else if (layout().keeps_logistic) {
            const Trunk& trunk = tree_.body().predictor().trunk_model();
            out.put(static_cast<std::uint32_t>(trunk.size()));
            put_words(out, trunk.intercept(), 2 * trunk.n_outputs());
            put_words(out, trunk.record(0), trunk.size() * 2 * trunk.n_outputs());
        }
        if (!layout().keeps_anything()) return;
        for (const NodeId at : order_) {
            if (tree_.node(at).models) pages_.meet(*tree_.node(at).models);
        }
        pages_.put_pages(out, layout());
    }

    static void put_mixing(ByteWriter& out, const Mixing& mixing) {
        const MixedTrunk& trunk = mixing.trunk();
        out.put(mixing.n_points());
        out.put(mixing.n_active());
        out.put_all(trunk.n_of_class());
        out.put(static_cast<std::uint32_t>(trunk.size()));
        put_words(out, trunk.intercept(), trunk.counts_at());
        for (std::size_t i = 0; i < trunk.size(); ++i) {
            put_words(out, trunk.record(static_cast<FeatureId>(i)), trunk.words_in_record());
        }
    }

    void put_nodes(ByteWriter& out) {
        out.put(static_cast<std::uint32_t>(order_.size()));
        for (const NodeId at : order_) put_node(out, at);
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
        if (node.models) pages_.put_models(out, *node.models, tree_.body().predictor().chooses());
    }

    static void put_test(ByteWriter& out, const Test& test) {
        out.put(static_cast<std::uint8_t>(test.kind()));
        if (test.kind() == TestKind::nothing) return;
        out.put(test.feature());
        if (test.kind() == TestKind::is_on) return;
        out.put(static_cast<std::uint8_t>(test.missing_passes() ? 1 : 0));
        if (test.kind() == TestKind::is_above) {
            out.put(test.threshold());
        } else {
            out.put(static_cast<std::uint32_t>(test.categories().size()));
            out.put_all(std::span<const std::int32_t>(test.categories()));
        }
    }

    void put_statistics(ByteWriter& out, NodeId at) {
        using State = NodeStatistics::State;
        const NodeStatistics& statistics = tree_.node(at).statistics;
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

    const StreamingTree& tree_;
    /// The same tree, whose searches may bring themselves up to date when they are saved.
    StreamingTree& searches_;
    std::vector<NodeId> order_;
    PageWriter pages_;
};

}  // namespace detail

/// The bytes of a tree (docs/format.md). Equal trees give equal bytes, however they lie in memory. The tree goes on
/// exactly as one that is read from them, and does not change but for this: an approximate search does what it had put
/// off, and forgets which of two bins it last chose at their common border.
inline std::string write_tree(StreamingTree& tree) { return detail::TreeWriter(tree).write(); }

}  // namespace sapwood
