#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "sapwood/io/page_records.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"

namespace sapwood::detail {

inline void get_words(ByteReader& in, std::span<Word> words) {
    std::array<std::uint32_t, 64> raw;  // small enough for the stack
    for (std::size_t first = 0; first < words.size(); first += raw.size()) {
        const std::span<Word> some = words.subspan(first, std::min(raw.size(), words.size() - first));
        in.get_all(std::span(raw).first(some.size()), "words of a model");
        std::memcpy(some.data(), raw.data(), some.size_bytes());
    }
}

/// Throws unless weights and their sums of squares are such that steps can have led to them.
inline void check_weights(const Word* weights, const Word* all_squares, std::size_t n_outputs) {
    for (std::size_t k = 0; k < n_outputs; ++k) {
        const float weight = weights[k].weight;
        if (!(std::fabs(weight) <= tree_format::largest_weight)) {
            throw ModelFormatError("a weight must be at most 2^31 in absolute value, got " + std::to_string(weight));
        }
        const float squares = all_squares[k].weight;
        if (!(squares >= 0 && squares <= tree_format::largest_squares)) {
            throw ModelFormatError("a sum of squares must be a number from 0 to 2^63, got " + std::to_string(squares));
        }
    }
}

/// Reads the pages of the models of leaves, then the models themselves, which share them.
class PageReader {
public:
    using Page = PagePool::Page;
    using Folder = PagePool::Folder;
    using Pages = std::array<std::uint32_t, PagePool::pages_per_folder>;

    PageReader(ByteReader& in, PagePool& pool, const ModelLayout& layout, std::int64_t n, std::int64_t n_features)
        : in_(in), pool_(pool), layout_(layout), n_(n), n_features_(n_features) {
        try {
            get_pages();
            get_folders();
        } catch (...) {
            release();
            throw;
        }
    }
    ~PageReader() { release(); }
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;

    /// Reads the models of a leaf, which may stand elsewhere than the pages.
    LeafModels get_models(ByteReader& in, bool chooses) {
        LeafModels models(pool_, layout_);
        in.get_all(std::span(models.n_of_class), "the points of a model");
        std::int64_t sum = 0;
        for (const std::int64_t count : models.n_of_class) {
            if (count < 0 || count > n_ - sum) {
                throw ModelFormatError("the points of a model must be counts whose sum is at most " +
                                       std::to_string(n_) + ", got " + std::to_string(count) + " after " +
                                       std::to_string(sum));
            }
            sum += count;
        }
        if (layout_.keeps_logistic) {
            Word* weights = models.intercept.data();
            Word* squares = weights + layout_.outputs_room();
            get_words(in, {weights, layout_.n_outputs()});
            get_words(in, {squares, layout_.n_outputs()});
            check_weights(weights, squares, layout_.n_outputs());
        }
        if (models.mixer) get_mixer(in, std::span<double>(models.mixer->weights).first(n_common_experts));
        if (chooses) {
            in.get_all(std::span<std::int64_t>(models.right), "how often models were right");
            for (const std::int64_t right : models.right) {
                if (right < 0 || right > n_) {
                    throw ModelFormatError("models must be right from 0 to " + std::to_string(n_) + " times, got " +
                                           std::to_string(right));
                }
            }
        }
        get_table(in, models.table, models.n_of_class);
        return models;
    }

    /// To be called when all models are read.
    void finish() {
        if (met_folders_ != folders_.size()) {
            throw ModelFormatError("every folder must belong to a leaf, got " + std::to_string(folders_.size()) +
                                   " folders of which " + std::to_string(met_folders_) + " do");
        }
        release();
    }

private:
    static void get_mixer(ByteReader& in, std::span<double> weights) {
        in.get_all(weights, "the weights of a mixer");
        for (const double weight : weights) {
            if (!(std::fabs(weight) <= tree_format::largest_mix)) {
                throw ModelFormatError("a weight of a mixer must be at most 2^31 in absolute value, got " +
                                       std::to_string(weight));
            }
        }
    }

    void get_pages() {
        const auto size = in_.get<std::uint32_t>("the number of pages");
        in_.require(size, sizeof(std::uint16_t) + layout_.n_counts() + n_weights() * sizeof(Word), "pages");
        pages_.reserve(size);
        largest_of_page_.resize(size * n_counts());
        for (std::uint32_t i = 0; i < size; ++i) {
            pages_.push_back(pool_.make_page());
            get_page(pages_.back()->words());
            check(pages_.back(), largest_of(largest_of_page_, i));
        }
    }

    void get_page(Word* words) {
        const auto written = in_.get<std::uint16_t>("the records of a page");
        std::uint16_t not_zero = 0;
        for (std::size_t i = 0; i < PagePool::records_per_page; ++i) {
            if ((written >> i & 1) == 0) continue;
            Word* record = words + i * layout_.record_size();
            for (std::size_t k = 0; k < n_counts(); ++k)
                record[k].count = static_cast<Count>(get_varint_32(in_, "a count of naive Bayes"));
            if (layout_.keeps_logistic) {
                get_words(in_, {record + layout_.weights_at(), layout_.n_outputs()});
                get_words(in_, {record + layout_.squares_at(), layout_.n_outputs()});
            }
            if (!is_zero(record, layout_)) not_zero |= static_cast<std::uint16_t>(1u << i);
        }
        if (written != (not_zero == 0 ? tree_format::all_records : not_zero)) {
            throw ModelFormatError(
                "a page must have the records that are not all zero, or all if there is none, got others");
        }
    }

    /// The words of a record of logistic regression.
    std::size_t n_weights() const { return layout_.words_in_record() - layout_.n_counts(); }

    /// The counts of a record of naive Bayes: one per class, or none.
    std::size_t n_counts() const { return layout_.n_counts(); }

    /// The largest counts of each class in a page or in a folder.
    std::span<Count> largest_of(std::vector<Count>& all, std::size_t i) const {
        return std::span(all).subspan(i * n_counts(), n_counts());
    }

    /// Checks the records of a page; `largest` becomes the largest of its counts.
    void check(const Page* page, std::span<Count> largest) const {
        for (std::size_t i = 0; i < PagePool::records_per_page; ++i) {
            const std::span<const Word> record(page->words() + i * layout_.record_size(), layout_.record_size());
            for (std::size_t k = 0; k < n_counts(); ++k) {
                if (record[k].count < 0) {
                    throw ModelFormatError("a count of naive Bayes must not be negative, got " +
                                           std::to_string(record[k].count));
                }
                largest[k] = std::max(largest[k], record[k].count);
            }
            if (layout_.keeps_logistic) {
                check_weights(&record[layout_.weights_at()], &record[layout_.squares_at()], layout_.n_outputs());
            }
        }
    }

    void get_folders() {
        const auto size = in_.get<std::uint32_t>("the number of folders");
        in_.require(size, sizeof(Pages), "folders");
        folders_.reserve(size);
        largest_of_folder_.resize(size * n_counts());
        std::vector<Pages> all(size);
        std::size_t met = 0;
        for (Pages& numbers : all) {
            in_.get_all(std::span<std::uint32_t>(numbers), "pages of a folder");
            const std::span<Count> largest = largest_of(largest_of_folder_, folders_.size());
            folders_.push_back(pool_.make_folder());
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                if (numbers[i] == tree_format::none) continue;
                check_number(numbers[i], met, pages_.size(), "pages");
                Page* page = pages_[numbers[i] - 1];
                ++page->owners;
                folders_.back()->pages[i] = page;
                const std::span<const Count> of_page = largest_of(largest_of_page_, numbers[i] - 1);
                for (std::size_t k = 0; k < n_counts(); ++k) largest[k] = std::max(largest[k], of_page[k]);
            }
            if (numbers == Pages{}) throw ModelFormatError("a folder must have a page, got none");
        }
        if (met != pages_.size()) {
            throw ModelFormatError("every page must be in a folder, got " + std::to_string(pages_.size()) +
                                   " pages of which " + std::to_string(met) + " are");
        }
        std::sort(all.begin(), all.end());
        if (std::adjacent_find(all.begin(), all.end()) != all.end()) {
            throw ModelFormatError("folders must differ, got one twice");
        }
    }

    void get_table(ByteReader& in, SharedTable& table, std::span<const std::int64_t> n_of_class) {
        const auto size = in.get<std::uint32_t>("the folders of a leaf");
        if (size > tree_format::most_folders) {
            throw ModelFormatError("the folders of a leaf must be at most " +
                                   std::to_string(tree_format::most_folders) + ", got " + std::to_string(size));
        }
        const std::vector<std::uint32_t> numbers = in.get_list<std::uint32_t>(size, "folders of a leaf");
        if (size > 0 && numbers.back() == tree_format::none) {
            throw ModelFormatError("the last folder of a leaf must exist, got none");
        }
        for (const std::uint32_t number : numbers) {
            if (number == tree_format::none) {
                table.append_folder(nullptr);
                continue;
            }
            check_number(number, met_folders_, folders_.size(), "folders");
            const std::span<const Count> largest = largest_of(largest_of_folder_, number - 1);
            for (std::size_t k = 0; k < n_counts(); ++k) {
                if (largest[k] <= n_of_class[k]) continue;
                throw ModelFormatError("a feature must be on in at most the points of its class, of which there are " +
                                       std::to_string(n_of_class[k]) + ", got " + std::to_string(largest[k]));
            }
            table.append_folder(folders_[number - 1]);
        }
        check_features(table);
    }

    /// The records of features that the model does not have must be empty, or would never be found again.
    void check_features(const SharedTable& table) const {
        if (table.n_folders() == 0) return;
        const std::size_t last = table.n_folders() - 1;
        const Folder* folder = table.folder(last);
        std::size_t first = last * SharedTable::records_per_folder;
        for (std::size_t p = 0; p < PagePool::pages_per_folder; ++p, first += PagePool::records_per_page) {
            if (folder->pages[p] != nullptr && static_cast<std::int64_t>(first) >= n_features_) {
                throw ModelFormatError("pages must hold features of the model, of which there are " +
                                       std::to_string(n_features_) + ", got one of feature " + std::to_string(first));
            }
        }
    }

    /// Numbers are counted from 1, each new one the next.
    static void check_number(std::uint32_t number, std::size_t& met, std::size_t size, const char* what) {
        if (number > size || number > met + 1) {
            throw ModelFormatError(
                std::string(what) + " must exist, and be numbered in the order of first reference, " + "got number " +
                std::to_string(number) + " after " + std::to_string(met) + " of " + std::to_string(size));
        }
        met = std::max<std::size_t>(met, number);
    }

    /// Lets go of what the tables have not taken.
    void release() {
        for (Folder* folder : folders_) pool_.release(folder);
        for (Page* page : pages_) pool_.release(page);
        folders_.clear();
        pages_.clear();
    }

    ByteReader& in_;
    PagePool& pool_;
    ModelLayout layout_;
    std::int64_t n_;
    std::int64_t n_features_;
    std::vector<Page*> pages_;
    std::vector<Count> largest_of_page_;
    std::vector<Folder*> folders_;
    std::vector<Count> largest_of_folder_;
    std::size_t met_folders_ = 0;
};

}  // namespace sapwood::detail
