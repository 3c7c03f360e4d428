#include "app/commands/registration.hpp"

#include "app/api/json_writer.hpp"
#include "app/client/failure.hpp"
#include "app/commands/options.hpp"
#include "app/json_text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace postrider::app {

registration::registration(const client_options& options,
                           const std::string& tenant, const std::string& url,
                           const std::vector<std::string>& types)
    : api_{options} {
  api::json_writer out;
  out.begin_object();
  out.key("tenant").string(tenant);
  out.key("url").string(url);
  out.key("description").string("postrider listen --register");
  out.key("types").begin_array();
  for (const auto& one : types)
    out.string(one);
  out.end_array().end_object();
  const auto made = api_.call("POST", "/v1/endpoints", out.take());
  id_ = json_member(made, "id");
  key_ = signing_key::parse(json_member(made, "secret"));
  if (!key_)
    throw failure{exit_failed, "the node gave no signing secret"};
  fmt::print(stderr, "registered {}\n", id_);
}

registration::~registration() {
  try {
    api_.call("DELETE", "/v1/endpoints/" + path_segment(id_));
    fmt::print(stderr, "removed {}\n", id_);
  } catch (const std::exception& why) {
    complain(fmt::format("{} is still registered: {}\n"
                         "try: postrider endpoints delete {}",
                         id_, why.what(), id_));
  }
}

} // namespace postrider::app
