// Objects of ellipsoids, whose line integrals are known exactly.
#pragma once

#include <cstddef>
#include <vector>

namespace vsh::tomo {

// The density inside is added to that of the others. Lengths in half widths of the slice; phi: degrees by which it is
// turned counter-clockwise about an axis along z.
struct Ellipsoid {
  double density, a, b, c, x, y, z, phi;
};
using Object = std::vector<Ellipsoid>;

// The modified phantom of Shepp and Logan (Toft 1996), in three dimensions (Kak and Slaney 1988, table 3.1, with the
// same modified densities; all turns in the plane of the slice).
Object shepp_logan_3d();
// The slice z = 0 of its outlines as Shepp and Logan drew them, the same on every row.
Object shepp_logan();

// Projections of one row. Lengths in bins from here on; `half` of them are a half width.
struct Detector {
  size_t num_bins;
  double centre;               // bin of the axis, from 0
  double half;                 // bins
  double source_distance = 0;  // of a fan or cone; 0: parallel
  bool is_cone = false;        // the source is at height 0, whatever the row's height
};
// Fills `out` with line integrals at `angle`, in radians, of the row at height `z`, in half widths: each is the mean
// over its bin. Parallel: by the formula; fan and cone, whose source is farther from the axis than all of the object:
// by Gauss's rule on its smooth parts, to 1e-12.
void project(float* out, const Object& object, const Detector& detector, double angle, double z);

// Fills a slice of size x size pixels, each the mean over samples x samples points.
void rasterise(float* out, const Object& object, size_t size, double half, double z, unsigned samples);

}  // namespace vsh::tomo
