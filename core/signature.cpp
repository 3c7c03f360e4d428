#include "core/signature.hpp"

#include "core/base64.hpp"
#include "core/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace postrider {

namespace {

constexpr std::string_view key_prefix = "whsec_";
constexpr std::string_view scheme_prefix = "v1,";
constexpr std::size_t least_key = 24;
constexpr std::size_t longest_key = 64;

std::string mac_of(const signing_key& key, std::string_view id,
                   std::string_view timestamp, std::string_view body) {
  std::string head;
  head.reserve(id.size() + timestamp.size() + 2);
  head.append(id).append(1, '.').append(timestamp).append(1, '.');
  auto digest = hmac_sha256(key.bytes(), head, body);
  return encode_base64({digest.data(), digest.size()});
}

std::optional<std::chrono::sys_seconds> parse_timestamp(std::string_view text) {
  std::int64_t count = 0;
  const auto* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || rest != end || count < 0)
    return std::nullopt;
  return std::chrono::sys_seconds{std::chrono::seconds{count}};
}

} // namespace

std::optional<signing_key> signing_key::parse(std::string_view text) {
  if (!text.starts_with(key_prefix))
    return std::nullopt;
  auto bytes = decode_base64(text.substr(key_prefix.size()));
  return bytes ? from_bytes(*bytes) : std::nullopt;
}

std::optional<signing_key> signing_key::from_bytes(std::string_view bytes) {
  if (bytes.size() < least_key || bytes.size() > longest_key)
    return std::nullopt;
  signing_key key;
  key.bytes_ = bytes;
  return key;
}

std::string signing_key::text() const {
  return std::string{key_prefix} + encode_base64(bytes_);
}

std::string signing_key::sign(std::string_view id,
                              std::chrono::sys_seconds timestamp,
                              std::string_view body) const {
  auto seconds = std::to_string(timestamp.time_since_epoch().count());
  return std::string{scheme_prefix} + mac_of(*this, id, seconds, body);
}

std::string sign_all(std::span<const signing_key> keys, std::string_view id,
                     std::chrono::sys_seconds timestamp,
                     std::string_view body) {
  std::string value;
  for (const auto& key : keys) {
    if (!key.live(timestamp))
      continue;
    if (!value.empty())
      value += ' ';
    value += key.sign(id, timestamp, body);
  }
  return value;
}

bool verify_signature(const signing_key& key, std::string_view id,
                      std::string_view timestamp, std::string_view signature,
                      std::string_view body, std::chrono::sys_seconds now,
                      std::chrono::seconds tolerance) {
  auto sent = parse_timestamp(timestamp);
  if (!sent || *sent < now - tolerance || *sent > now + tolerance)
    return false;
  auto expected = mac_of(key, id, timestamp, body);
  bool fits = false;
  while (!signature.empty()) {
    auto end = std::min(signature.find(' '), signature.size());
    auto entry = signature.substr(0, end);
    signature.remove_prefix(std::min(end + 1, signature.size()));
    if (entry.starts_with(scheme_prefix))
      fits |=
          equal_in_constant_time(entry.substr(scheme_prefix.size()), expected);
  }
  return fits;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size()
         && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string sha256(std::string_view bytes) {
  std::string digest(32, '\0');
  if (EVP_Digest(bytes.data(), bytes.size(),
                 reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                 EVP_sha256(), nullptr)
      != 1)
    throw std::runtime_error("OpenSSL could not compute a SHA-256");
  return digest;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                 static_cast<int>(count))
      != 1)
    throw std::runtime_error("the system gave no random bytes");
  return bytes;
}

} // namespace postrider
