#pragma once

#include "config/environment.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace postrider::config {

struct secret_content {
  std::string text;
  std::string fault; ///< empty when `text` is good
  /// Every user of the machine may read the file.
  bool for_everyone = false;
};
/// The content of a secret's file (at most 64 KiB), or what is wrong.
/// `credential:NAME` stands for `$CREDENTIALS_DIRECTORY/NAME`.
secret_content read_secret_file(const std::string& name,
                                const environment& variables);

/// One line, white space around it dropped. Each returns what is wrong, never
/// the secret itself.
std::optional<std::string> read_line(std::string_view content,
                                     std::string& into);
/// 16 to 256 printable characters without a space.
std::optional<std::string> read_api_key(std::string_view content,
                                        std::string& into);
/// Base64 of 32 bytes.
std::optional<std::string> read_secret_key(std::string_view content,
                                           std::string& into);

} // namespace postrider::config
