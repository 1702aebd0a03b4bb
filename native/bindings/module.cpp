#include "bindings.hpp"

NB_MODULE(_core, module) {
#ifdef NDEBUG
    // A process that ends in the middle of something, as the driver of a stream does, leaves objects behind; its user
    // can do nothing about them.
    nanobind::set_leak_warnings(false);
#endif
    module.doc() = "The native core of sapwood. Private: use the names that the package exports.";
    sapwood::bindings::translate_points_errors();
    sapwood::bindings::bind_split_search(module);
    sapwood::bindings::bind_drift(module);
    sapwood::bindings::bind_svmlight(module);
    sapwood::bindings::bind_batch(module);
    sapwood::bindings::bind_shards(module);
    sapwood::bindings::bind_csv_rows(module);
    sapwood::bindings::bind_arff_rows(module);
    sapwood::bindings::bind_json_lines(module);
    sapwood::bindings::bind_text_lines(module);
    sapwood::bindings::bind_vowpal_wabbit_lines(module);
    sapwood::bindings::bind_tree(module);
    sapwood::bindings::bind_dynamic_tree(module);
    sapwood::bindings::bind_forest(module);
    sapwood::bindings::bind_generate(module);
    sapwood::bindings::bind_encode(module);
}
