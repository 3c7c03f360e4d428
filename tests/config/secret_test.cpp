#include "tests/config/scratch.hpp"

#include <fmt/format.h>

namespace postrider {

using testing::scratch;

class ConfigSecret : public scratch {};

constexpr auto sample = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

TEST_F(ConfigSecret, IsReadFromTheFileThatItsTwinNames) {
  const auto name = write("url", "postgresql:///app?host=/run\n");
  EXPECT_EQ(
      good(fmt::format("[storage]\nurl_file = \"{}\"\n", name)).storage.url,
      "postgresql:///app?host=/run");
}

TEST_F(ConfigSecret, IsRefusedWhenBothTwinsAreSet) {
  const auto name = write("url", "postgresql:///app\n");
  const auto found = only(fmt::format(
      "[storage]\nurl_file = \"{}\"\nurl = \"postgresql:///other\"\n", name));
  EXPECT_TRUE(found.where.ends_with(":3:1")) << found.where;
  EXPECT_EQ(found.what, "storage.url and storage.url_file are both set: keep "
                        "one of them");
}

TEST_F(ConfigSecret, IsRefusedWhenBothVariablesAreSet) {
  variables = {{"POSTRIDER_STORAGE__URL", "postgresql:///a"},
               {"POSTRIDER_STORAGE__URL_FILE", "/b"}};
  const auto found = only("");
  EXPECT_EQ(found.where, "POSTRIDER_STORAGE__URL_FILE");
  EXPECT_EQ(found.what, "POSTRIDER_STORAGE__URL and "
                        "POSTRIDER_STORAGE__URL_FILE are both set: keep one of "
                        "them");
}

TEST_F(ConfigSecret, OfTheEnvironmentTakesThePlaceOfTheFilesTwin) {
  variables = {
      {"POSTRIDER_API__KEY_FILE", write("key", "from-the-environment\n")}};
  EXPECT_EQ(good("[api]\nkey = \"from-the-file-itself\"\n").api.key,
            "from-the-environment");
}

TEST_F(ConfigSecret, KeyIsThirtyTwoBytesInBase64) {
  const auto name = write("key", fmt::format("{}\n", sample));
  const auto made =
      good(fmt::format("[storage]\nsecret_key_file = \"{}\"\n", name));
  ASSERT_EQ(made.storage.secret_key.size(), 32U);
  EXPECT_EQ(made.storage.secret_key[31], '\x1f');
}

TEST_F(ConfigSecret, IsNeverPartOfAMessage) {
  const auto name = write("key", "c2VjcmV0\n");
  const auto found =
      only(fmt::format("[storage]\nsecret_key_file = \"{}\"\n", name));
  EXPECT_EQ(found.what, "storage.secret_key_file: must hold base64 of exactly "
                        "32 bytes (make one: openssl rand -base64 32)");
  const auto other = only("[api]\nkey = \"hunter2\"\n");
  EXPECT_EQ(other.what.find("hunter2"), std::string::npos) << other.what;
  EXPECT_EQ(other.excerpt.find("hunter2"), std::string::npos) << other.excerpt;
}

TEST_F(ConfigSecret, KeyOfTheStoreComesFromAFileOnly) {
  variables = {{"POSTRIDER_STORAGE__SECRET_KEY", sample}};
  EXPECT_EQ(only("").what, "there is no such key (did you mean "
                           "POSTRIDER_STORAGE__SECRET_KEY_FILE?)");
  variables.clear();
  EXPECT_EQ(only("[storage]\nsecret_key = \"x\"\n").what,
            "unknown key storage.secret_key (did you mean secret_key_file?)");
}

TEST_F(ConfigSecret, IsFoundAmongTheCredentialsOfTheUnit) {
  const auto name = write("api-key", "from-a-credential\n");
  const std::string text = "[api]\nkey_file = \"credential:api-key\"\n";
  EXPECT_NE(only(text).what.find("CREDENTIALS_DIRECTORY"), std::string::npos);
  variables["CREDENTIALS_DIRECTORY"] = name.substr(0, name.rfind('/'));
  EXPECT_EQ(good(text).api.key, "from-a-credential");
}

TEST_F(ConfigSecret, FileThatIsMissingOrEmptyIsNamed) {
  EXPECT_EQ(only("[api]\nkey_file = \"/nowhere/key\"\n").what,
            "api.key_file: can't read /nowhere/key: No such file or directory");
  const auto name = write("empty", "\n");
  EXPECT_EQ(only(fmt::format("[api]\nkey_file = \"{}\"\n", name)).what,
            fmt::format("api.key_file: {} is empty", name));
}

} // namespace postrider
