// A destination of several files: a new folder, or a tar stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "programs/common/files/output.hpp"
#include "programs/common/system/interrupt.hpp"

namespace vsh::tomo {

class Folder {
 public:
  virtual ~Folder() = default;
  virtual void add(const std::string& name, std::span<const uint8_t> content) = 0;  // throws Failure
  virtual void commit() = 0;
  virtual const std::string& name() const = 0;  // for messages
};

// Throws a Failure if there is something of that name: a folder is never replaced.
void check_new_folder(const std::string& path);

// Written under a temporary name next to the final one, which it gets when it is complete; any failure and every signal
// that can be caught removes it.
class NewFolder : public Folder {
 public:
  explicit NewFolder(const std::string& path);
  ~NewFolder() override;
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void add(const std::string& name, std::span<const uint8_t> content) override;
  void commit() override;
  const std::string& name() const override { return name_; }

 private:
  std::string name_, parent_, final_path_, temporary_;
  std::unique_ptr<cli::InterruptGuard> guard_;
};

// POSIX.1-1988 tar (ustar) into an output, which must outlive it.
class TarFolder : public Folder {
 public:
  explicit TarFolder(cli::Output& output) : output_(output) {}
  void add(const std::string& name, std::span<const uint8_t> content) override;
  void commit() override;
  const std::string& name() const override { return output_.name(); }

 private:
  cli::Output& output_;
};

// Writes a new file into an open folder. name: for messages. Throws Failure.
void write_file(int folder, const std::string& path, std::span<const uint8_t> content, const std::string& name);

// "dir/name" split into "dir/" and "name"; "./" for a plain name. Throws a Failure for a name such as "..".
std::pair<std::string, std::string> split_path(std::string path);

}  // namespace vsh::tomo
