#include "programs/vershina/options/variable_key_file.hpp"

#include <string_view>

#include "programs/common/files/input_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

SecretFile read_secret_file(const std::string& name, size_t max_len) {
  InputFile input(name);
  SecretBuffer content(max_len + 1);  // one more, to see that it is too long
  const size_t len = input.read_all(content.bytes());
  if (len > max_len) {
    throw Failure(ExitCode::usage, tr("{1}: {2}, so no key", input.name(), tr("more than {1}", bytes_of(max_len))),
                  tr("this may be the wrong file"));
  }
  content.shorten(len);
  return {input.name(), ReadFile{input.name(), input.status()}, std::move(content)};
}

std::optional<SecretBuffer> decode_secret_hex(const SecretFile& file) {
  const std::span content = file.content.bytes();
  std::string_view digits(reinterpret_cast<const char*>(content.data()), content.size());
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  SecretBuffer decoded(digits.size() / 2);
  if (digits.size() % 2 != 0 || !decode_hex(digits, decoded.bytes())) return std::nullopt;
  return decoded;
}

SecretBuffer encode_secret_hex(std::span<const uint8_t> bytes) {
  SecretBuffer text(2 * bytes.size() + 1);
  uint8_t* next = text.data();
  for (const uint8_t byte : bytes)
    for (const int digit : {byte >> 4, byte & 15}) *next++ = static_cast<uint8_t>("0123456789abcdef"[digit]);
  *next = '\n';
  return text;
}

}  // namespace vsh::cli
