// A detector of change on its way to bytes and back.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sapwood/drift/adwin.hpp"

namespace sapwood {

template <class Detector>
std::string bytes_of(const Detector& detector) {
    ByteWriter out;
    detector.save(out);
    return out.take();
}

template <class Detector>
Detector detector_of(const std::string& bytes, const AdwinOptions& options) {
    Detector detector(options);
    ByteReader in(std::as_bytes(std::span(bytes.data(), bytes.size())));
    detector.load(in);
    return detector;
}

}  // namespace sapwood
