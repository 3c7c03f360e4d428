#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace postrider::testing {

/// What stands in a server's certificate.
struct certificate_request {
  std::string common_name = "receiver";
  /// Subject alternative names as OpenSSL writes them: `DNS:localhost`,
  /// `IP:127.0.0.1`. A `DNS:` may hold any bytes, NUL too.
  std::vector<std::string> names = {};
  int valid_from_days = -1; ///< relative to today
  int valid_to_days = 30;
  bool self_signed = false;
  bool weak_key = false; ///< RSA of 1024 bits
  /// Signed by an authority below the one that is trusted, whose own
  /// certificate the server does not send.
  bool intermediate_missing = false;
};

/// Paths of PEM files.
struct certificate_files {
  std::string certificate;
  std::string key;
};

/// A certificate authority in a temporary folder, gone with the object.
class certificates {
public:
  certificates();
  ~certificates();
  certificates(const certificates&) = delete;
  certificates& operator=(const certificates&) = delete;

  std::string ca_file() const;
  certificate_files issue(const certificate_request& request);

private:
  struct authority;
  std::filesystem::path folder_;
  std::unique_ptr<authority> authority_;
  int issued_ = 0;
};

} // namespace postrider::testing
