#include "programs/tomo/commands/arrivals.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>

#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/counts.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/picture_name.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/scan.hpp"
#include "programs/tomo/scans/stack_scan.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

using std::chrono::milliseconds;

// A network's directory reports nothing to inotify: it is read again after so long.
constexpr milliseconds kMostDoze{500};
constexpr milliseconds kReview{1000};  // after which files that were used are looked at again
// How much longer a file must be at rest that was written to and, as far as is known, not closed.
constexpr int kMostRests = 10;
constexpr size_t kMostFiles = 4 * kMostAngles;

bool is_raw_name(const std::string& name) { return cli::lower_case(name).ends_with(".raw"); }
bool is_array_name(const std::string& name) { return cli::lower_case(name).ends_with(".npy") || is_raw_name(name); }

bool is_equal(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }
bool is_changed(const struct stat& a, const struct stat& b) {
  return a.st_ino != b.st_ino || a.st_size != b.st_size || !is_equal(a.st_mtim, b.st_mtim);
}

using OpenFolder = std::unique_ptr<DIR, int (*)(DIR*)>;
OpenFolder open_folder(const std::string& path) {
  OpenFolder folder(::opendir(path.c_str()), ::closedir);
  if (!folder)
    throw Failure(ExitCode::input, quote_name(path) + ": " + std::strerror(errno),
                  tr("name the folder where projections arrive"), errno);
  return folder;
}

size_t digest_of_bytes(const void* bytes, size_t len) {
  return std::hash<std::string_view>()({static_cast<const char*>(bytes), len});
}

// File systems of this machine alone, which know all who have a file open.
bool is_local(int file) {
  struct statfs status {};
  if (::fstatfs(file, &status) != 0) return false;
  switch (static_cast<uint32_t>(status.f_type)) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case 0x2FC12FC1: return true;  // ZFS
    default: return false;
  }
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
  (void)open_folder(plan_.folder);
  watch("");
}

void FolderArrivals::watch(const std::string& below) {
  constexpr uint32_t kEvents = IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY;
  const int number = ::inotify_add_watch(watch_.get(), (plan_.folder + below).c_str(), kEvents);
  if (number >= 0) folders_.emplace(number, below);
}

std::vector<std::string> FolderArrivals::wait(double seconds) {
  const auto start = Clock::now();
  while (true) {
    if (auto names = look(); !names.empty()) return names;
    const auto now = Clock::now();
    // A file that is at rest but not long enough is on its way.
    if (seconds > 0 && !next_ && std::chrono::duration<double>(now - start).count() >= seconds) {
      for (const std::string& name : open_) cli::print_note(tr("{1}: is still open for writing", quote_name(name)));
      return {};
    }
    Clock::duration time = kMostDoze;
    if (seconds > 0)
      time = std::min(time, std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
    if (next_) time = std::min(time, *next_ - now);
    doze(time + milliseconds(1));
  }
}

// Returns whether they report more than writing.
bool FolderArrivals::take_events() {
  bool is_news = false;
  alignas(inotify_event) char text[4096];
  for (ssize_t len = 0; (len = ::read(watch_.get(), text, sizeof text)) > 0;) {
    for (ssize_t at = 0; at < len;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(text + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      const std::string name = folders_[event->wd] + (event->len > 0 ? event->name : "");
      if ((event->mask & IN_MOVED_TO) != 0) moved_.insert(name);
      if ((event->mask & IN_MODIFY) == 0) written_.erase(name);
      else if ((is_arrival_name(name) || is_field(name)) && written_.size() < kMostFiles) written_.insert(name);
      is_news = is_news || (event->mask & IN_MODIFY) == 0;
    }
  }
  return is_news;
}

void FolderArrivals::doze(Clock::duration time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    pollfd events = {watch_.get(), POLLIN, 0};  // poll() ignores a descriptor of -1
    if (::poll(&events, 1, static_cast<int>(left.count()) + 1) <= 0 || take_events()) return;
  }
}

FolderArrivals::Writers FolderArrivals::writers_of(const std::string& path) const {
#ifdef F_SETLEASE
  const cli::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) return Writers::none;  // who reads it says why
  // A lease to read is granted only if no process can write, not by a mapping either. A process that wants to write
  // while it is held waits for its end, and the signal for that does nothing.
  (void)::fcntl(file.get(), F_SETSIG, SIGURG);
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0) {
    (void)::fcntl(file.get(), F_SETLEASE, F_UNLCK);
    return is_local(file.get()) ? Writers::none : Writers::unknown;
  }
  if (errno == EAGAIN && is_local(file.get())) return Writers::some;
#else
  (void)path;
#endif
  return Writers::unknown;
}

size_t FolderArrivals::digest_of(const std::string& path) const {
  size_t digest = 0;
  try {
    cli::InputFile file = open_regular({path, plan_.folder});
    std::vector<uint8_t> piece(1 << 20);
    while (const size_t len = file.read(piece)) digest = 31 * digest + digest_of_bytes(piece.data(), len);
  } catch (const Failure&) {
    digest = 0;  // who reads it says why
  }
  return digest;
}

bool FolderArrivals::is_complete(const std::string& name, Seen& seen, Clock::time_point now) {
  if (moved_.contains(name)) return true;
  const auto rest = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.settle));
  const auto wait_until = [&](Clock::time_point time) {
    next_ = next_ ? std::min(*next_, time) : time;
    return false;
  };
  if (now < seen.since + rest) return wait_until(seen.since + rest);
  const std::string path = plan_.folder + name;
  switch (writers_of(path)) {
    case Writers::none: return true;
    case Writers::some: open_.push_back(name); return false;
    default: break;
  }
  if (written_.contains(name) && now < seen.since + kMostRests * rest) {
    open_.push_back(name);
    return false;
  }
  const size_t digest = digest_of(path);
  if (std::exchange(seen.digest, digest) == digest) return true;
  seen.since = now;
  return wait_until(now + rest);
}

// A new owner or link changes a file that is used in nothing that matters; a new time, perhaps.
void FolderArrivals::renew(Seen& seen, const struct stat& status, Clock::time_point now) {
  if (is_changed(seen.status, status) || (!seen.is_returned && !is_equal(seen.status.st_ctim, status.st_ctim)))
    seen = {status, now, std::nullopt, false, seen.used};
}

std::vector<std::string> FolderArrivals::files_of(const ArrivalPlan::Field& field) {
  const std::string path = plan_.folder + field.name;
  struct stat status {};
  if (!field.is_used || ::stat(path.c_str(), &status) != 0) return {};
  if (!S_ISDIR(status.st_mode)) return {field.name};
  watch(field.name + "/");
  std::vector<std::string> names = names_of(pictures_of(path_inside({path, plan_.folder})));
  for (std::string& name : names) name = field.name + "/" + name;
  return names;
}

// Returns whether the frames without object and beam are there and complete, as projections must be.
bool FolderArrivals::look_at_fields(Clock::time_point now) {
  bool are_ready = true;
  for (const ArrivalPlan::Field* const field : {&plan_.whites, &plan_.darks}) {
    const std::vector<std::string> names = files_of(*field);
    if (names.empty() && field->is_used && (field->is_needed || is_folder(plan_.folder + field->name))) {
      are_ready = false;
      if (!seen_.empty() && missing_.insert(field->name).second)
        cli::print_note(
            tr("{1}: no frames are there yet; the projections wait for them", quote_name(plan_.folder + field->name)));
    }
    for (const std::string& name : names) {
      struct stat status {};
      if (::stat((plan_.folder + name).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      Seen& seen = seen_fields_[name];
      renew(seen, status, now);
      if (seen.is_returned) continue;
      seen.is_returned = is_complete(name, seen, now);
      are_ready = are_ready && seen.is_returned;
      if (!seen.is_returned) continue;
      const size_t digest = digest_of(plan_.folder + name);
      const bool is_other = std::exchange(seen.used, digest) != digest;
      if (is_other && are_fields_used_ && !is_restart_) is_restart_ = can_restart(field->name);
    }
  }
  return are_ready;
}

bool FolderArrivals::await_whites() {
  plan_.whites.is_needed = true;
  are_fields_used_ = false;
  for (auto& [name, seen] : seen_) seen.is_returned = false;
  return true;
}

std::vector<std::string> FolderArrivals::look() {
  const OpenFolder folder = open_folder(plan_.folder);
  const auto now = Clock::now();
  const bool is_review = now >= next_review_;
  if (is_review) next_review_ = now + kReview;
  next_.reset();
  open_.clear();
  const bool are_ready = look_at_fields(now);
  std::vector<std::tuple<int64_t, int64_t, std::string>> found;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (!is_arrival_name(name) || is_field(name)) continue;
    const auto known = seen_.find(name);
    if (known != seen_.end() && known->second.used && known->second.is_returned && !is_review && !moved_.contains(name))
      continue;
    struct stat status {};
    if (::fstatat(::dirfd(folder.get()), name.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode)) continue;
    if (seen_.size() >= kMostFiles)
      throw Failure(ExitCode::input, tr("{1}: too many files", quote_name(plan_.folder)),
                    tr("at most {1} projections are possible", kMostAngles));
    Seen& seen = seen_[name];
    renew(seen, status, now);
    if (!are_ready || seen.is_returned || !is_complete(name, seen, now)) continue;
    seen.is_returned = true;
    if (seen.used) is_restart_ = is_restart_ || must_restart(name, *seen.used);
    else found.emplace_back(status.st_mtim.tv_sec, status.st_mtim.tv_nsec, name);
  }
  if (is_restart_ && are_ready) {
    found.clear();
    are_fields_used_ = false;
    for (auto& [name, seen] : seen_) {
      seen.used.reset();
      if (seen.is_returned) found.emplace_back(seen.status.st_mtim.tv_sec, seen.status.st_mtim.tv_nsec, name);
    }
    numbers_.clear();
  }
  moved_.clear();
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [second, nanosecond, name] : found) names.push_back(std::move(name));
  return names;
}

// Says that a file was changed after it was used. Returns whether all that were used can be read again.
bool FolderArrivals::can_restart(const std::string& name) const {
  const auto is_gone = [&](const auto& file) {
    return file.second.used && ::access((plan_.folder + file.first).c_str(), F_OK) != 0;
  };
  const auto num_gone = std::count_if(seen_.begin(), seen_.end(), is_gone);
  cli::print_note(num_gone == 0 ? tr("{1}: was changed after it was used; all are read again", quote_name(name))
                                : tr("{1}: was changed after it was used; it is not read again, as {2} that were used "
                                     "are gone",
                                     quote_name(name), num_gone));
  return num_gone == 0;
}

bool FolderArrivals::must_restart(const std::string& name, size_t used) {
  try {
    const std::vector<float> values = read_values(name);
    if (digest_of_bytes(values.data(), 4 * values.size()) == used) return false;
  } catch (const Failure&) {  // who reads it again says why
  }
  return can_restart(name);
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
    if (4 * uint64_t{all_rows_} * num_bins_ > cli::free_memory())
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
    if (is_first) num_rows_ = 0;  // a file that is not a projection says nothing about the others
    throw;
  }
}

Projection FolderArrivals::read_whole(const std::string& name) {
  Projection projection;
  place(projection, name);
  projection.values = read_values(name);
  projection.digest = digest_of_bytes(projection.values.data(), 4 * projection.values.size());
  return projection;
}

std::vector<float> FolderArrivals::read_values(const std::string& name) {
  std::vector<float> values;
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
    values.resize(num_rows_ * num_bins_);
    array.read_rows(values.data(), shape, first_row_, num_rows_);
    element_ = array.element().name();
  } else {
    const auto pictures = open_picture(file);
    if (num_rows_ == 0 && !pictures->note().empty()) cli::print_note(pictures->note());
    one(pictures->num_pages());
    element_ = pictures->shape().element.name();
    fix_size(pictures->shape().rows, pictures->shape().columns, name);
    values.resize(num_rows_ * num_bins_);
    pictures->read_rows(values.data(), first_row_, num_rows_);
  }
  return values;
}

void FolderArrivals::accept(const std::string& name, const Projection& projection) {
  if (projection.number) numbers_.insert(*projection.number);
  if (const auto known = seen_.find(name); known != seen_.end()) known->second.used = projection.digest;
}

std::vector<float> FolderArrivals::field(const ArrivalPlan::Field& about) {
  are_fields_used_ = true;
  const std::string path = plan_.folder + about.name;
  struct stat status {};
  if (!about.is_used || (!about.is_needed && ::stat(path.c_str(), &status) != 0)) return {};
  std::vector<float> frames;
  size_t num_frames = 0;
  const auto check = [&](size_t frame_rows, size_t frame_bins, size_t num) {
    if (frame_rows != all_rows_ || frame_bins != num_bins_)
      throw Failure(ExitCode::input,
                    tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", quote_name(path),
                       frame_rows, frame_bins, all_rows_, num_bins_),
                    tr("they must be of the same detector"));
    num_frames = num;
    cli::check_memory(4 * uint64_t{num} * num_rows_ * num_bins_, quote_name(path));
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
  return mean_frame(frames, num_frames, num_rows_ * num_bins_);
}

}  // namespace vsh::tomo
