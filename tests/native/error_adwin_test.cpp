// The ADWIN of errors against that of any values, after every value, and its way to bytes and back.
#include "sapwood/drift/error_adwin.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "check.hpp"
#include "detector_bytes.hpp"
#include "sapwood/drift/adwin.hpp"

namespace {

using sapwood::Adwin;
using sapwood::AdwinOptions;
using sapwood::bytes_of;
using sapwood::Change;
using sapwood::detector_of;
using sapwood::ErrorAdwin;
using sapwood::ModelFormatError;
using sapwood::Random;

/// The bytes but for the squared deviations of the window, in which rounding may differ.
std::string without_deviations(std::string bytes) {
    constexpr std::size_t at = 8 + 8 + 1 + 8;
    return bytes.erase(at, 8);
}

/// Both see the same values, of two rates in turn; one that is saved and read now and then goes on as the others do.
std::int64_t finds_the_same(const AdwinOptions& options, double rate, double other, Random random) {
    Adwin any(options);
    ErrorAdwin errors(options);
    ErrorAdwin resumed(options);
    for (int i = 0; i < 6000; ++i) {
        const bool is_wrong = random.chance(i % 2000 < 1000 ? rate : other);
        const Change change = any.update(is_wrong ? 1 : 0);
        CHECK(errors.update(is_wrong) == change);
        CHECK(resumed.update(is_wrong) == change);
        CHECK(errors.last() == any.last());
        CHECK(errors.width() == any.width());
        CHECK(static_cast<double>(errors.total()) == any.total());
        CHECK(errors.n_seen() == any.n_seen() && errors.n_detections() == any.n_detections());
        CHECK(std::fabs(errors.variance() - any.variance()) < 1e-12);
        if (i % 7 != 0) continue;
        const std::string bytes = bytes_of(errors);
        CHECK(without_deviations(bytes) == without_deviations(bytes_of(any)));
        const ErrorAdwin twin = detector_of<ErrorAdwin>(bytes, options);
        CHECK(bytes_of(twin) == bytes);
        // The rows that memory is charged for are those with the values that wait.
        CHECK(errors.n_rows() == twin.n_rows());
        if (random.chance(0.1)) resumed = detector_of<ErrorAdwin>(bytes_of(resumed), options);
        CHECK(bytes_of(resumed) == bytes);
    }
    return errors.n_detections();
}

void damaged_bytes_are_refused() {
    ErrorAdwin adwin;
    Random random({1, 2, 3, 4});
    for (int i = 0; i < 500; ++i) adwin.update(random.chance(0.3));
    const std::string bytes = bytes_of(adwin);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS(ModelFormatError, detector_of<ErrorAdwin>(bytes.substr(0, size), {}));
    }
    // Whatever a byte becomes, it is refused or makes an ADWIN that works.
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int changed : {0, 1, 127, 128, 255}) {
            std::string other = bytes;
            other[at] = static_cast<char>(changed);
            try {
                ErrorAdwin made = detector_of<ErrorAdwin>(other, {});
                CHECK(made.total() == adwin.total() && made.width() == adwin.width());
                for (int i = 0; i < 64; ++i) made.update(true);
                CHECK(made.width() > 0 && std::isfinite(made.estimation()));
            } catch (const ModelFormatError&) {
                CHECK(true);
            }
        }
    }
}

}  // namespace

int main() {
    std::int64_t found = 0;
    found += finds_the_same({}, 0.2, 0.5, Random({1, 1, 1, 1}));
    found += finds_the_same({}, 0.02, 0.9, Random({2, 2, 2, 2}));
    found += finds_the_same({}, 0.0, 1.0, Random({3, 3, 3, 3}));
    found += finds_the_same({0.01, 1, 2, 1, 0}, 0.2, 0.3, Random({4, 4, 4, 4}));
    found += finds_the_same({0.3, 100, 7, 3, 5}, 0.3, 0.4, Random({5, 5, 5, 5}));
    found += finds_the_same({0.3, 13, 3, 2, 1}, 0.5, 0.5, Random({6, 6, 6, 6}));
    CHECK(found >= 30);
    damaged_bytes_are_refused();
    return sapwood::check::finish();
}
