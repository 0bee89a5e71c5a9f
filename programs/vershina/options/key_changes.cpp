#include "programs/vershina/options/key_changes.hpp"

#include "programs/common/options/option_values.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr NumberRule kSection = {.min = 1, .is_size = true};

}  // namespace

void KeyChangeOptions::add_to(Command& command, const std::string& defaults) {
  add_number(command, "--section", section_, kSection,
             tr("ACPKM: bytes under one section key (default: {1})", defaults))
      ->manual(
          "For `ctr-acpkm`, `ctr-acpkm-omac` and `omac-acpkm`: bytes under one section key, a multiple of "
          "the block and of a segment. By default for `ctr-acpkm` those of TLS 1.2 (RFC 9189), 4096, and "
          "1024 for Magma; for `ctr-acpkm-omac` those of CMS (R 1323565.1.025-2019), 262144 and 8192; for "
          "`omac-acpkm` 4096.");
  add_name(command, "--key-meshing", key_meshing_,
           {mark("key meshing"),
            [] {
              return std::vector<std::string>{"none", "cryptopro"};
            }},
           tr("GOST 28147-89: none (default), or cryptopro, every 1024 bytes"), "NAME")
      ->manual(
          "For `gost28147-cfb`, `-cnt`, `-cbc` and `-imit`: `none` (the default), or `cryptopro`, which "
          "changes the key after every 1024 bytes (RFC 4357 section 2.3.2), as OpenSSL's gost89, gost89-cnt "
          "and gost-mac do.");
}

void KeyChangeOptions::add_master_section_to(Command& command) {
  add_number(command, "--master-section", master_section_, kSection,
             tr("OMAC-ACPKM: bytes of key material under one master key, T* (default: 4096, 1024 for Magma)"))
      ->manual(
          "For `omac-acpkm`: bytes of key material under one master key (T* of RFC 8645), a multiple of the "
          "block; by default 4096, and 1024 for Magma.");
}

void KeyChangeOptions::apply(vsh_options& options) const {
  options.section_len = section_;
  options.master_section_len = master_section_;
  if (key_meshing_ == "cryptopro") options.key_meshing = VSH_MESHING_CRYPTOPRO;
}

Failure section_failure(const std::string& algorithm, size_t block, const vsh_options& options) {
  const bool has_sections = algorithm.ends_with("-acpkm") || algorithm.ends_with("-acpkm-omac");
  if (options.key_meshing != VSH_MESHING_NONE)
    return Failure(ExitCode::usage, tr("{1} has no key meshing", algorithm), tr("leave out --key-meshing"));
  if (!has_sections) {
    const char* option = options.section_len ? "--section" : "--master-section";
    return Failure(ExitCode::usage, tr("{1} has no sections", algorithm), tr("leave out {1}", option));
  }
  const std::string unit = bytes_of(block);
  return Failure(ExitCode::usage, options.segment_len != 0
                                      ? tr("a section of {1} is a multiple of {2} and of a segment", algorithm, unit)
                                      : tr("a section of {1} is a multiple of {2}", algorithm, unit));
}

}  // namespace vsh::cli
