#pragma once

#include <string>

#include "sapwood/points.hpp"

namespace sapwood::bindings {

/// What is wrong with points, in the words of whoever passed a SciPy matrix X and labels y.
inline std::string in_words(const PointsError& error) {
    const std::string got = std::to_string(error.got());
    const std::string expected = std::to_string(error.expected());
    const std::string in_row = " in row " + std::to_string(error.row());
    switch (error.fault()) {
        case PointsFault::negative_feature:
            return "features must not be negative, got " + got;
        case PointsFault::repeated_feature:
            return "features must be unique, got " + got + " twice";
        case PointsFault::no_rows:
            return "X.indptr must start with 0, got nothing";
        case PointsFault::late_start:
            return "X.indptr must start with 0, got " + got;
        case PointsFault::falling_rows:
            return "X.indptr must not decrease, got " + expected + " before " + got + " at row " +
                   std::to_string(error.row());
        case PointsFault::rows_beyond_end:
            return "X.indptr must end within the " + expected + " stored indices, got " + got;
        case PointsFault::feature_beyond_end:
            return "X.indices must be from 0 to " + expected + ", got " + got + in_row;
        case PointsFault::unsorted_features:
            return "X.indices must ascend within a row (X.sort_indices() sorts them), got " + expected + " before " +
                   got + in_row;
        case PointsFault::unpaired_labels:
            return "y must have a label for every row of X, " + expected + " in all, got " + got;
        case PointsFault::unknown_label:
            return "y must hold labels from 0 to " + expected + " only, got " + got;
    }
    return error.what();
}

}  // namespace sapwood::bindings
