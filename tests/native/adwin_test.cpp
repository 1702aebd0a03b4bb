// The window of an ADWIN against one that keeps every value, and its way to bytes and back after every value.
#include "sapwood/drift/adwin.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "detector_bytes.hpp"

namespace {

using sapwood::Adwin;
using sapwood::AdwinOptions;
using sapwood::bytes_of;
using sapwood::Change;
using sapwood::detector_of;
using sapwood::ModelFormatError;
using sapwood::Random;

/// The values of the window are the last ones of the stream; sums of 0 and 1 are exact.
void keeps_recent_values(const AdwinOptions& options, Random random) {
    Adwin adwin(options);
    std::vector<double> values;
    for (int i = 0; i < 3000; ++i) {
        values.push_back(random.chance(i % 1000 < 500 ? 0.2 : 0.8) ? 1 : 0);
        const std::int64_t before = adwin.width();
        const Change change = adwin.update(values.back());
        CHECK(change == adwin.last());
        CHECK((change == Change::none) == (adwin.width() == before + 1));
        CHECK(adwin.width() <= before + 1);
        double sum = 0;
        for (std::size_t j = values.size() - static_cast<std::size_t>(adwin.width()); j < values.size(); ++j) {
            sum += values[j];
        }
        CHECK(adwin.total() == sum);
        const double mean = sum / static_cast<double>(adwin.width());
        CHECK(std::fabs(adwin.variance() - mean * (1 - mean)) < 1e-12);
        const std::string bytes = bytes_of(adwin);
        const Adwin twin = detector_of<Adwin>(bytes, options);
        CHECK(bytes_of(twin) == bytes);
        CHECK(twin.width() == adwin.width());
    }
    CHECK(adwin.n_detections() >= 5);
    CHECK(adwin.n_seen() == 3000);
    // The window of thousands of values takes a few hundred numbers.
    CHECK(adwin.n_bytes() < 4096);
}

void damaged_bytes_are_refused() {
    Adwin adwin;
    Random random({1, 2, 3, 4});
    for (int i = 0; i < 500; ++i) adwin.update(random.uniform());
    const std::string bytes = bytes_of(adwin);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS(ModelFormatError, detector_of<Adwin>(bytes.substr(0, size), {}));
    }
    // Whatever a byte becomes, it is refused or makes an ADWIN that works.
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int changed : {0, 1, 127, 128, 255}) {
            std::string other = bytes;
            other[at] = static_cast<char>(changed);
            try {
                Adwin made = detector_of<Adwin>(other, {});
                for (int i = 0; i < 64; ++i) made.update(1);
                CHECK(made.width() > 0 && std::isfinite(made.estimation()));
            } catch (const ModelFormatError&) {
                CHECK(true);
            }
        }
    }
}

void options_are_checked() {
    CHECK_THROWS(std::invalid_argument, Adwin({0.0}));
    CHECK_THROWS(std::invalid_argument, Adwin({1.0}));
    CHECK_THROWS(std::invalid_argument, Adwin({0.1, 0}));
    CHECK_THROWS(std::invalid_argument, Adwin({0.1, 1, 1}));
    CHECK_THROWS(std::invalid_argument, Adwin({0.1, 1, 2, 0}));
}

}  // namespace

int main() {
    keeps_recent_values({}, Random({1, 1, 1, 1}));
    keeps_recent_values({0.01, 1, 2, 1, 0}, Random({2, 2, 2, 2}));
    damaged_bytes_are_refused();
    options_are_checked();
    return sapwood::check::finish();
}
