// C ABI of devices: status text and list.
#include "api/arguments/context.hpp"

const char* vsh_device_message(void) { return vsh::gpu::last_error(); }
