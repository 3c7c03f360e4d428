# postrider_precompile(<target> [HEADERS <more>...] [LIKE <other>])
# The headers of libraries that most of the target's sources include, compiled
# once; LIKE takes those of another target that is compiled with the same
# options. Never a header of ours: a change would compile everything anew, and
# every file has to include what it needs all the same.
option(POSTRIDER_PRECOMPILE "Compile the headers of libraries once" ON)

function(postrider_precompile target)
  cmake_parse_arguments(arg "" "LIKE" "HEADERS" ${ARGN})
  if(NOT POSTRIDER_PRECOMPILE)
    return()
  endif()
  # In code that it inlines from a precompiled header GCC 12 sees overflows that
  # are none: what it knows of a system header is lost there.
  target_compile_options(${target} PRIVATE -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread)
  if(arg_LIKE)
    target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
  else()
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <deque>
      <functional> <map> <memory> <mutex> <optional> <set> <span> <sstream>
      <stdexcept> <string> <string_view> <thread> <unordered_map>
      <unordered_set> <utility> <variant> <vector>
      ${arg_HEADERS})
  endif()
endfunction()
