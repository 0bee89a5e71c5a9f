#include "gpu/programs/file.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bytes.hpp"
#include "core/registry.hpp"
#include "streebog/hash.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

constexpr std::string_view kMagic = "vershina-program 1\n";
using Digest = std::array<uint8_t, 32>;

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Returns false where no kernel may run.
bool hash(std::span<const uint8_t> data, Digest& digest) noexcept {
  const HashKernel* const kernel = choose_hash_kernel({}, false).row;
  if (!kernel) return false;
  streebog::Hash hash(kernel, 256);
  hash.update(data.data(), data.size());
  hash.final(digest.data());
  return true;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

void add_counted(std::vector<uint8_t>& out, std::string_view text) {
  uint8_t len[4];
  store_le32(len, static_cast<uint32_t>(text.size()));
  out.insert(out.end(), len, len + 4);
  out.insert(out.end(), text.begin(), text.end());
}

// Removes a counted text from the start of `content`; returns false if it has none.
bool take_counted(std::span<const uint8_t>& content, std::string_view& text) {
  if (content.size() < 4) return false;
  const uint32_t len = load_le32(content.data());
  if (len > content.size() - 4) return false;
  text = {reinterpret_cast<const char*>(content.data()) + 4, len};
  content = content.subspan(4 + len);
  return true;
}

}  // namespace

std::optional<ProgramFile> program_file(const ProgramRequest& request) {
  Digest of_text, of_request;
  if (!hash(bytes_of(request.text), of_text)) return std::nullopt;
  ProgramFile file;
  for (const std::string& line : {request.device, request.name, request.definitions, hex(of_text)})
    file.request += line + "\n";
  file.request += vsh_version();
  hash(bytes_of(file.request), of_request);
  file.name = hex(std::span(of_request).first(16)) + ".program";
  return file;
}

std::vector<uint8_t> format_program(const ProgramFile& file, std::string_view compiler,
                                    std::span<const uint8_t> binary) {
  std::vector<uint8_t> content(kMagic.begin(), kMagic.end());
  content.resize(kMagic.size() + sizeof(Digest));
  add_counted(content, compiler);
  add_counted(content, file.request);
  content.insert(content.end(), binary.begin(), binary.end());
  Digest digest{};
  hash(std::span(content).subspan(kMagic.size() + sizeof digest), digest);
  std::copy(digest.begin(), digest.end(), content.begin() + kMagic.size());
  return content;
}

std::span<const uint8_t> parse_program(std::span<const uint8_t> content, const ProgramFile& file,
                                       std::string_view compiler) {
  if (content.size() < kMagic.size() + sizeof(Digest) || content.size() > kMaxProgramLen) return {};
  if (!std::equal(kMagic.begin(), kMagic.end(), content.begin())) return {};
  const auto stated = content.subspan(kMagic.size(), sizeof(Digest));
  content = content.subspan(kMagic.size() + sizeof(Digest));
  Digest digest;
  if (!hash(content, digest) || !std::equal(digest.begin(), digest.end(), stated.begin())) return {};
  std::string_view made_by, request;
  if (!take_counted(content, made_by) || !take_counted(content, request)) return {};
  if (request != file.request || (!compiler.empty() && made_by != compiler)) return {};
  return content;
}

}  // namespace vsh::gpu
