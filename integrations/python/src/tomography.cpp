// The module vershina._tomography: the public header tomography.hpp, for Python. A module of its own, so that a build
// without the library of tomography has all the rest. vershina/tomography.py makes and checks the arrays; what else is
// given is checked here, where it becomes the library's.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <vershina/tomography.hpp>

#include "buffers.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

template <class Value, int dimensions, class... Order>
using Array = nb::ndarray<Value, nb::ndim<dimensions>, nb::device::cpu, Order...>;
using Angles = Array<const double, 1, nb::c_contig>;
using Frame = Array<const float, 2, nb::c_contig>;  // [row][bin]
using Scan = Array<const float, 3>;                 // rows of a larger one: angles may be far apart
using Source = Array<const float, 3, nb::c_contig>;
using Target = Array<float, 3, nb::c_contig>;

// Throws a ValueError, whose text is by PyErr_Format.
template <class... Values>
[[noreturn]] void refuse(const char* format, Values... values) {
  PyErr_Clear();
  PyErr_Format(PyExc_ValueError, format, values...);
  throw nb::python_error();
}

size_t count(const char* name, nb::handle given, size_t least = 1, size_t most = VSH_TOMO_MAX_BINS) {
  const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
  if (!whole) refuse("%s: a whole number is needed, not %R", name, given.ptr());
  size_t value = 0;
  if (!nb::try_cast(whole, value) || value < least || value > most)
    refuse("%s: %S is not between %zu and %zu", name, whole.ptr(), least, most);
  return value;
}

double number(const char* name, nb::handle given) {
  const nb::object real = nb::steal(PyNumber_Float(given.ptr()));
  if (!real) refuse("%s: a number is needed, not %R", name, given.ptr());
  const auto value = nb::cast<double>(real);
  if (!std::isfinite(value)) refuse("%s: %S is not finite", name, real.ptr());
  return value;
}

template <class Value>
using Names = std::vector<std::pair<const char*, Value>>;

template <class Value>
Value choice(const char* name, nb::handle given, const Names<Value>& names) {
  std::string text, known;
  const bool is_text = nb::try_cast(given, text);
  for (const auto& [row, value] : names) {
    if (is_text && text == row) return value;
    known += (known.empty() ? "" : ", ") + std::string(row);
  }
  refuse("%s: %R is not one of %s", name, given.ptr(), known.c_str());
}

template <class Array>
auto values(const Array& array) {
  return std::span(array.data(), array.size());
}

double middle(size_t bins) { return (static_cast<double>(bins) - 1) / 2; }

const Names<vsh_tomo_beam> kBeams = {{"parallel", VSH_TOMO_PARALLEL}, {"fan", VSH_TOMO_FAN}, {"cone", VSH_TOMO_CONE}};
const Names<vsh_tomo_centre_method> kCentres = {{"auto", VSH_TOMO_CENTRE_AUTO},
                                                {"fourier", VSH_TOMO_CENTRE_FOURIER},
                                                {"correlation", VSH_TOMO_CENTRE_CORRELATION},
                                                {"mass", VSH_TOMO_CENTRE_MASS},
                                                {"opposite", VSH_TOMO_CENTRE_OPPOSITE},
                                                {"symmetry", VSH_TOMO_CENTRE_SYMMETRY}};
const Names<vsh_tomo_filter> kFilters = {{"ram-lak", VSH_TOMO_RAM_LAK},   {"ramp", VSH_TOMO_RAM_LAK},
                                         {"ramlak", VSH_TOMO_RAM_LAK},    {"shepp-logan", VSH_TOMO_SHEPP_LOGAN},
                                         {"shepp", VSH_TOMO_SHEPP_LOGAN}, {"cosine", VSH_TOMO_COSINE},
                                         {"hamming", VSH_TOMO_HAMMING},   {"hann", VSH_TOMO_HANN}};
const Names<vsh_tomo_algorithm> kAlgorithms = {{"fbp", VSH_TOMO_FBP},   {"dfr", VSH_TOMO_DFR},
                                               {"hfbp", VSH_TOMO_HFBP}, {"sirt", VSH_TOMO_SIRT},
                                               {"cgls", VSH_TOMO_CGLS}, {"tv", VSH_TOMO_TV}};
Names<const char*> kernels() {
  Names<const char*> found;
  for (size_t i = 0; const char* const name = vsh_tomo_kernel(i); ++i)
    if (vsh_tomo_kernel_runnable(i)) found.emplace_back(name, name);
  return found;
}

// The options that not every algorithm reads.
const Names<vsh_tomo_option> kOptions = {{"filter_name", VSH_TOMO_OPTION_FILTER},
                                         {"interpolation", VSH_TOMO_OPTION_INTERPOLATION},
                                         {"quality", VSH_TOMO_OPTION_QUALITY},
                                         {"angle_weights", VSH_TOMO_OPTION_ANGLE_WEIGHTS},
                                         {"padding", VSH_TOMO_OPTION_PADDING},
                                         {"displaced", VSH_TOMO_OPTION_DISPLACED},
                                         {"depth", VSH_TOMO_OPTION_DEPTH},
                                         {"num_iter", VSH_TOMO_OPTION_ITERATIONS},
                                         {"relaxation", VSH_TOMO_OPTION_RELAXATION},
                                         {"tv_weight", VSH_TOMO_OPTION_TV_WEIGHT},
                                         {"nonnegative", VSH_TOMO_OPTION_NONNEGATIVE}};

nb::list options_of(nb::handle algorithm, nb::handle beam) {
  const unsigned read = vsh_tomo_options_of(choice("beam", beam, kBeams), choice("algorithm", algorithm, kAlgorithms));
  nb::list names;
  for (const auto& [name, option] : kOptions)
    if (read & option) names.append(name);
  return names;
}

// Takes an option out of the keywords; null if it was not given, or may be None and is.
nb::object take(nb::dict& keywords, const char* name, bool may_be_none = false) {
  nb::object value = nb::borrow(PyDict_GetItemString(keywords.ptr(), name));
  if (value) nb::del(keywords[name]);
  return value && value.is_none() && may_be_none ? nb::object() : value;
}
template <class Value>
void choose(nb::dict& keywords, const char* name, Value& value, const Names<std::type_identity_t<Value>>& names) {
  if (const nb::object given = take(keywords, name)) value = choice(name, given, names);
}

void read_beam(tomography::Geometry& geometry, tomography::Options& options, nb::dict& keywords) {
  choose(keywords, "beam", geometry.beam, kBeams);
  const bool cone = geometry.beam == VSH_TOMO_CONE;
  const nb::object rows = take(keywords, "num_rows", true), depth = take(keywords, "depth", true);
  const nb::object level = take(keywords, "source_row", true), distance = take(keywords, "source_distance", true);
  if (cone != rows.is_valid()) refuse("num_rows: needed by beam='cone', and by no other");
  if (depth && !cone) refuse("depth: only of beam='cone'");
  if (level && !cone) refuse("source_row: only of beam='cone'");
  if ((geometry.beam == VSH_TOMO_PARALLEL) == distance.is_valid())
    refuse("source_distance: needed by beam='fan' and 'cone', and by no other");
  if (rows) geometry.num_rows = count("num_rows", rows);
  if (depth) options.depth = count("depth", depth);
  if (level) geometry.row_offset = number("source_row", level) - middle(geometry.num_rows);
  if (distance) geometry.source_distance = number("source_distance", distance);
}

void read_options(tomography::Options& options, nb::dict& keywords) {
  choose(keywords, "algorithm", options.algorithm, kAlgorithms);
  choose(keywords, "filter_name", options.filter, kFilters);
  choose(keywords, "interpolation", options.interpolation, {{"linear", VSH_TOMO_LINEAR}, {"cubic", VSH_TOMO_CUBIC}});
  choose(keywords, "quality", options.quality, {{"accurate", VSH_TOMO_ACCURATE}, {"fast", VSH_TOMO_FAST}});
  choose(keywords, "angle_weights", options.angle_weights, {{"gaps", VSH_TOMO_GAPS}, {"uniform", VSH_TOMO_UNIFORM}});
  choose(keywords, "padding", options.padding, {{"zeros", VSH_TOMO_ZEROS}, {"edges", VSH_TOMO_EDGES}});
  if (const nb::object given = take(keywords, "kernel", true)) options.kernel = choice("kernel", given, kernels());
  if (const nb::object given = take(keywords, "displaced", true))
    options.displaced = nb::bool_(given) ? VSH_TOMO_DISPLACED_YES : VSH_TOMO_DISPLACED_NO;
  if (const nb::object given = take(keywords, "circle")) options.whole_square = !nb::bool_(given);
  if (const nb::object given = take(keywords, "nonnegative")) options.nonnegative = !!nb::bool_(given);
  if (const nb::object given = take(keywords, "output_size", true)) options.size = count("output_size", given);
  if (const nb::object given = take(keywords, "num_iter", true))
    options.iterations = count("num_iter", given, 1, 1000000);
  if (const nb::object given = take(keywords, "relaxation")) options.relaxation = number("relaxation", given);
  if (const nb::object given = take(keywords, "tv_weight")) options.tv_weight = number("tv_weight", given);
  if (const nb::object given = take(keywords, "threads"))
    options.threads = static_cast<unsigned>(count("threads", given, 0));
}

struct PlanObject {
  tomography::Plan plan;
  Lock lock;
};

void make(PlanObject* self, const Angles& theta, nb::handle num_bins, nb::handle center,
          nb::typed<nb::dict, nb::str, nb::object> keywords) {
  tomography::Geometry geometry({theta.data(), theta.size()}, count("num_bins", num_bins));
  tomography::Options options;
  if (!center.is_none()) geometry.centre_offset = number("center", center) - middle(geometry.num_bins);
  read_beam(geometry, options, keywords);
  read_options(options, keywords);
  for (const auto [name, value] : keywords) {
    PyErr_Format(PyExc_TypeError, "Plan got an unexpected keyword argument %R", name.ptr());
    throw nb::python_error();
  }
  new (self) PlanObject{without_gil(kReleaseLen, [&] { return tomography::Plan(geometry, options); }), {}};
}

void recon(PlanObject& self, const Target& volume, const Scan& tomo) {
  const auto bins = static_cast<int64_t>(tomo.shape(2)), rows = static_cast<int64_t>(tomo.shape(1)) * bins;
  const int64_t stride = tomo.shape(0) == 1 ? rows : tomo.stride(0);
  if (stride < rows || (tomo.shape(1) > 1 && tomo.stride(1) != bins) || (bins > 1 && tomo.stride(2) != 1))
    refuse("tomo: rows with gaps or in another order: numpy.ascontiguousarray(tomo) is needed");
  const std::span scan(tomo.data(), (tomo.shape(0) - 1) * static_cast<size_t>(stride) + static_cast<size_t>(rows));
  self.lock.run(kReleaseLen,
                [&] { self.plan.reconstruct(values(volume), scan, volume.shape(0), static_cast<size_t>(stride)); });
}

template <void (tomography::Plan::*function)(std::span<float>, std::span<const float>, size_t)>
void step(PlanObject& self, const Target& out, const Source& in, size_t num_slices) {
  self.lock.run(kReleaseLen, [&] { (self.plan.*function)(values(out), values(in), num_slices); });
}

template <class Value>
Value plain(Value given) {
  return given;
}
std::span<const float> plain(const Frame& given) { return values(given); }

// Makes a function of a step of the preparation, which works in place.
template <class Result, class... Values>
auto in_place(Result (tomography::Scan::*step)(Values...)) {
  return [step](const Target& tomo,
                std::conditional_t<std::is_same_v<Values, std::span<const float>>, Frame, Values>... given) {
    tomography::Scan scan(values(tomo), tomo.shape(0), tomo.shape(1), tomo.shape(2));
    without_gil(kReleaseLen, [&] { (scan.*step)(plain(given)...); });
  };
}

std::pair<double, double> find_center(const Frame& sinogram, const Angles& theta, nb::handle method,
                                      std::optional<double> source_distance) {
  tomography::Geometry geometry(values(theta), sinogram.shape(1));
  geometry.beam = source_distance ? VSH_TOMO_FAN : VSH_TOMO_PARALLEL;
  geometry.source_distance = source_distance.value_or(0);
  const vsh_tomo_centre_method how = choice("method", method, kCentres);
  const tomography::Axis axis =
      without_gil(kReleaseLen, [&] { return tomography::find_centre(values(sinogram), geometry, how); });
  return {middle(geometry.num_bins) + axis.centre_offset, axis.confidence};
}

}  // namespace

NB_MODULE(_tomography, module) {
  module.doc() = "The compiled part of vershina.tomography. Import that, not this module.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const tomography::Error& error) {
      PyErr_SetString(error.status() == VSH_TOMO_E_MEMORY ? PyExc_MemoryError : PyExc_ValueError, error.what());
    }
  });

  nb::class_<PlanObject>(module, "Plan")
      .def("__init__", &make, "theta"_a, "num_bins"_a.none(), "center"_a.none(), "options"_a)
      .def("__copy__", [](nb::object self) { return self; })  // it does not change
      .def("_recon", &recon, "volume"_a.noconvert(), "tomo"_a.noconvert())
      .def("_project", &step<&tomography::Plan::project>, "out"_a.noconvert(), "source"_a.noconvert(), "num"_a)
      .def("_back_project", &step<&tomography::Plan::back_project>, "out"_a.noconvert(), "source"_a.noconvert(),
           "num"_a)
      .def("_filter_rows", &step<&tomography::Plan::filter_rows>, "out"_a.noconvert(), "source"_a.noconvert(), "num"_a)
      .def_prop_ro(
          "size", [](const PlanObject& self) { return self.plan.size(); }, "n, pixels of a side.")
      .def_prop_ro(
          "batch", [](const PlanObject& self) { return self.plan.batch(); },
          "Slices that the kernel does together: multiples of it take the least time. A cone's depth.")
      .def_prop_ro(
          "kernel", [](const PlanObject& self) { return self.plan.kernel(); }, "The kernel, such as 'avx512'.")
      .def_prop_ro(
          "weights",
          [](const PlanObject& self) { return nb::module_::import_("numpy").attr("array")(self.plan.weights()); },
          nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"),
          "The weight of each angle in the sum over all of them, its share of pi: (angles,).")
      .def(
          "memory",
          [](const PlanObject& self, nb::handle num_slices) {
            return self.plan.memory(count("num_slices", num_slices, 1, size_t{1} << 31));
          },
          "num_slices"_a.none(), nb::sig("def memory(self, num_slices: int) -> int"),
          "Bytes that a reconstruction of so many slices takes besides its input and output, with the tables.");

  module.def("kernels", &kernels);
  module.def("options_of", &options_of, "algorithm"_a.none(), "beam"_a.none() = "parallel",
             nb::sig("def options_of(algorithm: str, beam: str = 'parallel') -> list[str]"),
             "The options that an algorithm reads and not every other; none, if it does not exist for this beam.");
  module.def("count", &count, "name"_a, "given"_a.none(), "least"_a = 1, "most"_a = VSH_TOMO_MAX_BINS);
  module.def("number", &number, "name"_a, "given"_a.none());
  module.def("normalize", in_place(&tomography::Scan::normalise));
  module.def("fill_gaps", in_place(&tomography::Scan::fill_gaps));
  module.def("minus_log", in_place(&tomography::Scan::minus_log));
  module.def("retrieve_phase", in_place(&tomography::Scan::retrieve_phase));
  module.def("remove_zingers", in_place(&tomography::Scan::remove_zingers));
  module.def("remove_stripes_sorting", in_place(&tomography::Scan::remove_stripes_sorting));
  module.def("remove_stripes_wavelet", in_place(&tomography::Scan::remove_stripes_wavelet));
  module.def("find_center", &find_center, "sinogram"_a, "theta"_a, "method"_a.none(), "source_distance"_a);
}

}  // namespace vershina::python
