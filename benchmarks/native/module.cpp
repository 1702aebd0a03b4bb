#include "bench.hpp"
#include "bindings.hpp"

NB_MODULE(_bench, m) {
    m.doc() = "Yardsticks for sapwood's benchmarks; never installed.";
    sapwood::bindings::translate_points_errors();
    sapwood::bench::bind_counting(m);
    sapwood::bench::bind_scalar(m);
    sapwood::bench::bind_window(m);
}
