#pragma once

#include "net/server/fault.hpp"

#include <boost/beast/core/error.hpp>

namespace postrider::net::server {

/// What Beast has found, as status and text. `text` is what it was given; it
/// tells HTTP/2.0 from what is no version at all.
framing_fault fault_of(const boost::beast::error_code& error,
                       std::string_view text);

} // namespace postrider::net::server
