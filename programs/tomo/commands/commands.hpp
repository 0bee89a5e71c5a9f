// The commands of vershina-tomo. Each function adds one to the program's table.
#pragma once

#include "programs/common/options/command.hpp"

namespace vsh::tomo {

void add_phantom_command(cli::Program& program);
void add_reconstruct_command(cli::Program& program);
void add_info_command(cli::Program& program);
void add_centre_command(cli::Program& program);
void add_monitor_command(cli::Program& program);
void add_segment_command(cli::Program& program);
void add_compare_command(cli::Program& program);
void add_view_command(cli::Program& program);

}  // namespace vsh::tomo
