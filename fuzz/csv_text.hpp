// Rows of CSV: the same points, and the same lines left to the caller, however they are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sapwood/read/csv_rows.hpp"
#include "table_reading.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct CsvText {
    static constexpr std::string_view name = "csv_text";

    /// The first byte says where the text is cut, the second how it is read.
    static std::vector<std::string> seeds() {
        using namespace std::string_view_literals;
        return {
            seed_of(8, 0, "a,1.5,red\nb,-2e3,blue\n"),       seed_of(5, 1, "yes;\"1\"\"2\";x\r\n\nno;?;\"y;z\"\r\n"),
            seed_of(2, 2, "a,\"two\nlines\",x\nb,7,!\n"),    seed_of(6, 0, "a,1,\0\nb,\xFF,x\nc,NA,\xC3\xBC"sv),
            seed_of(3, 8, ",,\na,b\na,b,c,d\n\"a\"x,1,2\n"), seed_of(7, 5, "\"a\";\"0x10\";\"\"\nb;1e999;-0")};
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes.first(std::min<std::size_t>(2, bytes.size())));
        const std::size_t cut = numbers.next();
        const std::uint32_t told = numbers.next();
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        CsvOptions options;
        options.delimiter = (told & 1) != 0 ? ';' : ',';
        options.longest = (told & 2) != 0 ? 4 : 1'000;
        options.missing_numbers = {"7"};
        std::vector<CsvField> fields{{TablePoints::label_column, false}, {1, true}, {2, (told & 4) != 0}};
        if ((told & 8) != 0) fields.push_back({});
        read_in_all_ways([&] { return CsvRows(options, fields); }, 2,
                         text.substr(std::min<std::size_t>(2, text.size())), cut);
    }
};

}  // namespace sapwood::fuzz
