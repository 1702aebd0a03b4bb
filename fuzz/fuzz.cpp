// One target as a libFuzzer program: compiled with -DSAPWOOD_FUZZ_TARGET=<struct>. Before it starts, it writes the
// seeds of the target to the first folder that it is given, if that is empty.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "targets.hpp"

using Target = sapwood::fuzz::SAPWOOD_FUZZ_TARGET;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (int i = 1; i < *argc; ++i) {
        const std::filesystem::path folder = (*argv)[i];
        if (!std::filesystem::is_directory(folder)) continue;
        if (!std::filesystem::is_empty(folder)) break;
        int number = 0;
        for (const std::string& seed : Target::seeds()) {
            std::ofstream(folder / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
        }
        break;
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Target::run({data, size});
    return 0;
}
