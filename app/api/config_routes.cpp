#include "app/api/rfc3339.hpp"
#include "app/api/routes.hpp"

#include <utility>

namespace postrider::api {

namespace {

constexpr std::size_t most_faults = 200;

/// `/delivery/lease` for `delivery.lease`.
std::string to_pointer(const std::string& key) {
  const auto dot = key.find('.');
  if (key.empty())
    return "";
  if (dot == std::string::npos)
    return pointer_to("", key);
  return pointer_to(pointer_to("", key.substr(0, dot)), key.substr(dot + 1));
}

std::string describe(const config::fault& one) {
  return one.where + ": " + one.what;
}

problem invalid(const config_report& report) {
  problem out{422,
              "config_invalid",
              config::count_faults(report.faults.size(), 0)
                  + "; nothing was changed",
              {},
              {}};
  for (const auto& one : report.faults)
    if (out.errors.size() < most_faults)
      out.errors.push_back(
          {to_pointer(one.key), "invalid_setting", describe(one)});
  return out;
}

json_writer accepted(const config_report& report) {
  json_writer out;
  out.begin_object();
  out.key("changes").begin_array();
  for (const auto& one : report.changes) {
    out.begin_object();
    out.key("key").string(one.key);
    out.key("before").string(one.before);
    out.key("after").string(one.after);
    out.key("in_force_after").string(one.on_reload ? "reload" : "restart");
    out.end_object();
  }
  out.end_array().key("warnings").begin_array();
  for (const auto& one : report.warnings) {
    out.begin_object();
    out.key("pointer").string(to_pointer(one.key));
    out.key("detail").string(describe(one));
    out.end_object();
  }
  out.end_array().end_object();
  return out;
}

void run(call_ptr request,
         std::function<void(std::function<void(config_report)>)> config_ports::*
             what) {
  const auto& config = request->on->engine.config;
  if (!config)
    return answer(*request, not_found("this node has no configuration that "
                                      "could be read again"));
  if (!request->request.body.empty())
    return answer(*request, problem{422,
                                    "validation_failed",
                                    "this call takes no body: the node reads "
                                    "its own files and environment",
                                    {},
                                    {}});
  ((*config).*what)([request](const config_report& report) {
    if (report.faults.empty())
      answer_json(*request, 200, accepted(report));
    else
      answer(*request, invalid(report));
  });
}

void write_keys(json_writer& out, const std::vector<config::shown>& keys) {
  std::string section;
  out.key("config").begin_object();
  for (const auto& one : keys) {
    if (one.section != section) {
      if (!section.empty())
        out.end_object();
      section = one.section;
      out.key(section).begin_object();
    }
    out.key(one.name).begin_object();
    out.key("value").string(one.value);
    out.key("set_by").string(one.where);
    out.key("in_force_after").string(one.on_reload ? "reload" : "restart");
    out.end_object();
  }
  if (!section.empty())
    out.end_object();
  out.end_object();
}

} // namespace

void get_config(call_ptr request) {
  const auto& config = request->on->engine.config;
  if (!config)
    return answer(*request, not_found("this node tells no configuration"));
  const auto state = config->show();
  json_writer out;
  out.begin_object();
  write_keys(out, state.keys);
  out.key("files").begin_array();
  for (const auto& one : state.files)
    out.string(one);
  out.end_array().key("conflicts").begin_array();
  for (const auto& [key, earlier, later] : state.conflicts) {
    out.begin_object();
    out.key("key").string(key);
    out.key("earlier").string(earlier);
    out.key("later").string(later);
    out.end_object();
  }
  out.end_array();
  out.key("last_reload_successful").boolean(state.last_reload_successful);
  out.key("applied_at").string(to_rfc3339(state.applied_at));
  out.key("restart_required").begin_array();
  for (const auto& one : state.restart_required)
    out.string(one);
  out.end_array().end_object();
  answer_json(*request, 200, std::move(out));
}

void check_config(call_ptr request) {
  run(std::move(request), &config_ports::check);
}

void reload_config(call_ptr request) {
  run(std::move(request), &config_ports::reload);
}

} // namespace postrider::api
