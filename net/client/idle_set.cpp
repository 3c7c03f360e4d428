#include "net/client/idle_set.hpp"

#include <algorithm>
#include <functional>

namespace postrider::net::client {

namespace {

std::size_t hash(bool tls, std::string_view host, std::uint16_t port) {
  return std::hash<std::string_view>{}(host)*31
         + (static_cast<std::size_t>(port) * 2 + (tls ? 1 : 0))
               * 0x9e3779b97f4aU;
}

template <class A, class B>
bool same(const A& a, const B& b) {
  return a.port == b.port && a.tls == b.tls && a.host == b.host;
}

} // namespace

std::size_t idle_set::by_place::operator()(const origin& where) const {
  return hash(where.tls, where.host, where.port);
}
std::size_t idle_set::by_place::operator()(const url& where) const {
  return hash(where.tls, where.host, where.port);
}
bool idle_set::by_place::operator()(const origin& a, const origin& b) const {
  return same(a, b);
}
bool idle_set::by_place::operator()(const url& a, const origin& b) const {
  return same(a, b);
}

void idle_set::put(const connection_ptr& which) {
  origins_[which->where()].push_back(which);
  ++size_;
}

connection_ptr idle_set::take(const url& where) {
  const auto found = origins_.find(where);
  if (found == origins_.end() || found->second.empty())
    return nullptr;
  auto result = std::move(found->second.back());
  found->second.pop_back();
  --size_;
  return result;
}

void idle_set::remove(const connection& which) {
  const auto found = origins_.find(which.where());
  if (found == origins_.end())
    return;
  size_ -= std::erase_if(
      found->second, [&](const auto& each) { return each.get() == &which; });
}

std::vector<connection_ptr> idle_set::surplus(std::size_t most,
                                              steady::time_point since) const {
  std::vector<connection_ptr> out;
  for (const auto& [where, all] : origins_)
    for (std::size_t i = 0;
         i + most < all.size() && all[i]->idle_since() < since; ++i)
      out.push_back(all[i]);
  return out;
}

void idle_set::sweep() {
  std::erase_if(origins_, [](const auto& each) { return each.second.empty(); });
}

} // namespace postrider::net::client
