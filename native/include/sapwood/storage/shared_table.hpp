#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sapwood/compiler.hpp"
#include "sapwood/types.hpp"

namespace sapwood {

/// A word of the record that the model of a leaf keeps of a feature: a count or a weight. All are 0 at first.
union Word {
    Count count;
    float weight;
};
static_assert(sizeof(Word) == 4);

/// The records of the features of a point.
using Records = std::span<const Word* const>;

/// The pages of the tables of one tree: all of one size, counted, each freed with its last table.
class PagePool {
public:
    static constexpr std::size_t records_per_page = 16;
    static constexpr std::size_t pages_per_folder = 64;

    /// The number of tables that have the page, and after it, in memory, its words.
    struct Page {
        std::size_t owners;

        Word* words() { return reinterpret_cast<Word*>(this + 1); }
        const Word* words() const { return reinterpret_cast<const Word*>(this + 1); }
    };
    struct Folder {
        std::size_t owners = 1;
        std::array<Page*, pages_per_folder> pages{};
    };

    explicit PagePool(std::size_t record_size)
        : record_size_(record_size), nothing_(new Word[record_size == 0 ? 1 : record_size]()) {}
    PagePool(const PagePool&) = delete;
    PagePool& operator=(const PagePool&) = delete;

    /// The number of words in a record.
    std::size_t record_size() const { return record_size_; }
    std::size_t page_bytes() const { return sizeof(Page) + records_per_page * record_size_ * sizeof(Word); }
    std::size_t n_bytes() const { return bytes_; }

    /// The record of a feature of which nothing is kept.
    const Word* nothing() const { return nothing_.get(); }

    Page* make_page() {
        auto* page = static_cast<Page*>(::operator new(page_bytes()));
        page->owners = 1;
        std::memset(page->words(), 0, records_per_page * record_size_ * sizeof(Word));
        bytes_ += page_bytes();
        return page;
    }
    Page* copy_of(const Page* page) {
        Page* copy = make_page();
        std::memcpy(copy->words(), page->words(), records_per_page * record_size_ * sizeof(Word));
        return copy;
    }
    void release(Page* page) {
        if (--page->owners > 0) return;
        ::operator delete(page);
        bytes_ -= page_bytes();
    }

    Folder* make_folder() {
        auto* folder = new Folder;
        bytes_ += sizeof(Folder);
        return folder;
    }
    Folder* copy_of(const Folder* folder) {
        Folder* copy = make_folder();
        copy->pages = folder->pages;
        for (Page* page : copy->pages) {
            if (page != nullptr) ++page->owners;
        }
        return copy;
    }
    void release(Folder* folder) {
        if (--folder->owners > 0) return;
        for (Page* page : folder->pages) {
            if (page != nullptr) release(page);
        }
        delete folder;
        bytes_ -= sizeof(Folder);
    }

private:
    std::size_t record_size_;
    std::unique_ptr<Word[]> nothing_;
    std::size_t bytes_ = 0;
};

/// A record for each feature, in memory shared with the tables that it was copied from and to, and copied only where
/// one of them changes: a leaf that splits hands its table to both of its children for the price of a few pointers.
///
/// Reading takes three look-ups. Features are slots, dense and in the order in which they were first seen, so that the
/// frequent ones share pages. Two threads may read it at once, but not change it.
class SharedTable {
public:
    using Page = PagePool::Page;
    using Folder = PagePool::Folder;
    static constexpr std::size_t records_per_folder = PagePool::records_per_page * PagePool::pages_per_folder;

    explicit SharedTable(PagePool& pool) : pool_(&pool) {}
    ~SharedTable() { clear(); }
    SharedTable(const SharedTable& other) : pool_(other.pool_), folders_(other.folders_) {
        for (Folder* folder : folders_) {
            if (folder != nullptr) ++folder->owners;
        }
    }
    SharedTable(SharedTable&& other) noexcept : pool_(other.pool_), folders_(std::move(other.folders_)) {
        other.folders_.clear();
    }
    SharedTable& operator=(SharedTable other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(folders_, other.folders_);
        return *this;
    }

    /// Begins to bring the records of features close, to be read or changed soon.
    void prefetch(Features features) const {
        if (folders_.size() > few_folders) prefetch_folders(features);
        for (const FeatureId id : features) {
            const Folder* folder = folder_of(id);
            const Page* page = folder == nullptr ? nullptr : folder->pages[page_in_folder(id)];
            if (page == nullptr) continue;
            prefetch_to_change(page);
            prefetch_to_change(page->words() + word_in_page(id));
        }
    }

    /// The record of a feature, to be read.
    const Word* find(FeatureId slot) const {
        const Folder* folder = folder_of(slot);
        if (folder == nullptr) return pool_->nothing();
        const Page* page = folder->pages[page_in_folder(slot)];
        return page == nullptr ? pool_->nothing() : page->words() + word_in_page(slot);
    }

    /// The record of a feature, to be changed: from now on it is no other table's.
    Word* own(FeatureId slot) {
        const std::size_t at = static_cast<std::size_t>(slot) / records_per_folder;
        if (at >= folders_.size()) folders_.resize(at + 1);
        Folder*& folder = folders_[at];
        if (folder == nullptr) {
            folder = pool_->make_folder();
        } else if (folder->owners > 1) {
            Folder* copy = pool_->copy_of(folder);
            --folder->owners;
            folder = copy;
        }
        Page*& page = folder->pages[page_in_folder(slot)];
        if (page == nullptr) {
            page = pool_->make_page();
        } else if (page->owners > 1) {
            Page* copy = pool_->copy_of(page);
            --page->owners;
            page = copy;
        }
        return page->words() + word_in_page(slot);
    }

    /// The records of features, to be changed, as `own` gives them one by one.
    void own(Features features, std::vector<Word*>& records) {
        constexpr std::size_t block = 64;
        std::array<Page*, block> pages;
        records.resize(features.size());
        if (folders_.size() <= few_folders) {
            for (std::size_t i = find_owned(features, records.data()); i < features.size(); ++i) {
                records[i] = own(features[i]);
            }
            return;
        }
        for (std::size_t first = 0; first < features.size(); first += block) {
            const Features some = features.subspan(first, std::min(block, features.size() - first));
            Word** found = records.data() + first;
            // Each step waits for the one before, but not those of one feature for those of another.
            prefetch_folders(some);
            for (std::size_t i = 0; i < some.size(); ++i) {
                const Folder* folder = folder_of(some[i]);
                pages[i] = folder == nullptr || folder->owners > 1 ? nullptr : folder->pages[page_in_folder(some[i])];
                if (pages[i] == nullptr) continue;
                found[i] = pages[i]->words() + word_in_page(some[i]);
                prefetch_to_change(pages[i]);
                prefetch_to_change(found[i]);
            }
            for (std::size_t i = 0; i < some.size(); ++i) {
                if (pages[i] != nullptr && pages[i]->owners == 1) continue;
                // A page that is copied for one feature is no longer that of the next, however few own it then.
                for (; i < some.size(); ++i) found[i] = own(some[i]);
            }
        }
    }

    /// The most memory that owning a record can take: a page, a folder, and more room for pointers to folders.
    std::size_t bytes_to_own(FeatureId slot) const {
        const std::size_t at = static_cast<std::size_t>(slot) / records_per_folder;
        const std::size_t room = at < folders_.size() ? 0 : std::max(2 * folders_.capacity(), at + 1);
        return pool_->page_bytes() + sizeof(Folder) + room * sizeof(Folder*);
    }

    /// More than owning the records of features one after the other can ever ask for, with what the table itself takes.
    std::size_t bytes_to_own(Features features) const {
        if (features.empty()) return n_bytes();
        const std::size_t of_one = bytes_to_own(*std::max_element(features.begin(), features.end()));
        // Pointers to folders may double a few times on the way, and of each of these times both sizes are asked for.
        return 2 * n_bytes() + (features.size() + 6) * of_one;
    }

    /// Whether `own` would take no memory.
    bool owns(FeatureId slot) const {
        const Folder* folder = folder_of(slot);
        if (folder == nullptr || folder->owners > 1) return false;
        const Page* page = folder->pages[page_in_folder(slot)];
        return page != nullptr && page->owners == 1;
    }

    /// Calls `use(number, page)` for every page, in the order of their numbers.
    template <class Use>
    void for_each_page(Use use) const {
        for (std::size_t at = 0; at < folders_.size(); ++at) {
            if (folders_[at] == nullptr) continue;
            for (std::size_t p = 0; p < PagePool::pages_per_folder; ++p) {
                if (const Page* page = folders_[at]->pages[p]) use(at * PagePool::pages_per_folder + p, page);
            }
        }
    }

    /// Puts a page where there is none, and shares it with whoever has it. For tables that are made from others.
    void put_page(std::size_t number, Page* page) {
        const std::size_t at = number / PagePool::pages_per_folder;
        if (at >= folders_.size()) folders_.resize(at + 1);
        if (folders_[at] == nullptr) folders_[at] = pool_->make_folder();
        folders_[at]->pages[number % PagePool::pages_per_folder] = page;
        ++page->owners;
    }

    /// The number of folders, where one may be missing.
    std::size_t n_folders() const { return folders_.size(); }

    /// A folder, or null. The last one is never null.
    const Folder* folder(std::size_t at) const { return folders_[at]; }

    /// Puts a folder, or null, after those that there are, and shares it with whoever has it.
    void append_folder(Folder* folder) {
        folders_.push_back(folder);
        if (folder != nullptr) ++folder->owners;
    }

    /// The memory of this object alone; that of the pages is counted by their pool.
    std::size_t n_bytes() const { return folders_.capacity() * sizeof(Folder*); }

private:
    /// So many are close anyway.
    static constexpr std::size_t few_folders = 16;

    /// Finds the records of features up to the first that is not this table's alone; returns how many they are.
    std::size_t find_owned(Features features, Word** records) const {
        const std::size_t record_size = pool_->record_size();
        std::size_t known = 0;
        const Folder* folder = nullptr;
        for (std::size_t i = 0; i < features.size(); ++i) {
            const auto slot = static_cast<std::size_t>(features[i]);
            // Most features of a point are in the folder of the one before.
            if (folder == nullptr || slot / records_per_folder != known) {
                known = slot / records_per_folder;
                folder = folder_of(features[i]);
                if (folder == nullptr || folder->owners > 1) return i;
            }
            Page* page = folder->pages[page_in_folder(features[i])];
            if (page == nullptr || page->owners > 1) return i;
            records[i] = page->words() + slot % PagePool::records_per_page * record_size;
        }
        return features.size();
    }

    void prefetch_folders(Features features) const {
        for (const FeatureId id : features) {
            if (const Folder* folder = folder_of(id)) prefetch_to_change(&folder->pages[page_in_folder(id)]);
        }
    }
    const Folder* folder_of(FeatureId slot) const {
        const std::size_t at = static_cast<std::size_t>(slot) / records_per_folder;
        return at < folders_.size() ? folders_[at] : nullptr;
    }
    static std::size_t page_in_folder(FeatureId slot) {
        return static_cast<std::size_t>(slot) / PagePool::records_per_page % PagePool::pages_per_folder;
    }
    std::size_t word_in_page(FeatureId slot) const {
        return static_cast<std::size_t>(slot) % PagePool::records_per_page * pool_->record_size();
    }

    void clear() {
        for (Folder* folder : folders_) {
            if (folder != nullptr) pool_->release(folder);
        }
        folders_.clear();
    }

    PagePool* pool_;
    std::vector<Folder*> folders_;
};

}  // namespace sapwood
