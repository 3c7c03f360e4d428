#include "app/local_keys.hpp"

#include "config/secret.hpp"
#include "core/base64.hpp"
#include "core/signature.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace postrider::app {

namespace fs = std::filesystem;

namespace {

/// Written aside and renamed: what has the name is complete.
void make_file(const fs::path& name, const std::string& content) {
  const auto aside = fs::path{name.string() + ".new"};
  const int file =
      ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto text = content + "\n";
  const bool written = file >= 0
                       && ::write(file, text.data(), text.size())
                              == static_cast<ssize_t>(text.size())
                       && ::fsync(file) == 0;
  const int fault = errno;
  if (file >= 0)
    ::close(file);
  if (!written)
    throw std::runtime_error{fmt::format("can't write {}: {}", aside.string(),
                                         std::strerror(fault))};
  fs::rename(aside, name);
}

using decoder = std::optional<std::string> (*)(std::string_view, std::string&);

void use_file(const fs::path& name, const std::string& fresh, decoder decode,
              std::string& into) {
  if (!into.empty())
    return;
  if (!fs::exists(name))
    make_file(name, fresh);
  const auto content =
      config::read_secret_file(name.string(), config::process_environment());
  if (!content.fault.empty())
    throw std::runtime_error{content.fault};
  if (const auto wrong = decode(content.text, into))
    throw std::runtime_error{fmt::format("{} {}", name.string(), *wrong)};
}

} // namespace

void use_local_keys(const fs::path& folder, config::config& into) {
  use_file(folder / "api.key", encode_hex(random_bytes(32)),
           config::read_api_key, into.api.key);
  use_file(folder / "secret.key", encode_base64(random_bytes(32)),
           config::read_secret_key, into.storage.secret_key);
}

} // namespace postrider::app
