#pragma once

#include "config/load.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace postrider::config {

/// The content of a secret's file (at most 64 KiB), or what is wrong.
/// `credential:NAME` stands for `$CREDENTIALS_DIRECTORY/NAME`.
struct secret_content {
  std::string text;
  std::string fault; ///< empty when `text` is good
};
secret_content read_secret_file(const std::string& name,
                                const environment& env);

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
