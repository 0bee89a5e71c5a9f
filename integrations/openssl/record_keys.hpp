// Keys of TLS records by TLSTREE (RFC 9189 8.1, RFC 9367 4.1.2), for the contexts of ciphers and MACs.
#pragma once

#include <cstdint>

#include "provider.hpp"

namespace vsh::openssl {

// Copied with a context. Without a suite the context's key is used as it is.
struct RecordState {
  vsh_tlstree_suite suite = {};
  bool are_expected = false;  // also by a parameter that was refused
  bool has_seqnum = false;
  bool has_key = false;
  uint64_t seqnum = 0;
  uint64_t first = 0;             // of the records that have this key
  uint8_t key[VSH_KEY_LEN] = {};  // erased with the context
};

class RecordKeys : public RecordState {
 public:
  explicit RecordKeys(const Provider& provider) noexcept : provider_(provider) {}
  RecordKeys(const RecordKeys&) = delete;
  // Takes over all but the tree, which is made anew where the copy needs another key.
  void copy_from(const RecordKeys& other) noexcept {
    static_cast<RecordState&>(*this) = other;
    tree_.reset();
  }

  // A parameter of records has come: until one is accepted, or there is another key, nothing passes without a number.
  void expect() noexcept { are_expected = true, has_seqnum = false; }
  bool lack_seqnum() const noexcept { return are_expected && !has_seqnum; }
  // Selects the suite, or none. Another one needs a number anew.
  void choose(vsh_tlstree_suite other) noexcept;
  // The context's key, the root, has changed.
  void forget() noexcept;
  // Sets the record's number and, unless it is shared with the last record, derives its key. is_new: whether it was
  // derived. Returns 0 and raises an error beyond the last record; no number is set then.
  int set(uint64_t number, const uint8_t* root, bool& is_new) noexcept;

 private:
  vsh_status derive(uint64_t number, const uint8_t* root) noexcept;

  const Provider& provider_;
  Owned<vsh_tlstree> tree_;  // of the root; none before a key is needed
};

}  // namespace vsh::openssl
