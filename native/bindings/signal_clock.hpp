#pragma once

#include <chrono>
#include <cstdint>

namespace sapwood::bindings {

/// When a long loop that runs without the interpreter should look for signals: twenty times a second, which a user who
/// interrupts does not notice. The clock is read every 16th time, so that a loop of fast steps does not notice either.
class SignalClock {
public:
    bool is_due() {
        if (++calls_ % 16 != 0) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + interval;
        return true;
    }

private:
    static constexpr std::chrono::milliseconds interval{50};

    std::uint32_t calls_ = 0;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + interval;
};

}  // namespace sapwood::bindings
