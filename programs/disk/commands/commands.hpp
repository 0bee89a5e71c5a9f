// The commands of vershina-disk. Each function adds one to the program's table.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::disk {

void add_create_command(cli::Program& program);
void add_info_command(cli::Program& program);
void add_serve_command(cli::Program& program);
void add_copy_command(cli::Program& program);

}  // namespace vsh::disk
