#pragma once

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace postrider::app {

/// Prints the help that was asked for, or on standard error what is wrong
/// with the command line, with the nearest command or option there is.
/// Returns the exit code.
int explain(const CLI::App& root, const CLI::ParseError& found);

} // namespace postrider::app
