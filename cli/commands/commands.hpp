// The subcommands. Each function adds one to the program; CLI11 calls it back after parsing.
#pragma once

#include <CLI/CLI.hpp>

namespace vsh::cli {

void add_hash_command(CLI::App& app);
void add_mac_command(CLI::App& app);
void add_encrypt_commands(CLI::App& app);  // encrypt and decrypt
void add_seal_command(CLI::App& app);
void add_open_command(CLI::App& app);
void add_rekey_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_kdf_command(CLI::App& app);
void add_kernels_command(CLI::App& app);
void add_devices_command(CLI::App& app);
void add_selftest_command(CLI::App& app);
void add_wrap_commands(CLI::App& app);  // wrap and unwrap
void add_completion_command(CLI::App& app);

// `vershina --version`.
std::string version_text();

}  // namespace vsh::cli
