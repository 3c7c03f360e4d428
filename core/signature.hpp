#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider {

/// A symmetric key of the Standard Webhooks scheme `v1`: 24 to 64 bytes.
/// Signs with a MAC context keyed once; cheap to copy, safe to share.
class signing_key {
public:
  /// Reads `whsec_` and base64, padded or not (SIG-01, SIG-02). Nothing when
  /// the text is no such key or decodes to fewer than 24 or more than 64
  /// bytes.
  static std::optional<signing_key> parse(std::string_view text);
  /// From raw bytes of the right length.
  static std::optional<signing_key> from_bytes(std::string_view bytes);

  /// The raw bytes. Never log them.
  std::string_view bytes() const noexcept { return bytes_; }
  /// `whsec_` and padded base64.
  std::string text() const;

  /// `v1,` and the padded base64 of HMAC-SHA256 over `id.timestamp.body`.
  /// Thread-safe.
  std::string sign(std::string_view id, std::chrono::sys_seconds timestamp,
                   std::string_view body) const;

  /// From `when` on it signs no more (SIG-04). For ever by default.
  void expire(std::chrono::sys_seconds when) noexcept { expires_at_ = when; }
  bool live(std::chrono::sys_seconds now) const noexcept {
    return now < expires_at_;
  }

private:
  std::string bytes_;
  std::chrono::sys_seconds expires_at_ = std::chrono::sys_seconds::max();
};

/// The value of `webhook-signature`: one entry for each key that is live at
/// `timestamp`, newest first, joined by single spaces (SIG-04, SIG-05).
std::string sign_all(std::span<const signing_key> keys, std::string_view id,
                     std::chrono::sys_seconds timestamp, std::string_view body);

/// Whether any `v1` entry of `signature` fits, compared in constant time, and
/// the timestamp is at most `tolerance` from `now` in either direction.
bool verify_signature(const signing_key& key, std::string_view id,
                      std::string_view timestamp, std::string_view signature,
                      std::string_view body, std::chrono::sys_seconds now,
                      std::chrono::seconds tolerance);

/// Compares without telling by its time where two texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// SHA-256 as 32 raw bytes.
std::string sha256(std::string_view bytes);

/// `count` bytes from the system's cryptographic generator. Throws
/// std::runtime_error when it gives none.
std::string random_bytes(std::size_t count);

} // namespace postrider
