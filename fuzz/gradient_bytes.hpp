// The bytes of gradients, what workers have summed: anything is refused with ModelFormatError, or is gradients that are
// saved and loaded as the same ones, and to which others can be added.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "sapwood/tree/batch/gradients.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct GradientBytes {
    static constexpr std::string_view name = "gradient_bytes";

    static std::vector<std::string> seeds() {
        const Gradients nothing(7, 2, 2);
        Gradients::Sums<Gradients::Leaf> leaves{3, {{1}, {4}}, {1, -2, 3, 0, Gradients::largest_sum, -1}};
        Gradients::Sums<Gradients::Entry> entries{2, {{1, 4}, {1, 1'000'000}, {4, 0}}, {5, -5, 1, 2, -300, 70'000}};
        return {nothing.to_bytes(), Gradients(7, std::move(leaves), std::move(entries)).to_bytes()};
    }

    static void run(Bytes bytes) {
        try {
            Gradients gradients = Gradients::from_bytes(std::as_bytes(bytes));
            const std::string saved = gradients.to_bytes();
            promise(Gradients::from_bytes(as_bytes(saved)) == gradients, "what was saved and loaded is the same");
            promise(saved.size() == bytes.size(), "gradients have one way to be written");
            const Gradients before = gradients;
            try {
                gradients.merge(before);
            } catch (const std::overflow_error&) {
                promise(gradients == before, "a sum that is too large changes nothing");
                return;
            }
            promise(gradients.entries().keys == before.entries().keys, "those that are added are of the same features");
        } catch (const ModelFormatError&) {
            return;
        }
    }
};

}  // namespace sapwood::fuzz
