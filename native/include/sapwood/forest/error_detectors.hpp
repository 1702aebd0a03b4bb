#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "sapwood/drift/adwin.hpp"
#include "sapwood/forest/forest_options.hpp"

namespace sapwood {

/// The detectors that see the errors of a tree: one of drift, and one of warning where a tree may begin in the
/// background.
///
/// Both see the same errors, and the one of warning, which needs less to see a change, sees it first. So as long as it
/// has seen none both have the same window, and that is kept once.
///
/// Guarantee: each is the detector that it would be alone.
class ErrorDetectors {
public:
    explicit ErrorDetectors(const ForestOptions& options)
        : has_warning_(options.on_drift == OnDrift::swap),
          // So far apart that no rounding can turn what either of them sees.
          may_share_(has_warning_ && options.warning_delta > 2 * options.drift_delta),
          of_warning_{.delta = options.warning_delta} {
        if (options.on_drift != OnDrift::nothing) drift_.emplace(AdwinOptions{.delta = options.drift_delta});
        if (has_warning_ && !may_share_) warning_.emplace(of_warning_);
    }

    /// What an error did to them.
    struct Changes {
        Change warning = Change::none;
        Change drift = Change::none;
    };
    Changes update(double error) {
        Changes changes;
        if (!drift_) return changes;
        if (has_warning_ && !warning_) {
            if (!drift_->add(error) || !drift_->shows_change(of_warning_.delta)) return changes;
            warning_ = drift_->with_delta(of_warning_.delta);
            changes.warning = warning_->look();
            changes.drift = drift_->look();
            return changes;
        }
        if (warning_) changes.warning = warning_->update(error);
        changes.drift = drift_->update(error);
        return changes;
    }

    /// The detector of warning begins anew.
    void restart_warning() { warning_.emplace(of_warning_); }

    /// The error that the detector of drift sees; 0 without one.
    double error() const { return drift_ ? drift_->estimation() : 0; }

    /// Each as it would be alone; nothing if there is none.
    std::optional<Adwin> warning() const {
        if (!has_warning_ || warning_) return warning_;
        return drift_->with_delta(of_warning_.delta);
    }
    const std::optional<Adwin>& drift() const { return drift_; }
    /// Those that were saved.
    void restore(std::optional<Adwin> warning, std::optional<Adwin> drift) {
        drift_ = std::move(drift);
        warning_ = std::move(warning);
        if (may_share_ && warning_->has_same_window(*drift_)) warning_.reset();
    }

    std::size_t n_bytes() const { return (warning_ ? warning_->n_bytes() : 0) + (drift_ ? drift_->n_bytes() : 0); }

private:
    bool has_warning_;
    bool may_share_;
    AdwinOptions of_warning_;
    /// Its own, once it differs from that of drift.
    std::optional<Adwin> warning_;
    std::optional<Adwin> drift_;
};

}  // namespace sapwood
