#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace sapwood {

/// A number of points. Signed 32 bits, because the vector units convert those to double directly; so one node holds
/// at most 2^31 - 1 points, and adding more is an error.
using Count = std::int32_t;

/// What the user calls a feature: any integer from 0 to 2^31 - 1.
using FeatureId = std::int32_t;

/// The place of a seen feature inside one search: slots are dense and given out in the order in which features are
/// first seen. A type of its own, so that the compiler keeps it apart from the id of the feature.
enum class Slot : std::int32_t {};

/// The number of a numeric attribute of a model: dense, in the order in which attributes were first met. A type of its
/// own: a number and a feature may have the same name.
enum class AttributeId : std::int32_t {};

/// The class of a point: 0, ..., K - 1.
using Label = std::uint16_t;

/// The active features of one point: unique, in any order.
using Features = std::span<const FeatureId>;

inline constexpr Count max_points = std::numeric_limits<Count>::max();
inline constexpr Slot no_slot{-1};
inline constexpr int max_classes = std::numeric_limits<Label>::max();

/// The position of a slot or an attribute in what is kept by it, and back.
constexpr std::size_t index_of(Slot slot) { return static_cast<std::size_t>(slot); }
constexpr std::size_t index_of(AttributeId attribute) { return static_cast<std::size_t>(attribute); }
constexpr AttributeId attribute_at(std::size_t index) { return static_cast<AttributeId>(index); }
constexpr Slot slot_at(std::size_t index) { return static_cast<Slot>(index); }

}  // namespace sapwood
