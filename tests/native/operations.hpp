// Operations on a split search, run beside a twin that computes every score after each of them.
//
// A case is a list of operations, so that one that fails can be shortened and written down: see `shortened` and
// `print`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/impurity.hpp"
#include "sapwood/search/search_state.hpp"
#include "sapwood/search/split_search.hpp"

namespace sapwood::operations {

enum class Kind {
    add,             // adds a point
    remove,          // removes a point, which must be refused if the counts show that it was not added
    add_to_other,    // adds a point to another search
    merge_points,    // takes over the points of the other search, which is empty then
    merge_features,  // parts the search in two, of the even and the odd features, and unites them again
    clone,           // goes on with a copy
    restore,         // goes on with a search that the state was restored to
};

/// One operation, and what is asked after it: nothing (0), the best (1) or the best k.
struct Operation {
    Kind kind = Kind::add;
    /// Positions in the ids of the case.
    std::vector<std::size_t> features{};
    Label label = 0;
    Count weight = 1;
    std::size_t query = 1;
    bool validates = false;
};

struct Case {
    std::size_t n_classes = 2;
    std::vector<FeatureId> ids;
    std::vector<Operation> list;
};

/// What a search must answer, to the last bit: all scores, by the functions of the criterion.
///
/// `Binary`: by those for two classes, which round differently from those for any number.
template <class Criterion, bool Binary>
class Twin {
public:
    Twin(std::size_t n_classes, const std::vector<FeatureId>& ids)
        : n_classes_(n_classes), ids_(&ids), of_class_(n_classes), on_(ids.size() * n_classes), seen_(ids.size()) {
        off_.resize(n_classes);
    }

    Count n() const { return n_; }
    const std::vector<Count>& of_class() const { return of_class_; }
    const std::vector<std::size_t>& order() const { return order_; }
    const Count* on(std::size_t feature) const { return on_.data() + feature * n_classes_; }

    void count(const std::vector<std::size_t>& features, Label label, Count change) {
        n_ += change;
        of_class_[label] += change;
        for (const std::size_t j : features) {
            see(j);
            on_[j * n_classes_ + label] += change;
        }
    }

    void merge(const Twin& other) {
        n_ += other.n_;
        for (std::size_t k = 0; k < n_classes_; ++k) of_class_[k] += other.of_class_[k];
        for (const std::size_t j : other.order_) see(j);
        for (std::size_t i = 0; i < on_.size(); ++i) on_[i] += other.on_[i];
    }

    /// By definition: enough points of the class have each feature of the point, and enough lack each of the others.
    bool may_remove(const std::vector<std::size_t>& features, Label label, Count weight) const {
        if (of_class_[label] < weight) return false;
        for (const std::size_t j : features) {
            if (on(j)[label] < weight) return false;
        }
        for (const std::size_t j : order_) {
            const bool lacks = std::find(features.begin(), features.end(), j) == features.end();
            if (lacks && of_class_[label] - on(j)[label] < weight) return false;
        }
        return true;
    }

    std::optional<Split> best() {
        if (order_.empty()) return std::nullopt;
        criterion_.cover(n_);
        Split best{-1, 0, 0};
        for (const std::size_t j : order_) {
            const Split split{(*ids_)[j], score(j), 0};
            if (best.feature() < 0 || comes_before(split, best)) best = split;
        }
        best.gain = gain(best.score);
        return best;
    }

    std::vector<Split> top(std::size_t k) {
        criterion_.cover(n_);
        std::vector<Split> splits;
        for (const std::size_t j : order_) {
            const double its_score = score(j);
            splits.push_back({(*ids_)[j], its_score, gain(its_score)});
        }
        std::sort(splits.begin(), splits.end(), comes_before);
        splits.resize(std::min(k, splits.size()));
        return splits;
    }

private:
    void see(std::size_t j) {
        if (seen_[j]) return;
        seen_[j] = true;
        order_.push_back(j);
    }

    double score(std::size_t j) {
        const Count* on_feature = on(j);
        if constexpr (Binary) {
            return criterion_.score(on_feature[0], on_feature[1], of_class_[0], of_class_[1]);
        } else {
            for (std::size_t k = 0; k < n_classes_; ++k) off_[k] = of_class_[k] - on_feature[k];
            return criterion_.weighted({on_feature, n_classes_}) + criterion_.weighted(off_);
        }
    }

    double gain(double of_score) const {
        if (n_ == 0) return 0;
        if constexpr (Binary) {
            return (criterion_.weighted(of_class_[0], of_class_[1]) - of_score) / n_;
        } else {
            return (criterion_.weighted(of_class_) - of_score) / n_;
        }
    }

    std::size_t n_classes_;
    const std::vector<FeatureId>* ids_;
    Count n_ = 0;
    std::vector<Count> of_class_;
    std::vector<Count> on_;
    std::vector<bool> seen_;
    /// The features in the order in which they were first seen.
    std::vector<std::size_t> order_;
    std::vector<Count> off_;
    Criterion criterion_;
};

inline bool same(const Split& x, const Split& y) { return x.test == y.test && x.score == y.score && x.gain == y.gain; }

/// Where a case failed, and how.
struct Failure {
    std::size_t at;
    std::string what;
};

/// Runs cases on searches that `make(n_classes)` makes.
template <class Criterion, bool Binary, class Make>
class Runner {
public:
    Runner(const Case& the_case, Make make)
        : case_(the_case),
          make_(make),
          search_(make(the_case.n_classes)),
          other_(make(the_case.n_classes)),
          twin_(the_case.n_classes, the_case.ids),
          other_twin_(the_case.n_classes, the_case.ids) {}

    /// The operations whose outcome was compared, all told.
    long compared() const { return compared_; }

    const Twin<Criterion, Binary>& twin() const { return twin_; }
    SplitSearch& search() { return *search_; }

    std::optional<Failure> run() {
        for (std::size_t at = 0; at < case_.list.size(); ++at) {
            try {
                if (const char* what = step(case_.list[at])) return Failure{at, what};
            } catch (const std::exception& error) {
                return Failure{at, error.what()};
            }
        }
        return std::nullopt;
    }

    /// Applies one operation and compares; null if all is well.
    const char* step(const Operation& operation) {
        if (const char* what = apply(operation)) return what;
        if (operation.validates) search_->validate();
        if (operation.query == 0) return nullptr;
        ++compared_;
        if (operation.query == 1) {
            const std::optional<Split> best = search_->best();
            const std::optional<Split> expected = twin_.best();
            if (best.has_value() != expected.has_value()) return "best is there or not";
            return !best || same(*best, *expected) ? nullptr : "best is another";
        }
        const std::vector<Split> top = search_->top(operation.query);
        const std::vector<Split> expected = twin_.top(operation.query);
        if (!std::equal(top.begin(), top.end(), expected.begin(), expected.end(), same)) return "top is another";
        if (!operation.validates) return nullptr;
        // Of another one, so that what a scan leaves behind does not stand in for certificates; that is a copy, so not
        // after every operation.
        const std::vector<Split> scanned = search_->clone()->scan(operation.query);
        const bool agrees = std::equal(scanned.begin(), scanned.end(), expected.begin(), expected.end(), same);
        return agrees ? nullptr : "scan is another";
    }

private:
    Features ids_of(const Operation& operation) {
        buffer_.clear();
        for (const std::size_t j : operation.features) buffer_.push_back(case_.ids[j]);
        return buffer_;
    }

    const char* apply(const Operation& operation) {
        const auto& [kind, features, label, weight, query, validates] = operation;
        switch (kind) {
            case Kind::add:
                if (weight > max_points - twin_.n()) return nullptr;
                search_->add(ids_of(operation), label, weight);
                twin_.count(features, label, weight);
                return nullptr;
            case Kind::add_to_other:
                if (weight > max_points - other_twin_.n()) return nullptr;
                other_->add(ids_of(operation), label, weight);
                other_twin_.count(features, label, weight);
                return nullptr;
            case Kind::remove:
                return remove(operation);
            case Kind::merge_points:
                return merge_points();
            case Kind::merge_features:
                merge_features();
                return nullptr;
            case Kind::clone:
                search_ = search_->clone();
                return nullptr;
            case Kind::restore: {
                SearchState state = search_->state();
                check_state(state, case_.n_classes);
                search_ = make_(case_.n_classes);
                search_->restore(std::move(state));
                return counts_agree();
            }
        }
        return "no such operation";
    }

    const char* remove(const Operation& operation) {
        const bool may = twin_.may_remove(operation.features, operation.label, operation.weight);
        bool refused = false;
        try {
            search_->remove(ids_of(operation), operation.label, operation.weight);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        if (refused == may) return may ? "remove was refused" : "remove was not refused";
        if (may) twin_.count(operation.features, operation.label, -operation.weight);
        return may ? nullptr : counts_agree();
    }

    const char* merge_points() {
        const bool may = other_twin_.n() <= max_points - twin_.n();
        try {
            search_->merge(*other_, Merge::points);
            if (!may) return "merge was not refused";
            twin_.merge(other_twin_);
        } catch (const std::overflow_error&) {
            if (may) return "merge was refused";
        }
        other_ = make_(case_.n_classes);
        other_twin_ = Twin<Criterion, Binary>(case_.n_classes, case_.ids);
        return counts_agree();
    }

    void merge_features() {
        const SearchState whole = search_->state();
        std::vector<std::unique_ptr<SplitSearch>> parts;
        for (const FeatureId parity : {0, 1}) {
            SearchState state;
            state.of_class = whole.of_class;
            state.on.resize(case_.n_classes);
            state.removes = whole.removes;
            for (std::size_t i = 0; i < whole.ids.size(); ++i) {
                if (whole.ids[i] % 2 != parity) continue;
                state.ids.push_back(whole.ids[i]);
                for (std::size_t k = 0; k < case_.n_classes; ++k) state.on[k].push_back(whole.on[k][i]);
            }
            parts.push_back(make_(case_.n_classes));
            parts.back()->restore(std::move(state));
            parts.back()->best();
        }
        parts[0]->merge(*parts[1], Merge::features);
        search_ = std::move(parts[0]);
    }

    const char* counts_agree() {
        if (search_->n() != twin_.n()) return "n is another";
        if (search_->of_classes() != twin_.of_class()) return "of_classes is another";
        if (search_->n_features() != twin_.order().size()) return "n_features is another";
        for (const std::size_t j : twin_.order()) {
            const std::vector<Count> on = search_->on(case_.ids[j]);
            if (!std::equal(on.begin(), on.end(), twin_.on(j), twin_.on(j) + case_.n_classes)) return "on is another";
        }
        return nullptr;
    }

    const Case& case_;
    Make make_;
    std::unique_ptr<SplitSearch> search_;
    std::unique_ptr<SplitSearch> other_;
    Twin<Criterion, Binary> twin_;
    Twin<Criterion, Binary> other_twin_;
    std::vector<FeatureId> buffer_;
    long compared_ = 0;
};

/// A case that still fails, though no single operation can be left out, and no feature of a point, and no query.
template <class Fails>
Case shortened(Case failing, Fails fails) {
    bool shorter = true;
    const auto try_instead = [&](Case candidate) {
        const bool still = fails(candidate);
        if (still) failing = std::move(candidate);
        shorter |= still;
        return still;
    };
    const auto try_change = [&](std::size_t at, auto change) {
        Case candidate = failing;
        return change(candidate.list[at]) && try_instead(std::move(candidate));
    };
    const auto replace = [](auto& member, auto value) {
        if (member == value) return false;
        member = value;
        return true;
    };
    while (shorter) {
        shorter = false;
        for (std::size_t chunk = failing.list.size(); chunk >= 1; chunk /= 2) {
            for (std::size_t at = failing.list.size(); at > 0;) {
                at -= std::min(at, chunk);
                Case candidate = failing;
                const auto first = candidate.list.begin() + static_cast<std::ptrdiff_t>(at);
                const std::size_t size = std::min(chunk, failing.list.size() - at);
                candidate.list.erase(first, first + static_cast<std::ptrdiff_t>(size));
                try_instead(std::move(candidate));
                at = std::min(at, failing.list.size());
            }
        }
        for (std::size_t at = 0; at < failing.list.size(); ++at) {
            for (std::size_t i = failing.list[at].features.size(); i-- > 0;) {
                try_change(at, [i](Operation& operation) {
                    operation.features.erase(operation.features.begin() + static_cast<std::ptrdiff_t>(i));
                    return true;
                });
            }
            try_change(at, [&](Operation& operation) { return replace(operation.weight, Count{1}); });
            try_change(at, [&](Operation& operation) { return replace(operation.validates, false); });
            if (!try_change(at, [&](Operation& operation) { return replace(operation.query, std::size_t{0}); }) &&
                failing.list[at].query > 1) {
                try_change(at, [&](Operation& operation) { return replace(operation.query, std::size_t{1}); });
            }
        }
    }
    return failing;
}

/// Writes a case as it would stand in a test, without the ids that it has no use for.
inline void print(Case the_case) {
    std::vector<FeatureId> ids;
    for (std::size_t j = 0; j < the_case.ids.size(); ++j) {
        bool used = false;
        for (Operation& operation : the_case.list) {
            for (std::size_t& feature : operation.features) {
                if (feature != j) continue;
                used = true;
                feature = ids.size();
            }
        }
        if (used) ids.push_back(the_case.ids[j]);
    }
    const char* const kinds[] = {"add", "remove", "add_to_other", "merge_points", "merge_features", "clone", "restore"};
    std::fprintf(stderr, "  {%zu, {", the_case.n_classes);
    for (std::size_t i = 0; i < ids.size(); ++i) std::fprintf(stderr, i == 0 ? "%d" : ", %d", ids[i]);
    std::fprintf(stderr, "}, {\n");
    for (const Operation& operation : the_case.list) {
        std::fprintf(stderr, "    {Kind::%s, {", kinds[static_cast<int>(operation.kind)]);
        for (std::size_t i = 0; i < operation.features.size(); ++i) {
            std::fprintf(stderr, i == 0 ? "%zu" : ", %zu", operation.features[i]);
        }
        std::fprintf(stderr, "}, %d, %d, %zu, %s},\n", operation.label, operation.weight, operation.query,
                     operation.validates ? "true" : "false");
    }
    std::fprintf(stderr, "  }}\n");
}

}  // namespace sapwood::operations
