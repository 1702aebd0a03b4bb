// All targets as one libFuzzer program: SAPWOOD_FUZZ_TARGET in the environment is the name of the one to run; without
// it, the names are printed. Before it starts, it writes the seeds of the target to the first folder that it is given,
// if that is empty.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "targets.hpp"

namespace {

using namespace sapwood;

struct Chosen {
    std::vector<std::string> (*seeds)() = nullptr;
    void (*run)(fuzz::Bytes) = nullptr;
};
Chosen chosen;

/// The names of the targets, each in a line; of the one that is wanted also what it does.
std::string choose(std::string_view wanted) {
    std::string names;
    fuzz::for_each_target([&]<class Target>(Target) {
        names += std::string(Target::name) + "\n";
        if (Target::name == wanted) chosen = {&Target::seeds, &Target::run};
    });
    return names;
}

void write_seeds(const std::filesystem::path& folder) {
    int number = 0;
    for (const std::string& seed : chosen.seeds()) {
        std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const char* const wanted = std::getenv("SAPWOOD_FUZZ_TARGET");
    const std::string names = choose(wanted == nullptr ? "" : wanted);
    if (wanted == nullptr) {
        std::fputs(names.c_str(), stdout);
        std::exit(0);
    }
    if (chosen.run == nullptr) {
        std::fprintf(stderr, "SAPWOOD_FUZZ_TARGET must be one of these, got %s:\n%s", wanted, names.c_str());
        std::exit(2);
    }
    for (int i = 1; i < *argc; ++i) {
        const std::filesystem::path folder = (*argv)[i];
        if (!std::filesystem::is_directory(folder)) continue;
        if (std::filesystem::is_empty(folder)) write_seeds(folder);
        break;
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen.run({data, size});
    return 0;
}
