// The module vershina._core: the public C++ headers, for Python.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "errors.hpp"

NB_MODULE(_core, module) {
  using namespace vershina::python;
  module.doc() = "The compiled part of vershina. Import the package, not this module.";
  nanobind::set_leak_warnings(
      false);  // objects alive at exit are not leaks; tests/test_threads_and_memory.py checks for leaks
  bind_errors(module);
  bind_kernels(module);
  bind_hash(module);
  bind_algorithms(module);
  bind_ciphers(module);
  bind_disk(module);
  bind_aead(module);
  bind_mac(module);
  bind_kdf(module);
  bind_sealed(module);
  bind_streams(module);
  bind_devices(module);
  bind_device_memory(module);
}
