// The subcommands. Each function adds one to the program; CLI11 calls it back after parsing.
#pragma once

#include <CLI/CLI.hpp>

namespace vsh::cli {

void add_hash_command(CLI::App& app);
void add_mac_command(CLI::App& app);
void add_encrypt_commands(CLI::App& app);  // encrypt and decrypt
void add_kernels_command(CLI::App& app);
void add_selftest_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_completion_command(CLI::App& app);

// `vershina --version`.
std::string version_text();

}  // namespace vsh::cli
