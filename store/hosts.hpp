#pragma once

#include <map>
#include <string>

namespace postrider::store {

/// What libpq is to be told, by keyword.
using settings_map = std::map<std::string, std::string>;

/// The URL with our defaults where it says nothing: a server that has vanished
/// is noticed within 15 seconds, and of several hosts it is the primary that
/// counts. `name` is shown in `pg_stat_activity`. Throws `error`; the URL may
/// hold a password, so no part of it goes into that.
settings_map connection_settings(const std::string& url,
                                 const std::string& name);

int count_hosts(const settings_map& settings);
/// With the first host as the last one.
settings_map rotated(settings_map settings);

} // namespace postrider::store
