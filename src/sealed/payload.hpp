// The payload of a sealed file: chunks that are sealed and opened independently, on several threads.
// docs/sealed-format.md, clause 6.
#pragma once

#include <optional>

#include "sealed/keys.hpp"
#include "sealed/layout.hpp"
#include "sealed/mgm_key.hpp"

namespace vsh::sealed {

// Chunks that follow each other: the first num_head of them lie at head, the others at rest. All but the last are full.
struct Run {
  uint64_t first;  // number of the first chunk
  size_t num;
  const uint8_t* head;
  size_t num_head;
  const uint8_t* rest;
  size_t last_len;  // bytes of the last one's plaintext
  bool ends;        // the last one is the last of the file
};

class Payload {
 public:
  Payload(const Suite& suite, const FileKey& key, const Slot& slot);

  const Layout& layout() const noexcept { return layout_; }

  // Both throw std::bad_alloc, and what threads throw. out: the chunks side by side; not to overlap with the run.
  void seal(uint8_t* out, const Run& run);
  // The number of chunks before the first damaged one. Of those behind it, what is not authentic is not written either.
  [[nodiscard]] size_t open(uint8_t* out, const Run& run);

 private:
  const MgmKey& key_of(uint64_t chunk);
  // f(key, i) for the run's chunks, i from 0.
  template <class F>
  void for_chunks(const Run& run, F&& f);

  Suite suite_;
  Layout layout_;
  FileKey file_key_;
  std::array<uint8_t, kPreambleLen> preamble_;
  std::optional<MgmKey> key_;  // of chunks key_number_ << kChunksPerKeyLog2 and on
  uint64_t key_number_ = 0;
};

}  // namespace vsh::sealed
