#pragma once

#include <string>

namespace postrider::config {

/// The reference file: every key with its default and what it is for.
/// `config/postrider.toml` is this text.
std::string reference_file();

} // namespace postrider::config
