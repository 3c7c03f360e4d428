#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/shell.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <filesystem>
#include <optional>

#include <unistd.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A file system of its own.
class small_disk {
public:
  explicit small_disk(const std::string& size)
      : place_{fmt::format("/tmp/postrider-disk-{}", ::getpid())} {
    std::filesystem::create_directory(place_);
    mounted_ = shell(fmt::format("mount -t tmpfs -o size={},mode=0755 "
                                 "postrider-test {}",
                                 size, place_))
                   .code
               == 0;
  }
  ~small_disk() {
    if (mounted_)
      shell("umount -l " + place_);
    std::error_code ignored;
    std::filesystem::remove(place_, ignored);
  }

  bool mounted() const { return mounted_; }
  const std::string& place() const { return place_; }
  /// A file to be removed when room is needed.
  void ballast(int mebibytes) {
    shell(fmt::format("fallocate -l {}M {}/ballast", mebibytes, place_));
  }
  void drop_ballast() { std::filesystem::remove(place_ + "/ballast"); }
  void fill() { shell(fmt::format("cat /dev/zero > {}/rest", place_)); }

private:
  std::string place_;
  bool mounted_ = false;
};

// B-10, PG-14: nothing is answered with success that was not written, and with
// some room the server starts again and all goes on.
TEST(DiskFull, RefusesAndLosesNothing) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "a file system of its own needs root";
  small_disk disk{"320m"};
  if (!disk.mounted())
    GTEST_SKIP() << "nothing can be mounted here";
  disk.ballast(64);
  std::optional<postgres_server> server;
  server.emplace(std::vector<std::string>{"max_wal_size=32MB",
                                          "min_wal_size=32MB",
                                          "restart_after_crash=off"},
                 disk.place());
  fault_bench bench{*server, [](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  producers load{bench, 3};
  ASSERT_TRUE(bench.shop().wait_for(50)) << bench.node().log();
  disk.fill();
  // Until a file has to grow.
  int refused = 0;
  EXPECT_TRUE(eventually(
      [&] {
        const auto status =
            bench.send_payload(fmt::format("large{}", refused),
                               "\"" + std::string(200'000, 'x') + "\"");
        refused += status == 503 ? 1 : 0;
        EXPECT_TRUE(status == 503 || status == 201) << status;
        return refused >= 5;
      },
      60s));
  disk.drop_ballast();
  server->stop_immediate();
  server->start();
  bench.mark("database", "", 10s);
  const auto had = bench.shop().count();
  EXPECT_TRUE(bench.shop().wait_for(had + 20)) << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-10", "disk of the database full", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
