#include "console.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "descriptor.hpp"
#include "failure.hpp"

namespace vsh::cli {
namespace {

std::mutex console_mutex;
std::atomic<bool> status_line_shown = false;

void put_error(std::string_view text) {
  // Where even standard error cannot be written, there is nobody left to tell.
  (void)write_all(STDERR_FILENO, text.data(), text.size());
}

void erase_status_line() {
  if (status_line_shown) put_error("\r\033[K");
  status_line_shown = false;
}

}  // namespace

void print_error(std::string_view message) {
  const std::scoped_lock lock(console_mutex);
  erase_status_line();
  put_error("vershina: " + std::string(message) + "\n");
}

void print(std::string_view text) {
  const std::scoped_lock lock(console_mutex);
  erase_status_line();
  if (const int error = write_all(STDOUT_FILENO, text.data(), text.size())) throw_write_failure("", error);
}

void show_status_line(std::string_view text) {
  const std::scoped_lock lock(console_mutex);
  put_error("\r" + std::string(text) + "\033[K");
  status_line_shown = true;
}

bool is_status_line_shown() { return status_line_shown; }

void clear_status_line() {
  const std::scoped_lock lock(console_mutex);
  erase_status_line();
}

}  // namespace vsh::cli
