// The detectors of a tree of a forest against two that are apart, byte for byte after every error, and after a way to
// bytes and back.
#include "sapwood/forest/error_detectors.hpp"

#include <optional>
#include <string>

#include "check.hpp"

namespace {

using sapwood::Adwin;
using sapwood::AdwinOptions;
using sapwood::ByteWriter;
using sapwood::Change;
using sapwood::ErrorDetectors;
using sapwood::ForestOptions;
using sapwood::OnDrift;
using sapwood::Random;

std::string bytes_of(const std::optional<Adwin>& adwin) {
    ByteWriter out;
    if (adwin) adwin->save(out);
    return out.take();
}

/// Errors whose rate rises and falls; returns how many changes were seen.
int are_as_if_apart(OnDrift on_drift, double warning_delta, double drift_delta, Random random) {
    ForestOptions options;
    options.on_drift = on_drift;
    options.warning_delta = warning_delta;
    options.drift_delta = drift_delta;
    ErrorDetectors detectors(options);
    std::optional<Adwin> warning;
    std::optional<Adwin> drift;
    if (on_drift == OnDrift::swap) warning.emplace(AdwinOptions{.delta = warning_delta});
    if (on_drift != OnDrift::nothing) drift.emplace(AdwinOptions{.delta = drift_delta});
    int n_changes = 0;
    for (int i = 0; i < 4000; ++i) {
        const double error = random.chance(i < 1500 || i > 3000 ? 0.2 : 0.4) ? 1 : 0;
        const ErrorDetectors::Changes seen = detectors.update(error);
        CHECK(seen.warning == (warning ? warning->update(error) : Change::none));
        CHECK(seen.drift == (drift ? drift->update(error) : Change::none));
        if (seen.warning == Change::rose) {
            detectors.restart_warning();
            warning.emplace(AdwinOptions{.delta = warning_delta});
        }
        n_changes += (seen.warning != Change::none ? 1 : 0) + (seen.drift != Change::none ? 1 : 0);
        CHECK(detectors.error() == (drift ? drift->estimation() : 0));
        CHECK(bytes_of(detectors.warning()) == bytes_of(warning));
        CHECK(bytes_of(detectors.drift()) == bytes_of(drift));
        if (i % 700 == 699) {
            ErrorDetectors read(options);
            read.restore(detectors.warning(), detectors.drift());
            CHECK(read.n_bytes() <= detectors.n_bytes());
            detectors = read;
        }
    }
    return n_changes;
}

}  // namespace

int main() {
    int n_changes = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Random each({seed, 2, 3, 4});
        n_changes += are_as_if_apart(OnDrift::swap, 0.01, 0.001, each);
        n_changes += are_as_if_apart(OnDrift::swap, 0.3, 0.2, each);
        n_changes += are_as_if_apart(OnDrift::swap, 0.001, 0.01, each);
        n_changes += are_as_if_apart(OnDrift::reset_worst, 0.01, 0.002, each);
        CHECK(are_as_if_apart(OnDrift::nothing, 0.01, 0.001, each) == 0);
    }
    CHECK(n_changes > 40);
    return sapwood::check::finish();
}
