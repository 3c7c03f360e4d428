#include "core/secret_box.hpp"

#include "core/base64.hpp"
#include "core/signature.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace postrider {

namespace {

// format | key id | nonce | cipher text | tag
constexpr char format = 1;
constexpr std::size_t key_size = 32;
constexpr std::size_t id_size = 4;
constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
constexpr std::size_t label_size = 1 + id_size;
constexpr std::size_t head_size = label_size + nonce_size;

struct cipher_deleter {
  void operator()(EVP_CIPHER_CTX* cipher) const { EVP_CIPHER_CTX_free(cipher); }
};
using cipher_ptr = std::unique_ptr<EVP_CIPHER_CTX, cipher_deleter>;

void require(bool good) {
  if (!good)
    throw std::runtime_error("OpenSSL could not run AES-256-GCM");
}

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::string label_of(std::string_view key) {
  return format + sha256(key).substr(0, id_size);
}

// Authenticates the label and the context, then runs the text through.
std::string transform(EVP_CIPHER_CTX* cipher, std::string_view label,
                      std::string_view context, std::string_view text) {
  std::string out(text.size(), '\0');
  int length = 0;
  for (auto part : {label, context})
    require(EVP_CipherUpdate(cipher, nullptr, &length, raw(part),
                             static_cast<int>(part.size()))
            == 1);
  require(EVP_CipherUpdate(cipher, raw(out), &length, raw(text),
                           static_cast<int>(text.size()))
          == 1);
  return out;
}

cipher_ptr start(std::string_view key, std::string_view nonce, bool sealing) {
  cipher_ptr cipher{EVP_CIPHER_CTX_new()};
  require(cipher
          && EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr,
                               raw(key), raw(nonce), sealing ? 1 : 0)
                 == 1);
  return cipher;
}

} // namespace

std::optional<secret_box> secret_box::make(std::string_view key) {
  if (key.size() != key_size)
    return std::nullopt;
  secret_box box;
  box.key_ = key;
  return box;
}

std::optional<secret_box> secret_box::parse(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return std::nullopt;
  auto last = text.find_last_not_of(blank);
  auto key = decode_base64(text.substr(first, last - first + 1));
  return key ? make(*key) : std::nullopt;
}

std::string secret_box::label() const {
  return label_of(key_);
}

std::string secret_box::seal(std::string_view plain,
                             std::string_view context) const {
  auto label = label_of(key_);
  auto nonce = random_bytes(nonce_size);
  auto cipher = start(key_, nonce, true);
  auto text = transform(cipher.get(), label, context, plain);
  std::string tag(tag_size, '\0');
  int length = 0;
  require(EVP_CipherFinal_ex(cipher.get(), raw(tag), &length) == 1
          && EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, tag_size,
                                 raw(tag))
                 == 1);
  return label + nonce + text + tag;
}

std::optional<std::string> secret_box::open(std::string_view sealed,
                                            std::string_view context) const {
  auto label = label_of(key_);
  if (sealed.size() < head_size + tag_size || !sealed.starts_with(label))
    return std::nullopt;
  auto nonce = sealed.substr(label_size, nonce_size);
  auto text = sealed.substr(head_size, sealed.size() - head_size - tag_size);
  std::string tag{sealed.substr(sealed.size() - tag_size)};
  auto cipher = start(key_, nonce, false);
  auto plain = transform(cipher.get(), label, context, text);
  require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, tag_size,
                              raw(tag))
          == 1);
  int length = 0;
  if (EVP_CipherFinal_ex(cipher.get(), raw(tag), &length) != 1)
    return std::nullopt;
  return plain;
}

} // namespace postrider
