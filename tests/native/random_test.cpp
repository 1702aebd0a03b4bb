// The generator against its reference, and the portable mathematics against the library's.
#include "sapwood/random.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"

namespace {

using sapwood::Random;
namespace portable = sapwood::portable;

/// Whether two numbers agree to a few units in the last place.
bool close(double a, double b) { return a == b || std::abs(a - b) <= 4e-16 * std::abs(b); }

void logarithm() {
    for (const double x :
         {0x1p-53, 1e-9, 0.1, 0.4999, 0.5, 0.70710678, 0.9999999, 1.0, 1.5, 2.0, 3.0, 1e6, 2147483647.0}) {
        CHECK(close(portable::ln(x), std::log(x)));
    }
    CHECK(portable::ln(1.0) == 0.0);
    for (const double q : {0.0, 1e-300, 1e-18, 1e-9, 0.001, 0.25, 0.4999, 0.5, 0.9, 1.0 - 0x1p-53}) {
        CHECK(close(portable::minus_ln_1m(q), -std::log1p(-q)));
    }
}

void exponential() {
    for (const double x : {0.0, -1e-9, -0.3, -1.0, -10.5, -100.0, -700.0}) {
        CHECK(std::abs(portable::exp_of_negative(x) - std::exp(x)) <= 1e-13 * std::exp(x));
    }
    CHECK(portable::exp_of_negative(-1000.0) == 0.0);
}

void stream_is_fixed() {
    // From another implementation of xoshiro256++ and of the finaliser of splitmix64.
    Random random({1, 2, 3, 4});
    const std::uint64_t first = random.next(), second = random.next(), third = random.next();
    CHECK(first == 964378449920250957U);
    CHECK(second == 17168664681677962025U);
    CHECK(third == 335463454135626944U);
}

void uniforms_are_even() {
    Random random({5, 6, 7, 8});
    std::vector<int> boxes(10);
    double least = 1.0, greatest = 0.0, sum = 0.0;
    const int draws = 1000000;
    for (int i = 0; i < draws; ++i) {
        const double u = random.uniform();
        least = std::min(least, u);
        greatest = std::max(greatest, u);
        sum += u;
        ++boxes[static_cast<std::size_t>(random.below(10))];
    }
    CHECK(least >= 0.0 && least < 1e-5);
    CHECK(greatest < 1.0 && greatest > 1 - 1e-5);
    // Six standard deviations.
    CHECK(std::abs(sum / draws - 0.5) < 6 * 0.2887 / 1000);
    for (const int box : boxes) CHECK(std::abs(box - draws / 10) < 6 * 300);
}

void splits_differ() {
    Random random({9, 9, 9, 9});
    Random one = random.split(), other = random.split();
    int same = 0;
    for (int i = 0; i < 1000; ++i) same += one.next() == other.next();
    CHECK(same == 0);
}

}  // namespace

int main() {
    logarithm();
    exponential();
    stream_is_fixed();
    uniforms_are_even();
    splits_differ();
    return sapwood::check::finish();
}
