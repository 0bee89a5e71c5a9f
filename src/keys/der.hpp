// Reads and writes the part of DER (X.690) that small structures need: shortest definite lengths, up to 64 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace vsh::keys::der {

using Bytes = std::span<const uint8_t>;

enum Tag : uint8_t { integer = 0x02, octet_string = 0x04, null = 0x05, oid = 0x06, sequence = 0x30 };

// Reads element by element; hostile input ends in false.
class Reader {
 public:
  explicit Reader(Bytes in) noexcept : in_(in) {}

  bool at_end() const noexcept { return in_.empty(); }
  bool next_is(Tag tag) const noexcept { return !in_.empty() && in_[0] == tag; }

  // Reads the content of the next element, which must have this tag.
  bool read(Tag tag, Bytes& content) noexcept {
    if (in_.size() < 2 || in_[0] != tag) return false;
    size_t header = 2, len = in_[1];
    if (len >= 0x80) {
      const size_t num = len & 0x7f;
      if (num < 1 || num > 2 || in_.size() < 2 + num) return false;
      len = num == 1 ? in_[2] : size_t{in_[2]} << 8 | in_[3];
      if (len < (num == 1 ? 0x80u : 0x100u)) return false;  // a shorter form exists
      header += num;
    }
    if (len > in_.size() - header) return false;
    content = in_.subspan(header, len);
    in_ = in_.subspan(header + len);
    return true;
  }
  // Enters a constructed element.
  bool enter(Reader& inside) noexcept {
    Bytes content;
    if (!read(sequence, content)) return false;
    inside = Reader(content);
    return true;
  }
  bool read_null() noexcept {
    Bytes content;
    return read(null, content) && content.empty();
  }
  // Reads an integer from 0 to 2^64 - 1 in the fewest bytes.
  bool read_unsigned(uint64_t& value) noexcept {
    Bytes content;
    if (!read(integer, content) || content.empty() || content[0] >= 0x80) return false;
    if (content[0] == 0 && content.size() > 1) {
      content = content.subspan(1);
      if (content[0] < 0x80) return false;
    }
    if (content.size() > 8) return false;
    value = 0;
    for (const uint8_t byte : content) value = value << 8 | byte;
    return true;
  }

 private:
  Bytes in_;
};

// Writes from the end to the beginning, so that every length is known when its element's header is written. kCapacity:
// enough for all that is written; any excess is left out, and ok() is false.
template <size_t kCapacity>
class Writer {
 public:
  Bytes result() const noexcept { return Bytes(bytes_).subspan(begin_); }
  bool ok() const noexcept { return ok_; }
  size_t size() const noexcept { return kCapacity - begin_; }

  void raw(Bytes content) noexcept {
    if (content.size() > begin_) {
      ok_ = false;
      return;
    }
    begin_ -= content.size();
    if (!content.empty()) std::memcpy(bytes_ + begin_, content.data(), content.size());
  }
  void element(Tag tag, Bytes content) noexcept {
    raw(content);
    header(tag, content.size());
  }
  // Makes a sequence of what has been written since size() was `before`.
  void wrap(size_t before) noexcept { header(sequence, size() - before); }
  void unsigned_integer(uint64_t value) noexcept {
    uint8_t bytes[9];
    size_t at = sizeof bytes;
    do {
      bytes[--at] = static_cast<uint8_t>(value);
      value >>= 8;
    } while (value > 0);
    if (bytes[at] >= 0x80) bytes[--at] = 0;
    element(integer, Bytes(bytes).subspan(at));
  }

 private:
  void header(Tag tag, size_t len) noexcept {
    const uint8_t tiny[] = {tag, static_cast<uint8_t>(len)};
    const uint8_t small[] = {tag, 0x81, static_cast<uint8_t>(len)};
    const uint8_t large[] = {tag, 0x82, static_cast<uint8_t>(len >> 8), static_cast<uint8_t>(len)};
    if (len > 0xffff) ok_ = false;
    raw(len < 0x80 ? Bytes(tiny) : len < 0x100 ? Bytes(small) : Bytes(large));
  }

  uint8_t bytes_[kCapacity];
  size_t begin_ = kCapacity;
  bool ok_ = true;
};

}  // namespace vsh::keys::der
