// JSON lines: the same points, and the same lines left to the caller, however they are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sapwood/read/json_lines.hpp"
#include "table_reading.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct JsonText {
    static constexpr std::string_view name = "json_text";

    /// The first byte says where the text is cut, the second how it is read.
    static std::vector<std::string> seeds() {
        using namespace std::string_view_literals;
        return {seed_of(24, 0, "{\"y\": \"a\", \"n\": 1.5}\n{\"y\": \"b\", \"t\": \"red\", \"n\": -2E+3}\n"),
                seed_of(5, 1, "{\"n\": 3, \"o\": {\"p\": true, \"q\": null}}\n\n{\"t\": [\"x\", \"y\", \"x\"]}"),
                seed_of(9, 0, "{\"y\": \"\\u00fc\\n\", \"t\": \"\xC3\xBC\"}\r\n{\"y\": 1, \"n\": 1e999}\n"),
                seed_of(2, 0, "{\"y\": \"a\", \"y\": \"b\"}\n[1]\n{\"z\": 1}\n{\"y\": \"a\0\"\n"sv),
                seed_of(7, 1, "{\"o\": {\"o\": {\"p\": {}}}, \"i\": [[[]]]}\n{}\n{\"n\": NaN}\n{\"n\": -}\n")};
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes.first(std::min<std::size_t>(2, bytes.size())));
        const std::size_t cut = numbers.next();
        const std::uint32_t told = numbers.next();
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const bool is_labelled = (told & 1) == 0;
        const auto make = [&] {
            using Role = JsonField::Role;
            JsonLines lines(is_labelled);
            if (is_labelled) lines.add_field(JsonLines::root, "y", {Role::label, 0, 0, false});
            lines.add_field(JsonLines::root, "n", {Role::typed, 1, 2, true});
            lines.add_field(JsonLines::root, "t", {Role::typed, 3, 4, false});
            lines.add_field(JsonLines::root, "i", {});
            const std::size_t object = lines.add_field(JsonLines::root, "o", {Role::plain, 5, 6, false});
            lines.add_field(object, "p", {Role::plain, 7, 8, true});
            lines.add_field(object, "q", {Role::typed, 9, 10, true});
            return lines;
        };
        read_in_all_ways(make, 10, text.substr(std::min<std::size_t>(2, text.size())), cut);
    }
};

}  // namespace sapwood::fuzz
