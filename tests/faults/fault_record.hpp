#pragma once

#include "tests/faults/check.hpp"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace postrider::testing {

/// What one run under a fault came to: a line of the table of results.
struct fault_record {
  std::string row;              ///< of RELIABILITY 5, such as `A-03`
  std::string fault;            ///< what was done, in a few words
  std::int64_t rounds = 0;      ///< how often; 0 is the healthy twin
  std::int64_t lost = 0;        ///< accepted events and deliveries
  std::int64_t avoidable = 0;   ///< duplicates
  std::int64_t unavoidable = 0; ///< duplicates: U1 to U4
  std::int64_t inversions = 0;  ///< of first attempts
  std::int64_t other = 0;       ///< offences against any other invariant
  /// Until work went on, in ms; negative when it was not measured.
  std::int64_t recovery_p50 = -1;
  std::int64_t recovery_max = -1;
  /// What is broken comes with the fault, and the documents say so.
  bool documented = false;
};

/// Makes a record of the verdicts of a run, prints it, and appends it to the
/// file that POSTRIDER_FAULT_RECORDS names, if it names one. Thread-safe.
/// `recovery`, in ms, stands for what the ledgers tell of it, where it was
/// measured by other means; `documented` as in the record.
fault_record put_on_record(const std::string& row, const std::string& fault,
                           std::int64_t rounds,
                           const std::vector<verdict>& verdicts,
                           std::vector<std::int64_t> recovery = {},
                           bool documented = false);
/// The same for a run that is judged by other means than the ledgers.
void put_on_record(const fault_record& one);

/// Reads such a file. Throws `std::exception` when it is none.
std::vector<fault_record> read_fault_records(std::istream& in);

/// The table, in Markdown: one line for each row and fault, rounds and counts
/// added up, in the order of the rows.
std::string fault_table(std::vector<fault_record> all);

} // namespace postrider::testing
