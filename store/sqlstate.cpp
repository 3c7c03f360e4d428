#include "store/sqlstate.hpp"

#include <algorithm>
#include <array>

namespace postrider::store {

namespace {

// Classes (two characters) and single codes.
constexpr std::array transient_states{
    std::string_view{"08"},    // connection
    std::string_view{"40"},    // serialization failure, deadlock
    std::string_view{"53"},    // out of connections, disk or memory
    std::string_view{"55P03"}, // lock not available
    std::string_view{"57"},    // cancelled, shutting down, starting up
    std::string_view{"58"},    // the server's file system
    std::string_view{"25006"}, // a standby: a failover is under way
    std::string_view{"26000"}, // prepared statements were discarded
    std::string_view{"0A000"}, // a cached plan outlived a schema change
    std::string_view{"XX000"}, // seen when objects are dropped concurrently
};
constexpr std::array conflict_states{
    std::string_view{"22"},    // a value that the server refuses
    std::string_view{"23"},    // constraints
    std::string_view{"P0001"}, // raised by our functions
};
constexpr std::array broken_states{
    std::string_view{"28"},    // not let in
    std::string_view{"3D000"}, // no such database
    std::string_view{"3F000"}, // no such schema
    std::string_view{"42P01"}, // no such table
    std::string_view{"42703"}, // no such column
    std::string_view{"42883"}, // no such function
    std::string_view{"42501"}, // not allowed
    std::string_view{"XX001"}, // data corrupted
    std::string_view{"XX002"}, // index corrupted
};

template <class List>
bool any_of(const List& list, std::string_view state) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view prefix) {
    return state.starts_with(prefix);
  });
}

} // namespace

error::kind kind_of_sqlstate(std::string_view state) {
  if (state.empty() || any_of(transient_states, state))
    return error::kind::transient;
  if (any_of(conflict_states, state))
    return error::kind::conflict;
  if (any_of(broken_states, state))
    return error::kind::broken;
  return error::kind::defect;
}

error_class class_of_sqlstate(std::string_view state) {
  if (state.empty() || state.starts_with("08") || state.starts_with("57P"))
    return error_class::connection;
  if (state == "40P01")
    return error_class::deadlock;
  if (state == "40001")
    return error_class::serialization;
  if (state == "57014" || state == "55P03")
    return error_class::timeout;
  if (state.starts_with("23"))
    return error_class::constraint;
  return error_class::other;
}

} // namespace postrider::store
