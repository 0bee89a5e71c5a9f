#include "programs/common/system/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "programs/common/system/console.hpp"
#include "programs/common/system/environment.hpp"
#include "programs/common/system/try_thread.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(1000);
constexpr auto kEvery = std::chrono::milliseconds(200);
constexpr size_t kBarWidth = 24;

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool can_show() {
  const std::string_view term = environment("TERM");
  return ::isatty(STDERR_FILENO) != 0 && !term.empty() && term != "dumb";
}

std::string format_time(double seconds) {
  const auto whole = static_cast<unsigned long long>(std::llround(std::min(seconds, 1e9)));
  char text[48];
  if (whole < 3600) {
    std::snprintf(text, sizeof text, "%llu:%02llu", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return text;
}

}  // namespace

std::string format_bytes(double bytes) {
  static constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB"};
  double value = bytes / 1e3;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) {
    value /= 1e3;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

Progress::Progress(bool wanted, std::string label, std::optional<uint64_t> total)
    : label_(std::move(label)), total_(total) {
  if (wanted && can_show()) thread_ = try_thread([this](std::stop_token stop) { run(std::move(stop)); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  clear_status_line();
}

void Progress::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  auto next = start_ + kFirst;
  while (!wake_.wait_until(lock, stop, next, [] { return false; }) && !stop.stop_requested()) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    show_status_line(line(seconds.count()));
    next += kEvery;
  }
}

// "label  42% [##########--------------]  1.2 GB of 3.0 GB  812.4 MB/s  0:02 left", or without unknown
// parts.
std::string Progress::line(double seconds) const {
  const auto done = static_cast<double>(done_.load());
  const double rate = done / seconds;
  char rate_text[48];
  std::snprintf(rate_text, sizeof rate_text, "%.1f MB/s", rate / 1e6);
  std::string text;
  if (total_ && *total_ > 0) {
    const auto total = static_cast<double>(*total_);
    const double part = std::min(done / total, 1.0);
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f%% [", std::floor(part * 100));
    const auto filled = static_cast<size_t>(part * kBarWidth);
    text = percent + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "]  ";
    text += tr("{1} of {2}  {3}", format_bytes(done), format_bytes(total), rate_text);
    if (rate > 0) text += "  " + tr("{1} left", format_time((total - std::min(done, total)) / rate));
  } else {
    text = format_bytes(done) + "  " + rate_text + "  " + format_time(seconds);
  }
  const size_t width = terminal_width();
  if (columns_of(label_) + 2 + columns_of(text) < width) text = label_ + "  " + text;
  return std::string(first_columns(text, width - 1));
}

}  // namespace vsh::cli
