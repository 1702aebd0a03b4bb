// Vowpal Wabbit's lines: the same points, weights and lines left to the caller wherever they are cut between two lines,
// and however few points are read at once.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_in_pieces.hpp"
#include "sapwood/read/vowpal_wabbit_lines.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct VowpalWabbitText {
    static constexpr std::string_view name = "vowpal_wabbit_text";

    /// The first byte says where the text is cut, the second how it is read.
    static std::vector<std::string> seeds() {
        using namespace std::string_view_literals;
        return {seed_of(6, 0, "1 | a b a\n-1 2 'tag|n:2 a:.5 b |m a\n"),
                seed_of(9, 1, "| x\n0 |:3 a b\r\n\n1 | c:0\n"),
                seed_of(16, 2, "1 0.5 'x |\xC3\x9C a:1e308 a:1e308\n2 |n \xE2\x82\xAC:-1"),
                seed_of(2, 3, "no bar\nx| a\n1 -1 | a\n1 1 1 | a\n1 | :2 a:\n"),
                seed_of(4, 4, "1 | a:\0 b\n\xFF | c\n"sv),
                seed_of(10, 8, "1 |exactlysixteenxx a |seventeenletterss b:12345678901234567890123\n")};
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes.first(std::min<std::size_t>(2, bytes.size())));
        const std::size_t cut = numbers.next();
        const std::uint32_t told = numbers.next();
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::string_view body = text.substr(std::min<std::size_t>(2, text.size()));
        const Reading whole = read(told, {body}, 1'000'000);
        promise(whole == read(told, cut_after_line(body, cut), 1'000'000), "a text that is cut says the same");
        promise(whole == read(told, {body}, 1), "points that are read one by one are the same");
    }

private:
    static constexpr double largest_weight = 1'000;

    struct Reading {
        std::vector<std::vector<std::string>> points;
        std::vector<double> values;
        std::vector<std::pair<double, double>> labels_and_weights;
        std::vector<std::string> left;
        bool operator==(const Reading&) const = default;
    };

    static Reading read(std::uint32_t told, const std::vector<std::string_view>& pieces, std::size_t most) {
        WeightedOptions options;
        if ((told & 1) != 0) options.threshold = (told & 8) != 0 ? 1 : 0;
        options.keeps_values = (told & 2) != 0;
        options.is_labelled = (told & 4) == 0;
        options.largest_weight = largest_weight;
        VowpalWabbitLines lines(options);
        Reading all;
        const auto take = [&] {
            const WeightedBatch batch = lines.take();
            for (std::size_t i = 0; i < batch.size(); ++i) {
                auto& point = all.points.emplace_back();
                for (std::int64_t j = batch.indptr[i]; j < batch.indptr[i + 1]; ++j) {
                    const auto number = static_cast<std::uint32_t>(batch.indices[static_cast<std::size_t>(j)]);
                    promise(number < lines.names().size(), "a feature has a name");
                    point.emplace_back(lines.names().text(number));
                }
                promise(std::isfinite(batch.labels[i]), "a label is finite");
                promise(batch.weights[i] >= 0 && batch.weights[i] <= largest_weight, "a weight is within its limits");
                all.labels_and_weights.emplace_back(batch.labels[i], batch.weights[i]);
            }
            promise(batch.values.size() == (options.keeps_values ? batch.indices.size() : 0),
                    "a feature has one value, if values are kept");
            for (const double value : batch.values) {
                promise(value > options.threshold.value_or(0), "a feature is on");
                all.values.push_back(value);
            }
        };
        for (const std::string_view piece : pieces) {
            const ExactBlock block(piece);
            std::string_view rest = block.text();
            while (!rest.empty()) {
                std::size_t left = 0;
                const std::size_t consumed = lines.parse(rest, most, left);
                promise(left <= consumed && consumed <= rest.size(), "no more is read than there is");
                promise(consumed > 0, "something is read");
                if (left < consumed) all.left.emplace_back(rest.substr(left, consumed - left));
                rest.remove_prefix(consumed);
                take();
            }
        }
        return all;
    }
};

}  // namespace sapwood::fuzz
