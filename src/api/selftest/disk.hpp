// The part of vsh_selftest that holds disk modes to other implementations.
#pragma once

namespace vsh::api::selftest {

// kernel: a variant of Kuznyechik that this CPU can run.
bool disk_passes(const char* kernel);

}  // namespace vsh::api::selftest
