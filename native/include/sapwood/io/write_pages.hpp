#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "sapwood/io/page_records.hpp"
#include "sapwood/io/tree_format.hpp"
#include "sapwood/storage/bytes.hpp"
#include "sapwood/storage/variable_length.hpp"
#include "sapwood/tree/predict/leaf_models.hpp"

namespace sapwood::detail {

/// Words are put as they are: a count and a weight have the same size and the same order of bytes.
inline void put_words(ByteWriter& out, const Word* words, std::size_t size) {
    if constexpr (std::endian::native == std::endian::little) {
        if (size > 0) out.put_raw({reinterpret_cast<const char*>(words), size * sizeof(Word)});
    } else {
        for (std::size_t i = 0; i < size; ++i) out.put(std::bit_cast<std::uint32_t>(words[i]));
    }
}

/// Numbers the pages and the folders of the models of leaves in the order in which they are first met.
class PageNumbers {
public:
    using Page = PagePool::Page;
    using Folder = PagePool::Folder;
    using Pages = std::array<std::uint32_t, PagePool::pages_per_folder>;

    /// The number of a folder. Folders of the same pages are one, whether or not they are one in memory.
    std::uint32_t of(const Folder* folder) {
        if (folder == nullptr) return tree_format::none;
        const auto known = of_folder_.find(folder);
        if (known != of_folder_.end()) return known->second;
        Pages pages{};
        for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = of(folder->pages[i]);
        const auto [at, is_new] = of_pages_.try_emplace(pages, static_cast<std::uint32_t>(folders_.size() + 1));
        if (is_new) folders_.push_back(pages);
        return of_folder_[folder] = at->second;
    }

    const std::vector<const Page*>& pages() const { return pages_; }
    const std::vector<Pages>& folders() const { return folders_; }

private:
    std::uint32_t of(const Page* page) {
        if (page == nullptr) return tree_format::none;
        const auto [at, is_new] = of_page_.try_emplace(page, static_cast<std::uint32_t>(pages_.size() + 1));
        if (is_new) pages_.push_back(page);
        return at->second;
    }

    std::unordered_map<const Folder*, std::uint32_t> of_folder_;
    std::unordered_map<const Page*, std::uint32_t> of_page_;
    std::map<Pages, std::uint32_t> of_pages_;
    std::vector<const Page*> pages_;
    std::vector<Pages> folders_;
};

/// Writes the pages of the models of leaves, then the models themselves, which share them.
class PageWriter {
public:
    /// Must be told of the models of every leaf, in the order in which they are put later.
    void meet(const LeafModels& models) {
        for (std::size_t i = 0; i < models.table.n_folders(); ++i) numbers_.of(models.table.folder(i));
    }

    void put_pages(ByteWriter& out, const ModelLayout& layout) {
        out.put(static_cast<std::uint32_t>(numbers_.pages().size()));
        for (const PagePool::Page* page : numbers_.pages()) put_page(out, page->words(), layout);
        out.put(static_cast<std::uint32_t>(numbers_.folders().size()));
        for (const PageNumbers::Pages& pages : numbers_.folders()) out.put_all(std::span<const std::uint32_t>(pages));
    }

    void put_models(ByteWriter& out, const LeafModels& models, const ModelLayout& layout, bool chooses) {
        out.put_all(std::span<const std::int64_t>(models.n_of_class));
        if (layout.keeps_logistic) {
            put_words(out, models.intercept.data(), layout.n_outputs());
            put_words(out, models.intercept.data() + layout.outputs_room(), layout.n_outputs());
        }
        if (models.mixer) out.put_all(std::span<const double>(models.mixer->weights).first(n_common_experts));
        if (chooses) out.put_all(std::span<const std::int64_t>(models.right));
        out.put(static_cast<std::uint32_t>(models.table.n_folders()));
        for (std::size_t i = 0; i < models.table.n_folders(); ++i) out.put(numbers_.of(models.table.folder(i)));
    }

private:
    /// Puts which records are not all zero, and these: counts in as few bytes as they need, other words as they are. A
    /// page takes no fewer bytes than one record does: one of zeros alone has all of its records written.
    void put_page(ByteWriter& out, const Word* words, const ModelLayout& layout) {
        std::uint16_t written = 0;
        for (std::size_t i = 0; i < PagePool::records_per_page; ++i) {
            if (!is_zero(words + i * layout.record_size(), layout)) written |= static_cast<std::uint16_t>(1u << i);
        }
        if (written == 0) written = tree_format::all_records;
        out.put(written);
        // Together, so that a word is not appended by itself.
        page_bytes_.resize(PagePool::records_per_page * layout.words_in_record() * most_varint_bytes);
        char* end = page_bytes_.data();
        for (std::size_t i = 0; i < PagePool::records_per_page; ++i) {
            if ((written >> i & 1) == 0) continue;
            const Word* record = words + i * layout.record_size();
            for (std::size_t k = 0; k < layout.n_counts(); ++k)
                end = write_varint(static_cast<std::uint32_t>(record[k].count), end);
            if (!layout.keeps_logistic) continue;
            for (const std::size_t first : {layout.weights_at(), layout.squares_at()}) {
                for (std::size_t k = 0; k < layout.n_outputs(); ++k, end += sizeof(Word)) {
                    const std::uint32_t word = in_file_order(std::bit_cast<std::uint32_t>(record[first + k]));
                    std::memcpy(end, &word, sizeof(Word));
                }
            }
        }
        out.put_raw({page_bytes_.data(), static_cast<std::size_t>(end - page_bytes_.data())});
    }

    std::vector<char> page_bytes_;
    PageNumbers numbers_;
};

}  // namespace sapwood::detail
