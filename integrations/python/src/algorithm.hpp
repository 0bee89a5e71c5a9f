// A block cipher with its key: the base of modes, authenticated encryption and MACs.
#pragma once

#include <optional>
#include <string>

#include "buffers.hpp"

namespace vershina::python {

// Options common to all operations.
struct Engine {
  unsigned threads = 1;
  std::optional<std::string> kernel;
  bool allow_tables = false;
  std::optional<std::string> device;

  Options options() const noexcept {  // refers to this object
    Options options;
    options.threads = threads;
    options.kernel = kernel ? kernel->c_str() : nullptr;
    options.device = device ? device->c_str() : nullptr;
    if (allow_tables) options.flags |= VSH_ALLOW_TABLES;
    return options;
  }
};

// S-boxes of GOST 28147-89: a name, or 128 bytes, 8 rows of 16 values.
class Sbox {
 public:
  Sbox() = default;
  explicit Sbox(nb::handle given);
  void apply(Options& options) const noexcept {  // which then refer to this object
    options.sbox = id_;
    if (custom_) options.custom_sbox = View(*custom_).data();
  }

 private:
  vsh_sbox id_ = VSH_SBOX_DEFAULT;
  std::optional<Secret> custom_;
};

class Algorithm {
 public:
  Algorithm(vsh_cipher_algorithm id, const char* name, const Buffer& key, Engine engine, nb::handle sbox = {});

  vsh_cipher_algorithm id() const noexcept { return id_; }
  const char* name() const noexcept { return name_; }
  size_t block_len() const noexcept { return vsh_block_len(id_); }
  View key() const noexcept { return key_; }
  const Engine& engine() const noexcept { return engine_; }

  Options options() const noexcept {  // refers to this object
    Options options = engine_.options();
    sbox_.apply(options);
    return options;
  }

 private:
  vsh_cipher_algorithm id_;
  const char* name_;
  Secret key_;
  Engine engine_;
  Sbox sbox_;
};

// Returns the cipher that an object is. Throws type_error for others, where a binding would list all its arguments.
// right: what to write, for the message.
const Algorithm& cipher_of(nb::handle given, const char* right);

// Throws value_error for "kuznyechik-xyz".
[[noreturn]] void refuse_mode(const std::string& name);
vsh_mode mode_by_name(const std::string& name);

}  // namespace vershina::python
