// How `--help` is laid out.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/text/text.hpp"

namespace vsh::cli {

// Within 110 columns: those of the names, and 80. After all commands have been added.
inline void lay_out_help(CLI::App& app) {
  constexpr size_t kNameColumns = 28, kTextColumns = 80;
  app.get_formatter()->column_width(kNameColumns);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    command->get_formatter()->column_width(kNameColumns);
    for (CLI::Option* option : command->get_options())
      option->description(fold(option->get_description(), kTextColumns));
  }
}

}  // namespace vsh::cli
