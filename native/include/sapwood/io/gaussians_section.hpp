#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sapwood/io/require.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/search/attributes.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/owned_copy.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"
#include "sapwood/tree/predict/mixed_trunk.hpp"
#include "sapwood/tree/tree_body.hpp"

// What leaves that mix, and the trunk that they build on, know of numbers as numbers, as bytes: two sections. That of
// leaves has for every leaf the weight of its expert, and its numbers, each with a cloud of every class; that of the
// trunk has its numbers, likewise, and for every leaf the weight of that expert. A forest has one trunk for all trees.

namespace sapwood::detail {

/// Whether `is_it(mixer)` holds for any leaf of a tree or of its alternates.
template <class IsIt>
bool any_mixer(const TreeBody& tree, IsIt is_it) {
    const std::vector<NodeId> nodes = tree.all_nodes();
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId at) {
        const auto& models = tree.node(at).models;
        return models && models->mixer && is_it(*models->mixer);
    });
}

inline bool is_known(const OwnedCopy<Gaussians>& gaussians) { return gaussians && !gaussians->empty(); }

/// Whether the sections have something to say of a tree: else it has none.
inline bool has_gaussians(const TreeBody& tree) {
    return any_mixer(
        tree, [](const LeafMixer& mixer) { return mixer.weights[gaussians_expert] != 0 || is_known(mixer.gaussians); });
}
inline bool has_trunk_gaussians(const TreeBody& tree) {
    const LeafPredictor& predictor = tree.predictor();
    const auto knows = [](const SharedModels& shared) {
        return shared.mixing && is_known(shared.mixing->trunk().gaussians());
    };
    if (knows(predictor.shared()) || (predictor.beside() && knows(*predictor.beside()))) return true;
    return any_mixer(tree, [](const LeafMixer& mixer) { return mixer.weights[trunk_gaussians_expert] != 0; });
}

inline void put_clouds(ByteWriter& out, const OwnedCopy<Gaussians>& gaussians, std::size_t n_classes) {
    const std::size_t size = gaussians ? gaussians->n_numbers() : 0;
    out.put(static_cast<std::uint32_t>(size));
    for (std::size_t i = 0; i < size; ++i) {
        out.put(static_cast<std::int32_t>(gaussians->number_at(i)));
        std::vector<Gaussians::Cloud> clouds(n_classes);
        const std::span<const Gaussians::Cloud> met = gaussians->clouds_at(i);
        std::copy(met.begin(), met.end(), clouds.begin());
        for (const Gaussians::Cloud& cloud : clouds) {
            out.put(cloud.n);
            out.put(cloud.mean);
            out.put(cloud.squares);
        }
    }
}

inline void put_gaussians(ByteWriter& out, const LeafMixer& mixer, std::size_t n_classes) {
    out.put(mixer.weights[gaussians_expert]);
    put_clouds(out, mixer.gaussians, n_classes);
}

/// Throws unless a cloud can be that of values of so many points.
inline void check_cloud(const Gaussians::Cloud& cloud, std::int64_t points) {
    const bool counts = cloud.n >= 0 && cloud.n <= static_cast<double>(points) && cloud.n == std::floor(cloud.n);
    if (!counts) {
        throw ModelFormatError("the values of a number in a class must be a count of at most " +
                               std::to_string(points) + ", got " + std::to_string(cloud.n));
    }
    // A mean is no further than the values, but for rounding; squares are of distances up to twice that.
    constexpr double furthest = 2 * Gaussians::largest_value;
    // What has no values is 0, and not minus 0: so a tree is written as the bytes that it was read from.
    const auto is_zero = [](double x) { return x == 0 && !std::signbit(x); };
    const bool is_possible = cloud.n > 0 ? std::fabs(cloud.mean) <= furthest && cloud.squares >= 0 &&
                                               cloud.squares <= cloud.n * (furthest * furthest)
                                         : is_zero(cloud.n) && is_zero(cloud.mean) && is_zero(cloud.squares);
    if (!is_possible) {
        throw ModelFormatError("the mean and the squares of a number must be those of values, got " +
                               std::to_string(cloud.mean) + " and " + std::to_string(cloud.squares));
    }
}

/// The numbers of a leaf or of the trunk whose points have these classes. Memory is taken for the classes up to the
/// last that any number has values of, as where they were learned: a tree with a limit of memory may have had no more.
inline OwnedCopy<Gaussians> get_clouds(ByteReader& in, std::span<const std::int64_t> n_of_class,
                                       const Attributes& attributes) {
    const auto size = in.get<std::uint32_t>("the numbers of a leaf or of the trunk");
    const std::size_t n_classes = n_of_class.size();
    in.require(size, sizeof(std::int32_t) + n_classes * sizeof(Gaussians::Cloud),
               "the numbers of a leaf or of the trunk");
    if (size == 0) return {};
    std::vector<AttributeId> numbers;
    std::vector<Gaussians::Cloud> clouds;
    numbers.reserve(size);
    clouds.reserve(size * n_classes);
    std::size_t n_with_values = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const auto number = in.get<std::int32_t>("a number of a leaf or of the trunk");
        const auto attribute = attribute_at(static_cast<std::size_t>(number));
        const bool varies = number >= 0 && attributes.knows(attribute) && attributes.number(attribute).varies;
        require_of_file(varies, "the numbers of a leaf or of the trunk must be different numbers of the model", number);
        numbers.push_back(attribute);
        for (std::size_t k = 0; k < n_classes; ++k) {
            Gaussians::Cloud cloud;
            cloud.n = get_finite(in, "the values of a number");
            cloud.mean = get_finite(in, "the mean of a number");
            cloud.squares = get_finite(in, "the squares of a number");
            check_cloud(cloud, n_of_class[k]);
            if (cloud.n > 0) n_with_values = std::max(n_with_values, k + 1);
            clouds.push_back(cloud);
        }
    }
    Gaussians gaussians;
    gaussians.reserve(size, n_with_values);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        require_of_file(!gaussians.contains(numbers[i]),
                        "the numbers of a leaf or of the trunk must be different numbers of the model",
                        index_of(numbers[i]));
        gaussians.restore(numbers[i], std::span(clouds).subspan(i * n_classes, n_with_values));
    }
    return OwnedCopy<Gaussians>(std::move(gaussians));
}

inline double get_weight_of_gaussians(ByteReader& in) {
    const double weight = get_finite(in, "the weight of an expert on numbers");
    require_of_file(std::fabs(weight) <= tree_format::largest_mix,
                    "the weight of an expert on numbers must be at most 2^31 in absolute value", weight);
    return weight;
}

inline void get_gaussians(ByteReader& in, LeafModels& models, const Attributes& attributes) {
    models.mixer->weights[gaussians_expert] = get_weight_of_gaussians(in);
    models.mixer->gaussians = get_clouds(in, models.n_of_class, attributes);
}

inline void get_trunk_gaussians(ByteReader& in, MixedTrunk& trunk, const Attributes& attributes) {
    trunk.gaussians() = get_clouds(in, trunk.n_of_class(), attributes);
}

}  // namespace sapwood::detail
