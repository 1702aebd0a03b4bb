#include "sapwood/search/make_search.hpp"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sapwood/search/families.hpp"
#include "sapwood/search/numbers/composite.hpp"

namespace sapwood {

std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice) {
    check_choice(choice);
    if (const std::optional<std::string> reason = why_not(choice)) throw std::invalid_argument(*reason);
    const auto n_classes = static_cast<std::size_t>(choice.n_classes);
    switch (choice.search) {
        case SearchKind::exhaustive:
            return make_exhaustive(choice.criterion, n_classes);
        case SearchKind::approximate:
            return make_approximate(choice.criterion, choice.alpha);
        case SearchKind::certified:
            break;
    }
    return n_classes == 2 ? make_binary_certified(choice.criterion, choice.seed)
                          : make_multiclass_certified(choice.criterion, n_classes, choice.seed, choice.class_room);
}

std::unique_ptr<SplitSearch> with_attributes(const SearchChoice& choice, std::unique_ptr<SplitSearch> flags,
                                             const Attributes& attributes) {
    return std::make_unique<CompositeSearch>(choice, std::move(flags), attributes);
}

std::unique_ptr<SplitSearch> make_search(const SearchChoice& choice, const Attributes* attributes) {
    std::unique_ptr<SplitSearch> flags = make_search(choice);
    return attributes == nullptr ? std::move(flags) : with_attributes(choice, std::move(flags), *attributes);
}

std::unique_ptr<SplitSearch> clone_over(const SplitSearch& search, const Attributes& copy) {
    return dynamic_cast<const CompositeSearch&>(search).clone_over(copy);
}

void load_attributes(SplitSearch& search, ByteReader& in) {
    dynamic_cast<CompositeSearch&>(search).load_attributes(in);
}

std::unique_ptr<SplitSearch> widened(SplitSearch& search, const SearchChoice& wider) {
    if (auto* composite = dynamic_cast<CompositeSearch*>(&search)) {
        return composite->widened(wider, widened(composite->flags(), wider));
    }
    std::unique_ptr<SplitSearch> made = make_search(wider);
    SearchState state = search.state();
    const auto n_classes = static_cast<std::size_t>(wider.n_classes);
    state.of_class.resize(n_classes);
    state.on.resize(n_classes, std::vector<Count>(state.ids.size()));
    made->restore(std::move(state));
    return made;
}

}  // namespace sapwood
