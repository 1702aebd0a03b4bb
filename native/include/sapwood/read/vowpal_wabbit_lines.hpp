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
#include "sapwood/read/plain_number.hpp"
#include "sapwood/read/text_table.hpp"
#include "sapwood/read/word_edges.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// Points read from Vowpal Wabbit's lines, in compressed sparse rows.
struct WeightedBatch {
    std::vector<std::int64_t> indptr{0};
    /// The features of each point that are on: the numbers of their names, in the order in which its line has them.
    std::vector<FeatureId> indices;
    /// The values of these features, if they are kept.
    std::vector<double> values;
    std::vector<double> labels;
    std::vector<double> weights;
    /// The line of the first point; 0 if there is none.
    std::int64_t first_line = 0;

    std::size_t size() const { return indptr.size() - 1; }
};

/// How the lines of Vowpal Wabbit become points.
struct WeightedOptions {
    /// Beyond which a feature is on; none if all values must be 0 or 1.
    std::optional<double> threshold;
    bool keeps_values = false;
    /// Whether lines have labels; else what stands before the first bar is left out.
    bool is_labelled = true;
    /// No weight may be larger.
    double largest_weight = 0;
};

/// Reads ``label [importance] ['tag]|namespace feature[:value] ...``, one point per line, from blocks of whole lines
/// of UTF-8.
///
/// Guarantee: the value of a feature is 1 if none is written, times that of its namespace, and the sum of them in their
/// order if a line has it several times; its name is ``namespace^feature``. A line that is bad in any way, or that only
/// a slower reader can judge, is left to the caller, who passes its features (`add`). Memory is that of the batch and
/// of the names met, which are forgotten after `most_names`.
class VowpalWabbitLines {
public:
    /// Names that are remembered from batch to batch: those of a large vocabulary, in about 100 MB.
    static constexpr std::size_t most_names = std::size_t{1} << 20;

    explicit VowpalWabbitLines(const WeightedOptions& options) : options_(options) {}

    std::int64_t n_lines() const { return n_lines_; }
    const WeightedBatch& batch() const { return batch_; }
    const TextTable& names() const { return names_; }

    /// Reads lines of a block, the last of which may lack its end, until it ends or `most` points are in the batch.
    /// Returns the bytes read. If the last line read is left to the caller, `left` is where it begins, otherwise what
    /// is returned.
    std::size_t parse(std::string_view block, std::size_t most, std::size_t& left) {
        return each_line(
            block, left, [&] { return batch_.size() < most; },
            [&](std::string_view line) {
                ++n_lines_;
                return read_line(line);
            });
    }

    /// Adds the point of a line that was left to the caller, by the features that are on, none of them twice.
    void add(double label, double weight, const std::vector<std::string>& names, const std::vector<double>& values) {
        begin_point();
        for (std::size_t i = 0; i < names.size(); ++i) {
            text_.assign(names[i]).append(TextTable::padding, '\0');
            add_on(names_.find_or_add(text_.data(), names[i].size()).number(), values.at(i));
        }
        end_point(label, weight);
    }

    /// Returns the points, and begins anew. The names of the batch are among `names` until the next is begun.
    WeightedBatch take() {
        WeightedBatch taken = std::exchange(batch_, WeightedBatch());
        // The next batch will be about as large.
        batch_.indptr.reserve(taken.indptr.size());
        batch_.labels.reserve(taken.labels.size());
        batch_.weights.reserve(taken.weights.size());
        batch_.indices.reserve(taken.indices.size() + taken.indices.size() / 16);
        batch_.values.reserve(taken.values.size() + taken.values.size() / 16);
        must_forget_ = names_.size() > most_names || point_ > last_point;
        return taken;
    }

    /// Whether the numbers of names begin anew with the next point.
    bool must_forget() const { return must_forget_; }

private:
    // Stamps are of 32 bits.
    static constexpr std::uint32_t last_point = 1u << 31;
    /// Names whose memory is asked for at once: a few more than a processor waits for at a time.
    static constexpr std::size_t names_at_once = 32;

    /// A feature as it is written: where its name stands in `text_`.
    struct Written {
        std::size_t begin = 0;
        std::size_t length = 0;
        double value = 1;
    };

    /// A feature of one point.
    struct Summed {
        std::uint32_t number = 0;
        double value = 0;
    };

    /// What is between words within a line.
    static bool is_gap(char c) { return c == ' ' || c == '\t'; }

    bool read_line(std::string_view line) {
        std::size_t blanks = 0;
        while (blanks < line.size() && is_blank(line[blanks])) ++blanks;
        if (blanks == line.size()) return true;
        // There are blanks beyond ASCII.
        if (static_cast<unsigned char>(line[blanks]) >= 0x80 || !is_utf8(line)) return false;
        const std::size_t bar = line.find('|');
        if (bar == std::string_view::npos) return false;
        double label = 0;
        double weight = 1;
        if (options_.is_labelled && !read_head(line.substr(0, bar), label, weight)) return false;
        if (!read_features(line, bar + 1)) return false;
        begin_point();
        sum_features();
        if (!options_.threshold && !std::all_of(summed_.begin(), summed_.end(), [](const Summed& feature) {
                return feature.value == 0 || feature.value == 1;
            })) {
            return false;
        }
        const double threshold = options_.threshold.value_or(0);
        for (const Summed& feature : summed_) {
            if (feature.value > threshold) add_on(feature.number, feature.value);
        }
        end_point(label, weight);
        return true;
    }

    /// Reads what stands before the first bar: a label, perhaps a weight, perhaps a tag.
    bool read_head(std::string_view head, double& label, double& weight) const {
        std::array<std::string_view, 3> words;
        std::size_t n_words = 0;
        for (std::size_t at = 0; at < head.size();) {
            while (at < head.size() && is_gap(head[at])) ++at;
            const std::size_t begin = at;
            while (at < head.size() && !is_gap(head[at])) ++at;
            if (at == begin) break;
            if (n_words == words.size()) return false;
            words[n_words++] = head.substr(begin, at - begin);
        }
        if (n_words == 0) return false;
        if (!is_gap(head.back())) {
            // What Python takes for a blank behind a tag it knows itself.
            if (is_blank(head.back()) || static_cast<unsigned char>(head.back()) >= 0x80) return false;
            --n_words;
        } else if (words[n_words - 1][0] == '\'') {
            --n_words;
        }
        if (n_words == 0 || n_words > 2 || !read_number(words[0], label)) return false;
        return n_words == 1 || (read_number(words[1], weight) && weight >= 0 && weight <= options_.largest_weight);
    }

    /// Reads the features that stand from a place on.
    bool read_features(std::string_view line, std::size_t at) {
        // A feature without a namespace is called as it stands in the line; other names are made behind it.
        text_.assign(line);
        written_.clear();
        const char* const text = line.data();
        const std::size_t size = line.size();
        while (true) {
            // The namespace, or nothing, stands right behind the bar.
            std::string_view before;
            double scale = 1;
            if (at < size && !is_gap(text[at]) && text[at] != '|') {
                const std::size_t begin = at;
                std::size_t length = 0;
                if (!read_word(line, at, length, scale)) return false;
                before = line.substr(begin, length);
            }
            while (true) {
                while (at < size && is_gap(text[at])) ++at;
                if (at == size || text[at] == '|') break;
                Written& feature = written_.emplace_back();
                feature.begin = at;
                if (!read_word(line, at, feature.length, feature.value) || feature.length == 0) return false;
                feature.value *= scale;
                if (before.empty()) continue;
                const std::size_t made = text_.size();
                text_.append(before).push_back('^');
                text_.append(line, feature.begin, feature.length);
                feature.begin = made;
                feature.length += before.size() + 1;
            }
            if (at == size) break;
            ++at;
        }
        text_.append(TextTable::padding, '\0');
        return true;
    }

    /// Reads a name of `length` bytes, perhaps with a value behind a colon; `at` is then behind them.
    static bool read_word(std::string_view line, std::size_t& at, std::size_t& length, double& value) {
        const std::size_t begin = at;
        while (at < line.size() && !is_gap(line[at]) && line[at] != '|' && line[at] != ':') ++at;
        length = at - begin;
        if (at == line.size() || line[at] != ':') return true;
        ++at;
        const char* const end = line.data() + line.size();
        const char* const stop = plain_number(line.data() + at, end, value);
        if (stop == nullptr || (stop < end && !is_gap(*stop) && *stop != '|')) return false;
        at = static_cast<std::size_t>(stop - line.data());
        return true;
    }

    static bool read_number(std::string_view word, double& value) {
        const char* const end = word.data() + word.size();
        return plain_number(word.data(), end, value) == end;
    }

    /// Finds the numbers of the features that are written, and adds up the values of each.
    void sum_features() {
        summed_.clear();
        std::array<TextTable::Key, names_at_once> keys;
        for (std::size_t i = 0; i < written_.size();) {
            const std::size_t n = std::min(names_at_once, written_.size() - i);
            for (std::size_t k = 0; k < n; ++k) {
                keys[k] = TextTable::key_of(text_.data() + written_[i + k].begin, written_[i + k].length);
                names_.prefetch(keys[k]);
            }
            for (std::size_t k = 0; k < n; ++k, ++i) {
                TextTable::Entry& entry = names_.find_or_add(keys[k], text_.data() + written_[i].begin);
                if (entry.stamp != point_) {
                    entry.stamp = point_;
                    entry.value = static_cast<std::int32_t>(summed_.size());
                    summed_.push_back({entry.number(), 0});
                }
                summed_[static_cast<std::size_t>(entry.value)].value += written_[i].value;
            }
        }
    }

    void begin_point() {
        if (must_forget_) {
            names_.clear();
            point_ = 0;
            must_forget_ = false;
        }
        ++point_;
    }

    void add_on(std::uint32_t number, double value) {
        batch_.indices.push_back(static_cast<FeatureId>(number));
        if (options_.keeps_values) batch_.values.push_back(value);
    }

    void end_point(double label, double weight) {
        if (batch_.size() == 0) batch_.first_line = n_lines_;
        batch_.labels.push_back(label);
        batch_.weights.push_back(weight);
        batch_.indptr.push_back(static_cast<std::int64_t>(batch_.indices.size()));
    }

    WeightedOptions options_;
    TextTable names_;
    WeightedBatch batch_;
    std::int64_t n_lines_ = 0;
    /// The number of the last point since names were forgotten: the stamp of its names.
    std::uint32_t point_ = 0;
    bool must_forget_ = false;

    // Of one line, kept so that nothing is allocated for the next.
    std::string text_;
    std::vector<Written> written_;
    std::vector<Summed> summed_;
};

}  // namespace sapwood
