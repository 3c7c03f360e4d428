#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postrider {

/// Encrypts secrets at rest with AES-256-GCM. A sealed text starts with a
/// format byte, the key's id (4 bytes of its SHA-256) and a random 96-bit
/// nonce; `context` (such as the endpoint's id) is authenticated with it, so
/// that a sealed secret can't be moved to another row.
class secret_box {
public:
  /// `key` is 32 raw bytes. Nothing for any other length.
  static std::optional<secret_box> make(std::string_view key);
  /// Reads a key file's content: base64 of 32 bytes, white space around it
  /// ignored.
  static std::optional<secret_box> parse(std::string_view text);

  /// What every text begins with that was sealed with this key.
  std::string label() const;

  std::string seal(std::string_view plain, std::string_view context) const;
  /// Nothing when the text was sealed with another key or context, or was
  /// changed.
  std::optional<std::string> open(std::string_view sealed,
                                  std::string_view context) const;

private:
  std::string key_;
};

} // namespace postrider
