#include "app/embedded_postgres.hpp"

#include "store/migrator.hpp"
#include "tests/app/program.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace postrider {

using app::embedded_postgres;
using testing::temporary_folder;

std::string ask(const embedded_postgres& server, const std::string& query) {
  return app::run({{(server.programs() / "psql").string(), "-XqAt", "-d",
                    server.url(), "-c", query}})
      .output;
}

std::string refusal(const std::filesystem::path& folder) {
  try {
    embedded_postgres server{folder};
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "it started";
}

TEST(EmbeddedPostgres, IsDurableReachedBySocketOnlyAndNotRunByRoot) {
  const temporary_folder here;
  const embedded_postgres server{here.path() / "node"};
  for (const auto* setting :
       {"fsync", "synchronous_commit", "full_page_writes", "data_checksums"})
    EXPECT_EQ(ask(server, std::string{"show "} + setting), "on\n") << setting;
  EXPECT_EQ(ask(server, "show listen_addresses"), "\n");
  EXPECT_EQ(ask(server, "show max_wal_size"), "4GB\n");
  struct stat socket {};
  ASSERT_EQ(::stat((here.path() / "node/run").c_str(), &socket), 0);
  EXPECT_EQ(socket.st_mode & 0777U, 0700U);
  EXPECT_NE(socket.st_uid, 0U);
}

TEST(EmbeddedPostgres, KeepsWhatIsInItAcrossStops) {
  const temporary_folder here;
  {
    embedded_postgres server{here.path() / "node"};
    EXPECT_FALSE(store::migrator{server.url()}.up().empty());
    server.stop();
    EXPECT_EQ(server.pid(), 0);
  }
  const embedded_postgres again{here.path() / "node"};
  EXPECT_TRUE(store::migrator{again.url()}.up().empty());
}

TEST(EmbeddedPostgres, RecoversFromACrashAndAStalePidFile) {
  const temporary_folder here;
  const auto folder = here.path() / "node";
  {
    embedded_postgres server{folder};
    ask(server, "create table t as select 1");
    ::kill(server.pid(), SIGKILL);
  }
  // The dead server's number now belongs to a process that is none: us.
  std::ofstream{folder / "data/postmaster.pid"} << ::getpid() << "\n";
  const embedded_postgres again{folder};
  EXPECT_EQ(ask(again, "select count(*) from t"), "1\n");
}

TEST(EmbeddedPostgres, KeepsASecondPostriderOut) {
  const temporary_folder here;
  const embedded_postgres server{here.path() / "node"};
  EXPECT_NE(refusal(here.path() / "node").find("another postrider uses"),
            std::string::npos);
}

TEST(EmbeddedPostgres, RefusesAFolderThatCantHoldASocketOrBeReached) {
  const temporary_folder here;
  EXPECT_NE(refusal(here.path() / std::string(100, 'x')).find("too long"),
            std::string::npos);
  if (::geteuid() == 0) {
    std::filesystem::permissions(here.path(), std::filesystem::perms{0700});
    EXPECT_NE(refusal(here.path() / "node").find("can't be used by"),
              std::string::npos);
  }
}

TEST(EmbeddedPostgres, EndsWhenItsParentIsKilled) {
  const temporary_folder here;
  const auto folder = here.path() / "node";
  {
    // A process that starts it and is killed by the end of this block.
    app::child other{{.arguments = {POSTRIDER_BINARY, "serve", "--embedded",
                                    folder.string()},
                      .log = (here.path() / "log").string()}};
    while (!std::filesystem::exists(folder / "data/postmaster.pid"))
      ASSERT_FALSE(other.status()) << other.wait();
    other.signal(SIGKILL);
    other.wait();
  }
  const embedded_postgres server{folder};
  EXPECT_EQ(ask(server, "select 1"), "1\n");
}

} // namespace postrider
