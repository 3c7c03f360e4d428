#pragma once

#include "net/http_server.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <string_view>

namespace postrider::net::server {

using message = boost::beast::http::response<boost::beast::http::string_body>;

/// The answer as Beast writes it; that to a HEAD has its length but no body.
message to_message(server_response response, bool keep_alive,
                   std::string_view date, bool to_head = false);

} // namespace postrider::net::server
