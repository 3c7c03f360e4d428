#include "net/client/tls.hpp"

#include "core/address.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace postrider::net::client {

namespace {

// SSL_set_tlsext_host_name is a macro with a cast that our warnings forbid.
bool send_name(SSL* tls, const std::string& name) {
  return SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(name.c_str()))
         == 1;
}

// Parsing it takes a tenth of a second, so all clients share it.
X509_STORE* system_store() {
  static const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store{
      [] {
        auto* made = X509_STORE_new();
        // A machine without one trusts nobody, which each handshake will say.
        X509_STORE_set_default_paths(made);
        ERR_clear_error();
        return made;
      }(),
      X509_STORE_free};
  return store.get();
}

} // namespace

void ssl_release::operator()(ssl_st* tls) const {
  SSL_free(tls);
}
void ssl_release::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

tls_context::tls_context(const std::string& ca_file)
    : context_{SSL_CTX_new(TLS_client_method())} {
  if (!context_)
    throw std::runtime_error{"OpenSSL can't be set up"};
  auto* context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_security_level(context, 2);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // A resumed session would skip the check of the certificate.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION
                                   | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE
                                | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                | SSL_MODE_RELEASE_BUFFERS);
  static constexpr unsigned char http_1_1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, http_1_1, sizeof http_1_1 - 1);
  if (ca_file.empty()) {
    SSL_CTX_set1_cert_store(context, system_store());
    return;
  }
  const bool trusted =
      SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) == 1;
  ERR_clear_error();
  if (!trusted)
    throw std::runtime_error{"no certificates can be read from the CA file '"
                             + ca_file
                             + "'; it must hold one or more in PEM format"};
}

ssl_ptr tls_context::connect(const url& where, int socket) const {
  ssl_ptr tls{SSL_new(context_.get())};
  if (!tls || SSL_set_fd(tls.get(), socket) != 1)
    return nullptr;
  SSL_set_connect_state(tls.get());
  auto* verify = SSL_get0_param(tls.get());
  bool bound = false;
  if (where.literal) {
    bound = X509_VERIFY_PARAM_set1_ip_asc(verify, where.host.c_str()) == 1;
  } else {
    // The subject's common name is no host name.
    X509_VERIFY_PARAM_set_hostflags(verify,
                                    X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
                                        | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    bound = X509_VERIFY_PARAM_set1_host(verify, where.host.data(),
                                        where.host.size())
                == 1
            && send_name(tls.get(), where.host);
  }
  // Without the name to check, any certificate would do.
  return bound ? std::move(tls) : nullptr;
}

tls_fault explain_tls(const ssl_st* tls) {
  tls_fault result;
  const auto code = ERR_peek_last_error();
  const auto verified = SSL_get_verify_result(tls);
  if (verified != X509_V_OK) {
    result.certificate = true;
    result.what = X509_verify_cert_error_string(verified);
  } else {
    const char* reason = ERR_reason_error_string(code);
    result.what = reason ? reason : "the peer ended the connection";
    result.alert = ERR_GET_LIB(code) == ERR_LIB_SSL
                   && ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET;
  }
  ERR_clear_error();
  return result;
}

} // namespace postrider::net::client
