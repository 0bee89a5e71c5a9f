#include "errors.hpp"

#include <nanobind/stl/string.h>

namespace vershina::python {
namespace {

PyObject* authentication_error;  // owned by the module, which is never unloaded

PyObject* exception_for(vsh_status status) {
  switch (status) {
    case VSH_E_TAG:
    case VSH_E_WRONG_KEY:
    case VSH_E_CHUNK:
    case VSH_E_TRUNCATED: return authentication_error;
    case VSH_E_MEMORY: return PyExc_MemoryError;
    case VSH_E_RANDOM: return PyExc_OSError;
    case VSH_E_SELFTEST: return PyExc_RuntimeError;
    default: return PyExc_ValueError;
  }
}

}  // namespace

void bind_errors(nanobind::module_& module) {
  const std::string name = nanobind::cast<std::string>(module.attr("__name__")) + ".AuthenticationError";
  authentication_error = PyErr_NewExceptionWithDoc(
      name.c_str(),
      "What was to be verified is not authentic: a tag is wrong, a secret opens nothing, a sealed file is damaged or "
      "cut short.\n\n"
      "Nothing of the message may be used. Not a ValueError, so that who expects bad arguments does not swallow it.",
      nullptr, nullptr);
  if (authentication_error == nullptr) throw nanobind::python_error();
  module.attr("AuthenticationError") = nanobind::handle(authentication_error);
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(exception_for(error.status()), error.what());
    }
  });
}

}  // namespace vershina::python
