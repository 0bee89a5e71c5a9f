// Reads the test vectors of tests/vectors. Their format is described at the top of tests/vectors/SOURCES.md.
//
//   for (const vec::Record& r : vec::read("kuznyechik_modes.vec", "ctr", {"Key", "IV", "Segment", "In", "Out"})) {
//     SCOPED_TRACE(r.where());  // "kuznyechik_modes.vec:123", so that a failure names its record
//     ... r.bytes("Key"), r.number("Segment") ...
//   }
//
// A misspelt section or field, a missing or repeated one, odd or impossible hex: everything is a vec::Error that names
// file and line, because a vector that is skipped silently tests nothing.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vsh::vec {

using Bytes = std::vector<uint8_t>;

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A field's name decides its type, in all files.
enum class Kind { hex, number, word };

inline constexpr struct {
  std::string_view name;
  Kind kind;
} kFields[] = {
    {"Key", Kind::hex},               // 32 bytes
    {"Kek", Kind::hex},               // key encryption key: 32 bytes, of KExp15 64
    {"RoundKey", Kind::hex},          // of one round
    {"Keys", Kind::hex},              // two of 32 bytes: XTS
    {"IV", Kind::hex},                //
    {"Counter", Kind::hex},           // first counter block of CTR
    {"Nonce", Kind::hex},             //
    {"Aad", Kind::hex},               // associated data of authenticated encryption
    {"Tag", Kind::hex},               //
    {"In", Kind::hex},                // plaintext, message, or the argument of an intermediate step
    {"Out", Kind::hex},               // ciphertext, digest, MAC, or the result of a step
    {"X", Kind::hex},                 // factors of a product
    {"Y", Kind::hex},                 //
    {"R", Kind::hex},                 // E(0), of the MAC's subkeys
    {"K1", Kind::hex},                //
    {"K2", Kind::hex},                //
    {"Unit", Kind::hex},              // repeated Count times it is the message
    {"Label", Kind::hex},             // of a key derivation
    {"Seed", Kind::hex},              //
    {"Password", Kind::hex},          //
    {"Salt", Kind::hex},              //
    {"Iterations", Kind::number},     // of PBKDF2
    {"Passes", Kind::number},         // of argon2id, as the next two; all 0: another derivation
    {"Memory", Kind::number},         // in KiB
    {"Lanes", Kind::number},          //
    {"CounterLen", Kind::number},     // R of KDF_TREE, in bytes
    {"Seqnum", Kind::number},         // of a TLS record
    {"Function", Kind::word},         // name of a pseudorandom function, or of a cipher of PBES2
    {"Suite", Kind::word},            // name of a cipher suite, for TLSTREE
    {"Count", Kind::number},          //
    {"Index", Kind::number},          // of a round or a constant, from 1
    {"Bits", Kind::number},           // digest length: 256 or 512
    {"Segment", Kind::number},        // s, in bits
    {"Sector", Kind::number},         // of the first sector, in units of 512 bytes
    {"Crc", Kind::hex},               // CRC-32 instead of a long result
    {"Section", Kind::number},        // of ACPKM, in bytes
    {"MasterSection", Kind::number},  // T* of OMAC-ACPKM, in bytes
    {"Offset", Kind::number},         // in bytes, from the start of the message
    {"Sbox", Kind::word},             // name of an S-box set
    {"SboxRows", Kind::word},         // 128 hexadecimal digits: 8 rows of 16, the least significant nibble's first
    {"Padding", Kind::word},          // none, 1, 2, pkcs7
    {"Convention", Kind::word},       // plain, extended
    // Sealed files (docs/sealed-format.md)
    {"Content", Kind::number},     //
    {"FileId", Kind::hex},         //
    {"FileKey", Kind::hex},        //
    {"Generation", Kind::number},  //
    {"Kind", Kind::number},        // of a recipient
    {"Length", Kind::number},      // of the plaintext, in bytes
    {"MacKey", Kind::hex},         //
    {"Payload", Kind::hex},        // chunks and end mark
    {"Salt", Kind::hex},           //
    {"Secret", Kind::hex},         // passphrase or key
    {"Slot", Kind::hex}            // of the header, 4096 bytes
};

class Record {
 public:
  Record(std::string file, std::string section, size_t line)
      : file_(std::move(file)), section_(std::move(section)), line_(line) {}

  // "file:line" of the record's first field.
  std::string where() const { return file_ + ":" + std::to_string(line_); }
  const std::string& section() const { return section_; }
  size_t line() const { return line_; }
  bool has(std::string_view field) const { return values_.contains(std::string(field)); }

  Bytes bytes(std::string_view field) const {
    const std::string& hex = value(field, Kind::hex);
    Bytes result(hex.size() / 2);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    }
    return result;
  }

  uint64_t number(std::string_view field) const {
    const std::string& text = value(field, Kind::number);
    uint64_t result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
  }

  const std::string& word(std::string_view field) const { return value(field, Kind::word); }

 private:
  friend std::vector<Record> read_text(std::istream&, const std::string&);

  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  }

  const std::string& value(std::string_view field, Kind kind) const {
    const auto found = values_.find(std::string(field));
    if (found == values_.end()) throw Error(where() + ": no field " + std::string(field));
    if (found->second.second != kind) throw Error(where() + ": wrong kind of field: " + std::string(field));
    return found->second.first;
  }

  std::string file_, section_;
  size_t line_;
  std::map<std::string, std::pair<std::string, Kind>> values_;
  std::vector<std::string> order_;

 public:
  const std::vector<std::string>& fields() const { return order_; }
};

// All records of a file, in order. `name` is only for messages.
inline std::vector<Record> read_text(std::istream& in, const std::string& name) {
  std::vector<Record> records;
  std::map<std::string, std::vector<std::string>> shapes;  // section -> fields of its first record
  std::string line, section;
  size_t number = 0;
  bool open = false;  // inside a record

  const auto fail = [&](size_t at, const std::string& what) {
    throw Error(name + ":" + std::to_string(at) + ": " + what);
  };
  const auto close = [&] {
    if (!open) return;
    open = false;
    const Record& r = records.back();
    const auto [shape, is_first] = shapes.try_emplace(section, r.fields());
    if (!is_first && shape->second != r.fields()) {
      fail(r.line(), "other fields, or another order, than in the first record of [" + section + "]");
    }
  };

  while (std::getline(in, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') fail(number, "carriage return; lines end with a line feed only");
    if (line.empty()) {
      close();
      continue;
    }
    if (line[0] == '#') continue;
    if (line[0] == '[') {
      close();
      if (line.back() != ']' || line.size() < 3) fail(number, "not a section: " + line);
      section = line.substr(1, line.size() - 2);
      if (shapes.contains(section)) fail(number, "section appears twice: " + section);
      continue;
    }
    const size_t equals = line.find(" =");
    if (equals == std::string::npos || equals == 0) fail(number, "neither comment, section nor `Field = value`");
    const std::string field = line.substr(0, equals);
    const auto known =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const auto& f) { return f.name == field; });
    if (known == std::end(kFields)) fail(number, "unknown field: " + field);
    std::string value = line.substr(equals + 2);
    if (!value.empty()) {
      if (value[0] != ' ' || value.size() == 1) fail(number, "not `Field = value`, nor `Field =` for an empty value");
      value.erase(0, 1);
    }

    switch (known->kind) {
      case Kind::hex:  // may be empty
        if (value.size() % 2 != 0) fail(number, "odd number of hexadecimal digits in " + field);
        for (const char c : value) {
          if (Record::digit(c) < 0) fail(number, "not a lower-case hexadecimal digit in " + field);
        }
        break;
      case Kind::number: {
        uint64_t parsed = 0;
        const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), parsed);
        if (value.empty() || status != std::errc{} || end != value.data() + value.size()) {
          fail(number, "not a decimal number below 2^64 in " + field);
        }
        break;
      }
      case Kind::word:
        if (value.empty() || value.find(' ') != std::string::npos) fail(number, "not one word in " + field);
        break;
    }

    if (section.empty()) fail(number, "record outside of a section");
    if (!open) {
      records.push_back(Record(name, section, number));
      open = true;
    }
    Record& r = records.back();
    if (!r.values_.emplace(field, std::pair(value, known->kind)).second) fail(number, "field appears twice: " + field);
    r.order_.push_back(field);
  }
  if (in.bad()) fail(number, "cannot be read to its end");
  close();
  if (records.empty()) fail(number, "no records");
  return records;
}

#ifdef VSH_TEST_VECTORS_DIR

inline std::vector<Record> read_all(const std::string& file) {
  const std::string path = std::string(VSH_TEST_VECTORS_DIR) + "/" + file;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": cannot be opened");
  return read_text(in, file);
}

// The records of one section, each with exactly these fields, in any order.
inline std::vector<Record> read(const std::string& file, const std::string& section, std::vector<std::string> fields) {
  std::vector<Record> records = read_all(file);
  std::erase_if(records, [&](const Record& r) { return r.section() != section; });
  if (records.empty()) throw Error(file + ": no section [" + section + "]");
  std::sort(fields.begin(), fields.end());
  std::vector<std::string> present = records.front().fields();  // the same for the whole section
  std::sort(present.begin(), present.end());
  if (present != fields)
    throw Error(records.front().where() + ": not the fields that the test expects of [" + section + "]");
  return records;
}

#endif

}  // namespace vsh::vec
