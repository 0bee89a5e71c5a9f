#include "api/arguments/options.hpp"

#include "gpu/device/last_error.hpp"

namespace vsh::api {

vsh_status read_options(Options& checked, const vsh_options* options, DeviceUse use) noexcept {
  checked = Options{};
  if (!options) return VSH_OK;
  // The first version of the struct ended before `device`. A larger one may have unknown members.
  const bool is_first = options->struct_size == offsetof(vsh_options, device);
  if (!is_first && options->struct_size != sizeof(vsh_options)) return VSH_E_ARGUMENT;
  constexpr uint32_t known = VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC | VSH_ALLOW_SHORT_TAGS;
  if (options->flags & ~known) return VSH_E_ARGUMENT;
  checked.allow_tables = options->flags & VSH_ALLOW_TABLES;
  checked.input_is_public = options->flags & VSH_INPUT_IS_PUBLIC;
  checked.allow_short_tags = options->flags & VSH_ALLOW_SHORT_TAGS;
  checked.padding = number(options->padding);
  checked.segment_len = options->segment_len;
  checked.sbox = number(options->sbox);
  checked.custom_sbox = options->custom_sbox;
  checked.threads = options->threads;
  checked.section_len = options->section_len;
  checked.master_section_len = options->master_section_len;
  checked.key_meshing = number(options->key_meshing);
  if (options->kernel) {
    checked.kernel = options->kernel;
    if (checked.kernel.empty()) return VSH_E_KERNEL_UNKNOWN;
  }
  if (is_first || !options->device) return VSH_OK;
  const std::optional<gpu::DeviceChoice> choice = gpu::parse_device(options->device);
  const char* const problem = !choice ? "invalid device: expected cpu, auto, all, cuda:N or opencl:P.D"
                              : choice->is_named() && use == DeviceUse::none ? gpu::kNotForDevices
                                                                             : nullptr;
  if (problem) {
    gpu::set_last_error(problem);
    return VSH_E_DEVICE;
  }
  checked.device = *choice;
  return VSH_OK;
}

}  // namespace vsh::api
