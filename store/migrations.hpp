#pragma once

#include <span>
#include <string_view>

namespace postrider::store {

/// One file of `store/migrations`, as compiled into this binary.
struct migration {
  int number;
  std::string_view name;     ///< of the file, without its extension
  std::string_view checksum; ///< SHA-256 of the file, hexadecimal
  std::string_view sql;
};

/// All of them, by number, from 1 without a gap.
std::span<const migration> migrations();

} // namespace postrider::store
