// The last error of a device as text: the C ABI's vsh_device_message.
#pragma once

#include <string_view>

namespace vsh::gpu {

// Sets this thread's. Long texts, such as a compiler's log, are cut.
void set_last_error(std::string_view text) noexcept;
const char* last_error() noexcept;  // empty if nothing went wrong; until the next one

}  // namespace vsh::gpu
