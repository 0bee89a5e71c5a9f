/* Vershina: computed tomography, from X-ray projections to slices. Stable C ABI; library libvershina-tomography.
 *
 * Conventions
 *  - Parallel beam: the ray of angle theta and bin k is the line x cos(theta) + y sin(theta) = k - c, where c is the
 *    bin of the axis of rotation, counted from 0; the middle of m bins is (m - 1) / 2. Pixel (row j, column i) of an
 *    image of n x n has x = i - (n - 1) / 2 and y = (n - 1) / 2 - j: x to the right, y up, the axis in the middle.
 *  - Lengths are counted in bins, and a pixel is as wide as a bin. A projection is a line integral (after minus log); a
 *    slice is in units per pixel: divide by the pixel's size for units per length.
 *  - Projections are float [angle][row][bin], volumes are float [z][y][x]; row r of the detector becomes slice r.
 *  - NaN and infinity in projections spread over their slice and others of the same batch: replace them before, as by
 *    vsh_tomo_fill_gaps.
 *  - Every function that can fail returns a vsh_tomo_status; on any other status than OK the contents of outputs are
 *    unspecified. Different plans may be used by different threads at the same time; one plan by one thread at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_TOMOGRAPHY_H
#define VERSHINA_TOMOGRAPHY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VSH_TOMO_API __attribute__((visibility("default")))
#else
#define VSH_TOMO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vsh_tomo_status {
  VSH_TOMO_OK = 0,
  VSH_TOMO_E_ARGUMENT = 1,       /* NULL where data is needed, unknown enumerator, wrong struct_size */
  VSH_TOMO_E_SIZE = 2,           /* a size is 0 or above its limit, or memory for it could not be addressed */
  VSH_TOMO_E_ANGLES = 3,         /* no angles, too many, or one that is not finite or above 1e6 in size */
  VSH_TOMO_E_GEOMETRY = 4,       /* the axis or the source is not finite or not where it can be; a fan or cone that the
                                    angles do not cover */
  VSH_TOMO_E_PARAMETERS = 5,     /* iterations, relaxation, weight or a parameter of a preparation out of range */
  VSH_TOMO_E_COMBINATION = 6,    /* the algorithm does not exist for this beam or with this filter */
  VSH_TOMO_E_KERNEL_UNKNOWN = 7, /* no kernel of that name in this build */
  VSH_TOMO_E_KERNEL_CPU = 8,     /* this CPU cannot run that kernel */
  VSH_TOMO_E_MEMORY = 9,         /* out of memory */
  VSH_TOMO_E_STOPPED = 10,       /* the caller's progress function asked to stop */
  VSH_TOMO_E_VALUES = 11,        /* NaN or infinity where numbers are needed */
  VSH_TOMO_E_CENTRE = 12         /* the method does not find an axis in these projections */
} vsh_tomo_status;

/* Returns one English sentence without a full stop, for display. Never NULL. Static storage. */
VSH_TOMO_API const char* vsh_tomo_status_message(vsh_tomo_status status);

/* ---- Geometry ---------------------------------------------------------------------------------------------------- */

#define VSH_TOMO_MAX_BINS 65536   /* bins of a row, rows of a cone's detector, pixels of a side, slices of a cone */
#define VSH_TOMO_MAX_ANGLES 65536 /* projections */

typedef enum vsh_tomo_beam {
  VSH_TOMO_PARALLEL = 1, /* slice by slice */
  VSH_TOMO_FAN = 2,      /* slice by slice; source at R (sin(angle), -cos(angle)), flat detector */
  VSH_TOMO_CONE = 3      /* the same source, level with one row; flat detector, all rows together */
} vsh_tomo_beam;

/* Start from VSH_TOMO_GEOMETRY_INIT. */
typedef struct vsh_tomo_geometry {
  size_t struct_size; /* sizeof(vsh_tomo_geometry) of the caller */
  vsh_tomo_beam beam;
  size_t num_angles;
  const double* angles; /* radians, counter-clockwise, in any order and of any range; copied */
  size_t num_bins;      /* m */
  double centre_offset; /* c - (m - 1) / 2: the axis of rotation relative to the middle of a row, in bins; at most m / 2
                           in size: on the detector */
  /* Fan and cone: bins are those of the virtual detector through the axis, parallel to the real one. A detector of
   * pitch p at distance D behind the axis has virtual bins, and so pixels, of p R / (R + D). */
  double source_distance; /* R, from the source to the axis; greater than n / 2, of a whole square than
                             half its diagonal */
  size_t num_rows;        /* cone: rows of the detector */
  double row_offset;      /* cone: the row that is level with the source minus (num_rows - 1) / 2, in rows. Else 0 */
} vsh_tomo_geometry;

#define VSH_TOMO_GEOMETRY_INIT \
  { sizeof(vsh_tomo_geometry), VSH_TOMO_PARALLEL, 0, NULL, 0, 0.0, 0.0, 0, 0.0 }

/* Writes 1 to `is_whole` if angles in radians, of any order and range, are a whole turn with dropped frames or without,
 * as of VSH_TOMO_DISPLACED_AUTO; else 0. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_whole_turn(int* is_whole, const double* angles, size_t num_angles);

/* ---- Options ----------------------------------------------------------------------------------------------------- */

typedef enum vsh_tomo_algorithm {
  VSH_TOMO_FBP = 1,  /* filtered back-projection; fan: after rebinning; cone: Feldkamp, Davis, Kress */
  VSH_TOMO_DFR = 2,  /* direct Fourier reconstruction: gridding, inverse FFT, deapodisation. Parallel and fan */
  VSH_TOMO_HFBP = 3, /* recursive filter, then back-projection by the fast Hough transform. Parallel and fan */
  VSH_TOMO_SIRT = 4, /* iterative, as are the next two. Parallel and fan */
  VSH_TOMO_CGLS = 5,
  VSH_TOMO_TV = 6 /* min |A x - b|^2 / (2 num_angles) + tv_weight TV(x), by the algorithm of Chambolle and Pock */
} vsh_tomo_algorithm;

typedef enum vsh_tomo_filter {                           /* ramp, times a window over |omega| <= pi */
                               VSH_TOMO_RAM_LAK = 1,     /* 1 */
                               VSH_TOMO_SHEPP_LOGAN = 2, /* sin(omega / 2) / (omega / 2) */
                               VSH_TOMO_COSINE = 3,      /* cos(omega / 2); not of HFBP */
                               VSH_TOMO_HAMMING = 4,     /* 0.54 + 0.46 cos(omega) */
                               VSH_TOMO_HANN = 5         /* (1 + cos(omega)) / 2 */
} vsh_tomo_filter;

typedef enum vsh_tomo_interpolation { /* of filtered rows, in FBP */
                                      VSH_TOMO_LINEAR = 1,
                                      VSH_TOMO_CUBIC = 2 /* Catmull-Rom, four bins */
} vsh_tomo_interpolation;

typedef enum vsh_tomo_quality {                        /* of HFBP */
                                VSH_TOMO_ACCURATE = 1, /* on a grid twice as fine as the image */
                                VSH_TOMO_FAST = 2      /* on the grid of pixels */
} vsh_tomo_quality;

/* Weight of an angle in the sum over all of them: its share of pi. */
typedef enum vsh_tomo_angle_weights {
  VSH_TOMO_GAPS = 1,   /* half the gaps to both neighbours modulo pi; coinciding angles share; a missing wedge, a gap
                          that is clearly wider than the others, counts as 1.5 of them. For a whole turn about an axis
                          that is off the middle (vsh_tomo_displaced), half the gaps modulo 2 pi */
  VSH_TOMO_UNIFORM = 2 /* pi / num_angles */
} vsh_tomo_angle_weights;

/* An axis off the middle of the detector, by half a bin or more: bins beyond the nearer end see lines that a whole turn
 * measures once, all others twice. FBP, DFR and HFBP weight them so (Wang, Med. Phys. 29, 2002); the iterative ones
 * need no weights. */
typedef enum vsh_tomo_displaced {
  VSH_TOMO_DISPLACED_AUTO = 1, /* if the angles are a whole turn; dropped frames: gaps up to 10 degrees */
  VSH_TOMO_DISPLACED_YES = 2,  /* they are a part of one, whose other parts are added */
  VSH_TOMO_DISPLACED_NO = 3
} vsh_tomo_displaced;

typedef enum vsh_tomo_padding { /* beyond a row's ends, before filtering */
                                VSH_TOMO_ZEROS = 1,
                                VSH_TOMO_EDGES = 2 /* the edge values, falling to 0 over m / 2 bins: for objects wider
                                                      than the detector */
} vsh_tomo_padding;

/* Reports the share that is done, 0 to 1, from the thread that called vsh_tomo_reconstruct; returns 0 to go on, other
 * values to stop. */
typedef int (*vsh_tomo_progress)(void* context, double done);

/* Start from VSH_TOMO_OPTIONS_INIT. A NULL options pointer means the defaults. Each algorithm reads its own of them
 * (vsh_tomo_options_of), besides those of all; the others have to be valid, and change nothing:
 *   FBP        filter, interpolation, angle_weights, padding, displaced
 *   of a cone  filter, padding, displaced, depth
 *   DFR        filter, angle_weights, padding, displaced
 *   HFBP       filter, quality, padding, displaced
 *   SIRT       iterations, relaxation, nonnegative
 *   CGLS       iterations
 *   TV         iterations, tv_weight, nonnegative */
typedef struct vsh_tomo_options {
  size_t struct_size; /* sizeof(vsh_tomo_options) of the caller */
  vsh_tomo_algorithm algorithm;
  vsh_tomo_filter filter;
  vsh_tomo_interpolation interpolation;
  vsh_tomo_quality quality;
  vsh_tomo_angle_weights angle_weights;
  vsh_tomo_padding padding;
  vsh_tomo_displaced displaced;
  size_t size;        /* n, pixels of a side; 0: num_bins */
  size_t depth;       /* cone: slices, the middle one level with the middle row at the axis; 0: num_rows. Else 0 */
  int whole_square;   /* 0: pixels farther than n / 2 from the axis are 0, and cost no time; 1: all are reconstructed */
  size_t iterations;  /* SIRT, CGLS, TV; 0: 100, 20, 200 */
  double relaxation;  /* SIRT: lambda, between 0 and 2 */
  double tv_weight;   /* TV: weight of the total variation, at least 0; 0 is least squares */
  int nonnegative;    /* SIRT and TV: 1 keeps slices at or above 0 */
  unsigned threads;   /* at most this many; 0: all, 1 (default): the caller's only */
  const char* kernel; /* forces a kernel by variant ("avx512"); NULL: VERSHINA_TOMOGRAPHY_KERNEL, else by the costs
                         that `vershina tomo tune` measured, else the first that runs */
  vsh_tomo_progress progress; /* NULL: none */
  void* progress_context;
} vsh_tomo_options;

#define VSH_TOMO_OPTIONS_INIT                                                                                    \
  {                                                                                                              \
    sizeof(vsh_tomo_options), VSH_TOMO_FBP, VSH_TOMO_RAM_LAK, VSH_TOMO_LINEAR, VSH_TOMO_ACCURATE, VSH_TOMO_GAPS, \
        VSH_TOMO_ZEROS, VSH_TOMO_DISPLACED_AUTO, 0, 0, 0, 0, 1.0, 0.01, 0, 1, NULL, NULL, NULL                   \
  }

/* The options that not every algorithm reads. */
typedef enum vsh_tomo_option {
  VSH_TOMO_OPTION_FILTER = 0x001,
  VSH_TOMO_OPTION_INTERPOLATION = 0x002,
  VSH_TOMO_OPTION_QUALITY = 0x004,
  VSH_TOMO_OPTION_ANGLE_WEIGHTS = 0x008,
  VSH_TOMO_OPTION_PADDING = 0x010,
  VSH_TOMO_OPTION_DISPLACED = 0x020,
  VSH_TOMO_OPTION_DEPTH = 0x040,
  VSH_TOMO_OPTION_ITERATIONS = 0x080,
  VSH_TOMO_OPTION_RELAXATION = 0x100,
  VSH_TOMO_OPTION_TV_WEIGHT = 0x200,
  VSH_TOMO_OPTION_NONNEGATIVE = 0x400
} vsh_tomo_option;

/* Returns the sum of the options that the algorithm reads for this beam; 0 if it does not exist for it. */
VSH_TOMO_API unsigned vsh_tomo_options_of(vsh_tomo_beam beam, vsh_tomo_algorithm algorithm);

/* ---- Reconstruction ---------------------------------------------------------------------------------------------- */

/* Tables of one geometry and one set of options, for any number of slices. */
typedef struct vsh_tomo_plan vsh_tomo_plan;

VSH_TOMO_API vsh_tomo_status vsh_tomo_plan_new(vsh_tomo_plan** plan, const vsh_tomo_geometry* geometry,
                                               const vsh_tomo_options* options);
VSH_TOMO_API void vsh_tomo_plan_free(vsh_tomo_plan* plan);

/* Reconstructs num_slices slices: volume [num_slices][n][n] from projections [num_angles][num_slices][num_bins].
 * angle_stride: floats from one angle's first row to the next angle's, so that a block of a larger scan can be passed;
 * 0: num_slices * num_bins. Cone: projections have num_rows rows, and num_slices is the depth. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_reconstruct(vsh_tomo_plan* plan, float* volume, const float* projections,
                                                  size_t angle_stride, size_t num_slices);

/* Returns how many slices the kernel does together: multiples of it take the least time. A cone's depth.
 * For NULL this function and the next three return 0 or NULL. */
VSH_TOMO_API size_t vsh_tomo_plan_batch(const vsh_tomo_plan* plan);
/* Returns the bytes that vsh_tomo_reconstruct allocates for a call of num_slices slices, besides its input and output;
 * the tables of the plan included. */
VSH_TOMO_API uint64_t vsh_tomo_plan_memory(const vsh_tomo_plan* plan, size_t num_slices);
/* Returns n. */
VSH_TOMO_API size_t vsh_tomo_plan_size(const vsh_tomo_plan* plan);
/* Returns the variant of the kernel, "avx512". Valid as long as the plan. */
VSH_TOMO_API const char* vsh_tomo_plan_kernel(const vsh_tomo_plan* plan);

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* Parallel beam only. Projects with the pair of the iterative algorithms, Joseph's method: projections
 * [num_angles][num_slices][num_bins] of volume [num_slices][n][n]. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_project(vsh_tomo_plan* plan, float* projections, const float* volume,
                                              size_t num_slices);
/* Applies the transpose of vsh_tomo_project, without weights or filter. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_back_project(vsh_tomo_plan* plan, float* volume, const float* projections,
                                                   size_t num_slices);
/* Filters rows as FBP does, parallel beam: out and in are [num_angles][num_slices][num_bins] and may be the same. The
 * sum over angles has still to be weighted by vsh_tomo_plan_weights. Bins of a displaced axis are not weighted here. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_filter_rows(vsh_tomo_plan* plan, float* out, const float* in, size_t num_slices);
/* Copies the weights of the angles, num_angles numbers. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_plan_weights(const vsh_tomo_plan* plan, double* weights);

/* ---- Preparation ------------------------------------------------------------------------------------------------- */

/* The steps work in place on projections [num_angles][num_rows][num_bins], which lie one after the other, and need no
 * plan. Order: normalise, fill_gaps, retrieve_phase if wanted, minus_log, remove_zingers, remove_stripes_*. `found`, if
 * it is not NULL, gets how many values there were. threads: at most this many, 0: all. */

/* From counts to transmission: (I - dark) / (white - dark). white and dark are the means of the frames without object
 * and without beam, [num_rows][num_bins]; dark NULL: zeros. Bins whose white is not above their dark become NaN and are
 * counted in `found`. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_normalise(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                                const float* white, const float* dark, uint64_t* found);
/* Replaces NaN and infinity by linear interpolation between their neighbours in the row. A row without any other value
 * stays. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_fill_gaps(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                                uint64_t* found);
/* From transmission to line integrals, -log(T); a value below `least` [num_rows][num_bins], such as half a count's
 * 0.5 / (white - dark), is raised to it and counted in `found`. least: numbers above 0; NULL: 1e-6 everywhere. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_minus_log(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                                const float* least, uint64_t* found);
/* Divides the spectrum of each transmission by 1 + pi lambda z (delta / beta) f^2, f in cycles by the pixel's size:
 * Paganin et al. 2002, doi 10.1046/j.1365-2818.2002.01010.x. delta_beta: of the object; energy of the photons in keV;
 * from object to detector and the pixel's size in millimetres; all above 0. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_retrieve_phase(float* projections, size_t num_angles, size_t num_rows,
                                                     size_t num_bins, double delta_beta, double energy_kev,
                                                     double distance_mm, double pixel_mm, unsigned threads);
/* Returns the bins that this spreads a value over, to 1e-3, on each side: a part of a detector needs as many rows of it
 * above and below. 0: a parameter is not above 0, or above 1e9. */
VSH_TOMO_API size_t vsh_tomo_phase_reach(double delta_beta, double energy_kev, double distance_mm, double pixel_mm);
/* Line integrals: replaces zingers, values below the median of their 3 x 3 neighbours in the sinogram by more than
 * log(1 + threshold): a transmission that is too high by that share. threshold: above 0, at most 1e6. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_remove_zingers(float* projections, size_t num_angles, size_t num_rows,
                                                     size_t num_bins, double threshold, unsigned threads,
                                                     uint64_t* found);
/* Line integrals, angles in order: removes stripes of the sinograms, which make rings, by sorting: Vo, Atwood and
 * Drakopoulos 2018, doi 10.1364/OE.26.028396, algorithm 3. window: bins of the median, 3 to 1001; 0: 5 to 21, or 1 % of
 * the bins. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_remove_stripes_sorting(float* projections, size_t num_angles, size_t num_rows,
                                                             size_t num_bins, size_t window, unsigned threads);
/* Returns the window that 0 stands for; 0 for a number of bins that is out of range. */
VSH_TOMO_API size_t vsh_tomo_stripe_window(size_t num_bins);
/* The same by wavelets (Daubechies 5) and Fourier transforms: Muench et al. 2009, doi 10.1364/OE.17.008567. sigma: of
 * the frequencies along the angle that are damped, above 0, at most 1e6; 2 is usual. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_remove_stripes_wavelet(float* projections, size_t num_angles, size_t num_rows,
                                                             size_t num_bins, double sigma, unsigned threads);

/* How the axis of rotation is found, and what confidence is, 0 to 1. */
typedef enum vsh_tomo_centre_method {
  /* the first method that agrees with another one within half a bin, in the order below; where none does, the most
   * confident one, with half its confidence */
  VSH_TOMO_CENTRE_AUTO = 1,
  /* parallel, at least 170 degrees: the double wedge of the sinogram and its mirror image, Vo et al. 2014, doi
   * 10.1364/OE.22.019078; how much less is outside of it than for the median of all candidates */
  VSH_TOMO_CENTRE_FOURIER = 2,
  /* parallel, two projections half a turn apart: their phase correlation, Guizar-Sicairos et al. 2008, doi
   * 10.1364/OL.33.000156; the height of its peak */
  VSH_TOMO_CENTRE_CORRELATION = 3,
  /* parallel, at least 8 projections: the centres of mass, Azevedo et al. 1990, doi 10.1109/23.55866; the share of
   * their variance that is explained. Wrong for objects wider than the detector */
  VSH_TOMO_CENTRE_MASS = 4,
  /* fan, and the row of a cone that is level with the source: rays that are measured from both sides, Panetta et al.
   * 2008, doi 10.1088/0031-9155/53/14/009; as of FOURIER */
  VSH_TOMO_CENTRE_OPPOSITE = 5,
  /* the same beams, a whole turn: the symmetry of the sum of all projections; as of FOURIER */
  VSH_TOMO_CENTRE_SYMMETRY = 6
} vsh_tomo_centre_method;

/* Finds the axis in the line integrals of one row, projection i at projections[i * angle_stride]; angle_stride 0:
 * num_bins. centre_offset and row_offset of the geometry are not used. Writes what its centre_offset should be to
 * `centre_offset`, and to `confidence`, if that is not NULL. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_find_centre(double* centre_offset, double* confidence, const float* projections,
                                                  size_t angle_stride, const vsh_tomo_geometry* geometry,
                                                  vsh_tomo_centre_method method);

/* An axis that was found. */
typedef struct vsh_tomo_centre {
  vsh_tomo_centre_method method; /* not AUTO */
  double centre_offset;
  double confidence;
} vsh_tomo_centre;

/* Finds the axis as vsh_tomo_find_centre does, by all methods of the beam. centres[0] is what VSH_TOMO_CENTRE_AUTO
 * takes, the others are what each method found, in their order. Writes at most `capacity` of them, at least 1, and to
 * `num` how many, which otherwise stays; 4 hold all. */
VSH_TOMO_API vsh_tomo_status vsh_tomo_find_centres(vsh_tomo_centre* centres, size_t* num, size_t capacity,
                                                   const float* projections, size_t angle_stride,
                                                   const vsh_tomo_geometry* geometry);

/* Steps that take memory in proportion to the projections. */
typedef enum vsh_tomo_preparation {
  VSH_TOMO_RETRIEVE_PHASE = 1,
  VSH_TOMO_REMOVE_ZINGERS = 2,
  VSH_TOMO_REMOVE_STRIPES_SORTING = 3,
  VSH_TOMO_REMOVE_STRIPES_WAVELET = 4,
  VSH_TOMO_FIND_CENTRE = 5,    /* of a parallel beam, by any method or all */
  VSH_TOMO_FIND_CENTRE_FAN = 6 /* likewise of a fan or cone */
} vsh_tomo_preparation;

/* Returns bytes that each thread allocates at most for more than single rows. More threads than rows, of the phase more
 * than angles, are not used, and one alone finds the axis. reach: vsh_tomo_phase_reach; only the phase depends on it.
 * 0: what would be refused, or could not be addressed. */
VSH_TOMO_API uint64_t vsh_tomo_preparation_memory(vsh_tomo_preparation preparation, size_t num_angles, size_t num_rows,
                                                  size_t num_bins, size_t reach);

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* Returns the variant of the kernel of this index, in the order of preference; NULL after the last one. */
VSH_TOMO_API const char* vsh_tomo_kernel(size_t index);
/* Returns 1 if this CPU can run it, else 0. */
VSH_TOMO_API int vsh_tomo_kernel_runnable(size_t index);

#ifdef __cplusplus
}
#endif

#endif
