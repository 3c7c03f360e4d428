#include "tests/support/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <stdexcept>

namespace postrider::testing {

namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using x509_ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using file_ptr = std::unique_ptr<FILE, decltype(&std::fclose)>;

key_ptr make_key(bool weak) {
  key_ptr key{weak ? EVP_RSA_gen(1024U) : EVP_EC_gen("P-256"), EVP_PKEY_free};
  if (!key)
    throw std::runtime_error{"can't make a key"};
  return key;
}

void add_extension(X509* to, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  if (!extension)
    throw std::runtime_error{"no such certificate extension: " + value};
  X509_add_ext(to, extension, -1);
  X509_EXTENSION_free(extension);
}

// OpenSSL's own reader of names ends at a NUL.
void add_names(X509* to, X509* issuer, const std::vector<std::string>& names) {
  std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all{
      GENERAL_NAMES_new(), GENERAL_NAMES_free};
  for (const auto& each : names) {
    const std::string dns = "DNS:";
    if (!each.starts_with(dns)) {
      add_extension(to, issuer, NID_subject_alt_name, each);
      continue;
    }
    auto* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, each.data() + dns.size(),
                    static_cast<int>(each.size() - dns.size()));
    auto* name = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    sk_GENERAL_NAME_push(all.get(), name);
  }
  if (sk_GENERAL_NAME_num(all.get()) > 0)
    X509_add1_ext_i2d(to, NID_subject_alt_name, all.get(), 0,
                      X509V3_ADD_DEFAULT);
}

x509_ptr make_certificate(const certificate_request& request, long serial,
                          EVP_PKEY* key) {
  x509_ptr result{X509_new(), X509_free};
  X509_set_version(result.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(result.get()), serial);
  X509_time_adj_ex(X509_getm_notBefore(result.get()), request.valid_from_days,
                   0, nullptr);
  X509_time_adj_ex(X509_getm_notAfter(result.get()), request.valid_to_days, 0,
                   nullptr);
  X509_set_pubkey(result.get(), key);
  const auto& name = request.common_name;
  X509_NAME_add_entry_by_txt(
      X509_get_subject_name(result.get()), "CN", MBSTRING_UTF8,
      reinterpret_cast<const unsigned char*>(name.data()),
      static_cast<int>(name.size()), -1, 0);
  return result;
}

file_ptr open_file(const std::filesystem::path& path) {
  file_ptr file{std::fopen(path.c_str(), "w"), std::fclose};
  if (!file)
    throw std::runtime_error{"can't write " + path.string()};
  return file;
}

std::filesystem::path make_folder() {
  auto pattern =
      (std::filesystem::temp_directory_path() / "postrider-tls-XXXXXX")
          .string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error{"can't make " + pattern};
  return pattern;
}

} // namespace

struct certificates::authority {
  key_ptr key = make_key(false);
  x509_ptr certificate{nullptr, X509_free};
};

certificates::certificates()
    : folder_{make_folder()}, authority_{std::make_unique<authority>()} {
  auto made =
      make_certificate({.common_name = "Test CA"}, 1, authority_->key.get());
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  add_extension(made.get(), made.get(), NID_basic_constraints,
                "critical,CA:TRUE");
  X509_sign(made.get(), authority_->key.get(), EVP_sha256());
  const auto file = open_file(ca_file());
  PEM_write_X509(file.get(), made.get());
  authority_->certificate = std::move(made);
}

certificates::~certificates() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string certificates::ca_file() const {
  return folder_ / "ca.pem";
}

certificate_files certificates::issue(const certificate_request& request) {
  const auto stem = "server" + std::to_string(++issued_);
  certificate_files files{folder_ / (stem + ".pem"), folder_ / (stem + ".key")};
  const auto key = make_key(request.weak_key);
  const auto made = make_certificate(request, issued_ + 1, key.get());
  auto* issuer =
      request.self_signed ? made.get() : authority_->certificate.get();
  auto* signer = request.self_signed ? key.get() : authority_->key.get();
  const auto between_key = make_key(false);
  auto between = make_certificate({.common_name = "Intermediate CA"}, 1000,
                                  between_key.get());
  if (request.intermediate_missing) {
    X509_set_issuer_name(between.get(), X509_get_subject_name(issuer));
    add_extension(between.get(), issuer, NID_basic_constraints,
                  "critical,CA:TRUE");
    X509_sign(between.get(), signer, EVP_sha256());
    issuer = between.get();
    signer = between_key.get();
  }
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  add_names(made.get(), issuer, request.names);
  X509_sign(made.get(), signer, EVP_sha256());
  PEM_write_X509(open_file(files.certificate).get(), made.get());
  PEM_write_PrivateKey(open_file(files.key).get(), key.get(), nullptr, nullptr,
                       0, nullptr, nullptr);
  return files;
}

} // namespace postrider::testing
