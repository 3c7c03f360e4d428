#pragma once

#include "config/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider::config {

/// What is wrong with a text and what would be right; nothing if it may stand.
using judge = std::optional<std::string> (*)(std::string_view);

struct text_field {
  std::string* to;
  judge refuse = nullptr;
};
/// One of a few words.
struct choice_field {
  std::string* to;
  std::vector<std::string> words;
};
struct count_field {
  std::size_t* to;
  std::size_t low;
  std::size_t high;
};
/// A number that may have a fraction.
struct number_field {
  double* to;
  double low;
  double high;
};
struct size_field {
  std::size_t* to;
  std::size_t low;
  std::size_t high;
};
struct duration_field {
  milliseconds* to;
  milliseconds low;
  milliseconds high;
};
/// Waits, none shorter than the one before it.
struct durations_field {
  std::vector<milliseconds>* to;
  milliseconds low;
  milliseconds high;
  std::size_t most;
};
struct listen_field {
  listen_config* to;
};
struct networks_field {
  std::vector<std::string>* to;
};
struct ports_field {
  std::vector<std::uint16_t>* to;
};
/// A secret: `<key>` holds it, or `<key>_file` names the file that does.
struct secret_field {
  std::string* to;
  /// Turns the file's content into the value; says what is wrong with it.
  std::optional<std::string> (*decode)(std::string_view content,
                                       std::string& into);
  bool file_only;
  std::string_view example; ///< of the file's name
};

using field =
    std::variant<text_field, choice_field, count_field, number_field,
                 size_field, duration_field, durations_field, listen_field,
                 networks_field, ports_field, secret_field>;

/// When a changed value takes effect.
enum class applies { on_reload, on_restart };

/// One key of the file. The one table of them drives the loader, the names in
/// the environment, the reference file, the JSON Schema, the documentation and
/// what a reload does.
struct key {
  std::string section;
  std::string name;
  std::string comment;
  field where;
  applies when = applies::on_restart;

  std::string path() const { return section + "." + name; }
};

/// Every key there is, in the order of the reference file, each pointing into
/// `into`.
std::vector<key> keys_of(config& into);

} // namespace postrider::config
