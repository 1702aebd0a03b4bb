// Labelled text: the same points and lines left to the caller wherever it is cut between two lines, and however few
// points are read at once; indices are those of words or columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read_in_pieces.hpp"
#include "sapwood/read/text_lines.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct LabelledText {
    static constexpr std::string_view name = "text_lines";

    /// The first byte says where the text is cut, the second how it is read.
    static std::vector<std::string> seeds() {
        using namespace std::string_view_literals;
        return {seed_of(6, 0, "spam\tbuy now, buy\nham\tsee you at nine\n"),
                seed_of(9, 1, "spam\tone two three\r\n\nham\tTwo\n"),
                seed_of(16, 2, "a\t\xC3\x9C\x62\x65r \xE2\x82\xAC 100\nb\t\xF0\x9F\x8C\xB2 tree"),
                seed_of(2, 3, "no tab here\nx\ty\n\t\n"),
                seed_of(4, 0, "a\tb\0c\nb\t\xFF\xC3\n"sv),
                seed_of(10, 5, "a\tlong words in a row\na\trow a in words long\n"),
                seed_of(12, 8, "__label__a b c b\nb __label__x\n__label__\nx\n__label__a __label__b\n")};
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
    static constexpr FeatureId n_columns = 64;

    struct Reading {
        std::vector<std::vector<FeatureId>> points;
        std::vector<std::string> labels;
        std::vector<std::string> left;
        bool operator==(const Reading&) const = default;
    };

    /// Characters beyond ASCII: some are letters, some blank, and some special, whatever they are in Unicode.
    static void fill(std::uint32_t first, Characters::Page& page) {
        for (std::uint32_t i = 0; i < page.size(); ++i) {
            page[i] = {first + i, (first + i) % 3 != 0, (first + i) % 17 == 0, (first + i) % 29 == 0};
        }
    }

    static Reading read(std::uint32_t told, const std::vector<std::string_view>& pieces, std::size_t most) {
        WordOptions options;
        options.is_labelled = (told & 4) == 0;
        options.longest = 1 + (told & 1);
        if ((told & 2) != 0) options.n_columns = n_columns;
        if ((told & 8) != 0) options.label_prefix = "__label__";
        TextLines lines(options, fill);
        Reading all;
        const auto take = [&] {
            const WordBatch batch = lines.take();
            for (std::size_t i = 0; i < batch.size(); ++i) {
                std::vector<FeatureId> point(batch.indices.begin() + batch.indptr[i],
                                             batch.indices.begin() + batch.indptr[i + 1]);
                for (const FeatureId id : point) {
                    const std::size_t bound = lines.is_hashed() ? std::size_t{n_columns} : lines.words().size();
                    promise(id >= 0 && static_cast<std::size_t>(id) < bound, "an index is that of a word or a column");
                }
                all.points.push_back(std::move(point));
                if (!options.is_labelled) continue;
                const auto place = static_cast<std::size_t>(batch.labels[i]);
                promise(place < batch.classes.size(), "a label is one of the classes");
                promise(batch.classes[place] < lines.classes().size(), "a class has a text");
                all.labels.emplace_back(lines.classes().text(batch.classes[place]));
            }
        };
        for (const std::string_view piece : pieces) {
            const ExactBlock block(piece);
            std::string_view rest = block.text();
            while (!rest.empty()) {
                std::size_t left = 0;
                const std::size_t consumed = lines.parse(rest, most, false, left);
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
