#include "cli/options/key_changes.hpp"

#include "cli/options/option_values.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr NumberRule kSection = {.min = 1, .is_size = true};

}  // namespace

void KeyChangeOptions::add_to(Command& command, const std::string& defaults) {
  add_number(command, "--section", section_, kSection,
             "ACPKM: bytes under one section key (default: " + defaults + ")");
  add_name(command, "--key-meshing", key_meshing_,
           {"key meshing",
            [] {
              return std::vector<std::string>{"none", "cryptopro"};
            }},
           "GOST 28147-89: none (default), or cryptopro, every 1024 bytes", "NAME");
}

void KeyChangeOptions::add_master_section_to(Command& command) {
  add_number(command, "--master-section", master_section_, kSection,
             "OMAC-ACPKM: bytes of key material under one master key, T* (default: 4096, 1024 for Magma)");
}

void KeyChangeOptions::apply(vsh_options& options) const {
  options.section_len = section_;
  options.master_section_len = master_section_;
  if (key_meshing_ == "cryptopro") options.key_meshing = VSH_MESHING_CRYPTOPRO;
}

Failure section_failure(const std::string& algorithm, size_t block, const vsh_options& options) {
  const bool has_sections = algorithm.ends_with("-acpkm") || algorithm.ends_with("-acpkm-omac");
  if (options.key_meshing != VSH_MESHING_NONE)
    return Failure(ExitCode::usage, algorithm + " has no key meshing", "leave out --key-meshing");
  if (!has_sections) {
    const char* option = options.section_len ? "--section" : "--master-section";
    return Failure(ExitCode::usage, algorithm + " has no sections", std::string("leave out ") + option);
  }
  const std::string of_segment = options.segment_len != 0 ? " and of a segment" : "";
  return Failure(ExitCode::usage, "a section of " + algorithm + " is a multiple of " + bytes_of(block) + of_segment);
}

}  // namespace vsh::cli
