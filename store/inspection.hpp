#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace postrider::store {

/// The live secrets of the endpoints that are not deleted.
struct sealed_secrets {
  std::int64_t all = 0;
  std::int64_t foreign = 0; ///< sealed with another key
};
/// Throws `error`.
sealed_secrets count_sealed(const std::string& url,
                            const std::string& secret_key);
/// What a foreign one means and what is to be done.
std::string describe(const sealed_secrets& found);

/// One thing that was looked at.
struct finding {
  enum class grade { good, doubtful, bad }; ///< the worst last

  std::string name;
  grade how = grade::good;
  std::string detail;
};

/// Whether a node could work on this database: reachable, the schema that of
/// this program, the role's rights, settings under which accepted is not
/// durable, and whether the key opens the secrets. Changes nothing. What can't
/// be found out because something before it is bad is left out. Does not
/// throw.
std::vector<finding> inspect(const std::string& url,
                             const std::string& secret_key);

} // namespace postrider::store
