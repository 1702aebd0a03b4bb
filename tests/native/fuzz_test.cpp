// Every fuzz target (fuzz/) on its seeds, on the bytes that once broke it (fuzz/regressions/<target>/), and on seeds
// with random damage: what runs in a moment, without a fuzzer. `fuzz_test 1000000 7` damages so many of each target,
// from that seed of random numbers. `make fuzz` goes on from here.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../../fuzz/targets.hpp"
#include "check.hpp"

namespace {

using namespace sapwood;

#ifdef __SANITIZE_ADDRESS__
constexpr long n_damaged = 400;
#else
constexpr long n_damaged = 20'000;
#endif

/// Runs a target; what breaks it is written to a file beside the program.
template <class Target>
void run(const std::string& bytes) {
    try {
        Target::run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    } catch (const std::exception& error) {
        CHECK(false && "no other exception than those that are allowed");
        const std::string path = "broken-" + std::string(Target::name);
        std::fprintf(stderr, "  %s: %s, see %s\n", std::string(Target::name).c_str(), error.what(), path.c_str());
        std::ofstream(path, std::ios::binary) << bytes;
    }
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
void run_all(Target, long n, unsigned seed_of_damage) {
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
    for (long i = 0; i < n; ++i) {
        const std::string& seed = seeds[random() % seeds.size()];
        run<Target>(damaged(seed, seeds[random() % seeds.size()], random));
    }
    std::fprintf(stderr, "%s: %zu seeds, %zu regressions, %ld damaged\n", std::string(Target::name).c_str(),
                 seeds.size(), n_files, n);
}

}  // namespace

int main(int argc, char** argv) {
    const long n = argc > 1 ? std::atol(argv[1]) : n_damaged;
    const auto seed = static_cast<unsigned>(argc > 2 ? std::atol(argv[2]) : 20);
    sapwood::fuzz::for_each_target([&](auto target) { run_all(target, n, seed); });
    return sapwood::check::finish();
}
