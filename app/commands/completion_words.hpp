#pragma once

#include "app/commands/tree.hpp"

#include <functional>
#include <string>
#include <vector>

namespace postrider::app {

/// A command and all below it, each before those below.
void for_each_command(
    const described_command& from,
    const std::function<void(const described_command&)>& visit);

/// `purge` of `dead-letters purge`.
std::string last_word(const std::string& path);

bool names_a_file(const described_option& option);

std::string joined(const std::vector<std::string>& words,
                   const std::string& by);

/// Every option that takes a value: what stands behind one is no command.
std::vector<std::string> valued_options(const described_command& root);

} // namespace postrider::app
