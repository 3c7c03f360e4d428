cmake_minimum_required(VERSION 3.25)
# Writes the source that knows the commit, when it is another than before.
# Run as: cmake -DROOT=<source dir> -DOUTPUT=<file> -P write_commit.cmake
execute_process(COMMAND git -C "${ROOT}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"#include \"app/bench/bench_report.hpp\"

namespace postrider::app {

std::string commit() {
  return \"@commit@\";
}

} // namespace postrider::app
" @ONLY)
