// The lines of checksum lists, in the format of coreutils' sha256sum, b2sum and cksum; those of RHash and `openssl
// dgst` are read, too.
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
// the line begins with a backslash, unless `end` is '\0': then names are verbatim.
std::string format_checksum_line(std::string_view hex, std::string_view name, char marker, char end);

// "Streebog-256 (NAME) = HEX\n", escaped in the same way.
std::string format_tag_line(vsh_hash_algorithm algorithm, std::string_view hex, std::string_view name, char end);

// Returns the name for "NAME: OK": with a leading backslash and escapes where needed.
std::string escape_for_result(std::string_view name);

// The untagged form of a list: "HEX  NAME", or "HEX NAME" of BSD's `-r`. A list may not mix them,
// or a name with a leading space could be taken for another file.
enum class ListForm { unknown, standard, bsd_reversed };

struct ChecksumLine {
  std::string name;
  vsh_hash_algorithm algorithm{};  // of a hash
  std::vector<uint8_t> digest;     // or the MAC
  bool has_tag = false;            // the line names the hash
};

// Parses one line without its line end. algorithm: accepts only lines of that one; without it, the tag of a line names
// it, and a line without a tag is Streebog, 256 or 512 by its length. Returns nullopt for an invalid line. `form` is
// the state of the list so far.
std::optional<ChecksumLine> parse_checksum_line(std::string_view line, std::optional<vsh_hash_algorithm> algorithm,
                                                ListForm& form);

// Parses a line of `vershina mac`, "HEX  NAME", with a MAC of exactly `len` bytes: who could shorten the MACs of a list
// would have them guessed.
std::optional<ChecksumLine> parse_mac_line(std::string_view line, size_t len);

}  // namespace vsh::cli
