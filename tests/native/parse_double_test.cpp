#include "sapwood/read/parse_double.hpp"

#include <bit>
#include <cstdint>
#include <random>
#include <string>

#include "check.hpp"

namespace {

using sapwood::detail::parse_double_by_strtod;

#if defined(__cpp_lib_to_chars)
/// Both read a text in the same way, to the last bit.
void compare(const std::string& text) {
    double by_library = -7;
    double by_strtod = -7;
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto expected = std::from_chars(first, last, by_library);
    const auto found = parse_double_by_strtod(first, last, by_strtod);
    CHECK(found.ec == expected.ec);
    CHECK(found.ptr == expected.ptr);
    if (expected.ec == std::errc()) {
        CHECK(std::bit_cast<std::uint64_t>(by_strtod) == std::bit_cast<std::uint64_t>(by_library) ||
              (std::isnan(by_strtod) && std::isnan(by_library)));
    }
}

void test_equal_to_the_library() {
    for (const char* text : {"",
                             "-",
                             ".",
                             "-.",
                             "e",
                             "1e",
                             "1e+",
                             "1e-x",
                             "1.",
                             ".5",
                             "-.5e1",
                             "+1",
                             "0x10",
                             "1e400",
                             "-1e400",
                             "1e-400",
                             "0e-400",
                             "4.9e-324",
                             "2.2250738585072011e-308",
                             "1.7976931348623157e308",
                             "1.7976931348623159e308",
                             "inf",
                             "-INF",
                             "infinity",
                             "infinit",
                             "nan",
                             "NaN",
                             "1.2.3",
                             "00012",
                             "1e5e5",
                             "9007199254740993",
                             "1 2",
                             "-0"}) {
        compare(text);
    }
    std::mt19937_64 random(7);
    const std::string signs = "0123456789.eE-+x ";
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        const auto length = random() % 14;
        for (std::uint64_t k = 0; k < length; ++k) text += signs[random() % signs.size()];
        compare(text);
    }
    for (int i = 0; i < 2000; ++i) {
        const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
        char text[40];
        const auto end = std::to_chars(text, text + sizeof text, value).ptr;
        compare(std::string(text, end));
    }
}
#endif

void test_known_values() {
    const std::string text = "-12.5e1x";
    double value = 0;
    const auto found = sapwood::parse_double(text.data(), text.data() + text.size(), value);
    CHECK(found.ec == std::errc());
    CHECK(found.ptr == text.data() + 7);
    CHECK(value == -125.0);
}

}  // namespace

int main() {
#if defined(__cpp_lib_to_chars)
    test_equal_to_the_library();
#endif
    test_known_values();
    return sapwood::check::finish();
}
