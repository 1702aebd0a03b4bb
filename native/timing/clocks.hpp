#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "guarded_search.hpp"
#include "sapwood/points.hpp"

namespace sapwood::timing {

using Seconds = std::vector<double>;
using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls `step(i)` for the points before the last checkpoint, and notes the time since the start at each checkpoint.
template <class Step>
Seconds timed(std::span<const std::int64_t> checkpoints, Step step) {
    Seconds seconds;
    seconds.reserve(checkpoints.size());
    const auto start = Clock::now();
    std::size_t i = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        for (; i < static_cast<std::size_t>(checkpoint); ++i) step(i);
        seconds.push_back(seconds_since(start));
    }
    return seconds;
}

inline void check_checkpoints(std::span<const std::int64_t> checkpoints, std::size_t n) {
    std::int64_t last = 0;
    for (const std::int64_t checkpoint : checkpoints) {
        if (checkpoint < last || checkpoint > static_cast<std::int64_t>(n)) {
            throw std::invalid_argument("checkpoints must ascend within the rows, got " + std::to_string(checkpoint));
        }
        last = checkpoint;
    }
}

/// Adds the points of a matrix to a search one by one, and queries it after every `every` points.
class Run {
public:
    Run(bindings::GuardedSearch& guarded, const CsrView& csr, std::span<const Label> labels, std::int64_t every)
        : guarded_(guarded), search_(*guarded.search), csr_(csr), labels_(labels), every_(every), until_query_(every) {
        check_csr(csr, std::int64_t{max_points} + 1);
        check_labels(csr, labels, guarded.choice.n_classes);
        if (every < 1) throw std::invalid_argument("every must be at least 1, got " + std::to_string(every));
        check_room(search_.n(), static_cast<std::int64_t>(csr.size()));
    }

    /// Adds a point and queries the search, whatever `every` says.
    std::optional<Split> step_and_ask(std::size_t i) {
        return change(guarded_.mutex, [&] {
            search_.add(csr_.row(i), labels_[i]);
            return search_.best();
        });
    }

    void step(std::size_t i) {
        change(guarded_.mutex, [&] {
            search_.add(csr_.row(i), labels_[i]);
            if (--until_query_ == 0) {
                search_.best();
                until_query_ = every_;
            }
        });
    }

private:
    bindings::GuardedSearch& guarded_;
    SplitSearch& search_;
    const CsrView csr_;
    const std::span<const Label> labels_;
    const std::int64_t every_;
    std::int64_t until_query_;
};

}  // namespace sapwood::timing
