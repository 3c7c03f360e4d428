#include "config/schema.hpp"

#include "config/keys.hpp"
#include "config/reference.hpp"
#include "tests/config/scratch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace postrider {

using testing::scratch;

class ConfigSchema : public scratch {
public:
  /// What the validator says to each of the texts: `valid`, or what is wrong.
  std::vector<std::string>
  validate(const std::vector<std::string>& texts) const {
    auto command = std::string{PYTHON " " VALIDATOR " "}
                   + write("schema.json", config::json_schema());
    for (const auto& text : texts)
      command +=
          " "
          + write("candidate-" + std::to_string(&text - texts.data()), text);
    const auto out = (folder() / "out").string();
    const int code = std::system((command + " >" + out + " 2>&1").c_str());
    std::vector<std::string> said;
    std::ifstream file{out};
    for (std::string line; std::getline(file, line);)
      said.push_back(line);
    EXPECT_EQ(code, 0) << (said.empty() ? "" : said.back());
    EXPECT_EQ(said.size(), texts.size());
    said.resize(texts.size());
    return said;
  }
};

TEST_F(ConfigSchema, AcceptsTheReferenceFile) {
  EXPECT_EQ(validate({config::reference_file()})[0], "valid");
}

TEST_F(ConfigSchema, RefusesOnlyWhatTheLoaderRefusesToo) {
  const std::vector<std::string> texts{
      "[http]\ntimout = \"5s\"\n",
      "[delivry]\nlease = \"30s\"\n",
      "[http]\ntimeout = 15\n",
      "[http]\ntimeout = \"5 minutes\"\n",
      "[api]\nmax_body = \"1MB\"\n",
      "[node]\nthreads = 65\n",
      "[node]\nthreads = \"4\"\n",
      "[log]\nlevel = \"loud\"\n",
      "[api]\nlisten = \"localhost:80\"\n",
      "[guard]\nallow = [\"ten\"]\n",
      "[guard]\nports = [0]\n",
      "[guard]\nports = [\"80\"]\n",
      "include = \"a.toml\"\n",
      "[storage]\nsecret_key = \"x\"\n",
      "[api]\nkey = \"0123456789abcdef\"\nkey_file = \"/x\"\n"};
  const auto said = validate(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NE(said[i], "valid") << texts[i];
    EXPECT_FALSE(read(texts[i]).faults.empty()) << texts[i];
  }
}

TEST_F(ConfigSchema, AcceptsEveryFormThatTheLoaderAccepts) {
  const auto* const text = R"(include = ["conf.d/*.toml"]
[api]
listen = "[::1]:9000"
key = "0123456789abcdef"
[delivery]
settle_delay = "0"
poll_min = "7ms"
lease = "1m"
[shutdown]
delay = "0s"
[guard]
allow = ["10.0.0.0/8", "::1"]
ports = [25]
)";
  EXPECT_EQ(validate({text})[0], "valid");
  good(text);
}

TEST_F(ConfigSchema, DescribesEachKeyWithItsDefault) {
  const auto schema = nlohmann::json::parse(config::json_schema());
  config::config any;
  for (const auto& one : config::keys_of(any)) {
    const auto& section = schema["properties"][one.section];
    EXPECT_EQ(section["additionalProperties"], false) << one.section;
    const bool secret = std::holds_alternative<config::secret_field>(one.where);
    const auto& made =
        section["properties"][one.name + (secret ? "_file" : "")];
    EXPECT_TRUE(made.contains("description")) << one.path();
    EXPECT_EQ(made.contains("default"), !secret) << one.path();
  }
}

} // namespace postrider
