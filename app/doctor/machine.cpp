#include "app/doctor/machine.hpp"

#include "net/http_client.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>

#include <netdb.h>
#include <sys/resource.h>

namespace postrider::app {

namespace fs = std::filesystem;

namespace {

constexpr rlim_t wanted_files = 65'536;
// Connections to receivers, in all loops together, and the listeners'.
constexpr rlim_t fewest_files = 4'096;

/// Empty, or why the name is not found.
std::string look_up(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> kept{found,
                                                            &::freeaddrinfo};
  return fault == 0 ? "" : ::gai_strerror(fault);
}

std::string from_environment(const char* name, const char* usual) {
  const auto* value = std::getenv(name);
  return value && *value != '\0' ? value : usual;
}

} // namespace

check_result check_open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  check_result out{"open files", verdict::ok,
                   limit.rlim_cur == RLIM_INFINITY
                       ? "without limit"
                       : fmt::format("at most {}", limit.rlim_cur)};
  if (limit.rlim_cur >= wanted_files)
    return out;
  out.what = limit.rlim_cur < fewest_files ? verdict::fail : verdict::warn;
  out.hint = fmt::format("raise it to {}: ulimit -n, or LimitNOFILE= in the "
                         "unit",
                         wanted_files);
  return out;
}

check_result check_resolver(const std::string& name) {
  check_result out{"resolver", verdict::ok, "localhost is found"};
  if (const auto why = look_up("localhost"); !why.empty())
    return {"resolver", verdict::fail, fmt::format("localhost: {}", why),
            "see /etc/hosts and /etc/nsswitch.conf"};
  if (name.empty())
    return out;
  if (const auto why = look_up(name); !why.empty())
    return {"resolver", verdict::fail, fmt::format("{}: {}", name, why),
            "see /etc/resolv.conf, and whether the name server answers"};
  out.found += fmt::format(", {} too", name);
  return out;
}

check_result check_certificates(const std::string& file) {
  check_result out{"certificates", verdict::ok, file};
  if (!file.empty()) {
    try {
      net::http_client_options options;
      options.ca_file = file;
      net::http_client{options};
      return out;
    } catch (const std::exception& fault) {
      return {"certificates", verdict::fail, fault.what(),
              "http.ca_file has to name a file of PEM certificates"};
    }
  }
  const fs::path bundle =
      from_environment("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt");
  const fs::path folder = from_environment("SSL_CERT_DIR", "/etc/ssl/certs");
  std::error_code none;
  if (fs::is_regular_file(bundle, none) && fs::file_size(bundle, none) > 0)
    out.found = bundle.string();
  else if (fs::is_directory(folder, none) && !fs::is_empty(folder, none))
    out.found = folder.string();
  else
    return {"certificates", verdict::fail, "no trusted certificates are here",
            "install ca-certificates, or set http.ca_file"};
  return out;
}

} // namespace postrider::app
