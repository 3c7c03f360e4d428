#include "core/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace postrider {

namespace {

struct mac_deleter {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using mac_ptr = std::unique_ptr<EVP_MAC, mac_deleter>;
using context_ptr = std::unique_ptr<EVP_MAC_CTX, mac_deleter>;

void require(bool good) {
  if (!good)
    throw std::runtime_error("OpenSSL could not compute an HMAC-SHA256");
}

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

context_ptr make_context() {
  // Fetched once: a fetch takes a global lock.
  static const mac_ptr mac{EVP_MAC_fetch(nullptr, "HMAC", nullptr)};
  require(mac != nullptr);
  context_ptr context{EVP_MAC_CTX_new(mac.get())};
  require(context != nullptr);
  return context;
}

struct slot {
  std::string key;
  context_ptr context;

  slot() = default;
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() { OPENSSL_cleanse(key.data(), key.size()); }

  // Hashing the key into the context costs two blocks; starting again with a
  // context that has it already costs none.
  void start(std::string_view wanted) {
    if (!context)
      context = make_context();
    else if (key == wanted)
      return require(EVP_MAC_init(context.get(), nullptr, 0, nullptr) == 1);
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    OPENSSL_cleanse(key.data(), key.size());
    key.clear(); // until the context really holds the new one
    require(EVP_MAC_init(context.get(), raw(wanted), wanted.size(), parameters)
            == 1);
    key = wanted;
  }
};

// Direct-mapped: two secrets that share a slot take turns and pay for it, and
// no number of endpoints makes it grow.
slot& slot_for(std::string_view key) {
  thread_local std::array<slot, 2048> slots;
  return slots[std::hash<std::string_view>{}(key) % slots.size()];
}

} // namespace

std::array<char, 32> hmac_sha256(std::string_view key, std::string_view head,
                                 std::string_view body) {
  auto& used = slot_for(key);
  used.start(key);
  auto* context = used.context.get();
  std::array<char, 32> digest{};
  std::size_t length = 0;
  require(EVP_MAC_update(context, raw(head), head.size()) == 1
          && EVP_MAC_update(context, raw(body), body.size()) == 1
          && EVP_MAC_final(context,
                           reinterpret_cast<unsigned char*>(digest.data()),
                           &length, digest.size())
                 == 1
          && length == digest.size());
  return digest;
}

} // namespace postrider
