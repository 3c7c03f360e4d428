#include "app/receiver.hpp"

#include <fmt/format.h>

#include <charconv>

namespace postrider::app {

namespace {

std::string text_of(const net::server_request& request, std::string_view name) {
  return std::string{request.find(name).value_or("")};
}

template <class Number>
Number number_of(const std::string& text) {
  Number value = -1;
  const auto* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc{} && stop == end ? value : Number{-1};
}

signature_check check(const std::optional<signing_key>& key,
                      const net::server_request& request) {
  if (!key)
    return signature_check::unchecked;
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(
      std::chrono::system_clock::now());
  return verify_signature(*key, text_of(request, "webhook-id"),
                          text_of(request, "webhook-timestamp"),
                          text_of(request, "webhook-signature"), request.body,
                          now, std::chrono::minutes{5})
             ? signature_check::good
             : signature_check::bad;
}

net::http_server_options options_for(const std::string& address,
                                     std::uint16_t port) {
  net::http_server_options options;
  options.address = address;
  options.port = port;
  options.body_limit = 64 << 20;
  return options;
}

} // namespace

receiver::receiver(const std::string& address, std::uint16_t port,
                   observer seen, std::string header_prefix)
    : address_{address},
      prefix_{std::move(header_prefix)},
      seen_{std::move(seen)},
      server_{options_for(address, port),
              [this](const net::server_request& request,
                     const net::http_server::respond& respond) {
                handle(request, respond);
              }} {}

receiver::~receiver() {
  stop();
}

void receiver::serve(const std::string& path, receiver_rules rules) {
  const std::lock_guard guard{mutex_};
  rules_.insert_or_assign(path, std::move(rules));
}

void receiver::start() {
  server_.start();
}

void receiver::stop() {
  server_.stop();
}

std::uint16_t receiver::port() const {
  return server_.port();
}

std::string receiver::url(const std::string& path) const {
  const bool v6 = address_.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}{}", v6 ? "[" : "", address_,
                     v6 ? "]" : "", port(), path);
}

void receiver::handle(const net::server_request& request,
                      const net::http_server::respond& respond) {
  arrival here;
  here.request = &request;
  here.path = request.target.substr(0, request.target.find('?'));
  here.id = text_of(request, "webhook-id");
  here.event = text_of(request, prefix_ + "Event-Id");
  here.sequence =
      number_of<std::int64_t>(text_of(request, prefix_ + "Sequence"));
  here.attempt = number_of<int>(text_of(request, prefix_ + "Attempt"));
  const auto rules = rules_for(here.path);
  here.signature = check(rules.key, request);
  here.status = rules.status;
  if (here.signature == signature_check::bad)
    here.status = 400;
  else if (unlucky(rules.drop_rate))
    here.status = 0;
  else if (here.attempt < rules.fail_below && unlucky(rules.fail_rate))
    here.status = rules.fail_status;
  else if (rules.forward) {
    auto kept = std::make_shared<const net::server_request>(request);
    rules.forward(*kept, [this, kept, here, rules, respond](int status) {
      auto forwarded = here;
      forwarded.request = kept.get();
      forwarded.status = status;
      finish(forwarded, rules, respond);
    });
    return;
  }
  finish(here, rules, respond);
}

void receiver::finish(const arrival& here, const receiver_rules& rules,
                      const net::http_server::respond& respond) {
  seen_(here);
  net::server_response answer;
  answer.status = here.status;
  if (rules.latency.count() == 0) {
    respond(std::move(answer));
    return;
  }
  delays_.run_after(rules.latency, [respond, answer] { respond(answer); });
}

receiver_rules receiver::rules_for(const std::string& path) {
  const std::lock_guard guard{mutex_};
  auto found = rules_.find(path);
  if (found == rules_.end())
    found = rules_.find("");
  if (found == rules_.end()) {
    receiver_rules unknown;
    unknown.status = 404;
    return unknown;
  }
  return found->second;
}

bool receiver::unlucky(double rate) {
  if (rate <= 0)
    return false;
  const std::lock_guard guard{mutex_};
  return std::uniform_real_distribution{0.0, 1.0}(dice_) < rate;
}

} // namespace postrider::app
