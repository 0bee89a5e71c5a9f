#include "programs/common/system/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {
namespace {

std::mutex console_mutex;
std::atomic<bool> status_line_shown = false;

void put_error(std::string_view text) {
  // If even standard error cannot be written, the failure cannot be reported.
  (void)write_all(STDERR_FILENO, text.data(), text.size());
}

void erase_status_line() {
  if (status_line_shown) put_error("\r\033[K");
  status_line_shown = false;
}

// Returns the columns of the terminal on standard error; 0 if it is not a terminal.
size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool quiet = false;

}  // namespace

std::string error_lines(std::string_view message) {
  const std::string line = "vershina: " + std::string(message);
  const size_t columns = terminal_columns();
  return (columns > 0 ? fold(line, columns) : line) + "\n";
}

void print_error(std::string_view message) {
  const std::scoped_lock lock(console_mutex);
  erase_status_line();
  put_error(error_lines(message));
}

void print_note(std::string_view message) {
  if (!quiet) print_error(message);
}

void print_done(std::string_view message) {
  if (quiet || !::isatty(STDERR_FILENO)) return;
  const std::scoped_lock lock(console_mutex);
  erase_status_line();
  put_error(std::string(message) + "\n");
}

void keep_quiet() { quiet = true; }

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
