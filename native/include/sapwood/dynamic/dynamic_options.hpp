#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sapwood/search/search_choice.hpp"
#include "sapwood/storage/hash_seed.hpp"
#include "sapwood/tree/predict/model_layout.hpp"
#include "sapwood/tree/tree_options.hpp"
#include "sapwood/types.hpp"
#include "sapwood/words.hpp"

namespace sapwood {

/// What a node must show before it is split. The numbers are those of the file format.
enum class Stopping : std::uint8_t { none = 0, evidence = 1 };
template <>
struct Words<Stopping> {
    static constexpr std::array<std::string_view, 2> all{"none", "evidence"};
};

/// The options of a dynamic tree. The defaults are those of the estimator, which explains them.
struct DynamicOptions {
    Criterion criterion = Criterion::entropy;
    SearchKind search = SearchKind::certified;
    double beta = 0;
    bool lazy = true;
    Stopping stopping = Stopping::evidence;
    double delta = 0.05;
    double min_gain = 0;
    Count min_samples = 2;
    std::optional<std::int64_t> max_depth;
    std::optional<std::int64_t> max_bytes;
    LeafPrediction leaf_prediction = LeafPrediction::majority;

    SearchChoice search_choice(std::size_t n_classes) const {
        return {criterion, search, smallest_alpha, static_cast<int>(n_classes), HashSeed::of_slots()};
    }

    bool may_split_at(std::int32_t depth) const { return !max_depth || depth < *max_depth; }
};

/// Calls `visit(name, option)` for every option, in the order of the file format.
template <class Options, class Visit>
void for_each_dynamic_option(Options& options, Visit visit) {
    visit("criterion", options.criterion);
    visit("search", options.search);
    visit("beta", options.beta);
    visit("lazy", options.lazy);
    visit("stopping", options.stopping);
    visit("delta", options.delta);
    visit("min_gain", options.min_gain);
    visit("min_samples", options.min_samples);
    visit("max_depth", options.max_depth);
    visit("max_bytes", options.max_bytes);
    visit("leaf_prediction", options.leaf_prediction);
}

/// Throws std::invalid_argument, which says what must hold, unless a tree can have these options and `n_classes`
/// classes.
inline void check_dynamic_classes(const DynamicOptions& options, std::size_t n_classes) {
    const SearchChoice choice = options.search_choice(n_classes);
    check_choice(choice);
    if (const auto reason = why_not(choice)) throw std::invalid_argument(*reason);
}

/// Throws std::invalid_argument, which says what must hold, unless a tree can have these options.
inline void check_dynamic_options(const DynamicOptions& options) {
    const auto require = [](bool holds, const std::string& what, const std::string& got) {
        if (!holds) throw std::invalid_argument(what + ", got " + got);
    };
    const auto number = [](double value) { return detail::shortest(value); };
    check_dynamic_classes(options, 2);
    require(options.search != SearchKind::approximate,
            "search must be 'certified' or 'exhaustive' for a tree that forgets",
            "'approximate', which takes nothing back and settles ties by what it saw first");
    const bool counts =
        options.leaf_prediction == LeafPrediction::majority || options.leaf_prediction == LeafPrediction::naive_bayes;
    require(counts, "leaf_prediction must be 'majority' or 'naive_bayes' for a tree that forgets",
            "'" + std::string(word_of(options.leaf_prediction)) +
                "', which is trained step by step: no step can be taken back exactly");
    require(options.stopping != Stopping::evidence || options.criterion == Criterion::entropy,
            "criterion must be 'entropy' for the stopping 'evidence'",
            "'" + std::string(word_of(options.criterion)) + "': evidence is a difference of entropies");
    require(std::isfinite(options.beta) && options.beta >= 0, "beta must be a finite number of at least 0",
            number(options.beta));
    require(options.delta > 0 && options.delta < 0.5, "delta must be between 0 and 0.5", number(options.delta));
    require(std::isfinite(options.min_gain) && options.min_gain >= 0, "min_gain must be a finite number of at least 0",
            number(options.min_gain));
    require(options.min_samples >= 2, "min_samples must be at least 2", std::to_string(options.min_samples));
    require(!options.max_depth || *options.max_depth >= 0, "max_depth must be at least 0",
            std::to_string(options.max_depth.value_or(0)));
    require(!options.max_bytes || *options.max_bytes >= least_max_bytes,
            "max_bytes must be at least " + std::to_string(least_max_bytes),
            std::to_string(options.max_bytes.value_or(0)));
}

}  // namespace sapwood
