#include "config/difference.hpp"

#include "config/keys.hpp"
#include "config/render.hpp"

namespace postrider::config {

namespace {

/// Of a secret the rendering tells nothing.
bool same(const key& a, const key& b) {
  if (const auto* secret = std::get_if<secret_field>(&a.where))
    return *secret->to == *std::get<secret_field>(b.where).to;
  return render(a.where) == render(b.where);
}

template <class Field>
void copy(const Field& from, const field& to) {
  *std::get<Field>(to).to = *from.to;
}

} // namespace

std::vector<change> difference(const config& before, const config& after) {
  // The table points into what it is made of and changes nothing here.
  auto old = before;
  auto fresh = after;
  const auto left = keys_of(old);
  const auto right = keys_of(fresh);
  std::vector<change> out;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (!same(left[i], right[i]))
      out.push_back({left[i].path(), render(left[i].where),
                     render(right[i].where),
                     left[i].when == applies::on_reload});
  return out;
}

config after_reload(const config& running, const config& wanted) {
  auto out = wanted;
  auto kept = running;
  const auto from = keys_of(kept);
  const auto to = keys_of(out);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].when == applies::on_restart)
      std::visit([&](const auto& one) { copy(one, to[i].where); },
                 from[i].where);
  return out;
}

} // namespace postrider::config
