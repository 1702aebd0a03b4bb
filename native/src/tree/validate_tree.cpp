#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/tree/tree_body.hpp"

namespace sapwood {

namespace {

/// Looks whether every node of a tree is reachable once or free, and whether the points, the statistics and the memory
/// of all of them add up. Without a limit of memory no point is lost: each is counted in one leaf, or in a node that
/// was split since.
class TreeValidator {
public:
    TreeValidator(const TreeBody& tree, bool counts_inner_nodes, bool counts_all_points, bool forgets_points,
                  bool with_contents)
        : tree_(tree),
          nodes_(tree.nodes()),
          layout_(tree.predictor().layout()),
          counts_inner_(counts_inner_nodes),
          forgets_(forgets_points),
          with_contents_(with_contents),
          // Points add up only where each is counted as often as its weight says, and none is given up.
          adds_up_(counts_all_points && !tree.options().max_bytes && !tree.options().counts_points_once() &&
                   !tree.options().gives_up_points()) {}

    void validate() {
        seen_.resize(nodes_.n_ids());
        seen_[0] = true;
        require(nodes_.parent(Nodes::root) == no_node && nodes_.depth(Nodes::root) == 0,
                "the root is below another node");
        std::vector<NodeId> waiting{Nodes::root};
        while (!waiting.empty()) {
            const NodeId at = waiting.back();
            waiting.pop_back();
            check_node(at);
            if (tree_.following()) check_alternate(at, waiting);
            if (nodes_.is_leaf(at)) {
                check_leaf(at);
            } else {
                check_inner(at);
                waiting.insert(waiting.end(), nodes_.children(at).begin(), nodes_.children(at).end());
            }
        }
        check_points();
        check_free();
        check_memory();
    }

private:
    static void require(bool holds, const char* what) {
        if (!holds) throw std::logic_error(std::string("a tree is broken: ") + what);
    }

    template <class Counts>
    static std::int64_t sum(const Counts& counts) {
        std::int64_t all = 0;
        for (const auto count : counts) all += count;
        return all;
    }

    void check_node(NodeId at) {
        using State = NodeStatistics::State;
        const Node& here = tree_.node(at);
        const NodeStatistics& statistics = here.statistics;
        const std::vector<Count>& counted = statistics.counted();
        const std::uint64_t born = nodes_.born(at);
        require(
            nodes_.is_beside(at) ? born - Nodes::first_born_beside < nodes_.n_born_beside() : born < nodes_.n_born(),
            "a node that is yet to be made");
        require(born_.insert(born).second, "two nodes made at once");
        require(here.of_class.size() == tree_.n_classes() && counted.size() == tree_.n_classes(),
                "a class without a count");
        require(*std::min_element(here.of_class.begin(), here.of_class.end()) >= 0 &&
                    *std::min_element(counted.begin(), counted.end()) >= 0,
                "a negative count");
        require(sum(counted) == statistics.n() && statistics.n() <= tree_.n(), "the counts of a node do not add up");
        require(0 <= statistics.tested_at() && statistics.tested_at() <= statistics.n(),
                "a node was tested in the future");
        require((statistics.search() != nullptr) == statistics.is_counting(), "a node has lost its search");
        const bool may_split = tree_.options().may_split_at(nodes_.depth(at));
        const bool ends = !counts_inner_ && !nodes_.is_leaf(at);
        require((statistics.state() == State::absent) == !may_split && (statistics.state() == State::ended) == ends,
                "a node is in a state that it must not be in");
        require(!statistics.is_paused() || tree_.options().max_bytes, "a node is paused without a limit of memory");
        if (statistics.is_counting()) {
            require(statistics.search()->n() == statistics.n() && statistics.search()->of_classes() == counted,
                    "a search and its node differ in their counts");
            if (with_contents_) {
                // A copy: validating does maintenance that was put off, which is to stay as it is.
                statistics.search()->clone()->validate();
                if (statistics.notes() != nullptr) statistics.notes()->validate(*statistics.search());
            }
        }
        const MemoryCharge measured = tree_.measured(at);
        if (tree_.budget().is_limited()) {
            require(here.charge.bytes == measured.bytes && here.charge.search_bytes == measured.search_bytes,
                    "the memory of a node is not as measured");
        }
    }

    void check_alternate(NodeId at, std::vector<NodeId>& waiting) {
        const NodeId alternate = tree_.watch(at).alternate;
        if (alternate == no_node) return;
        ++n_alternates_;
        require(0 <= alternate && static_cast<std::size_t>(alternate) < nodes_.n_ids(), "an alternate that is not");
        require(!seen_[static_cast<std::size_t>(alternate)], "a node with two places");
        seen_[static_cast<std::size_t>(alternate)] = true;
        require(nodes_.parent(alternate) == nodes_.parent(at) && nodes_.depth(alternate) == nodes_.depth(at),
                "an alternate of another node");
        require(nodes_.is_beside(alternate) && !nodes_.is_beside(at), "an alternate that is no alternate");
        for (NodeId above = nodes_.parent(at); above != no_node; above = nodes_.parent(above)) {
            require(tree_.watch(above).alternate == no_node, "two alternates on the way of a point");
        }
        waiting.push_back(alternate);
    }

    void check_leaf(NodeId at) {
        const Node& here = tree_.node(at);
        ++(nodes_.is_beside(at) ? n_leaves_beside_ : n_leaves_);
        counted_ += here.statistics.n_reached();
        if (!nodes_.is_beside(at)) {
            in_leaves_ += sum(here.of_class);
            reached_leaves_ += here.statistics.n_reached();
        }
        for (std::size_t k = 0; k < tree_.n_classes(); ++k) {
            require(here.statistics.counted()[k] <= here.of_class[k], "a leaf has counted more points than it has");
        }
        require(here.models.has_value() == layout_.keeps_anything(), "a leaf without its models");
        if (!here.models) return;
        require(here.models->n_of_class.size() == (layout_.keeps_naive_bayes ? tree_.n_classes() : 0) &&
                    here.models->intercept.size() == (layout_.keeps_logistic ? 2 * layout_.outputs_room() : 0),
                "the models of a leaf are of another size");
        require(sum(here.models->n_of_class) <= tree_.n(), "naive Bayes has learned from too many points");
        for (const Word& word : here.models->intercept) require(std::isfinite(word.weight), "a weight is infinite");
        for (const std::int64_t right : here.models->right) {
            require(0 <= right && right <= tree_.n(), "a model was right too often");
        }
        if (!with_contents_) return;
        here.models->table.for_each_page([&](std::size_t, const PagePool::Page* page) { pages_.insert(page); });
    }

    void check_inner(NodeId at) {
        const Node& here = tree_.node(at);
        const NodeStatistics& statistics = here.statistics;
        require(!here.models, "an inner node has the models of a leaf");
        require(std::isfinite(here.split.gain) && 0 <= here.split.margin && here.split.margin <= here.split.gain,
                "a split is not ahead");
        require(0 < here.split.at && here.split.at <= tree_.n(), "a split that is yet to come");
        for (std::size_t k = 0; k < tree_.n_classes(); ++k) {
            require(counts_inner_ ? forgets_ || tree_.options().samples() || here.of_class[k] <= statistics.counted()[k]
                                  : here.of_class[k] == statistics.counted()[k],
                    "a split was chosen for points that its node has not counted");
        }
        if (!counts_inner_) counted_ += statistics.n();
        std::int64_t since = 0;
        for (const NodeId child : nodes_.children(at)) {
            require(0 <= child && static_cast<std::size_t>(child) < nodes_.n_ids(), "a child that there is not");
            require(!seen_[static_cast<std::size_t>(child)], "a node with two parents");
            seen_[static_cast<std::size_t>(child)] = true;
            require(nodes_.parent(child) == at && nodes_.depth(child) == nodes_.depth(at) + 1,
                    "a child of another node");
            require(nodes_.born(child) > nodes_.born(at) && nodes_.is_beside(child) == nodes_.is_beside(at),
                    "a child that is older than its parent");
            since += tree_.node(child).statistics.n_reached();
        }
        if (counts_inner_ && adds_up_) {
            // A child that was made of others has counted points that its parent counted before its split.
            const std::int64_t passed = statistics.n_reached() - sum(here.of_class);
            require(tree_.options().restructures() ? passed <= since : passed == since,
                    "points were lost on the way to a child");
        }
    }

    void check_points() const {
        const std::int64_t counted = counts_inner_ ? tree_.node(Nodes::root).statistics.n_reached() : counted_;
        if (adds_up_) require(counted == tree_.n(), "points were lost");
        // Whatever was given up or forgotten, a point is in one leaf at most.
        require(in_leaves_ <= tree_.n() && reached_leaves_ <= tree_.n(), "leaves have more points than the tree");
        require(n_leaves_ == nodes_.n_leaves() && n_leaves_beside_ == nodes_.n_leaves_beside(),
                "the leaves are not as many as counted");
        const bool has_beside = tree_.following() && tree_.watch(Nodes::root).alternate != no_node;
        require(tree_.predictor().beside().has_value() == has_beside,
                "an alternate of the root without a trunk of its own");
        if (tree_.following()) {
            const ChangeTally& tally = tree_.following()->tally;
            require(tally.started - tally.swapped - tally.dropped == n_alternates_,
                    "the alternates are not as many as were begun and not ended");
        }
        require(!tree_.options().max_leaves || static_cast<std::int64_t>(n_leaves_) <= *tree_.options().max_leaves,
                "too many leaves");
    }

    void check_free() {
        for (const NodeId id : nodes_.free_ids()) {
            require(0 < id && static_cast<std::size_t>(id) < nodes_.n_ids() && !seen_[static_cast<std::size_t>(id)],
                    "a free node is in use");
            seen_[static_cast<std::size_t>(id)] = true;
            require(nodes_.is_leaf(id) && tree_.measured(id).bytes == 0, "a free node holds something");
        }
        require(std::count(seen_.begin(), seen_.end(), true) == static_cast<std::ptrdiff_t>(nodes_.n_ids()),
                "a node is lost");
    }

    void check_memory() const {
        MemoryCharge all;
        for (std::size_t i = 0; i < nodes_.n_ids(); ++i) {
            const MemoryCharge& charge = tree_.node(static_cast<NodeId>(i)).charge;
            all.bytes += charge.bytes;
            all.search_bytes += charge.search_bytes;
        }
        require(all.bytes == tree_.budget().of_nodes() && all.search_bytes == tree_.budget().of_searches(),
                "the memory of the nodes does not add up");
        const PagePool& pool = tree_.predictor().pool();
        const std::size_t in_pages = pages_.size() * pool.page_bytes();
        require(!with_contents_ ||
                    (in_pages <= pool.n_bytes() && (pool.n_bytes() - in_pages) % sizeof(PagePool::Folder) == 0),
                "the memory of the pages does not add up");
        const Trunk& trunk = tree_.predictor().trunk_model();
        require(trunk.n_outputs() == layout_.n_outputs() && trunk.room() == layout_.outputs_room() &&
                    pool.record_size() == layout_.record_size(),
                "the models are of another number of classes");
        for (std::size_t i = 0; i < trunk.size() * 2 * trunk.room(); ++i) {
            require(std::isfinite(trunk.record(0)[i].weight), "a weight is infinite");
        }
    }

    const TreeBody& tree_;
    const Nodes& nodes_;
    const ModelLayout& layout_;
    bool counts_inner_;
    bool forgets_;
    bool with_contents_;
    bool adds_up_;
    std::vector<bool> seen_;
    std::set<std::uint64_t> born_;
    std::set<const PagePool::Page*> pages_;
    std::size_t n_leaves_ = 0;
    std::size_t n_leaves_beside_ = 0;
    std::int64_t n_alternates_ = 0;
    std::int64_t counted_ = 0;
    /// Of the leaves of the tree itself: their points, and those that have reached them since they were made.
    std::int64_t in_leaves_ = 0;
    std::int64_t reached_leaves_ = 0;
};

}  // namespace

void TreeBody::validate(bool counts_inner_nodes, bool counts_all_points, bool forgets_points,
                        bool with_contents) const {
    TreeValidator(*this, counts_inner_nodes, counts_all_points, forgets_points, with_contents).validate();
}

}  // namespace sapwood
