#include "actors/keeper.hpp"

#include <caf/deep_to_string.hpp>

namespace postrider::actors {

std::string text_of(const caf::error& fault) {
  const auto& context = fault.context();
  if (context.size() == 1 && context.match_element<std::string>(0))
    return context.get_as<std::string>(0);
  return caf::deep_to_string(fault);
}

} // namespace postrider::actors
