// Key derivation, passwords, and key wrapping. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_KEYS_HPP
#define VERSHINA_KEYS_HPP

#include <vershina/vershina.hpp>

namespace vershina {

// ---- Key wrapping --------------------------------------------------------------------------------------------------

// vsh_wrap: a key encrypted under another one. Lengths: vsh_wrap_algorithm.
inline Bytes wrap(vsh_wrap_algorithm algorithm, View kek, View iv, View key, const Options& options = {}) {
  Bytes out(vsh_wrapped_len(algorithm, iv.size(), key.size()));
  size_t len = 0;
  check(vsh_wrap(out.data(), out.size(), &len, algorithm, kek.data(), kek.size(), iv.data(), iv.size(), key.data(),
                 key.size(), &options));
  return out;
}

// vsh_unwrap. Throws Error with VSH_E_TAG where the wrapped key is not what was wrapped. The result is a secret: erase it.
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
