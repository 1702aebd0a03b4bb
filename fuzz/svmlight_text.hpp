// Text in the svmlight format: the same points and the same errors, at whatever place it is cut in two.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sapwood/read/svmlight.hpp"
#include "target.hpp"

namespace sapwood::fuzz {

struct SvmlightText {
    static constexpr std::string_view name = "svmlight_text";

    /// The first byte says where the text is cut, the second what the parser is told.
    static std::vector<std::string> seeds() {
        return {"\7a1 1:1 2:1\n-1 3:1\n", "\3b+1 qid:3 5:0.5 7:1e-3 # why\n\n2 1:2", "\5c0 1073741823:1\r\n1 2:nan\n",
                "\1d1 2:1 2:1\nx\n1 9:-1\n", std::string("\4e1 1:1\0\n 1 0:0x1p3\n", 20)};
    }

    static void run(Bytes bytes) {
        Numbers numbers(bytes.first(std::min<std::size_t>(2, bytes.size())));
        const std::size_t cut = numbers.next();
        const std::uint32_t told = numbers.next();
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::string_view body = text.substr(std::min<std::size_t>(2, text.size()));
        const Reading whole = read(told, {body});
        const std::size_t at = std::min(cut, body.size());
        const Reading parts = read(told, {body.substr(0, at), body.substr(at)});
        promise(whole == parts, "a text that is cut says the same");
        for (std::size_t i = 0; i + 1 < whole.batch_ends.size(); ++i) {
            for (auto j = whole.batch_ends[i]; j < whole.batch_ends[i + 1]; ++j) {
                const FeatureId id = whole.features[static_cast<std::size_t>(j)];
                promise(id >= 0 && id < columns(told), "an index is that of a column");
                promise(j == whole.batch_ends[i] || whole.features[static_cast<std::size_t>(j) - 1] < id,
                        "indices ascend");
            }
        }
    }

private:
    static FeatureId columns(std::uint32_t told) { return (told & 4) != 0 ? 10 : SvmlightParser::most_columns; }

    struct Reading {
        std::vector<std::int64_t> batch_ends{0};
        std::vector<FeatureId> features;
        std::vector<double> values;
        std::vector<double> labels;
        /// The line and the column of each error.
        std::vector<std::int64_t> errors;
        bool operator==(const Reading&) const = default;
    };

    static Reading read(std::uint32_t told, const std::vector<std::string_view>& pieces) {
        SvmlightParser parser((told & 1) != 0 ? std::optional<double>(0.0) : std::nullopt, columns(told),
                              (told & 2) != 0);
        const std::size_t most = (told & 8) != 0 ? 1 : 1'000;
        Reading all;
        std::string left;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            left += pieces[i];
            const bool is_last = i + 1 == pieces.size();
            for (;;) {
                TextBatch batch;
                std::size_t consumed = 0;
                const auto error = parser.parse(left, is_last, most, batch, consumed);
                promise(consumed <= left.size(), "no more is read than there is");
                left.erase(0, consumed);
                const std::int64_t before = all.batch_ends.back();
                for (std::size_t j = 1; j < batch.indptr.size(); ++j)
                    all.batch_ends.push_back(before + batch.indptr[j]);
                all.features.insert(all.features.end(), batch.indices.begin(), batch.indices.end());
                all.values.insert(all.values.end(), batch.values.begin(), batch.values.end());
                all.labels.insert(all.labels.end(), batch.labels.begin(), batch.labels.end());
                for (const double label : batch.labels) promise(std::isfinite(label), "a label is finite");
                if (error) {
                    all.errors.push_back(error->line);
                    all.errors.push_back(error->column);
                }
                if (consumed == 0) break;
            }
        }
        promise(left.empty(), "all of a text is read");
        return all;
    }
};

}  // namespace sapwood::fuzz
