#pragma once

#include "config/config.hpp"

#include <filesystem>

namespace postrider::app {

/// Fills what the configuration leaves out from `api.key` and `secret.key` in
/// the folder, files that only this account can read, and makes those that
/// are missing. Throws `std::runtime_error` when they can't be used.
void use_local_keys(const std::filesystem::path& folder, config::config& into);

} // namespace postrider::app
