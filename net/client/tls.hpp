#pragma once

#include "core/url.hpp"

#include <memory>
#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace postrider::net::client {

struct ssl_release {
  void operator()(ssl_st* tls) const;
  void operator()(ssl_ctx_st* context) const;
};
using ssl_ptr = std::unique_ptr<ssl_st, ssl_release>;

/// What all TLS connections of a client share: trust and rules. At least TLS
/// 1.2, no session is kept or resumed, no renegotiation.
class tls_context {
public:
  /// Trusts the certificates in `ca_file` (PEM), or the system's when empty.
  /// Throws `std::runtime_error` that names the file when it can't be used.
  explicit tls_context(const std::string& ca_file);

  /// The client's side of a handshake on `socket`, which will fail unless the
  /// peer proves to be `where.host`, by name or by IP address. Empty when out
  /// of memory.
  ssl_ptr connect(const url& where, int socket) const;

private:
  std::unique_ptr<ssl_ctx_st, ssl_release> context_;
};

/// Why TLS failed.
struct tls_fault {
  bool certificate = false; ///< the peer's certificate is the reason
  bool alert = false;       ///< the peer said so, by an alert
  std::string what;         ///< for people
};
/// Explains the fault that the last call on `tls` ended with.
tls_fault explain_tls(const ssl_st* tls);

} // namespace postrider::net::client
