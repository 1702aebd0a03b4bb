#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sapwood {

/// What the certificates of a certified search are good for now.
///
///                    unpromised  <-- from every other phase: the first removal; a renewal that can grant nothing
///                        |
///                        | a renewal of all features is begun on the spot
///                        v
///      +----------->  renewing  <--------------------------+
///      |              |  ^   \_ begun anew on the spot      |
///      |     complete |  | due and paid for, or on the spot |
///      |              v  |                                  | on the spot
///      |               calm  <---- could have answered --- idle
///      |               |  ^ \_ review                       ^
///      |   overdrawn,  |  |                                 |
///      |   or judged   |  | review                          |
///      |   in vain     v  |                                 |
///      +------------- alert, calm ---- could not answer ----+
///                                      or overdrawn
///
/// "On the spot": the candidates cannot answer a query, and what was saved pays for a renewal (account.hpp).
/// "Could (not) answer": an exhaustive scan has answered in their place, and found a gain of at least (below) theta.
/// A renewal on the spot begins and ends within one query; one of what is listed takes a slice of many.
enum class Phase : std::uint8_t {
    /// There are no certificates: queries are answered by exhaustive scans.
    unpromised,
    /// All features but the candidates hold certificates, and a query is just a look at the candidates.
    calm,
    /// The same, but the next query must decide what to do: too much has been spent, or the last renewal was in vain.
    alert,
    /// Some features hold certificates of the promise in force, some of the one in the making.
    renewing,
    /// Certificates that have run out are left alone, and queries answered by exhaustive scans.
    idle
};
inline constexpr std::size_t n_phases = 5;

/// Whether the diagram has an arrow from one phase to another.
constexpr bool may_follow(Phase from, Phase to) {
    // From each row to each column: unpromised, calm, alert, renewing, idle.
    constexpr std::array<std::array<bool, n_phases>, n_phases> arrows{{
        {false, false, false, true, false},  // unpromised
        {true, true, true, true, true},      // calm
        {true, true, false, true, true},     // alert
        {true, true, false, true, false},    // renewing
        {true, true, false, true, false},    // idle
    }};
    return arrows[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

}  // namespace sapwood
