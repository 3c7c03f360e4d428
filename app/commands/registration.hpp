#pragma once

#include "app/client/api_session.hpp"
#include "core/signature.hpp"

#include <string>
#include <vector>

namespace postrider::app {

/// An endpoint that is there as long as this object.
class registration {
public:
  /// Creates it; `failure` when the node refuses.
  registration(const client_options& options, const std::string& tenant,
               const std::string& url, const std::vector<std::string>& types);
  /// Deletes it, or says that it could not.
  ~registration();
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;

  const std::string& id() const { return id_; }
  const signing_key& key() const { return *key_; }

private:
  api_session api_;
  std::string id_;
  std::optional<signing_key> key_;
};

} // namespace postrider::app
