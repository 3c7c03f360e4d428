#include "app/node_config.hpp"

#include "app/local_keys.hpp"

#include <exception>

namespace postrider::app {

namespace {

void require(config::reading& read, const std::string& file,
             const std::string& value, const std::string& key,
             const std::string& what) {
  if (value.empty())
    read.faults.push_back(
        {file.empty() ? "configuration" : file, key + what, {}, key});
}

} // namespace

config::reading read_node_config(const node_sources& sources) {
  auto read = config::read(sources.from);
  if (!read.faults.empty())
    return read;
  auto& whole = read.whole;
  if (!sources.embedded.empty()) {
    if (!whole.storage.url.empty())
      read.faults.push_back(read.about(
          "storage.url", "and --embedded exclude each other: keep one"));
    try {
      use_local_keys(sources.embedded, whole);
    } catch (const std::exception& fault) {
      read.faults.push_back({sources.embedded, fault.what()});
    }
    whole.storage.url = sources.embedded_url;
    return read;
  }
  const auto& file = sources.from.file;
  require(read, file, whole.storage.url, "storage.url",
          "_file (or storage.url) is not set: name the database, or use "
          "serve --embedded DIR");
  require(read, file, whole.storage.secret_key, "storage.secret_key",
          "_file is not set (make one: openssl rand -base64 32 > secret.key)");
  require(read, file, whole.api.key, "api.key",
          "_file is not set (make one: openssl rand -hex 32 > api.key)");
  return read;
}

} // namespace postrider::app
