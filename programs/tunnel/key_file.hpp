// The key file of a tunnel's end: text, a line for each value. docs/tunnel.md has the format.
#pragma once

#include <vershina/esp.h>

#include <array>
#include <string>
#include <string_view>

#include "programs/common/system/own_file.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::tunnel {

inline constexpr size_t kSecretLen = 32;
inline constexpr unsigned kMaxQueues = 16;

// The settings in which both ends must agree, with send and receive exchanged.
struct KeyFile {
  vsh_esp_transform transform = VSH_ESP_KUZNYECHIK_MGM;
  unsigned queues = 1;
  cli::SecretBytes<kSecretLen> send, receive;
};

// name: for messages. Throws Failure with the line's number; quotes no secret.
void parse_key_file(KeyFile& file, std::string_view text, const std::string& name);

// Throws Failure unless it is a regular file that only this user can change (programs/common/system/own_file.hpp).
void check_own(int fd, const std::string& name, mode_t rights, cli::Names names = cli::Names::any);

// Reads a file that only its owner may read. Throws Failure.
void read_key_file(KeyFile& file, const std::string& name);

// Returns the text of a file: it holds secrets.
std::string key_file_text(const KeyFile& file, const std::string& peer);

// Keys of one direction of one queue. Parameters in which the ends differ give other keys and other SPIs, so that
// nothing of one is taken by the other.
struct DirectionKeys {
  uint8_t transform_key[VSH_ESP_MAX_KEY_LEN];
  uint8_t control_key[32];
  uint32_t spi, control_spi;
};
void derive(cli::SecretBytes<sizeof(DirectionKeys)>& keys, const KeyFile& file, bool sends, unsigned queue);
// The key that authenticates the state file.
void derive_state_key(cli::SecretBytes<32>& key, const KeyFile& file);

inline const DirectionKeys& keys_in(const cli::SecretBytes<sizeof(DirectionKeys)>& bytes) {
  return *reinterpret_cast<const DirectionKeys*>(bytes.bytes);
}

// HMAC over Streebog-256. tag: 32 bytes.
void authenticate(uint8_t* tag, const uint8_t* key, const uint8_t* data, size_t len);

}  // namespace vsh::tunnel
