// Counter modes whose key changes after every section of a message: CTR-ACPKM, CNT with key meshing.
//
// A section's key comes from the key before it, so keys are made one after the other, but each is enough for all work
// on its section. With threads the chain of keys runs ahead: the thread that takes the next piece of the message makes
// the keys for it, while the others are still at their pieces.
#pragma once

#include <algorithm>
#include <concepts>
#include <mutex>
#include <vector>

#include "modes/changing_cipher.hpp"
#include "modes/counter_mode.hpp"

namespace vsh::modes {

// The cipher of such a mode, for message after message.
struct SectionedCipher {
  using NextKey = void (*)(ChangingCipher& cipher);  // from a section's key to that of the next

  // section_len: bytes of a section. Throws std::bad_alloc only.
  SectionedCipher(const BlockChoice& kernels, const keys::CipherKey& key, NextKey next_key, size_t section_len,
                  unsigned threads)
      : kernels(kernels),
        first_key(key),
        next_key(next_key),
        section_len(section_len),
        threads(threads),
        cipher(kernels, key) {}

  // Sets another first key of 32 bytes, for later messages.
  void change_first_key(const uint8_t* key) noexcept {
    first_key.change(key, &cipher.one());
    cipher.set_key(first_key);
    number = 0;
  }

  // Returns the cipher under that section's key. Each key is derived from the one before, so the cost grows with the
  // number of sections between.
  ChangingCipher& at(uint64_t section) {
    if (section < number) {
      cipher.set_key(first_key);
      number = 0;
    }
    for (; number < section; ++number) next_key(cipher);
    return cipher;
  }

  size_t block_size() const noexcept { return cipher.block_size(); }

  const BlockChoice kernels;
  keys::CipherKey first_key;
  const NextKey next_key;
  const size_t section_len;
  const unsigned threads;
  ChangingCipher cipher;  // under the key of section `number`
  uint64_t number = 0;
};

// A counter that runs through sections.
//   next(cipher)   from the end of a section to the next one, whose key cipher has
//   add(engine, s, out, in, first, in_section, num)   adds keystream as a CounterSequence does; block `first` of the
//                                                     message is number in_section of the section
//   max_blocks(n)  blocks of n bytes that a message may have
template <class C>
concept SectionCounter = std::copyable<C> &&
    requires(C& counter, const C& same, ChangingCipher& cipher, const BlockEngine& engine, uint8_t* out,
             const uint8_t* in, size_t s, uint64_t i, size_t num) {
  counter.next(cipher);
  same.add(engine, s, out, in, i, i, num);
  { same.max_blocks(s) } -> std::same_as<uint64_t>;
};

template <SectionCounter Counter>
class Sections {
 public:
  // Begins a message. iv: as Counter says.
  Sections(SectionedCipher& c, const uint8_t* iv) : first_(c.at(0), iv), now_(first_) {}

  uint64_t max_blocks(size_t block_size) const noexcept { return first_.max_blocks(block_size); }

  void add(SectionedCipher& c, size_t s, uint8_t* out, const uint8_t* in, uint64_t first, size_t num_units) {
    const size_t piece = units_of_piece(c, s);
    if (c.threads != 1 && num_units >= 2 * piece) return add_on_threads(c, s, out, in, first, num_units, piece);
    for_sections(c, s, first, num_units, [&](uint64_t in_section, size_t done, size_t num) {
      add_in_section(c.cipher, now_, s, out + done * s, in + done * s, first + done, in_section, num);
    });
  }

 private:
  static constexpr size_t kMaxKeys = 16;  // of a piece

  // Returns the units of one piece for a thread.
  static size_t units_of_piece(const SectionedCipher& c, size_t s) noexcept {
    return (c.section_len < kBytesPerThread / kMaxKeys ? kMaxKeys * c.section_len : kBytesPerThread) / s;
  }

  void go_to(SectionedCipher& c, uint64_t section) {
    if (section < number_) {
      now_ = first_;
      number_ = 0;
    }
    while (number_ < section) now_.next(c.at(++number_));
    c.at(section);
  }

  // Calls f(block of the section, units before it, units) for each section's share in a request, under its key.
  template <class F>
  void for_sections(SectionedCipher& c, size_t s, uint64_t first, size_t num_units, const F& f) {
    const size_t units = c.section_len / s;
    for (size_t done = 0; done < num_units;) {
      const uint64_t in_section = (first + done) % units;
      const size_t num = static_cast<size_t>(std::min<uint64_t>(num_units - done, units - in_section));
      go_to(c, (first + done) / units);
      f(in_section, done, num);
      done += num;
    }
  }

  static void add_in_section(ChangingCipher& cipher, const Counter& counter, size_t s, uint8_t* out, const uint8_t* in,
                             uint64_t first, uint64_t in_section, size_t num_units) {
    // Shorter segments go through the engine in batches, which are separate requests.
    const size_t most = s == cipher.block_size() ? num_units : batch_blocks(cipher.for_blocks(0));
    for (size_t done = 0; done < num_units;) {
      const size_t num = std::min(num_units - done, most);
      counter.add(cipher.for_blocks(num), s, out + done * s, in + done * s, first + done, in_section + done, num);
      done += num;
    }
  }

  void add_on_threads(SectionedCipher& c, size_t s, uint8_t* out, const uint8_t* in, uint64_t first, size_t num_units,
                      size_t piece) {
    struct Share {
      Counter counter;
      keys::CipherKey key;
      uint64_t in_section;
      size_t done, num;
    };
    std::mutex chain;
    size_t taken = 0;
    for_ranges((num_units + piece - 1) / piece, 1, c.threads, [&](size_t begin, size_t end) {
      ChangingCipher cipher(c.kernels, c.first_key);
      std::vector<Share> shares;
      shares.reserve(kMaxKeys + 1);
      for (; begin < end; ++begin) {  // `taken` decides which pieces these are
        {
          const std::lock_guard<std::mutex> lock(chain);
          const size_t start = taken, num = std::min(piece, num_units - start);
          for_sections(c, s, first + start, num, [&](uint64_t in_section, size_t done, size_t n) {
            shares.push_back({now_, c.cipher.key(), in_section, start + done, n});
          });
          taken += num;
        }
        for (const Share& share : shares) {
          cipher.set_key(share.key);
          add_in_section(cipher, share.counter, s, out + share.done * s, in + share.done * s, first + share.done,
                         share.in_section, share.num);
        }
        shares.clear();
      }
      wipe(shares.data(), shares.capacity() * sizeof(Share));  // a counter may be secret too
    });
  }

  Counter first_, now_;
  uint64_t number_ = 0;  // of the section that now_ is in
};

}  // namespace vsh::modes
