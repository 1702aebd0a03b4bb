#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/tree/streaming_tree.hpp"

namespace sapwood {

/// The invariants of a tree: every node is reachable once or free, and the points, the statistics and the memory of
/// all of them add up. Without a limit of memory no point is lost: each is counted in one leaf, or in a node that was
/// split since.
inline void StreamingTree::validate() const {
    const auto require = [](bool holds, const std::string& what) {
        if (!holds) throw std::logic_error("a tree is broken: " + what);
    };
    const auto sum = [](const auto& counts) {
        std::int64_t all = 0;
        for (const auto count : counts) all += count;
        return all;
    };
    const auto reached = [](const Node& each) { return each.n_counted + each.n_paused; };
    const auto size = static_cast<NodeId>(nodes_.size());
    require(tests_.size() == nodes_.size(), "not as many tests as nodes");

    std::vector<bool> seen(nodes_.size());
    std::set<std::uint64_t> born;
    std::set<const PagePool::Page*> pages;
    std::vector<NodeId> waiting{root};
    std::size_t n_leaves = 0;
    std::int64_t counted = 0;
    seen[0] = true;
    require(node(root).parent == no_node && node(root).depth == 0, "the root is below another node");
    while (!waiting.empty()) {
        const NodeId at = waiting.back();
        waiting.pop_back();
        const Node& here = node(at);
        require(here.born < born_ && born.insert(here.born).second, "two nodes made at once");
        require(here.of_class.size() == n_classes() && here.counted.size() == n_classes(), "a class without a count");
        require(*std::min_element(here.of_class.begin(), here.of_class.end()) >= 0 &&
                    *std::min_element(here.counted.begin(), here.counted.end()) >= 0,
                "a negative count");
        require(sum(here.counted) == here.n_counted && here.n_counted <= n_, "the counts of a node do not add up");
        require(0 <= here.tested_at && here.tested_at <= here.n_counted, "a node was tested in the future");
        const bool may_search = !options_.max_depth || here.depth < *options_.max_depth;
        if (here.search) {
            require(may_search && !here.paused, "a node searches that must not");
            require(here.search->n() == here.n_counted && here.search->of_classes() == here.counted,
                    "a search and its node differ in their counts");
            // A copy: validating does maintenance that was put off, which is to stay as it is.
            here.search->clone()->validate();
        } else {
            require(!may_search || here.paused || (!resplits_ && !test(at).is_leaf()), "a node has lost its search");
        }
        require(!here.paused || options_.max_bytes, "a node is paused without a limit of memory");
        if (options_.max_bytes) require(here.bytes == bytes_of(here), "the memory of a node is not as measured");

        if (test(at).is_leaf()) {
            ++n_leaves;
            counted += reached(here);
            for (std::size_t k = 0; k < n_classes(); ++k) {
                require(here.counted[k] <= here.of_class[k], "a leaf has counted more points than it has");
            }
            require(here.models.has_value() == layout_.keeps_anything(), "a leaf without its models");
            if (!here.models) continue;
            require(here.models->n_of_class.size() == (layout_.keeps_naive_bayes ? n_classes() : 0) &&
                        here.models->intercept.size() == (layout_.keeps_logistic ? 2 * layout_.n_outputs() : 0),
                    "the models of a leaf are of another size");
            require(sum(here.models->n_of_class) <= n_, "naive Bayes has learned from too many points");
            for (const Word& word : here.models->intercept) require(std::isfinite(word.weight), "a weight is infinite");
            for (const std::int64_t right : here.models->right) {
                require(0 <= right && right <= n_, "a model was right too often");
            }
            here.models->table.for_each_page([&](std::size_t, const PagePool::Page* page) { pages.insert(page); });
            continue;
        }
        require(!here.models, "an inner node has the models of a leaf");
        require(std::isfinite(here.gain) && 0 <= here.margin && here.margin <= here.gain, "a split is not ahead");
        require(0 < here.split_at && here.split_at <= n_, "a split that is yet to come");
        for (std::size_t k = 0; k < n_classes(); ++k) {
            require(resplits_ ? here.of_class[k] <= here.counted[k] : here.of_class[k] == here.counted[k],
                    "a split was chosen for points that its node has not counted");
        }
        if (!resplits_) counted += here.n_counted;
        std::int64_t since = 0;
        for (const NodeId child : test(at).child) {
            require(0 <= child && child < size, "a child that there is not");
            require(!seen[static_cast<std::size_t>(child)], "a node with two parents");
            seen[static_cast<std::size_t>(child)] = true;
            require(node(child).parent == at && node(child).depth == here.depth + 1, "a child of another node");
            require(node(child).born > here.born, "a child that is older than its parent");
            since += reached(node(child));
            waiting.push_back(child);
        }
        if (resplits_ && !options_.max_bytes) {
            require(reached(here) - sum(here.of_class) == since, "points were lost on the way to a child");
        }
    }
    if (resplits_) counted = reached(node(root));
    if (!options_.max_bytes) require(counted == n_, "points were lost");

    for (const NodeId id : free_) {
        require(0 < id && id < size && !seen[static_cast<std::size_t>(id)], "a free node is in use");
        seen[static_cast<std::size_t>(id)] = true;
        require(test(id).is_leaf() && !node(id).search && !node(id).models && bytes_of(node(id)) == 0,
                "a free node holds something");
    }
    require(std::count(seen.begin(), seen.end(), true) == size, "a node is lost");
    require(n_leaves == n_leaves_, "the leaves are not as many as counted");
    require(!options_.max_leaves || static_cast<std::int64_t>(n_leaves) <= *options_.max_leaves, "too many leaves");

    std::size_t measured = 0;
    std::size_t of_searches = 0;
    for (const Node& each : nodes_) {
        measured += each.bytes;
        of_searches += each.search_bytes;
    }
    require(measured == node_bytes_ && of_searches == search_bytes_, "the memory of the nodes does not add up");
    const std::size_t in_pages = pages.size() * pool_->page_bytes();
    require(in_pages <= pool_->n_bytes() && (pool_->n_bytes() - in_pages) % sizeof(PagePool::Folder) == 0,
            "the memory of the pages does not add up");
    require(trunk_.n_outputs() == layout_.n_outputs() && pool_->record_size() == layout_.record_size(),
            "the models are of another number of classes");
    for (std::size_t i = 0; i < trunk_.size() * 2 * trunk_.n_outputs(); ++i) {
        require(std::isfinite(trunk_.record(0)[i].weight), "a weight is infinite");
    }
}

}  // namespace sapwood
