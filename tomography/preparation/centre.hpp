// The axis of rotation, found from one sinogram.
#pragma once

#include <vershina/tomography.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vsh::tomography {

struct CentreGuess {
  vsh_tomo_centre_method method;
  double centre;      // bin, from 0
  double confidence;  // 0 to 1
};

// A sinogram of line integrals [angle][bin]; angles in radians.
struct Sinogram {
  const float* values;
  size_t num_angles, num_bins, stride;  // from one angle's bins to the next one's
  const double* angles;
  double source_distance = 0;  // of a fan; 0: parallel

  const float* row(size_t angle) const { return values + angle * stride; }
};

// Half a turn of the sinogram and its mirror image are a full turn's, whose Fourier transform is nothing outside of a
// double wedge, if it is mirrored about the axis (Vo et al. 2014, doi 10.1364/OE.22.019078). The mean there is least at
// the centre; confidence: by how much, relative to the median over all candidates. Nothing: the angles cover less than
// 170 degrees.
std::optional<CentreGuess> centre_by_fourier(const Sinogram& sinogram);

// A projection and the mirrored one of half a turn later are registered by their phase correlation, to a part of a bin
// (Guizar-Sicairos, Thurman, Fienup 2008, doi 10.1364/OL.33.000156). Confidence: the height of the peak. Nothing: no
// two projections are within 5 degrees of half a turn.
std::optional<CentreGuess> centre_by_correlation(const Sinogram& sinogram);

// The centre of mass of the projections is c + a cos + b sin of the angle (Azevedo et al. 1990, doi 10.1109/23.55866);
// least squares. Confidence: the share of their variance that this explains. Nothing: fewer than 8 projections, or no
// mass. Wrong for objects wider than the detector.
std::optional<CentreGuess> centre_by_mass(const Sinogram& sinogram);

// The next two are for a fan, or the row of a cone that is level with the source. Confidence: as by Fourier.
// Rays that are measured twice, from opposite sides, agree if they are mirrored about the axis (Panetta et al. 2008,
// doi 10.1088/0031-9155/53/14/009, for the detector's side shift alone). Nothing: the angles cover too few of them.
std::optional<CentreGuess> centre_by_opposite(const Sinogram& sinogram);
// The sum of a whole turn's projections is symmetric about the axis (Meng, Gong and Yang, IEEE Trans. Med. Imaging 32,
// 2013). Nothing: it is not a whole turn.
std::optional<CentreGuess> centre_by_symmetry(const Sinogram& sinogram);

// All that apply.
std::vector<CentreGuess> centre_guesses(const Sinogram& sinogram);
// Bytes that this takes at most, of a fan or a parallel beam.
uint64_t centre_bytes(size_t num_angles, size_t num_bins, bool is_fan);
// The first that agrees with another one within half a bin: they are in the order of what noise and rings do to them.
// Where none does, the most confident one, with half its confidence. Nothing: there is none.
std::optional<CentreGuess> best_guess(const std::vector<CentreGuess>& guesses);

}  // namespace vsh::tomography
