// A store behind another NBD server, through libnbd.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "programs/common/disk/store/store.hpp"

struct nbd_handle;

namespace vsh::disk {

// Requests of several threads go over connections of their own, if the server keeps connections consistent. A lost
// connection is not made anew: which writes since the last flush the server still has is unknown, so everything after
// it fails. For the same reason all connections are made at the start, as many as the server takes: one that was made
// later might reach a server that was started anew, whose flush says nothing of what the others have written. NBD has
// no locks: nothing prevents a second writer.
class NbdStore : public Store {
 public:
  // Throws cli::Failure. unit: requests are multiples of it; a server that demands more is refused.
  NbdStore(const std::string& uri, Access access, uint32_t unit = 512);
  ~NbdStore() override;

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  bool may_write() const override { return may_write_; }
  bool can_flush() const override { return can_flush_; }
  void become_patient() override { is_patient_ = true; }

  void read(uint8_t* out, size_t len, uint64_t offset) override;
  void write(const uint8_t* in, size_t len, uint64_t offset) override;
  void flush() override;
  void discard(uint64_t offset, uint64_t len) override;

 private:
  struct Close {
    void operator()(nbd_handle* handle) const;
  };
  using Connection = std::unique_ptr<nbd_handle, Close>;
  class Use;

  Connection connect() const;
  Connection connect_again() const;
  template <class F>
  void request(const char* what, F f);

  std::string uri_, name_;
  uint64_t size_ = 0;
  bool may_write_ = false, can_flush_ = false, can_trim_ = false, is_patient_ = false;
  size_t most_per_request_ = 0;

  std::mutex mutex_;
  std::condition_variable released_;
  std::deque<Connection> idle_;
  std::atomic<bool> is_lost_ = false;
  JoinedFlush flush_;
};

}  // namespace vsh::disk
