#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/read/characters.hpp"
#include "sapwood/read/plain_number.hpp"
#include "sapwood/read/table_points.hpp"
#include "sapwood/read/text_table.hpp"
#include "sapwood/read/word_edges.hpp"

namespace sapwood {

/// A column of ARFF.
struct ArffColumn {
    /// The column of the points.
    std::size_t column = TablePoints::ignored_column;
    /// Whether its cells are read as numbers where they look like one.
    bool is_number = false;
    /// What a sparse row says by leaving it out.
    std::string absent;
};

/// Reads the rows of ARFF, dense and sparse ones, in blocks of whole lines of UTF-8.
///
/// Guarantee: a sparse row is the dense row that it stands for. A row is read whole or not at all: one that is bad in
/// any way, or that only a slower reader can judge, is left to the caller.
class ArffRows {
public:
    /// `missing_numbers`: texts that look like numbers and stand for missing ones.
    ArffRows(std::vector<ArffColumn> columns, std::vector<std::string> missing_numbers)
        : columns_(std::move(columns)), missing_numbers_(std::move(missing_numbers)) {
        absent_.reserve(columns_.size());
        for (const ArffColumn& column : columns_) {
            Cell& cell = absent_.emplace_back();
            if (column.column != TablePoints::ignored_column) cell = cell_of(column, column.absent);
            padded_absent_.push_back(column.absent + std::string(TextTable::padding, '\0'));
        }
    }

    const std::vector<ArffColumn>& columns() const { return columns_; }

    /// The cells that sparse rows stand for since this was last set to 0: they take more memory than the text does.
    std::size_t n_sparse_cells = 0;

    /// Reads rows of a block, the last of which may lack its end, until it ends, `most` points are gathered, sparse
    /// rows stand for more than `most_cells` or a row is left to the caller. Returns the bytes read; `n_lines` counts
    /// on.
    std::size_t parse(std::string_view block, std::size_t most, std::size_t most_cells, TablePoints& points,
                      std::int64_t& n_lines, bool& is_left) {
        std::size_t at = 0;
        is_left = false;
        while (at < block.size() && points.batch().size() < most && n_sparse_cells <= most_cells) {
            const std::size_t end = std::min(block.find('\n', at), block.size());
            points.begin_row();
            const Row row = read_row(block.substr(at, end - at), points);
            if (row == Row::left) {
                is_left = true;
                break;
            }
            ++n_lines;
            if (row == Row::point) points.end_row(n_lines);
            at = std::min(end + 1, block.size());
        }
        return at;
    }

private:
    enum class Row { nothing, point, left };

    /// What a cell says: a number, or else a text. Of a sparse row also its place.
    struct Cell {
        std::string_view text;
        double number = 0;
        bool is_number = false;
        std::size_t place = 0;
    };

    Row read_row(std::string_view line, TablePoints& points) {
        const std::string_view row = stripped(line);
        if (!is_utf8(row)) return Row::left;
        if (row.empty() || row[0] == '%') return Row::nothing;
        if (may_be_blank(row)) return Row::left;
        // Room for all that can be unquoted, so that texts stay where they are.
        unquoted_.clear();
        unquoted_.reserve(row.size());
        const bool is_read = row[0] == '{' ? read_sparse(row, points) : read_dense(row, points);
        return is_read ? Row::point : Row::left;
    }

    bool read_dense(std::string_view row, TablePoints& points) {
        std::size_t at = 0;
        const std::size_t last = columns_.size() - 1;
        for (std::size_t i = 0; i <= last; ++i) {
            while (at < row.size() && is_blank(row[at])) ++at;
            std::string_view text;
            if (at < row.size() && is_quote(row[at])) {
                if (!read_quoted(row, at, text)) return false;
                while (at < row.size() && is_blank(row[at])) ++at;
                if (at < row.size() && row[at] != ',' && row[at] != '%') return false;
            } else {
                const std::size_t begin = at;
                while (at < row.size() && row[at] != ',' && row[at] != '%') ++at;
                text = row.substr(begin, at - begin);
                if (may_be_blank(text)) return false;
            }
            if (columns_[i].column != TablePoints::ignored_column &&
                !add(i, cell_of(columns_[i], stripped(text)), points))
                return false;
            if ((at < row.size() && row[at] == ',') != (i < last)) return false;
            ++at;
        }
        return true;
    }

    bool read_sparse(std::string_view row, TablePoints& points) {
        written_.clear();
        std::size_t at = 1;
        while (true) {
            while (at < row.size() && is_blank(row[at])) ++at;
            if (at == row.size()) return false;
            if (row[at] == '}') break;
            Cell cell;
            std::size_t place = 0;
            if (!read_index(row, at, place)) return false;
            std::string_view text;
            if (is_quote(row[at])) {
                if (!read_quoted(row, at, text)) return false;
                while (at < row.size() && is_blank(row[at])) ++at;
            } else {
                const std::size_t begin = at;
                while (at < row.size() && row[at] != ',' && row[at] != '%' && row[at] != '}') ++at;
                text = row.substr(begin, at - begin);
                if (text.empty() || may_be_blank(text)) return false;
            }
            if (at == row.size() || (row[at] != ',' && row[at] != '}')) return false;
            if (row[at] == ',') ++at;
            if (columns_[place].column != TablePoints::ignored_column) cell = cell_of(columns_[place], stripped(text));
            cell.place = place;
            written_.push_back(cell);
        }
        const std::string_view behind = stripped(row.substr(at + 1));
        if (!behind.empty() && behind[0] != '%') return false;
        if (!add_sparse(points)) return false;
        n_sparse_cells += columns_.size();
        return true;
    }

    /// Reads the place of a cell and the blanks behind it; something stands at `at` afterwards.
    bool read_index(std::string_view row, std::size_t& at, std::size_t& place) const {
        const std::size_t digits = at;
        while (at < row.size() && row[at] >= '0' && row[at] <= '9') {
            place = place * 10 + static_cast<std::size_t>(row[at++] - '0');
            if (place >= columns_.size()) return false;
        }
        const std::size_t gap = at;
        while (at < row.size() && is_blank(row[at])) ++at;
        if (gap == digits || at == gap || at == row.size()) return false;
        return written_.empty() || place > written_.back().place;
    }

    /// Adds a row by the cells that are written, and by what it says of all others.
    bool add_sparse(TablePoints& points) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool is_written = next < written_.size() && written_[next].place == i;
            const Cell& cell = is_written ? written_[next++] : absent_[i];
            if (columns_[i].column == TablePoints::ignored_column) continue;
            if (is_written || cell.is_number) {
                if (!add(i, cell, points)) return false;
            } else if (!points.add_cell(columns_[i].column, padded_absent_[i].data(), columns_[i].absent.size())) {
                return false;
            }
        }
        return true;
    }

    /// Reads what stands in quotes; `at` is then behind them.
    bool read_quoted(std::string_view row, std::size_t& at, std::string_view& text) {
        const char quote = row[at++];
        const std::size_t begin = at;
        while (at < row.size() && row[at] != quote && row[at] != '\\') ++at;
        if (at < row.size() && row[at] == quote) {
            text = row.substr(begin, at++ - begin);
            return true;
        }
        const std::size_t made = unquoted_.size();
        unquoted_.append(row, begin, at - begin);
        while (at < row.size() && row[at] != quote) {
            char c = row[at++];
            if (c == '\\') {
                // Of characters by number Python tells which are none.
                if (at == row.size() || row[at] == 'u') return false;
                c = row[at++];
                c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
            }
            unquoted_.push_back(c);
        }
        if (at == row.size()) return false;
        ++at;
        text = std::string_view(unquoted_).substr(made);
        return true;
    }

    Cell cell_of(const ArffColumn& column, std::string_view text) const {
        Cell cell;
        cell.text = text;
        if (!column.is_number || text.empty()) return cell;
        const char* const end = text.data() + text.size();
        cell.is_number = plain_number(text.data(), end, cell.number) == end &&
                         std::find(missing_numbers_.begin(), missing_numbers_.end(), text) == missing_numbers_.end();
        return cell;
    }

    bool add(std::size_t i, const Cell& cell, TablePoints& points) {
        const std::size_t column = columns_[i].column;
        if (cell.is_number) {
            points.add_number(column, cell.number);
            return true;
        }
        if (cell.text.empty()) return column != TablePoints::label_column;
        padded_.assign(cell.text).append(TextTable::padding, '\0');
        return points.add_cell(column, padded_.data(), cell.text.size());
    }

    static bool is_quote(char c) { return c == '\'' || c == '"'; }

    /// A text without the blanks of ASCII around it.
    static std::string_view stripped(std::string_view text) {
        while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
        while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
        return text;
    }

    /// Whether a text may begin with a blank beyond ASCII, behind which there may be a quote. These are U+0085, U+00A0,
    /// U+1680, U+2000 to U+205F and U+3000 (Unicode, White_Space).
    static bool may_be_blank(std::string_view text) {
        if (text.size() < 2) return false;
        const auto first = static_cast<unsigned char>(text[0]);
        const auto second = static_cast<unsigned char>(text[1]);
        if (first == 0xC2) return second == 0x85 || second == 0xA0;
        return (first == 0xE1 && second == 0x9A) || (first == 0xE2 && (second == 0x80 || second == 0x81)) ||
               (first == 0xE3 && second == 0x80);
    }

    std::vector<ArffColumn> columns_;
    std::vector<std::string> missing_numbers_;
    /// What a sparse row says of the columns that it leaves out: numbers, and texts as `TablePoints` takes them.
    std::vector<Cell> absent_;
    std::vector<std::string> padded_absent_;

    // Of one row, kept so that nothing is allocated for the next.
    std::vector<Cell> written_;
    std::string unquoted_;
    std::string padded_;
};

}  // namespace sapwood
