#include "programs/vershina/sealing/open_range.hpp"

#include <algorithm>
#include <vector>

#include "programs/common/options/option_values.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr uint64_t kPieceLen = uint64_t{4} << 20;  // of the content, enough to keep all threads busy

bool parse_number(std::string_view text, uint64_t& number) {
  const auto read = read_number("--range", text, {.is_size = true});
  number = read.value;
  return read.problem.empty();
}

}  // namespace

Range parse_range(const std::string& text) {
  const std::string_view all = text;
  const size_t sign = std::min(all.find_first_of("-+"), all.size());
  const std::string_view after = all.substr(std::min(sign + 1, all.size()));
  Range range;
  bool is_right = sign < all.size() && parse_number(all.substr(0, sign), range.first);
  if (is_right && !(after.empty() && all[sign] == '-')) {
    uint64_t number = 0;
    is_right = parse_number(after, number);
    if (all[sign] == '+') {
      range.len = number;
    } else {
      is_right = is_right && number >= range.first && number - range.first < UINT64_MAX;
      range.len = number - range.first + 1;
    }
  }
  if (is_right) return range;
  throw Failure(ExitCode::usage, tr("--range {1}: is not a range of bytes", quote_name(text)),
                tr("give FIRST-LAST, FIRST- or FIRST+LENGTH, counted from 0"));
}

void copy_range(vsh_opener* opener, const Range& range, const InputFile& input, Output& output,
                const vsh_options& options) {
  const std::string& name = input.name();
  if (!S_ISREG(input.status().st_mode)) {
    throw Failure(ExitCode::usage, tr("{1}: --range needs a file", name), tr("a pipe cannot be read from the middle"));
  }
  const auto check = [&](vsh_status status) {
    if (status != VSH_OK) throw sealed_failure(status, name, options);
  };
  const auto file_len = static_cast<uint64_t>(input.status().st_size);
  uint64_t plain_len = 0;
  check(vsh_opener_plain_len(opener, &plain_len, file_len));
  if (range.first > plain_len || (range.len && *range.len > plain_len - range.first)) {
    throw Failure(ExitCode::usage, tr("{1}: the content has only {2}", name, bytes_of(plain_len)),
                  tr("give a --range within them"));
  }
  vsh_sealed_info info{};
  check(vsh_opener_inspect(opener, &info));
  const uint64_t end = range.first + range.len.value_or(plain_len - range.first);
  std::vector<uint8_t> in, out;
  uint64_t position = range.first;
  do {  // once for no bytes, too: the chunk there is verified
    // Pieces end where chunks do, so that no chunk is read twice.
    const uint64_t step = std::max<uint64_t>(kPieceLen, info.chunk_len);
    const uint64_t len = std::min(end, (position / step + 1) * step) - position;
    vsh_sealed_span span{};
    check(vsh_opener_locate(opener, &span, position, len, file_len));
    in.resize(span.in_len);
    out.resize(span.out_len);
    input.read_at(in, span.offset);
    size_t out_len = 0;
    uint64_t damaged = 0;
    const vsh_status status =
        vsh_opener_read(opener, out.data(), out.size(), &out_len, &damaged, &span, in.data(), in.size());
    if (status == VSH_E_CHUNK) throw chunk_failure(damaged, info.chunk_len, name);
    check(status);
    output.write(std::span(out).subspan(span.skip, len));
    position += len;
  } while (position < end);
}

}  // namespace vsh::cli
