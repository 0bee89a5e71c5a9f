// What the C ABI says of devices.
#include "api/arguments/context.hpp"

const char* vsh_device_message(void) { return vsh::gpu::last_error(); }
