#pragma once

#include "app/client/client_options.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postrider::app {

class api_client;
struct api_answer;

/// A command's conversation with a node. Whatever goes wrong is a `failure`.
class api_session {
public:
  struct place {
    std::string url;
    std::string token;
  };

  /// Finds the address and the key: options, then the configuration's file.
  explicit api_session(const client_options& options);
  ~api_session();
  api_session(const api_session&) = delete;
  api_session& operator=(const api_session&) = delete;

  /// The body of a success; `method` is a literal.
  std::string call(std::string_view method, const std::string& path,
                   std::string json = {});
  std::string get(const std::string& path) { return call("GET", path); }
  /// Any answer; `failure` only when none came.
  api_answer ask(std::string_view method, const std::string& path,
                 std::string json = {});

  /// Gives the rows of a list, each as its own JSON, page by page, until
  /// there are `limit` (0: all of them). `path` has its query. Returns whether
  /// there are more.
  bool each(const std::string& path, std::size_t limit,
            const std::function<void(std::string_view row)>& take);

  api_client& client() { return *client_; }
  const std::string& url() const { return url_; }

private:
  api_session(place where, const client_options& options);

  std::string url_;
  bool verbose_;
  std::unique_ptr<api_client> client_;
};

/// Gives the rows of one page, each as its own JSON.
void for_each_row(std::string_view body,
                  const std::function<void(std::string_view row)>& take);

/// The key in a file of one line; `failure` when it can't be read.
std::string read_token(const std::string& file);

/// `?name=value&…`, percent-encoded; what is empty is left out.
class query_text {
public:
  query_text& add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

private:
  std::string text_;
};

/// One segment of a path, percent-encoded.
std::string path_segment(std::string_view text);

} // namespace postrider::app
