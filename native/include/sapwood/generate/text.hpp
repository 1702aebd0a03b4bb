#pragma once

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "sapwood/generate/generated.hpp"
#include "sapwood/random.hpp"

namespace sapwood {

/// How one concept follows another in a stream.
enum class Drift { none, abrupt, gradual, recurring };

/// What differs from one concept to the next: which class a word speaks for, or which words are frequent.
enum class Changes { labels, vocabulary };

/// A stream of short texts over a vocabulary in which frequencies follow Zipf's law.
struct TextStream {
    std::int64_t n;
    std::int64_t d;
    std::int64_t length;
    double exponent;
    double topical;
    double contrast;
    Drift drift;
    Changes changes;
    std::int64_t n_changes;
    double severity;
};

/// Draws a rank r from 0 to d - 1 with probability proportional to (r + 1)^-exponent, in constant time: Vose's table of
/// aliases.
class Zipf {
public:
    Zipf(std::int64_t d, double exponent) : keep_(static_cast<std::size_t>(d)), alias_(static_cast<std::size_t>(d)) {
        double sum = 0;
        for (std::size_t r = 0; r < keep_.size(); ++r) {
            keep_[r] = portable::exp_of_negative(-exponent * portable::ln(static_cast<double>(r + 1)));
            sum += keep_[r];
        }
        std::vector<std::size_t> small;
        std::vector<std::size_t> large;
        for (std::size_t r = 0; r < keep_.size(); ++r) {
            keep_[r] *= static_cast<double>(d) / sum;
            (keep_[r] < 1.0 ? small : large).push_back(r);
        }
        while (!small.empty() && !large.empty()) {
            const std::size_t poor = small.back();
            small.pop_back();
            const std::size_t rich = large.back();
            alias_[poor] = static_cast<std::int32_t>(rich);
            keep_[rich] -= 1.0 - keep_[poor];
            if (keep_[rich] < 1.0) {
                large.pop_back();
                small.push_back(rich);
            }
        }
        // What rounding left over is full.
        for (const auto& rest : {small, large}) {
            for (const std::size_t r : rest) keep_[r] = 1.0;
        }
    }

    std::size_t draw(Random& random) const {
        const auto r = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(keep_.size())));
        return random.chance(keep_[r]) ? r : static_cast<std::size_t>(alias_[r]);
    }

private:
    std::vector<double> keep_;
    std::vector<std::int32_t> alias_;
};

/// What words mean, and how frequent they are, during a stretch of the stream.
struct Concept {
    std::vector<FeatureId> word;  // of each rank
    std::vector<std::int8_t> of;  // the class that each word speaks for, -1 for none

    Concept(const TextStream& stream, Random& random)
        : word(static_cast<std::size_t>(stream.d)), of(static_cast<std::size_t>(stream.d)) {
        std::iota(word.begin(), word.end(), FeatureId{0});
        for (std::int8_t& side : of) side = drawn_side(stream, random);
    }

    /// Turns into the next concept: a share of the words, the severity, changes.
    void change(const TextStream& stream, Random& random) {
        if (stream.changes == Changes::labels) {
            for (std::int8_t& side : of) {
                if (random.chance(stream.severity)) side = drawn_side(stream, random);
            }
            return;
        }
        std::vector<std::size_t> ranks;
        for (std::size_t r = 0; r < word.size(); ++r) {
            if (random.chance(stream.severity)) ranks.push_back(r);
        }
        for (std::size_t last = ranks.size(); last > 1; --last) {
            const auto other = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(last)));
            std::swap(word[ranks[last - 1]], word[ranks[other]]);
        }
    }

private:
    static std::int8_t drawn_side(const TextStream& stream, Random& random) {
        if (!random.chance(stream.topical)) return -1;
        return static_cast<std::int8_t>(random.next() >> 63);
    }
};

/// Gives the concept of every point, in order. The concepts share no random numbers with the points.
class Concepts {
public:
    Concepts(const TextStream& stream, Random random) : stream_(stream), random_(random) {
        held_.emplace_back(stream_, random_);
    }

    const Concept& of_point(std::int64_t i, Random& random) {
        if (stream_.drift == Drift::none) return held_.front();
        // Stage and place within it, in units of 1 / n of a stage.
        const std::int64_t position = i * (stream_.n_changes + 1);
        std::int64_t stage = position / stream_.n;
        const std::int64_t place = position % stream_.n;
        if (stream_.drift == Drift::gradual) stage += crossing(stage, place, random);
        return at(stream_.drift == Drift::recurring ? stage % 2 : stage);
    }

private:
    /// Within a quarter of a stage of a border, points of both sides come: half of each at the border itself.
    std::int64_t crossing(std::int64_t stage, std::int64_t place, Random& random) const {
        const double share = static_cast<double>(place) / static_cast<double>(stream_.n);
        if (share < 0.25 && stage > 0) return random.chance(0.5 - 2.0 * share) ? -1 : 0;
        if (share > 0.75 && stage < stream_.n_changes) return random.chance(2.0 * share - 1.5) ? 1 : 0;
        return 0;
    }

    const Concept& at(std::int64_t number) {
        while (first_ + static_cast<std::int64_t>(held_.size()) <= number) {
            held_.push_back(held_.back());
            held_.back().change(stream_, random_);
            // A gradual stream looks at most two concepts back while it is between stages; a recurring one has two.
            if (held_.size() > 3) {
                held_.pop_front();
                ++first_;
            }
        }
        return held_[static_cast<std::size_t>(number - first_)];
    }

    const TextStream stream_;
    Random random_;
    std::deque<Concept> held_;
    std::int64_t first_ = 0;
};

/// Draws the stream. A text has from half to one and a half times `length` words, drawn by Zipf's law; a word that
/// speaks for the other class is drawn once more with probability `contrast`. A point is the set of its words.
/// There is room for `at_once` points, which `each` may take.
template <class Each>
Generated generate_text(const TextStream& stream, Random random, std::int64_t at_once, Each each) {
    const Zipf zipf(stream.d, stream.exponent);
    Concepts concepts(stream, random.split());
    Generated points(at_once);
    std::vector<FeatureId> words;
    for (std::int64_t i = 0; i < stream.n; ++i) {
        const Concept& meaning = concepts.of_point(i, random);
        const bool label = (random.next() >> 63) != 0;
        const std::int64_t least = stream.length - stream.length / 2;
        const std::int64_t length = least + random.below(2 * (stream.length / 2) + 1);
        words.clear();
        for (std::int64_t k = 0; k < length; ++k) {
            FeatureId word = meaning.word[zipf.draw(random)];
            const std::int8_t side = meaning.of[static_cast<std::size_t>(word)];
            if (side >= 0 && (side == 1) != label && random.chance(stream.contrast)) {
                word = meaning.word[zipf.draw(random)];
            }
            words.push_back(word);
        }
        std::sort(words.begin(), words.end());
        points.indices.insert(points.indices.end(), words.begin(), std::unique(words.begin(), words.end()));
        points.end_point(label);
        each(points);
    }
    return points;
}

}  // namespace sapwood
