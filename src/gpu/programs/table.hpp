// The programs of a device: each is created once, from the cache on disk or by the compiler.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Loads and compiles programs for a device.
class ProgramMaker {
 public:
  // All that a compiled program depends on besides its text: the device, its driver.
  virtual std::string identity() const = 0;
  // The compiler and its version; empty where there is none; programs then come only from the cache.
  virtual std::string compiler() const = 0;
  // Returns null where the driver rejects it.
  virtual std::shared_ptr<Program> load(std::span<const uint8_t> binary) = 0;
  // definitions: those of the caller and -DVSH_GROUP. Throws Error (compile) with the compiler's log. binary: what load
  // takes; empty where the driver does not provide it.
  virtual std::shared_ptr<Program> compile(std::string_view text, const std::string& definitions,
                                           std::vector<uint8_t>& binary) = 0;

 protected:
  ~ProgramMaker() = default;
};

class ProgramTable {
 public:
  // Thread-safe; one program is created at a time. Throws Error.
  std::shared_ptr<Program> get(ProgramMaker& maker, const std::string& name, const std::string& definitions);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Program>> programs_;
};

}  // namespace vsh::gpu
