// The two outputs for users: results on standard output, messages on standard error.
#pragma once

#include <string>
#include <string_view>

namespace vsh::cli {

// Returns "vershina: MESSAGE\n"; if standard error is a terminal, broken at blanks where its lines end.
std::string error_lines(std::string_view message);

// Prints that on standard error in one write.
void print_error(std::string_view message);

// Likewise for a note: prints nothing after keep_quiet(), which is --quiet.
void print_note(std::string_view message);
void keep_quiet();

// Prints a line about finished work, without the program's name, if standard error is a terminal. Prints nothing after
// keep_quiet().
void print_done(std::string_view message);

// Prints text on standard output, flushed at once. Throws Failure if it cannot be written.
void print(std::string_view text);

// Shows a line on the terminal of standard error; later calls replace it, the functions above remove it first.
void show_status_line(std::string_view text);
void clear_status_line();
bool is_status_line_shown();  // safe in a signal handler

}  // namespace vsh::cli
