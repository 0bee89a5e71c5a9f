#include "programs/tunnel/key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vershina/keys.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kMaxFile = 64 << 10;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

[[noreturn]] void fail_to_read(const std::string& name) {
  throw Failure(ExitCode::input, tr("{1}: {2}", name, std::strerror(errno)), {}, errno);
}

// A line of a key file, for messages.
struct Place {
  const std::string& name;
  size_t line;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Failure(ExitCode::usage, tr("{1}, line {2}: {3}", name, line, problem));
  }
};

void read_secret(uint8_t* secret, std::string_view digits, const Place& place) {
  if (digits.size() != 2 * kSecretLen)
    place.refuse(tr("a key of the wrong size: {1} characters instead of 64 hexadecimal digits", digits.size()));
  int wrong = 0;
  for (size_t i = 0; i < kSecretLen; ++i) {
    const int high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
    wrong |= (high | low) < 0;
    secret[i] = static_cast<uint8_t>(high << 4 | (low & 15));
  }
  if (wrong) place.refuse(tr("a key has 64 hexadecimal digits and nothing else"));
}

void must(vsh_status status) {
  if (status != VSH_OK) throw Failure(ExitCode::internal, tr(vsh_status_message(status)));
}

void append_hex(std::string& text, const uint8_t* bytes, size_t len) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < len; ++i) text += kDigits[bytes[i] >> 4], text += kDigits[bytes[i] & 15];
}

const char* name_of(vsh_esp_transform transform) {
  for (size_t i = 0; const char* name = vsh_esp_name(i); ++i) {
    vsh_esp_transform t;
    if (vsh_esp_by_name(&t, name) == VSH_OK && t == transform) return name;
  }
  return "";
}

}  // namespace

void parse_key_file(KeyFile& file, std::string_view text, const std::string& name) {
  constexpr std::string_view kNames[] = {"transform", "queues", "send", "receive"};
  bool given[std::size(kNames)] = {};
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    const Place place{name, number};
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) place.refuse(tr("a line is NAME = VALUE, or # a comment"));
    const std::string_view word = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    const auto* const known = std::find(std::begin(kNames), std::end(kNames), word);
    if (known == std::end(kNames)) place.refuse(tr("an unknown name: it is transform, queues, send or receive"));
    bool& seen = given[known - std::begin(kNames)];
    if (seen) place.refuse(tr("{1} is given twice", word));
    seen = true;
    if (word == "transform") {
      if (vsh_esp_by_name(&file.transform, std::string(value).c_str()) != VSH_OK ||
          value.find('\0') != std::string_view::npos)
        place.refuse(tr("an unknown transform: it is kuznyechik-mgm-ktree or magma-mgm-ktree"));
      if (file.transform != VSH_ESP_KUZNYECHIK_MGM && file.transform != VSH_ESP_MAGMA_MGM)
        place.refuse(tr("this transform does not encrypt, and a tunnel sends nothing in clear"));
    } else if (word == "queues") {
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), file.queues);
      if (error != std::errc{} || rest != value.data() + value.size() || file.queues < 1 || file.queues > kMaxQueues)
        place.refuse(tr("queues is a number from 1 to 16"));
    } else {
      read_secret(word == "send" ? file.send.bytes : file.receive.bytes, value, place);
    }
  }
  for (const size_t i : {2, 3})
    if (!given[i]) throw Failure(ExitCode::usage, tr("{1}: the line `{2} =` is missing", name, kNames[i]));
  if (vsh_equal(file.send.bytes, file.receive.bytes, kSecretLen))
    throw Failure(ExitCode::usage, tr("{1}: the keys to send and to receive are equal", name),
                  tr("both ends would use one sequence of nonces; make a pair with `vershina tunnel keygen`"));
}

void check_own(int fd, const std::string& name, mode_t rights, cli::Names names) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_to_read(name);
  if (!S_ISREG(status.st_mode)) throw Failure(ExitCode::input, tr("{1}: not a regular file", name));
  if (const std::string why = cli::why_not_own(status, rights, names); !why.empty()) {
    const bool is_mode = (status.st_mode & rights) != 0;
    throw Failure(ExitCode::usage, name + ": " + why, is_mode ? tr("run `chmod 600 {1}`", name) : "");
  }
}

void read_key_file(KeyFile& file, const std::string& name) {
  const cli::Descriptor fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) fail_to_read(name);
  check_own(fd.get(), name, cli::kAnyRight);
  cli::SecretBuffer text(kMaxFile + 1);
  size_t len = 0;
  while (len < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + len, text.size() - len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_read(name);
    if (n == 0) break;
    len += static_cast<size_t>(n);
  }
  if (len > kMaxFile) throw Failure(ExitCode::input, tr("{1}: too long for a key file", name));
  parse_key_file(file, {reinterpret_cast<const char*>(text.data()), len}, name);
}

std::string key_file_text(const KeyFile& file, const std::string& peer) {
  std::string text = "# vershina-tunnel: the keys of one end; the other end has " + cli::quote_name(peer) + "\n";
  text.reserve(text.size() + 1024);  // so that no copy of the keys is left where it grows
  text += std::string("transform = ") + name_of(file.transform) + "\nqueues = " + std::to_string(file.queues) + "\n";
  text += "send = ";
  append_hex(text, file.send.bytes, kSecretLen);
  text += "\nreceive = ";
  append_hex(text, file.receive.bytes, kSecretLen);
  return text += "\n";
}

void derive(cli::SecretBytes<sizeof(DirectionKeys)>& keys, const KeyFile& file, bool sends, unsigned queue) {
  constexpr std::string_view kLabel = "vershina-tunnel 1";
  const uint8_t seed[] = {static_cast<uint8_t>(file.transform), static_cast<uint8_t>(file.queues),
                          static_cast<uint8_t>(queue)};
  must(vsh_kdf_tree(keys.bytes, sizeof keys.bytes, (sends ? file.send : file.receive).bytes, kSecretLen, 1,
                    reinterpret_cast<const uint8_t*>(kLabel.data()), kLabel.size(), seed, sizeof seed, nullptr));
  auto& k = *reinterpret_cast<DirectionKeys*>(keys.bytes);
  const auto big_endian = [](const void* at) {  // the same on machines of either byte order
    const auto* const bytes = static_cast<const uint8_t*>(at);
    return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
  };
  k.spi = big_endian(&k.spi) | 1u << 16;  // never one of the reserved ones, and never the other
  k.control_spi = big_endian(&k.control_spi) | 1u << 16;
  if (k.control_spi == k.spi) k.control_spi ^= 1;
}

void derive_state_key(cli::SecretBytes<32>& key, const KeyFile& file) {
  constexpr std::string_view kLabel = "vershina-tunnel state";
  const uint8_t seed[] = {static_cast<uint8_t>(file.transform), static_cast<uint8_t>(file.queues)};
  must(vsh_kdf_tree(key.bytes, sizeof key.bytes, file.send.bytes, kSecretLen, 1,
                    reinterpret_cast<const uint8_t*>(kLabel.data()), kLabel.size(), seed, sizeof seed, nullptr));
}

void authenticate(uint8_t* tag, const uint8_t* key, const uint8_t* data, size_t len) {
  vsh_mac* mac = nullptr;
  must(vsh_mac_new(&mac, VSH_HMAC_STREEBOG256, key, 32, nullptr));
  const vsh_status updated = vsh_mac_update(mac, data, len), ended = vsh_mac_final(mac, tag, 32);
  vsh_mac_free(mac);
  must(updated);
  must(ended);
}

}  // namespace vsh::tunnel
