#include "tests/support/network_island.hpp"

#include "tests/support/shell.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace postrider::testing {

namespace {

void run(const std::string& command) {
  const auto done = shell(command);
  if (done.code != 0)
    throw std::runtime_error{command + ": " + done.output};
}

int open_network(const std::string& file) {
  const int out = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (out < 0)
    throw std::runtime_error{"no network " + file};
  return out;
}

void enter(int network) {
  if (::setns(network, CLONE_NEWNET) != 0)
    throw std::runtime_error{"no way into a network"};
}

} // namespace

std::string network_island::refusal() {
  if (::geteuid() != 0)
    return "network namespaces need root";
  const auto tried =
      shell("ip netns add postrider-try && ip netns del postrider-try");
  return tried.code == 0 ? "" : "no network namespaces here: " + tried.output;
}

network_island::network_island() {
  static std::atomic<int> count{0};
  const int number = ::getpid() % 60'000 * 4 + count++ % 4;
  name_ = fmt::format("pr{}", number);
  // Of 10.192.0.0/10, four addresses each.
  const auto block = 10u << 24 | 192u << 16 | static_cast<unsigned>(number) * 4;
  const auto text = [&](unsigned host) {
    const auto all = block + host;
    return fmt::format("{}.{}.{}.{}", all >> 24, all >> 16 & 255,
                       all >> 8 & 255, all & 255);
  };
  near_ = text(1);
  far_ = text(2);
  run(fmt::format("ip netns add {0} && "
                  "ip link add {0}a type veth peer name {0}b netns {0} && "
                  "ip addr add {1}/30 dev {0}a && ip link set {0}a up && "
                  "ip -n {0} addr add {2}/30 dev {0}b && "
                  "ip -n {0} link set {0}b up && ip -n {0} link set lo up",
                  name_, near_, far_));
}

network_island::~network_island() {
  shell(fmt::format("ip link del {0}a; ip netns del {0}", name_));
}

void network_island::inside(const std::function<void()>& what) {
  // On this thread: a server that it starts ends with the thread.
  const int home = open_network("/proc/thread-self/ns/net");
  const int there = open_network("/run/netns/" + name_);
  enter(there);
  try {
    what();
  } catch (...) {
    enter(home);
    throw;
  }
  enter(home);
  ::close(there);
  ::close(home);
}

void network_island::cut() {
  // A neighbour that nobody is: what is sent goes nowhere, in both directions.
  run(fmt::format("ip neigh replace {2} lladdr 02:00:00:00:00:99 dev {0}a nud "
                  "permanent && ip -n {0} neigh replace {1} lladdr "
                  "02:00:00:00:00:99 dev {0}b nud permanent",
                  name_, near_, far_));
}

void network_island::heal() {
  run(fmt::format("ip neigh del {2} dev {0}a; ip -n {0} neigh del {1} dev {0}b",
                  name_, near_, far_));
}

} // namespace postrider::testing
