// The lines of checksum lists, as coreutils' sha256sum, b2sum and cksum write and read them; those of RHash and
// `openssl dgst` are read, too.
#pragma once

#include <vershina/vershina.h>

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
std::string format_tag_line(vsh_hash_algorithm algorithm, std::string_view hex, std::string_view name, char end);

// The name as it stands in "NAME: OK": with a leading backslash and escapes where it needs them.
std::string escape_for_result(std::string_view name);

// Which of the untagged forms a list uses: "HEX  NAME", or "HEX NAME" of BSD's `-r`. A list may not mix them,
// or a name with a leading space could be taken for another file.
enum class ListForm { unknown, standard, bsd_reversed };

struct ChecksumLine {
  std::string name;
  vsh_hash_algorithm algorithm;
  std::vector<uint8_t> digest;
  bool has_tag = false;  // the line says which hash it is
};

// Reads one line without its line end. algorithm: to accept lines of that one only; without it, a line says by its tag
// which, and one without a tag is of Streebog, 256 or 512 by its length. Nothing when the line is not formatted
// properly. `form` is the state of the list so far.
std::optional<ChecksumLine> parse_checksum_line(std::string_view line, std::optional<vsh_hash_algorithm> algorithm,
                                                ListForm& form);

}  // namespace vsh::cli
