// The drivers of devices are tried in a child process before this one uses them: a driver that aborts, crashes or waits
// for ever then costs its back end, not the work.
#pragma once

#include <string>
#include <vector>

namespace vsh::cli {

// Makes the library ask for a trial before it first uses the drivers of CUDA or OpenCL. Nothing is tried, and nothing
// started, before that. VERSHINA_DEVICE_TRIAL: `off`, or the seconds that a trial may take.
void try_devices_first();

// Returns whether this process is such a child; run_device_trial() is then all that it does.
bool is_device_trial(int argc, const char* const* argv);
int run_device_trial(int argc, const char* const* argv);

// Returns the results of trials, a sentence for each back end that is not used, and forgets them.
std::vector<std::string> take_trial_problems();

}  // namespace vsh::cli
