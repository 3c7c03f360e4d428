#include "core/header_names.hpp"

#include "core/header.hpp"

#include <algorithm>
#include <array>

namespace postrider {

namespace {

// Words in the name of a field whose value lets its reader in.
constexpr std::array<std::string_view, 10> secret_words{
    "auth",     "cookie",  "credential", "key",     "passwd",
    "password", "private", "secret",     "session", "token",
};

bool contains(std::string_view name, std::string_view word) {
  for (std::size_t at = 0; at + word.size() <= name.size(); ++at)
    if (same_header_name(name.substr(at, word.size()), word))
      return true;
  return false;
}

} // namespace

bool has_header_prefix(std::string_view name, std::string_view prefix) {
  return !prefix.empty() && name.size() >= prefix.size()
         && same_header_name(name.substr(0, prefix.size()), prefix);
}

bool is_secret_header(std::string_view name) {
  return std::ranges::any_of(secret_words, [name](std::string_view word) {
    return contains(name, word);
  });
}

} // namespace postrider
