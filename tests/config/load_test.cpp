#include "config/load.hpp"

#include "tests/config/scratch.hpp"

namespace postrider {

using testing::scratch;
using namespace std::chrono_literals;

class ConfigLoad : public scratch {};

TEST_F(ConfigLoad, HasADefaultForEverything) {
  const auto made = config::read({});
  EXPECT_TRUE(made.faults.empty());
  EXPECT_TRUE(made.warnings.empty());
  EXPECT_EQ(made.whole.delivery.lease, 20s);
}

TEST_F(ConfigLoad, ReadsEveryKindOfValue) {
  const auto made = good(R"([node]
name = "worker-a"
threads = 4
[api]
listen = "[::1]:9000"
max_body = "1MiB"
key = "0123456789abcdef"
[delivery]
lease = "1m"
[guard]
allow = ["10.0.0.0/8", "::1"]
)");
  EXPECT_EQ(made.node.name, "worker-a");
  EXPECT_EQ(made.node.threads, 4U);
  EXPECT_EQ(made.api.listen.address, "::1");
  EXPECT_EQ(made.api.listen.port, 9000);
  EXPECT_EQ(made.api.max_body, 1U << 20);
  EXPECT_EQ(made.api.key, "0123456789abcdef");
  EXPECT_EQ(made.delivery.lease, 60s);
  EXPECT_EQ(made.guard.allow, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
}

TEST_F(ConfigLoad, SaysWhereAnUnknownKeyStandsAndWhatItWasMeantToBe) {
  const auto found = only("[http]\ntimout = \"5s\"\n");
  EXPECT_TRUE(found.where.ends_with("postrider.toml:2:1")) << found.where;
  EXPECT_EQ(found.what, "unknown key http.timout (did you mean timeout?)");
  EXPECT_EQ(found.excerpt, "    2 | timout = \"5s\"\n      | ^~~~~~");
}

TEST_F(ConfigLoad, RefusesUnknownSectionsAndKeysOutsideOfAny) {
  EXPECT_EQ(only("[delivry]\nlease = \"60s\"\n").what,
            "unknown section [delivry] (did you mean delivery.lease?)");
  EXPECT_EQ(only("[delivry]\n").what,
            "unknown section [delivry] (did you mean delivery?)");
  EXPECT_EQ(only("[api.tls]\nkey_file = \"x\"\n").what,
            "unknown section [api.tls] (did you mean api.key_file?)");
  EXPECT_EQ(only("[nothing]\nelse = \"x\"\n").what,
            "unknown section [nothing]");
  EXPECT_EQ(only("lease = \"60s\"\n").what,
            "unknown key lease: keys stand in sections, such as [delivery] "
            "(did you mean delivery.lease?)");
}

TEST_F(ConfigLoad, AcceptsAnEmptySection) {
  EXPECT_EQ(good("[guard]\n").guard.allow.size(), 0U);
}

TEST_F(ConfigLoad, TellsAllFaultsAtOnce) {
  const auto all = faults(R"([delivery]
lease = "5 minutes"
window = -1
[http]
timeout = 15
[guard]
allow = ["10.0.0.0/33"]
[log]
level = "loud"
[api]
listen = "localhost"
max_body = true
)");
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[0].what, "delivery.lease: \"5 minutes\" is not a duration "
                         "(write \"5m\")");
  EXPECT_EQ(all[1].what, "delivery.window: -1 is out of range (1 to 1000000)");
  EXPECT_EQ(all[2].what, "http.timeout: 15 is not a duration (write "
                         "\"15s\")");
  EXPECT_EQ(all[3].what, "guard.allow[0]: \"10.0.0.0/33\" is not a network "
                         "(write \"10.0.0.0/8\", \"fd00::/8\")");
  EXPECT_EQ(all[4].what,
            "log.level: \"loud\" is none of debug, info, warn, error");
  EXPECT_EQ(all[5].what, "api.listen: \"localhost\" is not an address and "
                         "port (write \"127.0.0.1:8080\", \"[::]:8080\")");
  EXPECT_EQ(all[6].what, "api.max_body: a boolean is not a size (write "
                         "\"256KiB\", \"64MiB\")");
}

TEST_F(ConfigLoad, ReadsThePolicyOfHealthAndTheLimitsOfTenants) {
  const auto made = good(R"([health]
degraded_after = 3
failure_ratio = 0.25
cooldowns = ["1s", "1s", "30d"]
max_suspended = "365d"
on_suspended = "shed"
[limits]
tenant_max_in_flight = 7
tenant_rate = 20
)");
  EXPECT_EQ(made.health.degraded_after, 3U);
  EXPECT_EQ(made.health.failure_ratio, 0.25);
  EXPECT_EQ(made.health.cooldowns,
            (std::vector<config::milliseconds>{1s, 1s, 30 * 24h}));
  EXPECT_EQ(made.health.max_suspended, 365 * 24h);
  EXPECT_EQ(made.health.on_suspended, "shed");
  EXPECT_EQ(made.limits.tenant_max_in_flight, 7U);
  EXPECT_EQ(made.limits.tenant_rate, 20);
  variables = {{"POSTRIDER_LIMITS__TENANT_RATE", "0.5"},
               {"POSTRIDER_HEALTH__COOLDOWNS", "5s, 10s"}};
  EXPECT_EQ(good("").limits.tenant_rate, 0.5);
  EXPECT_EQ(good("").health.cooldowns,
            (std::vector<config::milliseconds>{5s, 10s}));
}

TEST_F(ConfigLoad, RefusesAScheduleThatFallsOrIsOutOfBounds) {
  const auto cooldowns = [this](const std::string& list) {
    return only("[health]\ncooldowns = " + list + "\n").what;
  };
  EXPECT_EQ(cooldowns("[\"1m\", \"30s\"]"),
            "health.cooldowns[1]: \"30s\" is shorter than the one before it "
            "(1m)");
  EXPECT_EQ(cooldowns("[\"5s\", \"999ms\"]"),
            "health.cooldowns[1]: \"999ms\" is out of range (1s to 30d)");
  EXPECT_EQ(cooldowns("[\"5s\", 15]"),
            "health.cooldowns[1]: 15 is not a duration (write \"15s\")");
  EXPECT_EQ(cooldowns("[]"), "health.cooldowns: an empty list is not a list "
                             "of 1 to 20 durations (write [\"5s\", \"1m\"])");
  std::string many = "[\"5s\"";
  for (int i = 0; i < 20; ++i)
    many += ", \"5s\"";
  EXPECT_NE(cooldowns(many + "]").find("1 to 20"), std::string::npos);
}

TEST_F(ConfigLoad, RefusesNumbersThatAreNoneOrOutOfRange) {
  const auto rate = [this](const std::string& number) {
    return only("[limits]\ntenant_rate = " + number + "\n").what;
  };
  EXPECT_EQ(rate("-0.5"),
            "limits.tenant_rate: -0.5 is out of range (0 to 1000000)");
  EXPECT_EQ(rate("\"20\""),
            "limits.tenant_rate: \"20\" is not a number (write 20)");
  EXPECT_NE(rate("nan").find("out of range"), std::string::npos);
  EXPECT_NE(rate("inf").find("out of range"), std::string::npos);
  EXPECT_EQ(only("[health]\nmax_suspended = \"366d\"\n").what,
            "health.max_suspended: 366d is out of range (1m to 365d)");
  EXPECT_EQ(only("[health]\nmax_suspended = \"59s\"\n").what,
            "health.max_suspended: 59s is out of range (1m to 365d)");
  EXPECT_EQ(only("[node]\nthreads = 1.5\n").what,
            "node.threads: 1.5 is not a whole number");
}

TEST_F(ConfigLoad, ShowsTheLineThatIsNoToml) {
  const auto found = only("[api]\nlisten = \n");
  EXPECT_NE(found.where.find("postrider.toml:2:"), std::string::npos);
  EXPECT_NE(found.excerpt.find("2 | listen ="), std::string::npos);
}

TEST_F(ConfigLoad, RefusesAKeyGivenTwice) {
  EXPECT_EQ(faults("[node]\nname = \"a\"\nname = \"b\"\n").size(), 1U);
}

TEST_F(ConfigLoad, SaysThatAFileCantBeRead) {
  const auto made = config::read({"/nowhere/postrider.toml", {}, {}});
  ASSERT_EQ(made.faults.size(), 1U);
  EXPECT_EQ(config::to_string(made.faults.front()),
            "/nowhere/postrider.toml: error: can't be read: No such file or "
            "directory");
  EXPECT_FALSE(config::read({"/", {}, {}}).faults.empty());
}

TEST_F(ConfigLoad, TakesTheEnvironmentOverTheFile) {
  variables = {{"POSTRIDER_DELIVERY__LEASE", "30s"},
               {"POSTRIDER_NODE__THREADS", "2"},
               {"POSTRIDER_GUARD__DENY", "192.0.2.0/24,198.51.100.1"}};
  const auto made = good("[delivery]\nlease = \"40s\"\n");
  EXPECT_EQ(made.delivery.lease, 30s);
  EXPECT_EQ(made.node.threads, 2U);
  EXPECT_EQ(made.guard.deny.size(), 2U);
}

TEST_F(ConfigLoad, NamesTheVariableThatIsWrong) {
  variables = {{"POSTRIDER_NODE__THREADS", "two"}};
  const auto found = only("");
  EXPECT_EQ(config::to_string(found),
            "POSTRIDER_NODE__THREADS: error: \"two\" is not a whole number");
}

TEST_F(ConfigLoad, RefusesValuesThatCantStandTogether) {
  const auto found = only("[delivery]\nlease = \"10s\"\nheartbeat = \"2s\"\n");
  EXPECT_TRUE(found.where.ends_with(":2:9")) << found.where;
  EXPECT_EQ(found.what,
            "delivery.lease: 10s is not longer than http.timeout (15s): a "
            "dead node's requests could still run when another takes over");
  EXPECT_EQ(only("[delivery]\nheartbeat = \"7s\"\n").what,
            "delivery.heartbeat: 7s is more than a third of delivery.lease "
            "(20s): one lost heartbeat would lose the partitions");
}

} // namespace postrider
