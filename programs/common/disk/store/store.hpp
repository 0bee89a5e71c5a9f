// Where the sectors of a volume are kept as ciphertext.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace vsh::disk {

// A read, write or flush that failed, with its errno and a sentence for the log.
class IoError : public std::exception {
 public:
  IoError(int error, std::string message) : error_(error), message_(std::move(message)) {}
  int error() const { return error_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int error_;
  std::string message_;
};

// Flushes one at a time: an error is reported once, and of two threads that flush at once the other would be told
// success. Those that waited need one flush together, begun after all of them called. After a failure all fail.
class JoinedFlush {
 public:
  // flush() throws IoError; fail(error), for the error of an earlier one, too.
  template <class Flush, class Fail>
  void run(Flush flush, Fail fail) {
    const uint64_t call = ++num_calls_;
    const std::scoped_lock lock(mutex_);
    if (error_) fail(error_);
    if (num_done_ >= call) return;
    const uint64_t begun = num_calls_;
    try {
      flush();
    } catch (const IoError& error) {
      error_ = error.error();
      throw;
    }
    num_done_ = begun;
  }

 private:
  std::atomic<uint64_t> num_calls_ = 0;
  std::mutex mutex_;       // for what follows
  uint64_t num_done_ = 0;  // so many calls are done
  int error_ = 0;
};

enum class Access {
  read_write,  // falls back to reading alone where writing is not permitted
  read_only,
  look,  // reading without a lock, whatever other processes do
};

// Bytes at offsets. Every function may be called by several threads at a time and throws IoError.
class Store {
 public:
  virtual ~Store() = default;

  virtual const std::string& name() const = 0;
  virtual uint64_t size() const = 0;  // in bytes, when it was opened
  virtual bool may_write() const = 0;
  // A path that leads to the open file, even if its name leads elsewhere by now, for libraries that know only paths.
  // Empty where there is none.
  virtual std::string path() const { return {}; }
  virtual bool is_file() const { return false; }  // a regular one
  // Returns where data may be from `offset` on: what lies between is a hole, which reads as zeros.
  virtual uint64_t next_data(uint64_t offset) const { return offset; }
  // Called when the header has been read and the volume is opened: from then on a server that does not answer is waited
  // for. Before, reading from one throws cli::Failure.
  virtual void become_patient() {}
  // Whether flush() can promise anything.
  virtual bool can_flush() const { return true; }

  // Read and write all `len` bytes, or throw.
  virtual void read(uint8_t* out, size_t len, uint64_t offset) = 0;
  virtual void write(const uint8_t* in, size_t len, uint64_t offset) = 0;
  // Returns when everything that was written before the call survives a loss of power. After one failure every later
  // call fails: the kernel forgets which data it could not write, so that a second success would mean nothing.
  virtual void flush() = 0;
  // Gives the space back if the store can; the bytes are undefined afterwards.
  virtual void discard(uint64_t offset, uint64_t len) = 0;
  // After flush(): lets the system forget what it has in memory, as far as it can, so that reading reads the device.
  virtual void forget_cached() {}
};

}  // namespace vsh::disk
