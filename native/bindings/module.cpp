#include "bindings.hpp"
#include "points_error.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The native core of sapwood. Private: use the names that the package exports.";
    sapwood::bindings::translate_points_errors();
    sapwood::bindings::bind_split_search(module);
    sapwood::bindings::bind_svmlight(module);
    sapwood::bindings::bind_tree(module);
    sapwood::bindings::bind_generate(module);
    sapwood::bindings::bind_encode(module);
}
