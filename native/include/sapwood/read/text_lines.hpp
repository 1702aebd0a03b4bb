#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sapwood/read/characters.hpp"
#include "sapwood/read/each_line.hpp"
#include "sapwood/read/hashed_column.hpp"
#include "sapwood/read/text_table.hpp"
#include "sapwood/read/word_edges.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Points read from labelled text, in compressed sparse rows.
struct WordBatch {
    std::vector<std::int64_t> indptr{0};
    /// The features of each point: the numbers of words, in the order in which it has them, or columns, which ascend.
    std::vector<FeatureId> indices;
    /// The label of each point: a place in `classes`.
    std::vector<std::int64_t> labels;
    /// The numbers of the labels, in the order in which the batch has them.
    std::vector<std::uint32_t> classes;
    /// The line of the first point; 0 if there is none.
    std::int64_t first_line = 0;

    std::size_t size() const { return indptr.size() - 1; }
};

/// How lines become words: runs of two and more letters, digits and underscores in lower case, and runs of words.
struct WordOptions {
    /// Whether lines begin with a label and a tab.
    bool is_labelled = true;
    /// The shortest and the longest runs of words that are features.
    std::size_t shortest = 1;
    std::size_t longest = 1;
    /// Hash the words into this number of columns.
    std::optional<FeatureId> n_columns;
    /// Where it is not empty, lines are those of fastText: words between blanks as they are, of which one begins with
    /// this and is the label.
    std::string label_prefix;
};

/// Reads ``label<TAB>text`` or the lines of fastText, one point per line, from blocks of whole lines of UTF-8.
///
/// Guarantee: a line is read as scikit-learn's analyser reads it, or it is not read at all: one that is bad, or whose
/// lower case is more than that of its characters, is left to the caller, who knows what to say of it, or passes its
/// words (`add`). Memory is that of the batch and of the words met, which are forgotten after `most_words`.
class TextLines {
public:
    /// Words that are remembered from batch to batch: a few times as many as a language has that people use.
    static constexpr std::size_t most_words = std::size_t{1} << 18;

    TextLines(const WordOptions& options, Characters::Fill fill) : options_(options), characters_(std::move(fill)) {}

    std::int64_t n_lines() const { return n_lines_; }
    const WordBatch& batch() const { return batch_; }
    const TextTable& words() const { return words_; }
    bool is_hashed() const { return options_.n_columns.has_value(); }
    const TextTable& classes() const { return classes_; }

    /// Reads lines of a block, the last of which may lack its end, until it ends or `most` points are in the batch.
    /// Returns the bytes read. If the last line read is left to the caller, `left` is where it begins, otherwise what
    /// is returned. `is_passed_over`: points are counted, and have no words.
    std::size_t parse(std::string_view block, std::size_t most, bool is_passed_over, std::size_t& left) {
        return each_line(
            block, left, [&] { return batch_.size() < most; },
            [&](std::string_view line) {
                ++n_lines_;
                return read_line(line, is_passed_over);
            });
    }

    /// Adds the point of a text by itself, which may be blank; false, and nothing is added, if it is left to the
    /// caller.
    bool add_text(std::string_view text) {
        if (!find_edges(text)) return false;
        begin_point();
        add_features();
        end_point({});
        return true;
    }

    /// Adds the point of a line that was left to the caller.
    void add(std::string_view label, const std::vector<std::string>& tokens) {
        begin_point();
        for (const std::string& token : tokens) add_feature(padded(token), token.size());
        end_point(label);
    }

    /// Returns the points, and begins anew. The words of the batch are among `words` until the next is begun.
    WordBatch take() {
        WordBatch taken = std::exchange(batch_, WordBatch());
        // The next batch will be about as large.
        batch_.indptr.reserve(taken.indptr.size());
        batch_.labels.reserve(taken.labels.size());
        batch_.indices.reserve(taken.indices.size() + taken.indices.size() / 16);
        first_point_ = point_ + 1;
        must_forget_ = words_.size() > most_words || classes_.size() > most_words || point_ > last_point;
        return taken;
    }

    /// Whether the numbers of words and classes begin anew with the next point.
    bool must_forget() const { return must_forget_; }

private:
    // Stamps are of 32 bits.
    static constexpr std::uint32_t last_point = 1u << 31;
    /// Words whose memory is asked for at once: a few more than a processor waits for at a time.
    static constexpr std::size_t words_at_once = 32;

    bool read_line(std::string_view line, bool is_passed_over) {
        std::size_t blanks = 0;
        while (blanks < line.size() && is_blank(line[blanks])) ++blanks;
        if (blanks == line.size()) return true;
        // There are blanks beyond ASCII.
        if (static_cast<unsigned char>(line[blanks]) >= 0x80) {
            const Decoded first = decode(line.data() + blanks, line.size() - blanks);
            if (first.n_bytes == 0 || characters_[first.code].is_space) return false;
        }
        if (!options_.label_prefix.empty()) return read_words(line, is_passed_over);
        std::string_view label;
        std::string_view text = line;
        if (options_.is_labelled) {
            const std::size_t tab = line.find('\t');
            if (tab == 0 || tab == std::string_view::npos) return false;
            label = line.substr(0, tab);
            text = line.substr(tab + 1);
            if (!is_utf8(label)) return false;
        }
        if (is_passed_over) {
            if (!is_utf8(text)) return false;
            begin_point();
        } else {
            if (!find_edges(text)) return false;
            begin_point();
            add_features();
        }
        end_point(label);
        return true;
    }

    /// Reads a line of fastText. One that has more or fewer labels than one is left to the caller.
    bool read_words(std::string_view line, bool is_passed_over) {
        if (!is_utf8(line)) return false;
        reserve(lower_, line.size() + TextTable::padding);
        std::copy(line.begin(), line.end(), lower_.begin());
        if (edges_.size() < line.size() + 1) edges_.resize(line.size() + 1);
        n_edges_ = 0;
        std::string_view label;
        std::size_t at = 0;
        while (at < line.size()) {
            while (at < line.size() && is_between_words(line[at])) ++at;
            const std::size_t begin = at;
            while (at < line.size() && !is_between_words(line[at])) ++at;
            const std::string_view word = line.substr(begin, at - begin);
            if (word.empty()) break;
            if (word.starts_with(options_.label_prefix)) {
                if (options_.is_labelled && (!label.empty() || word.size() == options_.label_prefix.size()))
                    return false;
                label = word.substr(options_.label_prefix.size());
                continue;
            }
            edges_[n_edges_++] = static_cast<std::uint32_t>(begin);
            edges_[n_edges_++] = static_cast<std::uint32_t>(at);
        }
        if (options_.is_labelled && label.empty()) return false;
        begin_point();
        if (!is_passed_over) add_words(1);
        end_point(label);
        return true;
    }

    /// Blanks of ASCII and zeros, as for the program.
    static bool is_between_words(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
    }

    // ---- words ------------------------------------------------------------------------------------------------------

    /// Writes a text in lower case, and notes where its words begin and end; false if the text is bad or special.
    bool find_edges(std::string_view text) {
        reserve(lower_, text.size() + 64 + TextTable::padding);
        if (edges_.size() < text.size() + 1) edges_.resize(text.size() + 1);
        n_edges_ = word_edges(text.data(), text.size(), lower_.data(), edges_.data());
        return n_edges_ != no_ascii || find_edges_beyond(text);
    }

    /// The same for a text with characters beyond ASCII.
    bool find_edges_beyond(std::string_view text) {
        n_edges_ = 0;
        std::size_t n = 0;
        bool is_inside = false;
        for (std::size_t at = 0; at < text.size();) {
            // One of two bytes may be one of three in lower case.
            reserve(lower_, n + 4 + TextTable::padding);
            bool is_part = false;
            const std::size_t begin = n;
            if (const char c = text[at]; static_cast<unsigned char>(c) < 0x80) {
                is_part = is_word(c);
                lower_[n++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
                ++at;
            } else {
                const Decoded decoded = decode(text.data() + at, text.size() - at);
                if (decoded.n_bytes == 0) return false;
                const Character& character = characters_[decoded.code];
                if (character.is_special) return false;
                is_part = character.is_word;
                n += encode(character.lower, lower_.data() + n);
                at += decoded.n_bytes;
            }
            if (is_part != is_inside) {
                edges_[n_edges_++] = static_cast<std::uint32_t>(begin);
                is_inside = is_part;
            }
        }
        if (is_inside) edges_[n_edges_++] = static_cast<std::uint32_t>(n);
        return true;
    }

    /// Whether what lies between two edges has two characters at least, as a word must.
    bool is_long_enough(std::uint32_t begin, std::uint32_t end) const {
        const std::uint32_t n_bytes = end - begin;
        if (n_bytes < 2) return false;
        const auto first = static_cast<unsigned char>(lower_[begin]);
        return first < 0x80 || n_bytes > (first < 0xE0 ? 2u : first < 0xF0 ? 3u : 4u);
    }

    void add_features() {
        if (options_.longest == 1) {
            add_words(2);
        } else {
            add_runs();
        }
    }

    /// Adds the words between edges that have `fewest` characters at least, 1 or 2.
    void add_words(int fewest) {
        std::array<const char*, words_at_once> texts;
        std::array<TextTable::Key, words_at_once> keys;
        for (std::size_t i = 0; i + 1 < n_edges_;) {
            std::size_t n = 0;
            for (; i + 1 < n_edges_ && n < words_at_once; i += 2) {
                if (fewest == 2 && !is_long_enough(edges_[i], edges_[i + 1])) continue;
                texts[n] = lower_.data() + edges_[i];
                keys[n] = TextTable::key_of(texts[n], edges_[i + 1] - edges_[i]);
                words_.prefetch(keys[n++]);
            }
            for (std::size_t k = 0; k < n; ++k) add_feature(keys[k], texts[k]);
        }
    }

    /// Adds the runs of each length, one length after the other, as scikit-learn has them.
    void add_runs() {
        // The words with a blank between two, so that a run is a part of that text.
        joined_.clear();
        begins_.clear();
        for (std::size_t i = 0; i + 1 < n_edges_; i += 2) {
            if (!is_long_enough(edges_[i], edges_[i + 1])) continue;
            begins_.push_back(joined_.size());
            joined_.append(lower_.data() + edges_[i], edges_[i + 1] - edges_[i]).push_back(' ');
        }
        const std::size_t n_words = begins_.size();
        begins_.push_back(joined_.size());
        joined_.append(TextTable::padding, ' ');
        for (std::size_t n = options_.shortest; n <= std::min(options_.longest, n_words); ++n) {
            for (std::size_t i = 0; i + n <= n_words; ++i) {
                add_feature(joined_.data() + begins_[i], begins_[i + n] - 1 - begins_[i]);
            }
        }
    }

    // ---- points -----------------------------------------------------------------------------------------------------

    void begin_point() {
        if (must_forget_) forget();
        if (batch_.size() == 0) batch_.first_line = n_lines_;
        ++point_;
    }

    /// Adds a feature to the last point unless it has it. `TextTable::padding` bytes behind it are readable.
    void add_feature(const char* text, std::size_t length) { add_feature(TextTable::key_of(text, length), text); }

    void add_feature(const TextTable::Key& key, const char* text) {
        TextTable::Entry& entry = words_.find_or_add(key, text);
        if (entry.stamp == point_) return;
        if (entry.stamp == 0) {
            entry.value = options_.n_columns ? hashed_column({text, key.length}, *options_.n_columns)
                                             : static_cast<FeatureId>(entry.number());
        }
        entry.stamp = point_;
        batch_.indices.push_back(entry.value);
    }

    void end_point(std::string_view label) {
        if (options_.n_columns) {
            // Two words may have one column.
            const auto begin = batch_.indices.begin() + batch_.indptr.back();
            std::sort(begin, batch_.indices.end());
            batch_.indices.erase(std::unique(begin, batch_.indices.end()), batch_.indices.end());
        }
        if (options_.is_labelled) {
            TextTable::Entry& entry = classes_.find_or_add(padded(label), label.size());
            if (entry.stamp < first_point_) {
                entry.value = static_cast<std::int32_t>(batch_.classes.size());
                batch_.classes.push_back(entry.number());
            }
            entry.stamp = point_;
            batch_.labels.push_back(entry.value);
        }
        batch_.indptr.push_back(static_cast<std::int64_t>(batch_.indices.size()));
    }

    void forget() {
        words_.clear();
        classes_.clear();
        point_ = 0;
        first_point_ = 1;
        must_forget_ = false;
    }

    const char* padded(std::string_view text) {
        reserve(label_, text.size() + TextTable::padding);
        std::copy(text.begin(), text.end(), label_.begin());
        return label_.data();
    }

    /// Makes room, twice as much as before at least.
    static void reserve(std::vector<char>& buffer, std::size_t size) {
        if (buffer.size() < size) buffer.resize(std::max(size, 2 * buffer.size()));
    }

    WordOptions options_;
    Characters characters_;
    TextTable words_;
    TextTable classes_;
    WordBatch batch_;
    std::int64_t n_lines_ = 0;
    /// The number of the last point since words were forgotten, and of the first of the batch: stamps of words.
    std::uint32_t point_ = 0;
    std::uint32_t first_point_ = 1;
    bool must_forget_ = false;

    // Of one line, kept so that nothing is allocated for the next.
    std::vector<char> lower_;
    std::vector<char> label_;
    std::vector<std::uint32_t> edges_;
    std::size_t n_edges_ = 0;
    std::string joined_;
    std::vector<std::size_t> begins_;
};

}  // namespace sapwood
