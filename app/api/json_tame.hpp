#pragma once

#include <string>
#include <string_view>

namespace postrider::api {

/// A copy of the same length in which every well-written number is 0 and no
/// `\u` escape is a surrogate; the rest stands as it was, wrong or right. It
/// is JSON just where `text` is.
///
/// simdjson turns numbers into 64-bit integers or doubles and escapes into
/// UTF-8, and refuses what does not fit. In a payload both are legal JSON that
/// has to arrive as it came (JSON-04, JSON-07): so a text that was refused for
/// one of them is judged once more without them.
std::string tame_json(std::string_view text);

} // namespace postrider::api
