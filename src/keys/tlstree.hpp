// TLSTREE, the keys of TLS records: RFC 9189 8.1 (TLS 1.2), RFC 9367 4.1.2 (TLS 1.3).
#pragma once

#include "keys/key_tree.hpp"

namespace vsh::keys {

// Parameters of a cipher suite.
struct TlsTreeSet {
  const char* name;  // of TLS_GOSTR341112_256_WITH_…
  uint64_t mask[3];  // C_1, C_2, C_3: the bits of a record's number that choose the key of each level
  // SNMAX: RFC 9189 4.3.5, RFC 9367 4.1.3. That of magma-ctr-omac, 2^32 - 1, is for records: the RFC's own examples of
  // the tree go beyond it.
  uint64_t max_seqnum;

  // Successive records under one key: C_3 contains C_1 and C_2.
  constexpr uint64_t records() const noexcept { return ~mask[2] + 1; }
};

constexpr TlsTreeSet kTlsTreeSets[] = {
    // RFC 9189 8.1.1
    {"kuznyechik-ctr-omac", {0xffffffff00000000, 0xfffffffffff80000, 0xffffffffffffffc0}, UINT64_MAX},
    {"magma-ctr-omac", {0xffffffc000000000, 0xfffffffffe000000, 0xfffffffffffff000}, UINT64_MAX},
    // RFC 9367 4.1.2
    {"kuznyechik-mgm-l", {0xf800000000000000, 0xfffffff000000000, 0xffffffffffffe000}, UINT64_MAX},
    {"magma-mgm-l", {0xffe0000000000000, 0xffffffffc0000000, 0xffffffffffffff80}, UINT64_MAX},
    {"kuznyechik-mgm-s", {0xffffffffe0000000, 0xffffffffffff0000, 0xfffffffffffffff8}, (uint64_t{1} << 42) - 1},
    {"magma-mgm-s", {0xfffffffffc000000, 0xffffffffffffe000, 0xffffffffffffffff}, (uint64_t{1} << 39) - 1},
};

class TlsTree {
 public:
  // root: 32 bytes. set: must outlive the object.
  TlsTree(const HashKernel* kernel, const TlsTreeSet& set, Bytes root) noexcept : set_(set), tree_(kernel, root) {}

  uint64_t max_seqnum() const noexcept { return set_.max_seqnum; }
  // Returns the key of record seqnum (at most max_seqnum): 32 bytes, valid until the next call.
  const uint8_t* key(uint64_t seqnum) noexcept;

 private:
  const TlsTreeSet& set_;
  KeyTree tree_;
};

}  // namespace vsh::keys
