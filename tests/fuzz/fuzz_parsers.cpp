// The parsers of the command line: hexadecimal text, keys, S-box files, lines of checksum lists, names for messages;
// and the files of measured costs and of devices' crossovers that the library itself reads. Accepted input must come
// out the same when it is written and read again.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/registry.hpp"
#include "core/row_costs.hpp"
#include "fuzz.hpp"
#include "gpu/schedule/crossovers.hpp"
#include "programs/common/options/key_text.hpp"
#include "programs/common/options/sbox_text.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/vershina/text/checksum_line.hpp"

namespace {

using namespace vsh::cli;
using vsh::fuzz::Bytes;
using vsh::fuzz::check;

std::string lower(std::string_view text) {
  std::string s(text);
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return s;
}

void fuzz_hex(std::string_view text) {
  Bytes out(text.size() / 2, 0xA5);
  if (decode_hex(text, out)) {
    check(encode_hex(out) == lower(text), "hexadecimal text changed on the way", "hex");
  } else {
    check(std::all_of(out.begin(), out.end(), [](uint8_t b) { return b == 0; }), "refused digits left a trace", "hex");
    check(text.size() % 2 == 1 || !std::all_of(text.begin(), text.end(), is_hex_digit), "good digits refused", "hex");
  }
}

void fuzz_key(std::string_view text) {
  const std::span<const uint8_t> content(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  for (const KeyFormat format : {KeyFormat::automatic, KeyFormat::raw, KeyFormat::hex}) {
    std::array<uint8_t, kKeyLen> key{};
    const std::string problem = parse_key(content, format, key);
    check(problem.find('\n') == problem.npos, "a message of two lines", "key");
    if (!problem.empty()) continue;
    const bool raw = content.size() == kKeyLen;
    check(raw || content.size() == 64 || content.size() == 65, "a key of impossible length accepted", "key");
    if (raw) check(std::equal(key.begin(), key.end(), content.begin()), "a raw key changed", "key");
    else check(encode_hex(key) == lower(text.substr(0, 64)), "a hexadecimal key changed", "key");
  }
}

void fuzz_sbox(std::string_view text) {
  std::array<uint8_t, kSboxLen> sbox{};
  if (!parse_sbox(text, sbox).empty()) return;
  std::string again;
  for (size_t i = 0; i < kSboxLen; ++i) {
    check(sbox[i] < 16, "a value above 15", "sbox");
    again += encode_hex(std::array{sbox[i]})[1];
    if (i % 16 == 15) again += '\n';
  }
  std::array<uint8_t, kSboxLen> second{};
  check(parse_sbox(again, second).empty() && second == sbox, "an accepted set is not read again", "sbox");
  // The library must agree that it is a set of permutations.
  vsh_options options = VSH_OPTIONS_INIT;
  options.sbox = VSH_SBOX_CUSTOM;
  options.custom_sbox = sbox.data();
  const Bytes key(VSH_KEY_LEN);
  vsh_cipher* context = nullptr;
  check(vsh_cipher_new(&context, VSH_GOST28147, VSH_ECB, VSH_ENCRYPT, key.data(), key.size(), nullptr, 0, &options) ==
            VSH_OK,
        "the library refuses a set that the parser accepts", "sbox");
  vsh_cipher_free(context);
}

void fuzz_checksum_line(std::string_view text) {
  std::vector<std::optional<vsh_hash_algorithm>> wanted = {std::nullopt};
  for (size_t i = 0; const char* name = vsh_hash_name(i); ++i) {
    vsh_hash_algorithm algorithm;
    check(vsh_hash_by_name(&algorithm, name) == VSH_OK, "name not found", name);
    wanted.push_back(algorithm);
  }
  for (const auto& algorithm : wanted) {
    ListForm form = ListForm::unknown;
    const auto line = parse_checksum_line(text, algorithm, form);
    if (!line) continue;
    check(line->digest.size() == vsh_hash_len(line->algorithm), "a digest of impossible length", "checksum line");
    check(algorithm.value_or(line->algorithm) == line->algorithm, "a line of another hash", "checksum line");
    if (line->name.empty()) continue;
    const std::string hex = encode_hex(line->digest);
    const auto read_again = [&](std::string written) {
      check(written.ends_with('\n'), "no line end", "checksum line");
      written.pop_back();
      check(written.find('\n') == written.npos, "an unescaped newline", "checksum line");
      ListForm fresh = ListForm::unknown;
      const auto again = parse_checksum_line(written, line->algorithm, fresh);
      check(again && again->name == line->name && again->digest == line->digest, "a written line is not read again",
            "checksum line");
    };
    read_again(format_checksum_line(hex, line->name, ' ', '\n'));
    read_again(format_checksum_line(hex, line->name, '*', '\n'));
    read_again(format_tag_line(line->algorithm, hex, line->name, '\n'));
  }
}

void fuzz_names(std::string_view text) {
  const std::string quoted = quote_name(text);
  check(std::none_of(quoted.begin(), quoted.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
        "a control character in a message", "names");
  check(escape_for_result(text).find('\n') == std::string::npos, "a newline in a result line", "names");
  (void)is_printable_text(text);
}

// Unchanged, and after the lines that name this machine.
void fuzz_row_costs(const std::string& text) {
  using namespace vsh::tuner;
  static const Identity here = identity_here();
  static const std::string heading = format_row_costs(here, {}, {});
  const auto rows = vsh::kernel_infos();
  for (const std::string& cache : {text, heading + text}) {
    RowCosts costs, again;
    const std::string problem = parse_row_costs(cache, here, rows, costs);
    check(problem.find('\n') == problem.npos, "a message of two lines", "row costs");
    for (size_t i = 0; i < rows.size(); ++i)
      check(costs.of[i].pass <= kMaxCost && (costs.of[i].pass != 0) == (problem.empty() && runnable(*rows[i])),
            "a cost out of nowhere", "row costs");
    if (!problem.empty()) continue;
    check(parse_row_costs(format_row_costs(here, rows, costs), here, rows, again).empty(), "not read again",
          "row costs");
    for (size_t i = 0; i < rows.size(); ++i)
      check(costs.of[i].pass == again.of[i].pass && costs.of[i].custom == again.of[i].custom, "changed", "row costs");
  }
}

void fuzz_rates(const std::string& text) {
  using namespace vsh::gpu;
  static const std::string heading = format_crossovers({});
  for (const std::string& file : {text, heading + text}) {
    std::string problem;
    const auto crossovers = parse_crossovers(file, problem);
    const bool is_right = crossovers.has_value() == problem.empty() && problem.find('\n') == problem.npos;
    check(is_right, "a wrong problem", "crossovers");
    if (!crossovers) continue;
    const std::string written = format_crossovers(*crossovers);
    check(written.size() == file.size(), "not all of it", "crossovers");
    const auto again = parse_crossovers(written, problem);
    check(again && format_crossovers(*again) == written, "not read again", "crossovers");
    (void)worth_a_device(*crossovers, 64, 1 << 20);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz_hex(text);
  fuzz_key(text);
  fuzz_sbox(text);
  fuzz_checksum_line(text);
  fuzz_names(text);
  fuzz_row_costs(std::string(text));
  fuzz_rates(std::string(text));
  return 0;
}
