// Compares disk modes with other implementations, for vsh_selftest.
#pragma once

namespace vsh::api::selftest {

// kernel: a variant of Kuznyechik that this CPU can run.
bool disk_passes(const char* kernel);

}  // namespace vsh::api::selftest
