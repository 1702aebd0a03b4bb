#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/point.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// A point that was kept: valid until the store changes.
struct RecentPoint {
    Point point;
    Label label;
    /// How often counts count it, and its weight as it was given.
    Count count;
    double weight;
};

/// The most recent points of a stream, for all who need them again: at most `capacity`, numbered in the order in which
/// they came, the oldest first. What is asked of a point is there in one piece, as the rows of a CSR matrix are.
///
/// The points lie in blocks, of which one goes when its last point does; so the memory follows the points that are
/// kept. To keep a point, to let the oldest go and to find one take O(1) besides its copy.
class RecentPoints {
public:
    explicit RecentPoints(std::int64_t capacity) : capacity_(capacity) {}

    std::int64_t capacity() const { return capacity_; }
    /// The number of the oldest point, and the number that the next one will have.
    std::int64_t first() const { return first_; }
    std::int64_t end() const { return end_; }
    std::int64_t size() const { return end_ - first_; }
    bool is_full() const { return size() >= capacity_; }
    /// How many of the points there are of each class that any point has had, and how many of them have the class of
    /// the one before.
    std::span<const std::int64_t> of_class() const { return of_class_; }
    std::int64_t n_repeats() const { return n_repeats_; }

    /// Keeps a point; the store must not be full.
    void push(const Point& point, Label label, Count count, double weight) {
        if (label >= of_class_.size()) of_class_.resize(std::size_t{label} + 1);
        ++of_class_[label];
        if (size() > 0 && label == blocks_.back().rows.back().label) ++n_repeats_;
        if (begins_block()) {
            // As much room as the points before have taken, so that it is found once.
            Block fresh;
            fresh.features.reserve(room_of_block().features);
            fresh.numbers.reserve(room_of_block().numbers);
            bytes_ += fresh.n_bytes();
            blocks_.push_back(std::move(fresh));
        }
        Block& block = blocks_.back();
        bytes_ -= block.n_bytes();
        append(block.features, point.on);
        if (!point.numbers.empty()) append(block.features, point.for_models);
        append(block.numbers, point.numbers);
        block.rows.push_back({static_cast<std::uint32_t>(block.features.size()),
                              static_cast<std::uint32_t>(block.numbers.size()),
                              static_cast<std::uint32_t>(point.on.size()), count, weight, label});
        if (point.attributes != nullptr) attributes_ = point.attributes;
        bytes_ += block.n_bytes();
        ++end_;
    }

    /// Lets the oldest point go.
    void pop() {
        const Label label = label_at(first_);
        --of_class_[label];
        if (size() > 1 && label == label_at(first_ + 1)) --n_repeats_;
        ++first_;
        ++gone_;
        if (gone_ < per_block && size() > 0) return;
        bytes_ -= blocks_.front().n_bytes();
        blocks_.erase(blocks_.begin());
        gone_ = 0;
    }

    /// The point of a number from `first` to `end` - 1.
    RecentPoint at(std::int64_t number) const {
        const auto [block, i] = place_of(number);
        const Row& row = block.rows[i];
        const Row begin = i == 0 ? Row() : block.rows[i - 1];
        const auto part = [](const auto& all, std::uint32_t from, std::uint32_t to) {
            return std::span(all).subspan(from, to - from);
        };
        const Features features = part(block.features, begin.features_end, row.features_end);
        Point point(features.first(row.n_on), part(block.numbers, begin.numbers_end, row.numbers_end));
        if (!point.numbers.empty()) point.for_models = features.subspan(row.n_on);
        point.attributes = attributes_;
        return {point, row.label, row.count, row.weight};
    }

    std::size_t n_bytes() const { return bytes_; }

    /// How many more bytes there will be once a point is kept.
    std::size_t bytes_to_push(const Point& point) const {
        if (begins_block()) {
            const BlockRoom room = room_of_block();
            return sizeof(Block) + per_block * sizeof(Row) +
                   grown(0, room.features, n_features(point)) * sizeof(FeatureId) +
                   grown(0, room.numbers, point.numbers.size()) * sizeof(NumberValue);
        }
        const auto more = [](const auto& all, std::size_t count) {
            return grown(all.size(), all.capacity(), count) - all.capacity();
        };
        const Block& block = blocks_.back();
        return more(block.features, n_features(point)) * sizeof(FeatureId) +
               more(block.numbers, point.numbers.size()) * sizeof(NumberValue);
    }

    // ---- the way to bytes and back ------------------------------------------------------------------------------

    void save(ByteWriter& out) const {
        out.put(first_);
        out.put(end_);
        for (std::int64_t number = first_; number < end_; ++number) {
            const RecentPoint kept = at(number);
            out.put(kept.label);
            out.put(kept.count);
            out.put(kept.weight);
            out.put(static_cast<std::uint32_t>(kept.point.on.size()));
            out.put(static_cast<std::uint32_t>(n_features(kept.point)));
            out.put_all(kept.point.on);
            if (!kept.point.numbers.empty()) out.put_all(kept.point.for_models);
            out.put(static_cast<std::uint32_t>(kept.point.numbers.size()));
            for (const NumberValue& each : kept.point.numbers) {
                out.put(static_cast<std::int32_t>(each.attribute));
                out.put(each.value);
            }
        }
    }

    /// What points that were saved must agree with.
    struct Known {
        std::int64_t n_features;
        std::size_t n_numbers;
        std::size_t n_classes;
        const Attributes* attributes;
    };

    /// Takes the points that were saved. Throws ModelFormatError if they cannot have been.
    void load(ByteReader& in, const Known& known) {
        RecentPoints read(capacity_);
        read.attributes_ = known.attributes;
        const auto first = in.get<std::int64_t>("the number of the oldest point that is kept");
        const auto end = in.get<std::int64_t>("the number behind the newest point that is kept");
        if (!(0 <= first && first <= end && end <= latest && end - first <= capacity_)) {
            throw ModelFormatError("the points that are kept must be at most " + std::to_string(capacity_) + ", got " +
                                   std::to_string(first) + " to " + std::to_string(end));
        }
        read.first_ = read.end_ = first;
        std::vector<FeatureId> features;
        std::vector<NumberValue> numbers;
        while (read.end_ < end) {
            const auto label = in.get<Label>("the class of a point");
            const auto count = in.get<Count>("the count of a point");
            const auto weight = in.get<double>("the weight of a point");
            if (label >= known.n_classes || count < 0 || !(weight > 0 && weight <= max_points)) {
                throw ModelFormatError("a point that is kept must have a class and a weight, got " +
                                       std::to_string(label) + " and " + std::to_string(weight));
            }
            const auto n_on = in.get<std::uint32_t>("the features of a point");
            features = in.get_list<FeatureId>(in.get<std::uint32_t>("the features of a point"), "features of a point");
            if (n_on > features.size()) {
                throw ModelFormatError("a point must have the features that are on, got fewer than " +
                                       std::to_string(n_on));
            }
            check_features({features.begin(), features.begin() + n_on}, known.n_features);
            check_features({features.begin() + n_on, features.end()}, known.n_features);
            numbers.clear();
            const auto n_numbers = in.get<std::uint32_t>("the numbers of a point");
            in.require(n_numbers, sizeof(FeatureId) + sizeof(double), "the numbers of a point");
            for (std::uint32_t i = 0; i < n_numbers; ++i) {
                const auto attribute = in.get<std::int32_t>("a number of a point");
                const auto value = in.get<double>("a number of a point");
                if (attribute < 0 || static_cast<std::size_t>(attribute) >= known.n_numbers || !std::isfinite(value)) {
                    throw ModelFormatError("a number of a point must be a finite one of the model, got " +
                                           std::to_string(value) + " of " + std::to_string(attribute));
                }
                numbers.push_back({static_cast<AttributeId>(attribute), value});
            }
            Point point(Features(features).first(n_on), numbers);
            if (numbers.empty() && n_on < features.size()) {
                throw ModelFormatError("a point without numbers must have no more features than are on, got " +
                                       std::to_string(features.size() - n_on) + " more");
            }
            if (!numbers.empty()) point.for_models = Features(features).subspan(n_on);
            point.attributes = known.attributes;
            read.push(point, label, count, weight);
        }
        *this = std::move(read);
    }

private:
    /// More points than a tree can have met.
    static constexpr std::int64_t latest = std::int64_t{1} << 60;
    static constexpr std::size_t per_block = 256;

    /// Where the parts of a point end in its block, and what else there is of it.
    struct Row {
        std::uint32_t features_end = 0;
        std::uint32_t numbers_end = 0;
        std::uint32_t n_on = 0;
        Count count = 0;
        double weight = 0;
        Label label = 0;
    };

    struct Block;
    /// The features and numbers that a block has room for.
    struct BlockRoom {
        std::size_t features = 0;
        std::size_t numbers = 0;
    };
    bool begins_block() const { return blocks_.empty() || blocks_.back().size() == per_block; }
    /// Those of a block that begins.
    BlockRoom room_of_block() const {
        if (blocks_.empty()) return {};
        return {blocks_.back().features.size(), blocks_.back().numbers.size()};
    }
    struct Place {
        const Block& block;
        std::size_t row;
    };
    Place place_of(std::int64_t number) const {
        const auto place = static_cast<std::size_t>(number - first_) + gone_;
        return {blocks_[place / per_block], place % per_block};
    }
    Label label_at(std::int64_t number) const {
        const auto [block, i] = place_of(number);
        return block.rows[i].label;
    }

    /// The features that are kept of a point: those that are on, and if it has numbers, those that models see.
    static std::size_t n_features(const Point& point) {
        return point.on.size() + (point.numbers.empty() ? 0 : point.for_models.size());
    }

    struct Block {
        Block() { rows.reserve(per_block); }
        std::size_t size() const { return rows.size(); }
        std::size_t n_bytes() const {
            return sizeof(Block) + rows.capacity() * sizeof(Row) + features.capacity() * sizeof(FeatureId) +
                   numbers.capacity() * sizeof(NumberValue);
        }

        std::vector<Row> rows;
        std::vector<FeatureId> features;
        std::vector<NumberValue> numbers;
    };

    static void check_features(std::vector<FeatureId> features, std::int64_t n_features) {
        std::sort(features.begin(), features.end());
        if (!features.empty() && (features.front() < 0 || features.back() >= n_features)) {
            throw ModelFormatError("a point that is kept must have features of the model, got " +
                                   std::to_string(features.front() < 0 ? features.front() : features.back()));
        }
        const auto twice = std::adjacent_find(features.begin(), features.end());
        if (twice != features.end()) {
            throw ModelFormatError("a point must have a feature once, got " + std::to_string(*twice) + " twice");
        }
    }

    /// A third more at a time, said here: how vectors grow differs from one library to the next, and with it what fits
    /// into a limited memory.
    static std::size_t grown(std::size_t size, std::size_t capacity, std::size_t more) {
        return size + more <= capacity ? capacity : std::max(size + more, capacity + capacity / 3 + 16);
    }
    template <class T>
    static void append(std::vector<T>& all, std::span<const T> more) {
        if (more.empty()) return;
        all.reserve(grown(all.size(), all.capacity(), more.size()));
        all.insert(all.end(), more.begin(), more.end());
    }

    std::int64_t capacity_;
    std::int64_t first_ = 0;
    std::int64_t end_ = 0;
    /// The points of the first block that were let go.
    std::size_t gone_ = 0;
    std::vector<Block> blocks_;
    std::vector<std::int64_t> of_class_;
    std::int64_t n_repeats_ = 0;
    std::size_t bytes_ = 0;
    /// That of the model whose points they are.
    const Attributes* attributes_ = nullptr;
};

}  // namespace sapwood
