// Enumeration and self-test of devices.
#include "bindings.hpp"
#include "buffers.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

// The first call loads drivers.
std::vector<vsh_device_info> all() {
  return without_gil(kReleaseLen, [] { return devices(); });
}

nb::list device_list() {
  nb::list list;
  for (const vsh_device_info& info : all()) list.append(nb::cast(info));
  return list;
}

nb::list problems() {
  nb::list list;
  for (const std::string_view problem : without_gil(kReleaseLen, [] { return device_problems(); }))
    list.append(nb::str(problem.data(), problem.size()));
  return list;
}

void selftest(const std::string& id) {
  without_gil(kReleaseLen, [&] { explained(id, [&] { device_selftest(id); }); });
}

}  // namespace

void bind_devices(nb::module_& module) {
  using Info = vsh_device_info;
  nb::class_<Info>(module, "Device", "A device of this machine: a GPU through CUDA, what OpenCL finds.")
      .def_prop_ro(
          "id", [](const Info& i) { return i.id; }, "'cuda:0', 'opencl:0.1' (platform and device): for device=.")
      .def_prop_ro(
          "name", [](const Info& i) { return i.name; }, "Such as 'NVIDIA H200'.")
      .def_prop_ro(
          "back_end", [](const Info& i) { return i.back_end; }, "'cuda' or 'opencl'.")
      .def_prop_ro(
          "driver", [](const Info& i) { return i.driver; }, "Its version, in the driver's words.")
      .def_prop_ro(
          "architecture", [](const Info& i) { return i.architecture; },
          "CUDA: such as 'sm_90'; OpenCL: the version of OpenCL C.")
      .def_prop_ro(
          "memory", [](const Info& i) { return i.memory; }, "Bytes.")
      .def_prop_ro(
          "units", [](const Info& i) { return i.units; }, "Multiprocessors, compute units.")
      .def_prop_ro(
          "is_processor", [](const Info& i) { return i.is_processor != 0; },
          "An OpenCL driver for the processor itself.")
      .def_prop_ro(
          "automatic", [](const Info& i) { return i.automatic != 0; },
          "'auto' and 'all' may use it: no processor, and the same GPU is not listed before it.")
      .def("__repr__", [](const Info& i) { return "<vershina device " + std::string(i.id) + ": " + i.name + ">"; });
  module.def("devices", &device_list, nb::sig("def devices() -> list[Device]"),
             "The devices of this machine, CUDA's first. The first call opens the drivers; the list then stays.");
  module.def("device_problems", &problems, nb::sig("def device_problems() -> list[str]"),
             "Why drivers, or devices of theirs, cannot be used: sentences. A driver that is not installed is not a "
             "problem.");
  module.def("device_selftest", &selftest, "id"_a,
             "Compiles the programs for a device and runs them on examples of the standards. DeviceError: it is not "
             "there, or\n"
             "cannot run them. RuntimeError: a wrong result, and it must not be used.");
}

}  // namespace vershina::python
