// The commands. Each function adds one to the program's table.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::cli {

void add_hash_command(Program& program);
void add_mac_command(Program& program);
void add_encrypt_commands(Program& program);  // encrypt and decrypt
void add_seal_command(Program& program);
void add_open_command(Program& program);
void add_rekey_command(Program& program);
void add_inspect_command(Program& program);
void add_keygen_command(Program& program);
void add_kdf_command(Program& program);
void add_kernels_command(Program& program);
void add_devices_command(Program& program);
void add_selftest_command(Program& program);
void add_wrap_commands(Program& program);  // wrap and unwrap
void add_help_command(Program& program);

// Adds all of them, in the order of help.
void add_commands(Program& program);

}  // namespace vsh::cli
