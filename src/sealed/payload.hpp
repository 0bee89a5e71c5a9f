// The payload of a sealed file: chunks that are sealed and opened independently, on several threads or by devices.
// docs/sealed-format.md, clause 6.
#pragma once

#include <map>

#include "sealed/keys.hpp"
#include "sealed/layout.hpp"
#include "sealed/mgm_key.hpp"

namespace vsh::sealed {

// Consecutive chunks: the first num_head of them are at head, the others at rest. All but the last are full.
struct Run {
  uint64_t first;  // number of the first chunk
  size_t num;
  const uint8_t* head;
  size_t num_head;
  const uint8_t* rest;
  size_t last_len;  // bytes of the last one's plaintext
  bool ends;        // the last one is the last of the file
};

// Chunks are packets of MGM and go to devices in batches. Chunks too long for that (Devices::max_packet) go there one
// after the other, each divided among devices.
class Payload {
 public:
  Payload(const Suite& suite, const FileKey& key, const Slot& slot);
  ~Payload();

  const Layout& layout() const noexcept { return layout_; }

  // Both throw std::bad_alloc, and what devices and threads throw. out: the chunks side by side; not to overlap with
  // the run.
  void seal(uint8_t* out, const Run& run) { (void)process(out, run, false); }
  // Returns the number of chunks before the first damaged one. Unauthentic chunks after it are not written either.
  [[nodiscard]] size_t open(uint8_t* out, const Run& run) { return process(out, run, true); }

 private:
  struct ChunkKey;

  size_t process(uint8_t* out, const Run& run, bool opens);
  // Makes keys_ hold exactly the keys of chunks first to last.
  void make_keys(uint64_t first, uint64_t last);
  void run_packets(std::span<streams::Packet> packets);
  void run_on_processor(streams::Selection<streams::Packet> packets) const;

  Suite suite_;
  Layout layout_;
  FileKey file_key_;
  std::array<uint8_t, kPreambleLen> preamble_;
  std::map<uint64_t, ChunkKey> keys_;  // of the chunks from number << kChunksPerKeyLog2 on
  const bool is_long_;                 // chunks, each of them a request to devices
};

}  // namespace vsh::sealed
