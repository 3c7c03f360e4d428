#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace postrider::app {

/// Seconds of CPU, user and system, that a process has used; 0 when there is
/// no such process.
double cpu_of(pid_t process);

/// Likewise of a server with all its children, those that have ended included.
double cpu_of_family(pid_t parent);

/// The most memory that it has ever had resident, in bytes; 0 when unknown.
std::int64_t peak_memory(pid_t process);

/// What it has resident now.
std::int64_t resident_memory(pid_t process);

/// The memory of a server and its children now, what they share counted once.
std::int64_t family_memory(pid_t parent);

/// The server that this process is a child of, when that is of the same name;
/// 0 otherwise.
pid_t parent_of_same_name(pid_t process);

} // namespace postrider::app
