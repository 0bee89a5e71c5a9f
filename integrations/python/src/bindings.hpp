// The parts of the module _core, one per file.
#pragma once

#include <nanobind/nanobind.h>

namespace vershina::python {

void bind_hash(nanobind::module_& module);
void bind_algorithms(nanobind::module_& module);
void bind_ciphers(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_device_memory(nanobind::module_& module);
void bind_disk(nanobind::module_& module);
void bind_aead(nanobind::module_& module);
void bind_mac(nanobind::module_& module);
void bind_kdf(nanobind::module_& module);
void bind_sealed(nanobind::module_& module);
void bind_streams(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);

}  // namespace vershina::python
