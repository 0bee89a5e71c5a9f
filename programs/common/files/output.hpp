// Destination of data: a file, an unpacked directory, or none.
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
  virtual bool is_direct() const = 0;                     // written data cannot be discarded
  virtual const std::string& name() const = 0;            // for messages
};

// Discards data; for checks.
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
