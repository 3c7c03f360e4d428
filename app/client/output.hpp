#pragma once

#include "app/client/client_options.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::app {

/// A column of a list: its heading, and the member that it shows (`a.b` for
/// one inside another; of several joined by `|` the first that is there).
struct column {
  std::string_view heading;
  std::string_view member;
};

/// Prints a list on standard output as the options say: one JSON document,
/// tab-separated lines, or an aligned table.
class list_output {
public:
  list_output(const client_options& options, std::vector<column> columns);

  /// One row, a JSON object.
  void add(std::string_view row);
  /// Prints what is not printed yet. `more`: there are further ones.
  void finish(bool more);

  std::size_t rows() const { return count_; }

private:
  using line = std::vector<std::string>;

  client_options options_;
  std::vector<column> columns_;
  std::vector<line> lines_;
  std::string json_;
  std::size_t count_ = 0;
};

/// Prints one object: as it came, as `name<tab>value` lines, or aligned.
void print_object(const client_options& options, std::string_view json);

/// What a cell or a line shows of a member; `-` when it is absent or null.
std::string shown_member(std::string_view object, std::string_view member);

/// Whether standard output may be coloured: `--color`, NO_COLOR, TERM, and
/// whether it is a terminal.
bool coloured(const client_options& options);

/// The word in the colour of what it says (`succeeded`, `failed`, …).
std::string tinted(std::string_view word, bool colour);

} // namespace postrider::app
