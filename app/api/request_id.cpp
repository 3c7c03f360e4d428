#include "app/api/request_id.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace postrider::api {

namespace {

bool is_sane(std::string_view text) {
  return !text.empty() && text.size() <= 128
         && std::all_of(text.begin(), text.end(), [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                     || (c >= 'A' && c <= 'Z') || c == '.' || c == '_'
                     || c == '-';
            });
}

} // namespace

std::string make_request_id() {
  // It only has to differ from others in the logs; nobody gains by guessing.
  thread_local std::mt19937_64 random{
      std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()};
  constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id = "req_";
  for (int part = 0; part < 2; ++part) {
    auto bits = random();
    for (int i = 0; i < 13; ++i, bits >>= 5)
      id += digits[bits & 31];
  }
  return id;
}

std::string request_id_from(std::optional<std::string_view> given) {
  return given && is_sane(*given) ? std::string{*given} : make_request_id();
}

} // namespace postrider::api
