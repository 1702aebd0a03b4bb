// The bytes of values, what workers have met of numbers: anything is refused with ModelFormatError, or is values that
// are saved and loaded as the same ones, and to which others can be added.
#pragma once

#include <string>
#include <vector>

#include "sapwood/tree/batch/value_counts.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct ValueBytes {
    static constexpr std::string_view name = "value_bytes";

    static std::vector<std::string> seeds() {
        const ValueCounts some({{3, {1.5, -2, 1.5, 0}}, {text_id("age"), {1e300, 5e-324, -1e300}}});
        return {ValueCounts().to_bytes(), some.to_bytes()};
    }

    static void run(Bytes bytes) {
        try {
            ValueCounts values = ValueCounts::from_bytes(std::as_bytes(bytes));
            const std::string saved = values.to_bytes();
            promise(ValueCounts::from_bytes(as_bytes(saved)) == values, "what was saved and loaded is the same");
            promise(saved.size() == bytes.size(), "values have one way to be written");
            const ValueCounts before = values;
            values.merge(before);
            promise(values.numbers().size() == before.numbers().size(), "those that are added are of the same numbers");
            for (const auto& [number, of_number] : before.numbers()) {
                const ValueCounts::Values& twice = values.numbers().at(number);
                promise(twice.size() == of_number.size(), "they are the same values");
                NumberGrid grid;
                grid.meet(of_number);
                promise(grid.n_bins() <= of_number.size(), "every bin has a value");
                for (std::size_t i = 0; i < of_number.size(); ++i) {
                    promise(twice[i].n == 2 * of_number[i].n, "each as often again");
                    const std::size_t bin = grid.bin_of(of_number[i].value);
                    promise(grid.low(bin) <= of_number[i].value && of_number[i].value <= grid.high(bin),
                            "a value is in its bin");
                }
            }
        } catch (const ModelFormatError&) {
            return;
        }
    }
};

}  // namespace sapwood::fuzz
