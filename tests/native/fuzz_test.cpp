// Every fuzz target (fuzz/) on its seeds, on the bytes that once broke it (fuzz/regressions/<target>/), and on seeds
// with random damage, without a fuzzer: for a minute of processor time in all, the same for each target. `fuzz_test 2
// 5` runs the third fifth of the targets, `fuzz_test 0 1 600 7` all of them for ten minutes from that seed of random
// numbers; without arguments, all for a minute. What is damaged, and how, depends on the seed alone, so that a shorter
// run tries the first of what a longer one does. `make fuzz` goes on from here.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../../fuzz/targets.hpp"
#include "check.hpp"
#include "short_run.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace {

using namespace sapwood;

/// So many are damaged of each target however long it takes: what every run has in common.
constexpr long least_damaged = check::is_short_run ? 400 : 20'000;

/// The processor time of this process, which does not depend on what else the machine does.
double seconds_used() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The target that runs and the bytes that it was given.
std::string_view running;
const std::string* given = nullptr;

/// Keeps the bytes that break a target in a file beside the program.
void keep_broken() {
    if (given == nullptr) return;
    const std::string path = "broken-" + std::string(running);
    std::ofstream(path, std::ios::binary) << *given;
    std::fprintf(stderr, "  what broke %s is in %s\n", std::string(running).c_str(), path.c_str());
}

/// A promise that is broken ends the program, and so does a sanitizer.
void keep_what_ends_the_program() {
    std::signal(SIGABRT, [](int) { keep_broken(); });
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(keep_broken);
#else
    std::signal(SIGSEGV, [](int) {
        keep_broken();
        std::_Exit(1);
    });
#endif
}

template <class Target>
void run(const std::string& bytes) {
    running = Target::name;
    given = &bytes;
    try {
        Target::run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    } catch (const std::exception& error) {
        CHECK(false && "no other exception than those that are allowed");
        std::fprintf(stderr, "  %s: %s\n", std::string(Target::name).c_str(), error.what());
        keep_broken();
    }
    given = nullptr;
}

/// Some bytes replaced, removed, repeated or taken from another seed.
std::string damaged(std::string bytes, const std::string& other, std::mt19937& random) {
    const auto place = [&](const std::string& in) { return random() % (in.size() + 1); };
    for (auto times = 1 + random() % 4; times > 0; --times) {
        const std::size_t at = place(bytes);
        const std::size_t size = std::min<std::size_t>(random() % 9, bytes.size() - at);
        switch (random() % 5) {
            case 0:
                if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
                break;
            case 1:
                bytes.erase(at, size);
                break;
            case 2:
                bytes.insert(place(bytes), bytes.substr(at, size));
                break;
            case 3: {
                constexpr std::array<unsigned char, 6> telling{0, 1, 0x7F, 0x80, 0xFF, 2};
                if (at < bytes.size()) bytes[at] = static_cast<char>(telling[random() % telling.size()]);
                break;
            }
            default:
                bytes.replace(at, size, other.substr(std::min(at, other.size()), size));
        }
    }
    return bytes;
}

template <class Target>
void run_all(Target, double seconds, unsigned seed_of_damage) {
    const double began = seconds_used();
    const std::vector<std::string> seeds = Target::seeds();
    CHECK(!seeds.empty());
    for (const std::string& seed : seeds) run<Target>(seed);
    std::size_t n_files = 0;
    const std::filesystem::path folder = std::filesystem::path(SAPWOOD_REGRESSIONS) / Target::name;
    if (std::filesystem::is_directory(folder)) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            std::ifstream file(entry.path(), std::ios::binary);
            run<Target>(std::string(std::istreambuf_iterator<char>(file), {}));
            ++n_files;
        }
    }
    std::mt19937 random(seed_of_damage);
    long n = 0;
    for (; n < least_damaged || seconds_used() - began < seconds; ++n) {
        const std::string& seed = seeds[random() % seeds.size()];
        run<Target>(damaged(seed, seeds[random() % seeds.size()], random));
    }
    std::fprintf(stderr, "%s: %zu seeds, %zu regressions, %ld damaged from seed %u in %.1f s\n",
                 std::string(Target::name).c_str(), seeds.size(), n_files, n, seed_of_damage, seconds_used() - began);
}

}  // namespace

int main(int argc, char** argv) {
    keep_what_ends_the_program();
    const int part = argc > 1 ? std::atoi(argv[1]) : 0;
    const int n_parts = argc > 2 ? std::atoi(argv[2]) : 1;
    const double seconds = argc > 3 ? std::atof(argv[3]) : 60;
    const auto seed = static_cast<unsigned>(argc > 4 ? std::atol(argv[4]) : 20);
    int n_targets = 0;
    sapwood::fuzz::for_each_target([&](auto) { ++n_targets; });
    CHECK(0 <= part && part < n_parts && n_parts <= n_targets);
    int number = 0;
    sapwood::fuzz::for_each_target([&](auto target) {
        if (number++ % n_parts == part) run_all(target, seconds / n_targets, seed);
    });
    return sapwood::check::finish();
}
