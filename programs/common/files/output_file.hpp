// Output that appears under its final name only when it is complete.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

// A file that this run reads, and that the output may therefore not replace.
struct ReadFile {
  std::string name;
  struct stat status;
};

// Returns true for "-" and the system's names for it: opened by those, a redirection would look like an existing file.
bool is_standard_output(const std::string& name);

// Whether a command may replace a file, write to a block device, or write anything to a terminal.
struct Force {
  Force(bool is_given) : given(is_given) {}
  // For a command without --force: its messages do not name it.
  static Force not_offered() {
    Force force = false;
    force.offered = false;
    return force;
  }

  bool given, offered = true;
};

// The kind of data. binary: never to a terminal.
enum class Content { any, binary };

// Throws a Failure for a name that cannot be created: a file exists and `force` is not given, or it is a directory, or
// a terminal that cannot take the content. For commands that ask for a passphrase first; OutputFile checks again.
void check_output_name(const std::string& name, Force force, Content content = Content::any);

mode_t current_umask();

// Returns the Failure for an output that cannot be created or written, with default advice if `advice` is empty.
Failure output_failure(const std::string& name, int error, std::string advice = {});

// A regular file is written as `.vershina-XXXXXXXX.tmp` in the directory of the final name (mode 0600), given its
// permissions, synchronised and renamed; any earlier failure removes it. Devices, pipes and standard output ("-") are
// written directly: there a failure can only stop the output.
class OutputFile : public Output {
 public:
  using Content = vsh::cli::Content;

  // Throws Failure.
  OutputFile(const std::string& name, Force force, Content content, const std::vector<ReadFile>& sources);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Marks the file as a form of `input`: a new file gets the permissions of the named input file, as far as umask
  // leaves them, and its times. Plaintext of other inputs is only for its owner.
  void take_after(const InputFile& input, bool is_plaintext);
  // Makes the file readable only by its owner, and by its owner, regardless of umask: it holds a key. A replaced file
  // only loses permissions.
  void keep_private() { private_ = true; }
  void write(std::span<const uint8_t> data) override;
  // Does what commit() does before it renames: permissions, synchronisation. Nothing may be written afterwards.
  void finish();
  void commit() override;
  bool is_direct() const override { return temporary_.empty(); }
  // Whether both would be one file, or go one into the other.
  bool is_same_as(const OutputFile& other) const;
  const std::string& name() const override { return name_; }

 private:
  void check_sources(const struct stat& status, const std::vector<ReadFile>& sources) const;
  void open_stdout(Content content, const std::vector<ReadFile>& sources);
  void open_special(const std::string& path, const struct stat& status);
  void create_temporary();
  void set_permissions();
  void rename_to_final();
  std::string directory() const;

  std::string name_;
  Force force_;
  std::string final_path_;
  std::string temporary_;  // empty when written directly
  Descriptor fd_;
  bool replace_ = false;
  bool text_only_ = false;
  bool private_ = false;
  bool finished_ = false;
  mode_t new_mode_ = 0666;            // of a new file, before umask
  std::optional<struct stat> model_;  // the source of permissions and times
  struct stat replaced_ {};           // the file that is replaced, where replace_
  uint64_t written_ = 0;
  std::unique_ptr<InterruptGuard> guard_;
};

}  // namespace vsh::cli
