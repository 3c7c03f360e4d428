#pragma once

#include <chrono>

namespace postrider {

// A delivery may end the process that handles it, again and again. Nobody can
// tell which one it was, so after repeated crashes the holder of a partition
// goes carefully: it keeps on record which delivery it handles, one at a time,
// until the culprit is found or long enough nothing has happened.

/// So many takeovers from a holder that had not given back, in a row, and the
/// partition is driven carefully.
constexpr int careful_after = 2;
/// A delivery that so many holders in a row were handling when they ended is
/// failed.
constexpr int culprit_after = 3;
/// A holder that lives this long has not crashed.
constexpr std::chrono::seconds calm_after{60};
/// A delivery is taken for innocent while its receiver takes its time.
constexpr std::chrono::milliseconds longest_mark{200};

} // namespace postrider
