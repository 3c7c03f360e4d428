#include "tests/faults/ledger_receiver.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <fmt/core.h>

#include <array>
#include <regex>

namespace postrider::testing {

namespace {

constexpr std::int64_t per_receiver = 1'000'000'000;
std::atomic<std::int64_t> receivers{0};

std::string base64_of(const std::string& bytes) {
  std::string out(bytes.size() * 2 + 8, '\0');
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  out.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(to, from, static_cast<int>(bytes.size()))));
  return out;
}

std::string bytes_of(const std::string& base64) {
  std::string out(base64.size(), '\0');
  const auto* from = reinterpret_cast<const unsigned char*>(base64.data());
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  const int size = EVP_DecodeBlock(to, from, static_cast<int>(base64.size()));
  const auto padding = base64.size() - base64.find_last_not_of('=') - 1;
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
  return out;
}

/// By OpenSSL alone, so that a fault of the engine's own signing can't hide
/// itself.
bool is_signed(const arrival& got, const std::string& secret) {
  const std::string prefix = "whsec_";
  if (!secret.starts_with(prefix))
    return false;
  const auto key = bytes_of(secret.substr(prefix.size()));
  const auto text = got.find("webhook-id") + "." + got.find("webhook-timestamp")
                    + "." + got.body;
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       mac.data(), &size);
  const std::string raw{reinterpret_cast<const char*>(mac.data()), size};
  return got.find("webhook-signature") == "v1," + base64_of(raw);
}

template <class Number>
Number number_in(const std::string& text) {
  return text.empty() ? Number{-1} : static_cast<Number>(std::stoll(text));
}

/// The status of the final status line in what was sent; 0: none yet.
int status_in(const std::string& sent) {
  static const std::regex line{
      "(?:^|\n)HTTP/1\\.[01] ([2-5][0-9][0-9])(?: [^\r\n]*)?\r\n"};
  std::smatch found;
  return std::regex_search(sent, found, line) ? std::stoi(found[1]) : 0;
}

receiver::options
telling(std::function<void(const arrival&, const step&)> whom) {
  receiver::options out;
  out.performed = std::move(whom);
  return out;
}

} // namespace

ledger_receiver::ledger_receiver(ledger_file& ledger, receiver::behaviour how)
    : ledger_{ledger},
      how_{std::move(how)},
      run_{receivers++ * per_receiver},
      shop_{[this](const arrival& got) { return arrived(got); },
            telling([this](const arrival& of, const step& done) {
              performed(of, done);
            })} {}

void ledger_receiver::expect(const std::string& path,
                             const std::string& endpoint,
                             const std::string& secret) {
  const std::lock_guard lock{mutex_};
  known_[path] = {endpoint, secret};
}

script ledger_receiver::arrived(const arrival& got) {
  arrival_line line;
  line.at = ledger_now();
  line.id = got.find("webhook-id");
  line.event = got.find("X-Postrider-Event-Id");
  line.attempt = number_in<int>(got.find("X-Postrider-Attempt"));
  line.sequence = number_in<std::int64_t>(got.find("X-Postrider-Sequence"));
  line.sha256 = sha256_hex(got.body);
  line.node = got.find("User-Agent");
  line.connection = run_ + got.connection;
  {
    const std::lock_guard lock{mutex_};
    const auto& to = known_[got.target];
    line.endpoint = to.endpoint;
    line.signature = is_signed(got, to.secret);
    line.number = run_ + static_cast<std::int64_t>(++count_);
    talks_[got.connection] = {line.number, "", false};
  }
  ledger_.write(line);
  return how_(got);
}

void ledger_receiver::performed(const arrival& of, const step& done) {
  decision_line line;
  line.at = ledger_now();
  {
    const std::lock_guard lock{mutex_};
    auto& talk = talks_[of.connection];
    line.arrival = talk.number;
    line.did = done.what == step::kind::reset ? "reset" : "close";
    if (done.what == step::kind::write) {
      if (talk.decided)
        return;
      talk.sent += done.bytes;
      line.status = status_in(talk.sent);
      talk.decided = line.status != 0;
      line.did = talk.decided ? "status" : "part";
    }
  }
  ledger_.write(line);
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
             nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i)
    out += fmt::format("{:02x}", digest[i]);
  return out;
}

} // namespace postrider::testing
