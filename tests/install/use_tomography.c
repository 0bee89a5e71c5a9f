/* A user's C program: a disc from its projections. */
#include <math.h>
#include <stdio.h>
#include <vershina/tomography.h>

#define ANGLES 90
#define BINS 64

int main(void) {
  static float scan[ANGLES][BINS], slice[BINS][BINS];
  double angles[ANGLES];
  for (int a = 0; a < ANGLES; ++a) {
    angles[a] = 3.14159265358979323846 * a / ANGLES;
    for (int k = 0; k < BINS; ++k) {
      const double t = k - (BINS - 1) / 2.0;
      scan[a][k] = t * t < 400 ? (float)(2 * sqrt(400 - t * t)) : 0;
    }
  }
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.angles = angles;
  geometry.num_angles = ANGLES;
  geometry.num_bins = BINS;
  vsh_tomo_plan* plan;
  vsh_tomo_status status = vsh_tomo_plan_new(&plan, &geometry, NULL);
  if (status == VSH_TOMO_OK) status = vsh_tomo_reconstruct(plan, &slice[0][0], &scan[0][0], 0, 1);
  if (status != VSH_TOMO_OK) {
    puts(vsh_tomo_status_message(status));
    return 1;
  }
  vsh_tomo_plan_free(plan);
  printf("%f in the middle\n", slice[32][32]);
  return fabs(slice[32][32] - 1) < 0.02 ? 0 : 1;
}
