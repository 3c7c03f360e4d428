#include "app/api/cursor.hpp"

#include "core/base64.hpp"
#include "core/signature.hpp"

namespace postrider::api {

namespace {

constexpr std::size_t number_size = 8;
constexpr std::size_t check_size = 4;

/// Not a secret: it catches cut, changed and misplaced cursors.
std::string check_of(std::string_view list, std::string_view key) {
  return sha256(std::string{list} + ' ' + std::string{key})
      .substr(0, check_size);
}

std::string swapped(std::string_view text, std::string_view from,
                    std::string_view to) {
  std::string result{text};
  for (auto& c : result)
    if (auto at = from.find(c); at != from.npos)
      c = to[at];
  return result;
}

} // namespace

std::string make_cursor(std::string_view list, std::string_view key) {
  auto text = swapped(encode_base64(std::string{key} + check_of(list, key)),
                      "+/", "-_");
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> read_cursor(std::string_view list,
                                       std::string_view text) {
  if (text.find_first_of("+/=") != text.npos)
    return {};
  auto bytes = decode_base64(swapped(text, "-_", "+/"));
  if (!bytes || bytes->size() <= check_size)
    return {};
  auto key = bytes->substr(0, bytes->size() - check_size);
  // Read and written again it is the same: no second text for one key.
  if (make_cursor(list, key) != text)
    return {};
  return key;
}

std::string key_of(std::initializer_list<std::int64_t> numbers) {
  std::string key;
  for (auto number : numbers)
    for (int shift = 56; shift >= 0; shift -= 8)
      key +=
          static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff);
  return key;
}

std::optional<std::vector<std::int64_t>> numbers_of(std::string_view key,
                                                    std::size_t count) {
  if (key.size() != count * number_size)
    return {};
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < key.size(); at += number_size) {
    std::uint64_t number = 0;
    for (auto c : key.substr(at, number_size))
      number = number << 8 | static_cast<unsigned char>(c);
    numbers.push_back(static_cast<std::int64_t>(number));
  }
  return numbers;
}

} // namespace postrider::api
