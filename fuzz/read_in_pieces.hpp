// What the targets of text share: blocks of whole lines that end where readable memory does, so that a sanitizer sees
// who reads beyond them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sapwood::fuzz {

/// A copy of a text, with nothing behind it.
class ExactBlock {
public:
    explicit ExactBlock(std::string_view text) : size_(text.size()), bytes_(new char[std::max<std::size_t>(size_, 1)]) {
        if (size_ > 0) std::memcpy(bytes_.get(), text.data(), size_);
    }
    std::string_view text() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<char[]> bytes_;
};

/// A text in two pieces, of which the first has whole lines; one piece if there is no end of a line before `at`.
inline std::vector<std::string_view> cut_after_line(std::string_view text, std::size_t at) {
    const std::size_t end = text.substr(0, std::min(at, text.size())).rfind('\n');
    if (end == std::string_view::npos) return {text};
    return {text.substr(0, end + 1), text.substr(end + 1)};
}

/// A seed: where a text is cut, how it is read, and the text.
inline std::string seed_of(int cut, int told, std::string_view text) {
    return std::string{static_cast<char>(cut), static_cast<char>(told)}.append(text);
}

/// The size of the first line of a text, with its end.
inline std::size_t size_of_line(std::string_view text) { return std::min(text.find('\n'), text.size() - 1) + 1; }

}  // namespace sapwood::fuzz
