#include "config/secret.hpp"

#include "core/base64.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <sys/stat.h>

namespace postrider::config {

namespace {

constexpr std::size_t file_limit = 64 * 1024;
constexpr std::string_view credential = "credential:";

std::string_view trim(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

} // namespace

secret_content read_secret_file(const std::string& name,
                                const environment& variables) {
  std::string path = name;
  if (path.starts_with(credential)) {
    const auto folder = find(variables, "CREDENTIALS_DIRECTORY");
    if (!folder)
      return {{},
              "names a credential, but CREDENTIALS_DIRECTORY is not set (use "
              "LoadCredential= in the unit, or a file's name)",
              false};
    path = *folder + "/" + path.substr(credential.size());
  }
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return {{}, "can't read " + path + ": " + std::strerror(errno), false};
  std::string text(file_limit + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (text.empty() && !file.eof()))
    return {{}, "can't read " + path, false};
  if (text.size() > file_limit)
    return {{}, path + " is larger than 64 KiB: that is no secret", false};
  if (trim(text).empty())
    return {{}, path + " is empty", false};
  struct stat found {};
  const bool for_everyone =
      ::stat(path.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
  return {std::move(text), {}, for_everyone};
}

std::optional<std::string> read_line(std::string_view content,
                                     std::string& into) {
  const auto text = trim(content);
  if (text.find_first_of(std::string_view{"\r\n\0", 3})
      != std::string_view::npos)
    return "must be one line";
  into = text;
  return std::nullopt;
}

std::optional<std::string> read_api_key(std::string_view content,
                                        std::string& into) {
  const auto text = trim(content);
  if (text.size() < 16 || text.size() > 256
      || !std::all_of(text.begin(), text.end(),
                      [](char c) { return c > ' ' && c <= '~'; }))
    return "must be 16 to 256 printable ASCII characters without a space "
           "(make one: openssl rand -hex 32)";
  into = text;
  return std::nullopt;
}

std::optional<std::string> read_secret_key(std::string_view content,
                                           std::string& into) {
  auto bytes = decode_base64(trim(content));
  if (!bytes || bytes->size() != 32)
    return "must hold base64 of exactly 32 bytes (make one: openssl rand "
           "-base64 32)";
  into = std::move(*bytes);
  return std::nullopt;
}

} // namespace postrider::config
