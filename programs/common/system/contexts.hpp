// The library's contexts as owning pointers.
#pragma once

#include <vershina/vershina.h>

#include <memory>

namespace vsh::cli {

struct FreeContext {
  void operator()(vsh_cipher* context) const { vsh_cipher_free(context); }
  void operator()(vsh_mac* context) const { vsh_mac_free(context); }
  void operator()(vsh_hash* context) const { vsh_hash_free(context); }
  void operator()(vsh_xts* context) const { vsh_xts_free(context); }
  void operator()(vsh_aead* context) const { vsh_aead_free(context); }
};

using CipherContext = std::unique_ptr<vsh_cipher, FreeContext>;
using MacContext = std::unique_ptr<vsh_mac, FreeContext>;
using HashContext = std::unique_ptr<vsh_hash, FreeContext>;
using XtsContext = std::unique_ptr<vsh_xts, FreeContext>;
using AeadContext = std::unique_ptr<vsh_aead, FreeContext>;

}  // namespace vsh::cli
