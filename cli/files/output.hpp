// Where data goes: a file, a directory that is unpacked, or nowhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vsh::cli {

class Output {
 public:
  virtual ~Output() = default;

  virtual void write(std::span<const uint8_t> data) = 0;  // throws Failure
  virtual void commit() = 0;                              // throws Failure; the destructor without it discards
  virtual bool is_direct() const = 0;                     // what is written cannot be taken back
  virtual const std::string& name() const = 0;            // as messages show it
};

// For checks alone.
class NoOutput : public Output {
 public:
  void write(std::span<const uint8_t>) override {}
  void commit() override {}
  bool is_direct() const override { return false; }
  const std::string& name() const override { return name_; }

 private:
  std::string name_ = "nowhere";
};

}  // namespace vsh::cli
