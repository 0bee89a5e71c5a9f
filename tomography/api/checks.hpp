// The first steps of every function of the C ABI, and the guard around its calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <stdexcept>

#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

// Largest number of floats of an input or output: half of the address space.
constexpr size_t kMostFloats = std::numeric_limits<ptrdiff_t>::max() / sizeof(float);

// Returns false if the product of sizes is more than kMostFloats, or one of them is 0.
inline bool addressable(std::initializer_list<size_t> sizes) {
  size_t product = 1;
  for (const size_t size : sizes) {
    if (size == 0 || product > kMostFloats / size) return false;
    product *= size;
  }
  return true;
}

// By its bytes, because a caller in C may have put any number there.
template <class Enum>
bool within(const Enum& value, Enum last) {
  int number;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number >= 1 && number <= static_cast<int>(last);
}

inline vsh_tomo_status check_angles(const double* angles, size_t num) {
  if (num == 0 || num > VSH_TOMO_MAX_ANGLES) return VSH_TOMO_E_ANGLES;
  if (!angles) return VSH_TOMO_E_ARGUMENT;
  const auto fits = [](double angle) { return std::abs(angle) <= 1e6; };  // NaN does not
  return std::all_of(angles, angles + num, fits) ? VSH_TOMO_OK : VSH_TOMO_E_ANGLES;
}

inline vsh_tomo_status check_geometry(const vsh_tomo_geometry& g) {
  if (g.struct_size != sizeof g || !within(g.beam, VSH_TOMO_CONE)) return VSH_TOMO_E_ARGUMENT;
  if (g.num_bins == 0 || g.num_bins > VSH_TOMO_MAX_BINS) return VSH_TOMO_E_SIZE;
  if (const vsh_tomo_status status = check_angles(g.angles, g.num_angles); status != VSH_TOMO_OK) return status;
  if (!(std::abs(g.centre_offset) <= static_cast<double>(g.num_bins) / 2)) return VSH_TOMO_E_GEOMETRY;
  if (g.beam != VSH_TOMO_PARALLEL && !(g.source_distance > 0 && g.source_distance <= 1e9)) return VSH_TOMO_E_GEOMETRY;
  const bool cone = g.beam == VSH_TOMO_CONE;
  if (!(std::abs(g.row_offset) <= (cone ? 2.0 * VSH_TOMO_MAX_BINS : 0))) return VSH_TOMO_E_GEOMETRY;
  if (cone ? g.num_rows == 0 || g.num_rows > VSH_TOMO_MAX_BINS : g.num_rows != 0) return VSH_TOMO_E_SIZE;
  return VSH_TOMO_OK;
}

// Runs f and turns what it throws into a status.
template <class F>
vsh_tomo_status guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return VSH_TOMO_E_MEMORY;
  } catch (const std::length_error&) {
    return VSH_TOMO_E_MEMORY;
  } catch (const GeometryError&) {
    return VSH_TOMO_E_GEOMETRY;
  } catch (const Stopped&) {
    return VSH_TOMO_E_STOPPED;
  } catch (...) {  // the executor's, when it gets no thread
    return VSH_TOMO_E_MEMORY;
  }
}

}  // namespace vsh::tomography
