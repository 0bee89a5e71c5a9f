// The two outputs for people: results on standard output, talk on standard error.
#pragma once

#include <string_view>

namespace vsh::cli {

// "vershina: MESSAGE\n" on standard error, in one piece; on a terminal in lines broken at blanks.
void print_error(std::string_view message);

// The same for what is no error: nothing after keep_quiet(), which is --quiet.
void print_note(std::string_view message);
void keep_quiet();

// Text on standard output, passed on at once. Throws Failure when it cannot be written.
void print(std::string_view text);

// A line on the terminal of standard error that later calls replace; the functions above remove it first.
void show_status_line(std::string_view text);
void clear_status_line();
bool is_status_line_shown();  // may be asked in a signal handler

}  // namespace vsh::cli
