#include "store/sqlstate.hpp"

#include <array>

namespace postrider::store {

namespace {

using kind = error::kind;
using counted = error_class;

constexpr std::array rules{
    // Rolled back for certain, and the connection is sound.
    sqlstate_rule{"40", remedy::again, kind::transient, counted::serialization,
                  "rolled back by the server"},
    sqlstate_rule{"40001", remedy::again, kind::transient,
                  counted::serialization, "serialization failure"},
    sqlstate_rule{"40003", remedy::reconnect, kind::transient,
                  counted::connection, "completion unknown"},
    sqlstate_rule{"40P01", remedy::again, kind::transient, counted::deadlock,
                  "deadlock"},
    // The server is busy or full.
    sqlstate_rule{"53", remedy::later, kind::transient, counted::other,
                  "out of disk, memory or another resource"},
    sqlstate_rule{"53300", remedy::reconnect, kind::transient,
                  counted::connection, "too many connections"},
    sqlstate_rule{"55P03", remedy::later, kind::transient, counted::timeout,
                  "a lock was not to be had within lock_timeout"},
    sqlstate_rule{"57014", remedy::later, kind::transient, counted::timeout,
                  "cancelled, or longer than statement_timeout"},
    // The connection, or the server, is of no use.
    sqlstate_rule{"", remedy::reconnect, kind::transient, counted::connection,
                  "the connection was lost, or never made"},
    sqlstate_rule{"08", remedy::reconnect, kind::transient, counted::connection,
                  "connection"},
    sqlstate_rule{"25006", remedy::reconnect, kind::transient,
                  counted::connection,
                  "read-only: a standby; a failover is under way"},
    sqlstate_rule{"25P03", remedy::reconnect, kind::transient,
                  counted::connection, "idle in a transaction for too long"},
    sqlstate_rule{"26000", remedy::reconnect, kind::transient, counted::other,
                  "the prepared statement was discarded"},
    sqlstate_rule{"0A000", remedy::reconnect, kind::transient, counted::other,
                  "a cached plan outlived a change of the schema"},
    sqlstate_rule{"57", remedy::reconnect, kind::transient, counted::other,
                  "the server's operator stepped in"},
    sqlstate_rule{"57P", remedy::reconnect, kind::transient,
                  counted::connection,
                  "shutting down, crashed, starting or terminated"},
    sqlstate_rule{"58", remedy::reconnect, kind::transient, counted::other,
                  "the server's file system"},
    sqlstate_rule{"XX000", remedy::reconnect, kind::transient, counted::other,
                  "internal; seen when objects are dropped concurrently"},
    // The write will never do.
    sqlstate_rule{"22", remedy::refuse, kind::conflict, counted::other,
                  "a value that the server refuses"},
    sqlstate_rule{"23", remedy::refuse, kind::conflict, counted::constraint,
                  "a constraint"},
    sqlstate_rule{"P0001", remedy::refuse, kind::conflict, counted::other,
                  "raised by our functions"},
    // A person has to see to it.
    sqlstate_rule{"28", remedy::give_up, kind::broken, counted::other,
                  "not let in"},
    sqlstate_rule{"3D000", remedy::give_up, kind::broken, counted::other,
                  "no such database"},
    sqlstate_rule{"3F000", remedy::give_up, kind::broken, counted::other,
                  "no such schema"},
    sqlstate_rule{"42P01", remedy::give_up, kind::broken, counted::other,
                  "no such table"},
    sqlstate_rule{"42703", remedy::give_up, kind::broken, counted::other,
                  "no such column"},
    sqlstate_rule{"42883", remedy::give_up, kind::broken, counted::other,
                  "no such function"},
    sqlstate_rule{"42501", remedy::give_up, kind::broken, counted::other,
                  "not allowed"},
    sqlstate_rule{"XX001", remedy::give_up, kind::broken, counted::other,
                  "data corrupted"},
    sqlstate_rule{"XX002", remedy::give_up, kind::broken, counted::other,
                  "index corrupted"},
};

constexpr sqlstate_rule defect{"anything else", remedy::give_up, kind::defect,
                               counted::other, "our statement is wrong"};

} // namespace

std::span<const sqlstate_rule> sqlstate_rules() {
  return rules;
}

const sqlstate_rule& rule_of_sqlstate(std::string_view state) {
  const sqlstate_rule* found = &defect;
  for (const auto& one : rules) {
    const bool fits =
        one.states.empty() ? state.empty() : state.starts_with(one.states);
    if (fits && (found == &defect || one.states.size() > found->states.size()))
      found = &one;
  }
  return *found;
}

error error_of_sqlstate(std::string_view state, const std::string& message) {
  const auto& rule = rule_of_sqlstate(state);
  return {rule.kind, message, rule.counts_as, rule.cure};
}

} // namespace postrider::store
