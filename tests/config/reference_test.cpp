#include "config/reference.hpp"

#include "config/docs.hpp"
#include "config/keys.hpp"
#include "config/render.hpp"
#include "tests/config/scratch.hpp"

#include <set>
#include <sstream>

namespace postrider {

using testing::scratch;

class ConfigReference : public scratch {};

std::string content_of(const char* name) {
  std::ifstream file{name};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(ConfigReference, IsTheFileInTheSourceTree) {
  EXPECT_EQ(content_of(REFERENCE_FILE), config::reference_file())
      << "run: postrider config example > config/postrider.toml";
}

TEST_F(ConfigReference, IsThePageInTheDocumentation) {
  EXPECT_EQ(content_of(DOCS_FILE), config::documentation())
      << "run: postrider config docs > docs/configuration.md";
}

TEST_F(ConfigReference, LoadsAsTheDefaultsThatItShows) {
  auto made = good(config::reference_file());
  config::config defaults;
  const auto loaded = config::keys_of(made);
  const auto expected = config::keys_of(defaults);
  for (std::size_t i = 0; i < loaded.size(); ++i)
    EXPECT_EQ(config::render(loaded[i].where),
              config::render(expected[i].where))
        << loaded[i].path();
}

TEST_F(ConfigReference, NamesEachKeyOnceAndSaysWhatItIsFor) {
  config::config any;
  std::set<std::string> seen;
  for (const auto& one : config::keys_of(any)) {
    EXPECT_TRUE(seen.insert(one.path()).second) << one.path();
    EXPECT_FALSE(one.comment.empty()) << one.path();
  }
}

} // namespace postrider
