#include <string>

#include "bindings.hpp"
#include "sapwood/drift/adwin.hpp"

namespace sapwood::bindings {
namespace {

void update(Adwin& self, double value) {
    if (!(std::fabs(value) <= Adwin::largest_value)) {
        throw std::invalid_argument("x must be a number from -1e100 to 1e100, got " + detail::shortest(value));
    }
    self.update(value);
}

nb::bytes to_bytes(const Adwin& self) {
    ByteWriter out;
    self.save(out);
    const std::string bytes = out.take();
    return nb::bytes(bytes.data(), bytes.size());
}

void load_bytes(Adwin& self, const nb::bytes& data) {
    ByteReader in({static_cast<const std::byte*>(data.data()), data.size()});
    self.load(in);
    if (in.left() != 0) throw ModelFormatError("nothing must follow an ADWIN, got " + std::to_string(in.left()));
}

}  // namespace

void bind_drift(nb::module_& module) {
    nb::class_<Adwin>(module, "Adwin", "A window as long as its mean has not changed.")
        .def(
            "__init__",
            [](Adwin* self, double delta, std::uint32_t clock, std::uint32_t max_buckets,
               std::uint32_t min_window_length, std::uint32_t grace_period) {
                new (self) Adwin({delta, clock, max_buckets, min_window_length, grace_period});
            },
            nb::arg("delta"), nb::arg("clock"), nb::arg("max_buckets"), nb::arg("min_window_length"),
            nb::arg("grace_period"))
        .def("update", &update, nb::arg("x"), "Takes a value into the window, and cuts it if it is time.")
        .def_prop_ro("width", &Adwin::width)
        .def_prop_ro("total", &Adwin::total)
        .def_prop_ro("estimation", &Adwin::estimation)
        .def_prop_ro("variance", &Adwin::variance)
        .def_prop_ro("n_detections", &Adwin::n_detections)
        .def_prop_ro("drift_detected", [](const Adwin& self) { return self.last() != Change::none; })
        .def_prop_ro("rose", [](const Adwin& self) { return self.last() == Change::rose; })
        .def("to_bytes", &to_bytes, "Its state, without its parameters.")
        .def("load_bytes", &load_bytes, nb::arg("data"), "Takes the state of one. Raises ModelFormatError.");
}

}  // namespace sapwood::bindings
