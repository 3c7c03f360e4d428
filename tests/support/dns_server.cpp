#include "tests/support/dns_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace postrider::testing {

namespace {

constexpr std::size_t header_size = 12;
constexpr int type_a = 1;
constexpr int type_aaaa = 28;

void add_16(std::string& to, int value) {
  to += static_cast<char>(value >> 8);
  to += static_cast<char>(value & 0xff);
}

// An address record for the name of the question, at offset 12.
void add_record(std::string& to, const std::string& address, bool v6) {
  char raw[16];
  if (inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), raw) != 1)
    throw std::logic_error{"no such address: " + address};
  add_16(to, 0xc00c);
  add_16(to, v6 ? type_aaaa : type_a);
  add_16(to, 1); // IN
  add_16(to, 0); // time to live, high and low
  add_16(to, 0);
  add_16(to, v6 ? 16 : 4);
  to.append(raw, v6 ? 16 : 4);
}

} // namespace

dns_server::dns_server(script how)
    : how_{std::move(how)},
      socket_{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  if (bind(socket_, reinterpret_cast<sockaddr*>(&where), size) != 0
      || getsockname(socket_, reinterpret_cast<sockaddr*>(&where), &size) != 0)
    throw std::runtime_error{"no port for a name server"};
  port_ = ntohs(where.sin_port);
  thread_ = std::thread{[this] { serve(); }};
}

dns_server::~dns_server() {
  stopped_ = true;
  shutdown(socket_, SHUT_RDWR); // wakes the thread with an error
  thread_.join();
  close(socket_);
}

void dns_server::serve() {
  char buffer[512];
  while (!stopped_) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const auto got = recvfrom(socket_, buffer, sizeof buffer, 0,
                              reinterpret_cast<sockaddr*>(&from), &size);
    if (got < static_cast<ssize_t>(header_size + 5))
      continue;
    if (mood_ == mood::silent)
      continue;
    const auto reply =
        answer(std::string{buffer, static_cast<std::size_t>(got)});
    sendto(socket_, reply.data(), reply.size(), 0,
           reinterpret_cast<sockaddr*>(&from), size);
  }
}

std::string dns_server::answer(const std::string& query) {
  dns_question question;
  auto at = header_size;
  while (at < query.size() && query[at] != 0) {
    const auto length = static_cast<std::size_t>(query[at]);
    if (!question.name.empty())
      question.name += '.';
    question.name += query.substr(at + 1, length);
    at += 1 + length;
  }
  std::transform(
      question.name.begin(), question.name.end(), question.name.begin(),
      [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const int type = at + 2 < query.size() ? query[at + 2] : 0;
  question.v6 = type == type_aaaa;
  const auto kind = question.name + (question.v6 ? " AAAA" : " A");
  question.number =
      static_cast<int>(std::count(asked_.begin(), asked_.end(), kind));
  asked_.push_back(kind);
  lookups_ += question.v6 ? 0 : 1;

  const bool fails = mood_ == mood::failing;
  const auto addresses = fails ? std::vector<std::string>{} : how_(question);
  std::string records;
  int count = 0;
  for (const auto& each : addresses.value_or(std::vector<std::string>{})) {
    const bool v6 = each.find(':') != std::string::npos;
    if (v6 != question.v6)
      continue;
    add_record(records, each, v6);
    ++count;
  }
  auto reply = query.substr(0, 2);
  // Authoritative; SERVFAIL, NXDOMAIN.
  add_16(reply, fails ? 0x8582 : addresses ? 0x8580 : 0x8583);
  add_16(reply, 1);
  add_16(reply, count);
  add_16(reply, 0);
  add_16(reply, 0);
  return reply + query.substr(header_size, at + 5 - header_size) + records;
}

} // namespace postrider::testing
