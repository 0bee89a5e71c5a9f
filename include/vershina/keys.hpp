// Key derivation, passwords, and key wrapping. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_KEYS_HPP
#define VERSHINA_KEYS_HPP

#include <vershina/vershina.hpp>

namespace vershina {

// Computes many HMACs side by side. False if a job failed: see each job's status.
[[nodiscard]] inline bool hmac_all(vsh_mac_algorithm algorithm, std::span<vsh_hmac_job> jobs,
                                   const Options& options = {}) {
  const vsh_status status = vsh_streams_hmac(algorithm, jobs.data(), jobs.size(), &options);
  if (status != VSH_E_JOB) check(status);
  return status == VSH_OK;
}

// Derives 32 bytes with KDF_GOSTR3411_2012_256.
inline Bytes kdf(View key, View label, View seed, const Options& options = {}) {
  Bytes out(VSH_KDF_LEN);
  check(vsh_kdf(out.data(), out.size(), key.data(), key.size(), label.data(), label.size(), seed.data(), seed.size(),
                &options));
  return out;
}

// Derives len bytes with KDF_TREE_GOSTR3411_2012_256. counter_len: R, 1 to 4.
inline Bytes kdf_tree(size_t len, View key, View label, View seed, unsigned counter_len = 1,
                      const Options& options = {}) {
  Bytes out(len);
  check(vsh_kdf_tree(out.data(), len, key.data(), key.size(), counter_len, label.data(), label.size(), seed.data(),
                     seed.size(), &options));
  return out;
}

// Computes len bytes of a pseudorandom function; label: for PRF_TLS, else empty.
inline Bytes prf(size_t len, vsh_prf_algorithm algorithm, View key, View label, View seed,
                 const Options& options = {}) {
  Bytes out(len);
  check(vsh_prf(out.data(), len, algorithm, key.data(), key.size(), label.data(), label.size(), seed.data(),
                seed.size(), &options));
  return out;
}

// Derives len bytes with PBKDF2 and HMAC-Streebog-512.
inline Bytes pbkdf2(size_t len, View password, View salt, uint32_t iterations, const Options& options = {}) {
  Bytes out(len);
  check(vsh_pbkdf2(out.data(), len, password.data(), password.size(), salt.data(), salt.size(), iterations, &options));
  return out;
}

// Runs many side by side. Returns false if a job failed: see each job's status.
[[nodiscard]] inline bool pbkdf2_all(std::span<vsh_pbkdf2_job> jobs, const Options& options = {}) {
  const vsh_status status = vsh_pbkdf2_batch(jobs.data(), jobs.size(), &options);
  if (status != VSH_E_JOB) check(status);
  return status == VSH_OK;
}

// vsh_pbes2 with its size filled in; DER in and out.
struct Pbes2 : vsh_pbes2 {
  Pbes2() noexcept : vsh_pbes2{} { struct_size = sizeof(vsh_pbes2); }
  explicit Pbes2(View der) : Pbes2() { check(vsh_pbes2_decode(this, der.data(), der.size())); }
  Bytes der() const {
    Bytes out(VSH_PBES2_MAX_DER);
    size_t len = 0;
    check(vsh_pbes2_encode(out.data(), out.size(), &len, this));
    out.resize(len);
    return out;
  }
};

// Keys of TLS records: vsh_tlstree. Movable, not copyable.
class TlsTree {
 public:
  // root: 32 bytes.
  TlsTree(vsh_tlstree_suite suite, View root, const Options& options = {}) {
    vsh_tlstree* t = nullptr;
    check(vsh_tlstree_new(&t, suite, root.data(), root.size(), &options));
    tree_.reset(t);
  }
  Bytes key(uint64_t seqnum) {
    Bytes out(VSH_KDF_LEN);
    check(vsh_tlstree_key(tree_.get(), out.data(), out.size(), seqnum));
    return out;
  }
  // Returns how many successive records share a key.
  static uint64_t records(vsh_tlstree_suite suite) noexcept { return vsh_tlstree_records(suite); }

 private:
  struct Free {
    void operator()(vsh_tlstree* t) const noexcept { vsh_tlstree_free(t); }
  };
  std::unique_ptr<vsh_tlstree, Free> tree_;
};

// Keys of ESP packets: vsh_esptree. Movable, not copyable.
class EspTree {
 public:
  // root: 32 bytes.
  explicit EspTree(View root, const Options& options = {}) {
    vsh_esptree* t = nullptr;
    check(vsh_esptree_new(&t, root.data(), root.size(), &options));
    tree_.reset(t);
  }
  Bytes key(uint8_t i1, uint16_t i2, uint16_t i3) {
    Bytes out(VSH_KDF_LEN);
    check(vsh_esptree_key(tree_.get(), out.data(), out.size(), i1, i2, i3));
    return out;
  }

 private:
  struct Free {
    void operator()(vsh_esptree* t) const noexcept { vsh_esptree_free(t); }
  };
  std::unique_ptr<vsh_esptree, Free> tree_;
};

// ---- Key wrapping --------------------------------------------------------------------------------------------------

// vsh_wrap: a key encrypted under another one. Lengths: vsh_wrap_algorithm.
inline Bytes wrap(vsh_wrap_algorithm algorithm, View kek, View iv, View key, const Options& options = {}) {
  Bytes out(vsh_wrapped_len(algorithm, iv.size(), key.size()));
  size_t len = 0;
  check(vsh_wrap(out.data(), out.size(), &len, algorithm, kek.data(), kek.size(), iv.data(), iv.size(), key.data(),
                 key.size(), &options));
  return out;
}

// vsh_unwrap. Throws Error with VSH_E_TAG if the wrapped key was changed. The result is a secret: erase it.
inline Bytes unwrap(vsh_wrap_algorithm algorithm, View kek, View iv, View wrapped, const Options& options = {}) {
  Bytes key(wrapped.size());
  size_t len = 0;
  check(vsh_unwrap(key.data(), key.size(), &len, algorithm, kek.data(), kek.size(), iv.data(), iv.size(),
                   wrapped.data(), wrapped.size(), &options));
  key.resize(len);
  return key;
}

}  // namespace vershina

#endif
