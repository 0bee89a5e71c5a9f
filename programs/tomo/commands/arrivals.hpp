// Projections that arrive while they are taken: in a directory, a file each, or through a socket (socket_arrivals.hpp).
//
// A file is complete as soon as it is renamed into the directory; else when it has not changed for a while and no
// process has it open for writing. Its length says nothing: a copy onto a share has all of it before its content. Where
// the system cannot tell (a network's file system, another user's file), its content is read twice.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/system/descriptor.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/scans/sidecar.hpp"

namespace vsh::tomo {

struct Projection {
  std::optional<size_t> number;  // among the planned angles, from 0; nothing where its name has the angle
  double degrees = 0;
  std::vector<float> values;  // [row][bin] of the rows that are reconstructed, as they are in the file
  size_t digest = 0;          // of values as they were read
};

// The plan before the first projection.
struct ArrivalPlan {
  // Frames without object or beam: a file or a folder of pictures below the folder.
  struct Field {
    std::string name;
    bool is_used = true, is_needed = false;  // whatever is there; or it will come
  };
  std::string folder;
  Field whites{"whites"}, darks{"darks"};
  size_t num_projections = 0;                     // 0: not known
  std::vector<double> angles;                     // degrees, of all projections; empty: not known
  std::optional<double> first_angle, angle_step;  // where only the step is known
  bool by_number = false;                         // whatever angles names have
  size_t first_number = 0;                        // in the name of the first one
  double settle = 1;                              // seconds in which a file that is complete does not change
  std::optional<IndexRange> rows;                 // nothing: all of them
  bool middle_row = false;                        // of all rows only this one
  std::optional<Sidecar> sidecar;
};

// Whether a file of this name in the folder is taken for a projection.
bool is_arrival_name(const std::string& name);

class Arrivals {
 public:
  explicit Arrivals(ArrivalPlan plan) : plan_(std::move(plan)) {}
  virtual ~Arrivals() = default;

  // Waits until there are projections that were not returned before, or were changed and not accepted. Returns their
  // names, the oldest first; none after `seconds` (0: never), and at the end. Throws Failure.
  virtual std::vector<std::string> wait(double seconds) = 0;
  virtual bool is_at_end() const { return false; }  // nothing more can come
  // Returns, once, whether a projection was changed after it was accepted: the names last returned are then of all.
  virtual bool take_restart() { return false; }

  // Reads one, and fixes the size of all others if it is the first. Throws a Failure for anything but one whole
  // projection of this scan, which a file may become.
  virtual Projection read(const std::string& name) = 0;
  // It is used: it and its number do not come again.
  virtual void accept(const std::string& /*name*/, const Projection& /*projection*/) {}
  // Holds all projections back, those that were returned too, until there are frames without object. Returns false
  // where none can come.
  virtual bool await_whites() { return false; }
  // Tells the acquisition that no more is needed.
  virtual void tell(const std::string& /*line*/) {}

  size_t num_rows() const { return num_rows_; }  // that are read; 0 before the first projection
  size_t num_bins() const { return num_bins_; }
  size_t first_row() const { return first_row_; }
  size_t all_rows() const { return all_rows_; }
  const std::string& element() const { return element_; }  // "uint16": of the projection read last
  // Frames without object or beam, averaged over the rows that are read; empty where there are none. After the first
  // projection. Throws Failure.
  virtual std::vector<float> whites() = 0;
  virtual std::vector<float> darks() = 0;

 protected:
  void fix_size(size_t rows, size_t bins, const std::string& name);

  ArrivalPlan plan_;
  size_t all_rows_ = 0, num_rows_ = 0, num_bins_ = 0, first_row_ = 0;
  std::string element_;
};

class FolderArrivals : public Arrivals {
 public:
  // Throws a Failure if there is no such directory.
  explicit FolderArrivals(ArrivalPlan plan);

  std::vector<std::string> wait(double seconds) override;
  Projection read(const std::string& name) override;
  void accept(const std::string& name, const Projection& projection) override;
  bool take_restart() override { return std::exchange(is_restart_, false); }
  bool await_whites() override;
  std::vector<float> whites() override { return field(plan_.whites); }
  std::vector<float> darks() override { return field(plan_.darks); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    struct stat status {};
    Clock::time_point since{};     // that it is like this
    std::optional<size_t> digest;  // of the file, where it is read twice
    bool is_returned = false;
    std::optional<size_t> used;  // Projection::digest of the accepted one; for a field's file, the digest
  };
  enum class Writers { none, some, unknown };

  std::vector<std::string> look();
  bool is_field(const std::string& name) const { return name == plan_.whites.name || name == plan_.darks.name; }
  std::vector<std::string> files_of(const ArrivalPlan::Field& field);
  bool look_at_fields(Clock::time_point now);
  static void renew(Seen& seen, const struct stat& status, Clock::time_point now);
  bool is_complete(const std::string& name, Seen& seen, Clock::time_point now);
  Writers writers_of(const std::string& path) const;
  size_t digest_of(const std::string& path) const;
  void watch(const std::string& below);
  bool take_events();
  void doze(Clock::duration time);
  bool can_restart(const std::string& name) const;
  bool must_restart(const std::string& name, size_t used);
  Projection read_whole(const std::string& name);
  std::vector<float> read_values(const std::string& name);
  void place(Projection& projection, const std::string& name) const;
  std::vector<float> field(const ArrivalPlan::Field& about);

  cli::Descriptor watch_;               // inotify; none where the system has none left
  std::map<int, std::string> folders_;  // that it watches, by its numbers: "" and "whites/"
  std::map<std::string, Seen> seen_, seen_fields_;
  bool are_fields_used_ = false;           // since all was read
  std::set<std::string> missing_;          // fields that projections wait for, as was noted
  std::set<std::string> moved_;            // renamed into the directory, and not looked at since
  std::set<std::string> written_;          // written to, and not closed since, as far as inotify says
  std::vector<std::string> open_;          // of the last look: would be complete, but are open for writing
  std::optional<Clock::time_point> next_;  // when the next file may be complete
  Clock::time_point next_review_{};        // of files that are used
  bool is_restart_ = false;
  std::set<size_t> numbers_;  // of projections that were accepted
};

}  // namespace vsh::tomo
