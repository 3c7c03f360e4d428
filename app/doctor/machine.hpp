#pragma once

#include "app/doctor/check.hpp"

#include <string>

namespace postrider::app {

/// How many files and sockets this process may have open.
check_result check_open_files();

/// Whether names are looked up; `name` too, when it is not empty.
check_result check_resolver(const std::string& name);

/// Whether there are certificates to trust: those of `file`, or the system's
/// when it is empty.
check_result check_certificates(const std::string& file);

} // namespace postrider::app
