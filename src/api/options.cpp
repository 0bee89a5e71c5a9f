#include "api/options.hpp"

namespace vsh::api {

vsh_status read_options(Options& checked, const vsh_options* options) noexcept {
  checked = Options{};
  if (!options) return VSH_OK;
  // The first version of the struct: a smaller one never was, and a larger one may ask for what we do not
  // know.
  if (options->struct_size != sizeof(vsh_options)) return VSH_E_ARGUMENT;
  constexpr uint32_t known = VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC | VSH_ALLOW_SHORT_TAGS | VSH_ALLOW_EXPERIMENTAL;
  if (options->flags & ~known) return VSH_E_ARGUMENT;
  checked.allow_tables = options->flags & VSH_ALLOW_TABLES;
  checked.input_is_public = options->flags & VSH_INPUT_IS_PUBLIC;
  checked.allow_short_tags = options->flags & VSH_ALLOW_SHORT_TAGS;
  checked.allow_experimental = options->flags & VSH_ALLOW_EXPERIMENTAL;
  checked.padding = number(options->padding);
  checked.segment_len = options->segment_len;
  checked.sbox = number(options->sbox);
  checked.custom_sbox = options->custom_sbox;
  checked.threads = options->threads;
  checked.section_len = options->section_len;
  checked.master_section_len = options->master_section_len;
  checked.key_meshing = number(options->key_meshing);
  if (!options->kernel) return VSH_OK;
  checked.kernel = options->kernel;
  return checked.kernel.empty() ? VSH_E_KERNEL_UNKNOWN : VSH_OK;
}

}  // namespace vsh::api
