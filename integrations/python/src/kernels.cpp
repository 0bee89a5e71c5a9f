// Kernels of this build, and the self-test.
#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

nb::list names(const char* (*name)(size_t)) {
  nb::list list;
  for (size_t i = 0; name(i) != nullptr; ++i) list.append(nb::str(name(i)));
  return list;
}

nb::list kernels() {
  nb::list list;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) list.append(nb::cast(info));
  return list;
}

void run_selftest() {
  const char* failed = nullptr;
  const vsh_status status = without_gil(kReleaseLen, [&] { return vsh_selftest(&failed); });
  if (status != VSH_OK) throw Failure(status, failed != nullptr ? failed : "out of memory");
}

}  // namespace

void bind_kernels(nb::module_& module) {
  nb::class_<vsh_kernel_info>(module, "Kernel",
                              "A row of the table of kernels: one cipher or hash for one instruction set.")
      .def_prop_ro(
          "family", [](const vsh_kernel_info& k) { return k.family; }, "'kuznyechik', 'magma', 'streebog', 'gf2n'.")
      .def_prop_ro(
          "variant", [](const vsh_kernel_info& k) { return k.variant; }, "Its name, for kernel=.")
      .def_prop_ro(
          "isa", [](const vsh_kernel_info& k) { return k.isa; }, "The instruction set that it is compiled for.")
      .def_prop_ro(
          "lanes", [](const vsh_kernel_info& k) { return k.lanes; }, "Blocks, or messages, of one pass.")
      .def_prop_ro(
          "constant_time", [](const vsh_kernel_info& k) { return k.constant_time != 0; }, "False for table kernels.")
      .def_prop_ro(
          "runnable", [](const vsh_kernel_info& k) { return k.runnable != 0; }, "This CPU can run it.")
      .def_prop_ro(
          "chosen", [](const vsh_kernel_info& k) { return k.chosen != 0; }, "The default for many blocks.")
      .def_prop_ro(
          "chosen_one_block", [](const vsh_kernel_info& k) { return k.chosen_one_block != 0; },
          "The default for one block after the other.")
      .def("__repr__", [](const vsh_kernel_info& k) {
        return "<vershina kernel " + std::string(k.family) + ":" + k.variant +
               (k.runnable ? ">" : ", not for this CPU>");
      });
  module.def("kernels", &kernels, nb::sig("def kernels() -> list[Kernel]"),
             "All kernels of this build, in the order of choice.");
  module.def("cpu_features", &vsh_cpu_features, "CPU features that kernels care about, separated by spaces.");
  module.def("selftest", &run_selftest,
             "Runs every kernel of this CPU and every mode on vectors of the standards; takes some milliseconds. "
             "RuntimeError:\n"
             "a known-answer test failed, and this build must not be used.");
  module.def(
      "sboxes", [] { return names(vsh_sbox_name); }, nb::sig("def sboxes() -> list[str]"),
      "Names of the S-box sets of GOST 28147-89.");
  module.def("version", &vsh_version, "The library's version, MAJOR.MINOR.PATCH.");
}

}  // namespace vershina::python
