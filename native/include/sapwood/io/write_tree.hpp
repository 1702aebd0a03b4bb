#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sapwood/io/tree_format.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

namespace detail {

/// Numbers the pages and the folders of the models of leaves in the order in which they are first met.
class PageNumbers {
public:
    using Page = PagePool::Page;
    using Folder = PagePool::Folder;
    using Pages = std::array<std::uint32_t, PagePool::pages_per_folder>;

    /// The number of a folder. Folders of the same pages are one, whether or not they are one in memory.
    std::uint32_t of(const Folder* folder) {
        if (folder == nullptr) return tree_format::none;
        const auto known = of_folder_.find(folder);
        if (known != of_folder_.end()) return known->second;
        Pages pages{};
        for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = of(folder->pages[i]);
        const auto [at, is_new] = of_pages_.try_emplace(pages, static_cast<std::uint32_t>(folders_.size() + 1));
        if (is_new) folders_.push_back(pages);
        return of_folder_[folder] = at->second;
    }

    const std::vector<const Page*>& pages() const { return pages_; }
    const std::vector<Pages>& folders() const { return folders_; }

private:
    std::uint32_t of(const Page* page) {
        if (page == nullptr) return tree_format::none;
        const auto [at, is_new] = of_page_.try_emplace(page, static_cast<std::uint32_t>(pages_.size() + 1));
        if (is_new) pages_.push_back(page);
        return at->second;
    }

    std::unordered_map<const Folder*, std::uint32_t> of_folder_;
    std::unordered_map<const Page*, std::uint32_t> of_page_;
    std::map<Pages, std::uint32_t> of_pages_;
    std::vector<const Page*> pages_;
    std::vector<Pages> folders_;
};

class TreeWriter {
public:
    explicit TreeWriter(StreamingTree& tree) : tree_(tree), searches_(tree), order_(tree.in_order()) {}

    std::string write() {
        out_.put_raw(tree_format::magic);
        out_.put(tree_format::version);
        put_options();
        out_.put(static_cast<std::uint32_t>(tree_.n_classes()));
        out_.put(tree_.n());
        const TreeTally& tally = tree_.tally();
        for (const std::int64_t count :
             {tally.tested, tally.split, tally.resplit, tally.pruned, tally.paused, tally.resumed}) {
            out_.put(count);
        }
        if (layout().keeps_logistic) put_trunk();
        if (layout().keeps_anything()) put_pages();
        out_.put(static_cast<std::uint32_t>(order_.size()));
        for (const NodeId at : order_) put_node(at);
        return out_.take();
    }

private:
    const ModelLayout& layout() const { return tree_.layout(); }

    void put_options() {
        const TreeOptions& options = tree_.options();
        out_.put_word(options.growth);
        out_.put_word(options.criterion);
        out_.put_word(options.search);
        out_.put(options.alpha);
        out_.put_word(options.split_test);
        out_.put(options.delta);
        out_.put(options.tau);
        out_.put(options.grace_period);
        out_.put(options.min_samples_reevaluate);
        out_.put(options.min_gain);
        put_optional(options.max_depth);
        put_optional(options.max_leaves);
        put_optional(options.max_bytes);
        out_.put_word(options.leaf_prediction);
        put_optional(options.seed);
    }

    template <class T>
    void put_optional(const std::optional<T>& value) {
        out_.put(static_cast<std::uint8_t>(value ? 1 : 0));
        if (value) out_.put(*value);
    }

    /// Words are put as they are: a count and a weight have the same size and the same order of bytes.
    void put_words(const Word* words, std::size_t size) {
        if constexpr (std::endian::native == std::endian::little) {
            if (size > 0) out_.put_raw({reinterpret_cast<const char*>(words), size * sizeof(Word)});
        } else {
            for (std::size_t i = 0; i < size; ++i) out_.put(std::bit_cast<std::uint32_t>(words[i]));
        }
    }

    void put_trunk() {
        const Trunk& trunk = tree_.trunk_model();
        out_.put(static_cast<std::uint32_t>(trunk.size()));
        put_words(trunk.intercept(), 2 * trunk.n_outputs());
        put_words(trunk.record(0), trunk.size() * 2 * trunk.n_outputs());
    }

    void put_pages() {
        for (const NodeId at : order_) {
            const Node& node = tree_.node(at);
            if (!node.models) continue;
            for (std::size_t i = 0; i < node.models->table.n_folders(); ++i) numbers_.of(node.models->table.folder(i));
        }
        out_.put(static_cast<std::uint32_t>(numbers_.pages().size()));
        for (const PagePool::Page* page : numbers_.pages()) {
            put_words(page->words(), PagePool::records_per_page * layout().record_size());
        }
        out_.put(static_cast<std::uint32_t>(numbers_.folders().size()));
        for (const PageNumbers::Pages& pages : numbers_.folders()) out_.put_all(std::span<const std::uint32_t>(pages));
    }

    void put_node(NodeId at) {
        const Node& node = tree_.node(at);
        out_.put(tree_.test(at).feature);
        out_.put(node.born);
        out_.put_all(std::span<const std::int64_t>(node.of_class));
        if (!tree_.test(at).is_leaf()) {
            out_.put(node.gain);
            out_.put(node.margin);
            out_.put(node.split_at);
            // Statistics that ended with the split: the classes of the node, of which all were tested.
            if (tree_.options().growth == "hoeffding") return;
        }
        out_.put_all(std::span<const Count>(node.counted));
        out_.put(node.tested_at);
        if (node.search) {
            put_kind(tree_format::with_search);
            searches_.search_of(at).save(out_);
        } else {
            put_kind(node.paused ? tree_format::paused : tree_format::without_search);
            out_.put(node.n_paused);
            if (node.paused) out_.put(static_cast<std::uint64_t>(node.paused_bytes));
        }
        if (node.models) put_models(*node.models);
    }

    void put_kind(tree_format::NodeState kind) { out_.put(static_cast<std::uint8_t>(kind)); }

    void put_models(const LeafModels& models) {
        out_.put_all(std::span<const std::int64_t>(models.n_of_class));
        put_words(models.intercept.data(), models.intercept.size());
        if (tree_.options().leaf_prediction == "adaptive") out_.put_all(std::span<const std::int64_t>(models.right));
        out_.put(static_cast<std::uint32_t>(models.table.n_folders()));
        for (std::size_t i = 0; i < models.table.n_folders(); ++i) out_.put(numbers_.of(models.table.folder(i)));
    }

    const StreamingTree& tree_;
    /// The same tree, whose searches are saved, for which some make themselves anew.
    StreamingTree& searches_;
    std::vector<NodeId> order_;
    PageNumbers numbers_;
    ByteWriter out_;
};

}  // namespace detail

/// The bytes of a tree (docs/format.md): a function of what it is, not of how it lies in memory. The tree goes on
/// exactly as one that is read from them, and does not change but for this: an approximate search does what it had put
/// off, and forgets which of two bins it last chose at their common border.
inline std::string write_tree(StreamingTree& tree) { return detail::TreeWriter(tree).write(); }

}  // namespace sapwood
