# FILES: migrations, in their order; OUTPUT: the C++ file that holds them.
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z_]+$")
    message(FATAL_ERROR "${file}: a migration is called 0001_name.sql")
  endif()
  math(EXPR number "1${CMAKE_MATCH_1} - 10000")
  file(READ "${file}" text)
  file(SHA256 "${file}" checksum)
  string(APPEND rows
    "  {${number}, \"${name}\", \"${checksum}\",\n   R\"sql(${text})sql\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"store/migrations.hpp\"

namespace postrider::store {

namespace {

constexpr migration all[] = {
${rows}};

} // namespace

std::span<const migration> migrations() { return all; }

} // namespace postrider::store
")
