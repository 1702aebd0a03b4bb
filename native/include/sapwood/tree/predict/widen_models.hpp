#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "sapwood/tree/predict/leaf_models.hpp"

namespace sapwood {

/// Makes the models of leaves anew for more classes. What leaves shared before, they share afterwards.
class PageWidener {
public:
    PageWidener(PagePool& pool, const ModelLayout& narrow, const ModelLayout& wide)
        : pool_(pool), narrow_(narrow), wide_(wide) {}
    ~PageWidener() { release(); }
    PageWidener(const PageWidener&) = delete;
    PageWidener& operator=(const PageWidener&) = delete;

    LeafModels widened(const LeafModels& models) {
        LeafModels wide(pool_, wide_);
        std::copy(models.n_of_class.begin(), models.n_of_class.end(), wide.n_of_class.begin());
        if (wide_.keeps_logistic) {
            LogisticRegression::widen(models.intercept.data(), narrow_.n_outputs(), narrow_.outputs_room(),
                                      wide.intercept.data(), wide_.outputs_room());
        }
        wide.right = models.right;
        wide.mixer = models.mixer;
        models.table.for_each_page(
            [&](std::size_t number, const PagePool::Page* page) { wide.table.put_page(number, widened(page)); });
        return wide;
    }

    /// Lets go of the pages that were made; the tables keep theirs.
    void release() {
        for (const auto& [narrow, wide] : made_) {
            if (wide != nullptr) pool_.release(wide);
        }
        made_.clear();
    }

private:
    PagePool::Page* widened(const PagePool::Page* narrow) {
        // The place comes first, so that a page which was made is never lost; if none could be made it stays empty.
        const auto [place, is_new] = made_.try_emplace(narrow, nullptr);
        if (!is_new) return place->second;
        PagePool::Page* wide = pool_.make_page();
        place->second = wide;
        for (std::size_t i = 0; i < PagePool::records_per_page; ++i) {
            const Word* from = narrow->words() + i * narrow_.record_size();
            Word* to = wide->words() + i * wide_.record_size();
            std::copy(from, from + narrow_.n_counts(), to);
            if (wide_.keeps_logistic) {
                LogisticRegression::widen(from + narrow_.weights_at(), narrow_.n_outputs(), narrow_.outputs_room(),
                                          to + wide_.weights_at(), wide_.outputs_room());
            }
        }
        return wide;
    }

    PagePool& pool_;
    ModelLayout narrow_;
    ModelLayout wide_;
    std::unordered_map<const PagePool::Page*, PagePool::Page*> made_;
};

}  // namespace sapwood
