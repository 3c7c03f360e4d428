#include "store/catalog_impl.hpp"
#include "store/delivery_query.hpp"

namespace postrider::store {

std::optional<delivery_row> catalog::delivery(const delivery_ref& id) {
  const auto rows = impl_->link.run(
      [&](pqxx::work& work) { return delivery_query{id}.run(work); });
  if (rows.empty())
    return std::nullopt;
  auto out = read_delivery_row(rows[0]);
  // The salt tells a guess, or an id from before a backup was restored.
  if (out.id != id)
    return std::nullopt;
  return out;
}

catalog::delivery_page catalog::deliveries(const delivery_filter& filter,
                                           const page& where) {
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    return delivery_query{filter, where}.run(work);
  });
  delivery_page out;
  for (const auto& row : rows) {
    if (std::ssize(out.rows) == bounded_limit(where)) {
      out.next = out.rows.back().id.id;
      break;
    }
    out.rows.push_back(read_delivery_row(row));
  }
  return out;
}

} // namespace postrider::store
