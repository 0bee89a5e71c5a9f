// Work over an index, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace vsh::tomo {

// Calls work(i) once for each i below num, on at most `threads` threads (0: the default). Rethrows the first exception.
void for_each_index(size_t num, unsigned threads, const std::function<void(size_t)>& work);

}  // namespace vsh::tomo
