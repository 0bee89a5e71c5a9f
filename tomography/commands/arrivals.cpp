#include "tomography/commands/arrivals.hpp"

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <tuple>

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"
#include "tomography/commands/room.hpp"
#include "tomography/formats/array_file.hpp"
#include "tomography/formats/picture.hpp"
#include "tomography/formats/picture_name.hpp"
#include "tomography/formats/scan.hpp"
#include "tomography/preparation/counts.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

// A network's directory reports nothing to inotify: it is read again after so long.
constexpr int kMostDoze = 500;  // milliseconds

bool is_raw_name(const std::string& name) { return cli::lower_case(name).ends_with(".raw"); }
bool is_array_name(const std::string& name) { return cli::lower_case(name).ends_with(".npy") || is_raw_name(name); }

bool is_changed(const struct stat& a, const struct stat& b) {
  return a.st_ino != b.st_ino || a.st_size != b.st_size || a.st_mtim.tv_sec != b.st_mtim.tv_sec ||
         a.st_mtim.tv_nsec != b.st_mtim.tv_nsec;
}

ArrayFile open_array(const FileName& file, const std::optional<Sidecar>& sidecar, uint64_t num_frames) {
  if (!is_raw_name(file.path)) return ArrayFile::npy(file);
  if (!sidecar || !sidecar->shape)
    throw Failure(ExitCode::input, tr("{1}: nothing says its size", quote_name(file.path)),
                  tr("write a sidecar scan.json with \"shape\" and \"type\""));
  return ArrayFile::raw(file, sidecar->element, sidecar->offset,
                        {num_frames, (*sidecar->shape)[1], (*sidecar->shape)[2]});
}

}  // namespace

bool is_arrival_name(const std::string& name) {
  return is_picture_name(name) || (!name.starts_with('.') && is_array_name(name));
}

FolderArrivals::FolderArrivals(ArrivalPlan plan)
    : Arrivals(std::move(plan)), watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!plan_.folder.ends_with('/')) plan_.folder += '/';
  (void)look();
  seen_.clear();
  if (watch_.is_open() && ::inotify_add_watch(watch_.get(), plan_.folder.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
    watch_ = cli::Descriptor();
}

std::vector<std::string> FolderArrivals::wait(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    if (auto names = look(); !names.empty()) return names;
    if (seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= seconds)
      return {};
    doze(seconds > 0 ? std::min(kMostDoze, static_cast<int>(seconds * 1000) + 1) : kMostDoze);
  }
}

void FolderArrivals::doze(int milliseconds) const {
  pollfd events = {watch_.get(), POLLIN, 0};  // poll() ignores a descriptor of -1
  if (::poll(&events, 1, milliseconds) <= 0) return;
  char text[4096];
  while (::read(watch_.get(), text, sizeof text) > 0) continue;  // what they say is seen in the directory
}

std::vector<std::string> FolderArrivals::look() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(plan_.folder.c_str()), ::closedir);
  if (!folder)
    throw Failure(ExitCode::input, quote_name(plan_.folder) + ": " + std::strerror(errno),
                  tr("name the folder where projections arrive"), errno);
  std::vector<std::tuple<int64_t, int64_t, std::string>> found;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (!is_arrival_name(name)) continue;
    const auto known = seen_.find(name);
    if (known != seen_.end() && known->second.is_used) continue;
    struct stat status {};
    if (::fstatat(::dirfd(folder.get()), name.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode)) continue;
    if (known != seen_.end() && !is_changed(known->second.status, status)) continue;
    if (seen_.size() >= 4 * kMostAngles)
      throw Failure(ExitCode::input, tr("{1}: too many files", quote_name(plan_.folder)),
                    tr("at most {1} projections are possible", kMostAngles));
    seen_[name] = {status, false};
    found.emplace_back(status.st_mtim.tv_sec, status.st_mtim.tv_nsec, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [second, nanosecond, name] : found) names.push_back(std::move(name));
  return names;
}

void FolderArrivals::place(Projection& projection, const std::string& name) const {
  const auto refuse = [&](const std::string& problem, const std::string& advice) {
    throw Failure(ExitCode::input, quote_name(name) + ": " + problem, advice);
  };
  const PictureName about = read_picture_name(name);
  if (!plan_.by_number && about.degrees) {
    if (!about.is_clear) throw unclear_angle(name);
    projection.degrees = *about.degrees;
    return;
  }
  const auto number = about.number;
  if (!number || *number < static_cast<int64_t>(plan_.first_number))
    refuse(tr("its name has no number from {1} on", plan_.first_number), tr("see --first-number"));
  const size_t index = static_cast<size_t>(*number) - plan_.first_number;
  projection.number = index;
  if (numbers_.contains(index)) refuse(tr("projection {1} was there already", *number), tr("it is left out"));
  if (!plan_.angles.empty()) {
    if (index >= plan_.angles.size())
      refuse(tr("number {1} of {2} projections", *number, plan_.angles.size()), tr("see --first-number"));
    projection.degrees = plan_.angles[index];
  } else if (plan_.angle_step && index < kMostAngles) {
    projection.degrees = plan_.first_angle.value_or(0) + static_cast<double>(index) * *plan_.angle_step;
  } else {
    refuse(tr("nothing says its angle"), tr("give --angle-step or --angles, or names as p1_45.5deg.tif"));
  }
}

void Arrivals::fix_size(size_t rows, size_t bins, const std::string& name) {
  if (num_rows_ == 0) {
    if (plan_.sidecar && plan_.sidecar->shape) {
      all_rows_ = (*plan_.sidecar->shape)[1];
      num_bins_ = (*plan_.sidecar->shape)[2];
    } else {
      all_rows_ = rows, num_bins_ = bins;
    }
    ScanInfo info;
    info.name = quote_name(name);
    info.num_angles = 1, info.num_rows = all_rows_, info.num_bins = num_bins_;
    check_scan(info);
    if (4 * uint64_t{all_rows_} * num_bins_ > free_memory())
      throw Failure(ExitCode::input,
                    tr("{1}: {2} x {3} numbers are more than the memory holds", info.name, all_rows_, num_bins_),
                    tr("check the file, or write the sizes into a sidecar"));
    const IndexRange range =
        plan_.rows.value_or(plan_.middle_row ? IndexRange{all_rows_ / 2, all_rows_ / 2 + 1} : IndexRange{0, all_rows_});
    const size_t end = range.end.value_or(all_rows_);
    if (range.first >= all_rows_ || end > all_rows_)
      throw Failure(ExitCode::usage, tr("--slices: the scan has rows 0 to {1}", all_rows_ - 1),
                    tr("give FIRST:END with END at most {1}", all_rows_));
    first_row_ = range.first;
    num_rows_ = end - first_row_;
  }
  if (rows == all_rows_ && bins == num_bins_) return;
  throw Failure(ExitCode::input,
                tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", quote_name(name), rows, bins,
                   all_rows_, num_bins_),
                tr("they must be of the same detector"));
}

Projection FolderArrivals::read(const std::string& name) {
  const bool is_first = num_rows_ == 0;
  try {
    return read_whole(name);
  } catch (...) {
    if (is_first) num_rows_ = 0;  // what is no projection says nothing about the others
    throw;
  }
}

Projection FolderArrivals::read_whole(const std::string& name) {
  Projection projection;
  place(projection, name);
  const FileName file(plan_.folder + name, plan_.folder);
  const auto one = [&](uint64_t frames) {
    if (frames == 1) return;
    throw Failure(ExitCode::input, tr("{1}: {2} pages", quote_name(name), frames),
                  tr("give a file for each projection"));
  };
  if (is_array_name(name)) {
    ArrayFile array = open_array(file, plan_.sidecar, 1);
    const auto shape = array.shape3(ArrayFile::Two::frame);
    one(shape[0]);
    fix_size(shape[1], shape[2], name);
    projection.values.resize(num_rows_ * num_bins_);
    array.read_rows(projection.values.data(), shape, first_row_, num_rows_);
    element_ = array.element().name();
  } else {
    const auto pictures = open_picture(file);
    one(pictures->num_pages());
    element_ = pictures->shape().element.name();
    fix_size(pictures->shape().rows, pictures->shape().columns, name);
    projection.values.resize(num_rows_ * num_bins_);
    pictures->read_rows(projection.values.data(), first_row_, num_rows_);
  }
  return projection;
}

void FolderArrivals::accept(const std::string& name, const Projection& projection) {
  if (projection.number) numbers_.insert(*projection.number);
  if (const auto known = seen_.find(name); known != seen_.end()) known->second.is_used = true;
}

std::vector<float> FolderArrivals::field(const std::string& usual, const std::string& named) const {
  const std::string path = plan_.folder + (named.empty() ? usual : named);
  struct stat status {};
  if (named.empty() && ::stat(path.c_str(), &status) != 0) return {};
  std::vector<float> frames;
  size_t num_frames = 0;
  const auto check = [&](size_t frame_rows, size_t frame_bins, size_t num) {
    if (frame_rows != all_rows_ || frame_bins != num_bins_)
      throw Failure(ExitCode::input,
                    tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", quote_name(path),
                       frame_rows, frame_bins, all_rows_, num_bins_),
                    tr("they must be of the same detector"));
    num_frames = num;
    check_memory(4 * uint64_t{num} * num_rows_ * num_bins_, quote_name(path));
    frames.resize(num * num_rows_ * num_bins_);
  };
  if (is_array_name(path)) {
    ArrayFile file = open_array({path, plan_.folder}, plan_.sidecar, 0);
    const auto shape = file.shape3(ArrayFile::Two::frame);
    check(shape[1], shape[2], shape[0]);
    file.read_rows(frames.data(), shape, first_row_, num_rows_);
  } else {
    const auto scan = open_scan(path_inside({path, plan_.folder}));
    check(scan->info().num_rows, scan->info().num_bins, scan->info().num_angles);
    scan->read(frames.data(), first_row_, num_rows_);
  }
  return tomography::mean_frame(frames, num_frames, num_rows_ * num_bins_);
}

}  // namespace vsh::tomo
