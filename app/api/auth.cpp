#include "app/api/auth.hpp"

#include "core/signature.hpp"

namespace postrider::api {

namespace {

problem unauthenticated(std::string detail) {
  return {401,
          "unauthenticated",
          std::move(detail),
          {},
          {{"WWW-Authenticate", "Bearer realm=\"postrider\""}}};
}

} // namespace

std::optional<problem> refuse_unauthenticated(const call& request) {
  constexpr std::string_view scheme = "bearer ";
  std::string_view credentials;
  int given = 0;
  for (const auto& [name, value] : request.request.headers)
    if (same_header_name(name, "authorization")) {
      ++given;
      credentials = value;
    }
  if (given == 0)
    return unauthenticated("send `Authorization: Bearer <key>`");
  if (given > 1)
    return unauthenticated("there is more than one Authorization header");
  if (!same_header_name(credentials.substr(0, scheme.size()), scheme))
    return unauthenticated("the Authorization header is not `Bearer <key>`");
  credentials.remove_prefix(scheme.size());
  const auto& on = *request.on;
  if (on.options.key.empty()
      || !equal_in_constant_time(sha256(credentials), on.key_digest))
    return unauthenticated("the key is not known");
  return {};
}

} // namespace postrider::api
