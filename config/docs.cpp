#include "config/docs.hpp"

#include "config/environment.hpp"
#include "config/keys.hpp"
#include "config/render.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::config {

namespace {

constexpr auto introduction = R"(# Configuration

One TOML file, `--config FILE` or `POSTRIDER_CONFIG`. `postrider config example`
prints it with every key and its default; this page is made from the same table
(`postrider config docs`).

## Where a value comes from

What stands further down wins, each key by itself:

1. the built-in default
2. the file
3. the files that it includes: `include = ["conf.d/*.toml"]`, relative to the
   file, in the order of their names
4. the environment: `POSTRIDER_<SECTION>__<KEY>`, so `delivery.lease` is
   `POSTRIDER_DELIVERY__LEASE`. Typed as in the file; lists are split at commas
5. `--set section.key=value`
6. flags such as `--embedded`

`postrider config show` prints every value that is in force and where it was
set; secrets are blanked, and what one file took from another is listed.

Nothing is replaced inside texts: there is no `${NAME}`.

## Values

| written | means |
|---|---|
| `"250ms"`, `"5s"`, `"10m"`, `"2h"`, `"1d"` | a duration |
| `"512B"`, `"256KiB"`, `"64MiB"`, `"1GiB"` | a size |
| `"127.0.0.1:8080"`, `"[::]:8080"` | where to listen |
| `["10.0.0.0/8", "fd00::/8"]` | networks |
| `["5s", "1m", "1h"]` | durations, none shorter than the one before it |
| `[25, 5432]` | ports |
| `0.5`, `20` | a number, where it may have a fraction |

## Secrets

Each secret has a twin that names a file: `api.key_file = "/etc/postrider/api.key"`,
`POSTRIDER_API__KEY_FILE`. `credential:NAME` is the file `NAME` in
`$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`). To give both the secret
and its file in one place is an error; so is a secret in `--set`, which every
user of the machine could read. A file that everyone may read draws a warning.

## Checking

`postrider check-config [FILE]` reads the configuration as `serve` does and
tells all that is wrong, with the place and what would be right:

```
postrider.toml:3:9: error: delivery.lease: "5 minutes" is not a duration (write "5m")
    3 | lease = "5 minutes"
      |         ^~~~~~~~~~~
postrider.toml:6:1: error: unknown key http.timout (did you mean timeout?)
2 errors; nothing was applied
```

| option | |
|---|---|
| `--effective` | also print every value and where it was set |
| `--connect` | also try it: the database (schema, rights, unsafe settings, and whether `storage.secret_key` opens the secrets there), the CA file, the addresses to listen on |
| `--strict` | exit code 8 when there is a warning |

It exits with 3 when something is wrong. `postrider config schema` prints the
JSON Schema of the file for editors and pipelines.

## Reloading

SIGHUP, `postrider config reload` or `POST /v1/config/reload` reads everything
anew. All new parts (guard lists, trust store, limits, keys) are made first and
then put in force together, while deliveries go on: requests that are under way
end under the old ones, and connections opened under them are not used again.
When anything is wrong nothing changes: the faults are logged and answered with
422, and the node goes on with what it had.

Keys marked *restart* keep their old value until then; the log and the answer
name those that have changed. `postrider config diff` (`POST /v1/config/check`)
tells what a reload would change, without doing it; `GET /v1/config` shows what
is in force.

## Keys
)";

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string row(const key& one) {
  const auto* secret = std::get_if<secret_field>(&one.where);
  const auto name = !secret ? fmt::format("`{}`", one.name)
                    : secret->file_only
                        ? fmt::format("`{}_file`", one.name)
                        : fmt::format("`{0}_file`, `{0}`", one.name);
  return fmt::format("| {} | {} | {} | {} |\n", name,
                     secret ? "" : fmt::format("`{}`", render(one.where)),
                     one.when == applies::on_reload ? "reload" : "restart",
                     one_line(one.comment));
}

} // namespace

std::string documentation() {
  config defaults;
  std::string text = introduction;
  std::string section;
  for (const auto& one : keys_of(defaults)) {
    if (one.section != section) {
      section = one.section;
      text += fmt::format("\n### [{}]\n\n"
                          "| key | default | in force after | |\n"
                          "|---|---|---|---|\n",
                          section);
    }
    text += row(one);
  }
  return text;
}

} // namespace postrider::config
