// Rows of ARFF, dense and sparse: the same points, and the same lines left to the caller, however they are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sapwood/read/arff_rows.hpp"
#include "table_reading.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct ArffText {
    static constexpr std::string_view name = "arff_text";

    /// The first byte says where the text is cut, the second how it is read.
    static std::vector<std::string> seeds() {
        using namespace std::string_view_literals;
        return {seed_of(8, 0, "a,1.5,red\n'b',-2e3,\"it's\" % said\n"),
                seed_of(5, 1, "{0 a, 2 'light blue'}\n% between\n\n{1 7}\r\n{}\n{ 1 2 , 2 x }% end"),
                seed_of(2, 2, "a,'it\\'s \\\\ \\n',x\nb,7,!\n{0 !}\n{1 !}\n"),
                seed_of(6, 0, "a,1,\0\nb,\xFF,x\n\xC2\xA0'c',NA,\xC3\xBC"sv),
                seed_of(3, 4, ",,\na,b\na,b,c,d\n'a'x,1,2\n{3 x}\n{1 1,0 x}\n{1}\n{1 a\n{1 a}b\n"),
                seed_of(7, 5, "a,'\\u0041',1\n{99999999999999999999 1}\n{1 'open\n")};
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes.first(std::min<std::size_t>(2, bytes.size())));
        const std::size_t cut = numbers.next();
        const std::uint32_t told = numbers.next();
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        std::vector<ArffColumn> columns{{TablePoints::label_column, false, "a"}, {1, true, "0"}, {2, false, "red"}};
        if ((told & 1) != 0) columns[0].column = TablePoints::ignored_column;
        if ((told & 2) != 0) columns[2] = {2, true, "7"};
        if ((told & 4) != 0) columns.push_back({});
        read_in_all_ways([&] { return Rows{ArffRows(columns, {"7"})}; }, 2,
                         text.substr(std::min<std::size_t>(2, text.size())), cut);
    }

private:
    /// Rows that may stand for any number of cells.
    struct Rows {
        ArffRows rows;

        std::size_t parse(std::string_view block, std::size_t most, TablePoints& points, std::int64_t& n_lines,
                          bool& is_left) {
            return rows.parse(block, most, ~std::size_t{0}, points, n_lines, is_left);
        }
    };
};

}  // namespace sapwood::fuzz
