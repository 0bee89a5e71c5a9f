// The lines of checksum lists, as coreutils' sha256sum, b2sum and cksum write and read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vsh::cli {

// "HEX  NAME\n". marker is ' ' for text and '*' for binary. A name with \n, \r or a backslash is escaped and
// the line begins with a backslash, unless `end` is '\0': then names stand as they are.
std::string format_checksum_line(std::string_view hex, std::string_view name, char marker, char end);

// "Streebog-256 (NAME) = HEX\n", escaped in the same way.
std::string format_tag_line(std::string_view hex, std::string_view name, char end);

// The name as it stands in "NAME: OK": with a leading backslash and escapes where it needs them.
std::string escape_for_result(std::string_view name);

// Which of the untagged forms a list uses: "HEX  NAME", or "HEX NAME" of BSD's `-r`. A list may not mix them,
// or a name with a leading space could be taken for another file.
enum class ListForm { unknown, standard, bsd_reversed };

struct ChecksumLine {
  std::string name;
  std::vector<uint8_t> digest;  // 32 bytes for Streebog-256, 64 for Streebog-512
};

// Reads one line without its line end. digest_len: 32 or 64 to accept that length only, 0 for both. Nothing
// when the line is not formatted properly. `form` is the state of the list so far.
std::optional<ChecksumLine> parse_checksum_line(std::string_view line, size_t digest_len, ListForm& form);

}  // namespace vsh::cli
