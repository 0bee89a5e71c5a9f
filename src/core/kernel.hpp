// Defines the kernel contract.
//
// A kernel is one file, src/<family>/kernel_<variant>.cpp, plus one line in kernels.def. It defines one constant
// table row, `vsh_kernel_<family>_<variant>`, its only exported symbol. Kernels are pure functions over buffers:
// they do not allocate, throw, print or keep state. Any alignment, any number of blocks (0 included), in place
// (out == in) allowed; partial overlap is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/kernel_info.hpp"

namespace vsh {

// A block cipher. `schedule` points to schedule_size bytes aligned to kScheduleAlignment, filled by prepare from the
// family's canonical round keys (kuznyechik::RoundKeys, magma::RoundKeys) and trivially copyable.
inline constexpr size_t kScheduleAlignment = 64;

struct BlockKernel {
  KernelInfo info;
  size_t block_size;     // bytes
  size_t schedule_size;  // bytes
  // Rows of a family with the same layout prepare the same bytes, which an engine then makes once. Null: a layout of
  // its own.
  const char* layout;
  void (*prepare)(void* schedule, const void* round_keys);
  void (*encrypt)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks);
  void (*decrypt)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks);
  // out[i] = in[i] ^ E(counter + i), counter a big-endian block modulo 2^(8 * block_size). Null if the kernel has no
  // fused form; modes then make the counters.
  void (*ctr)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter);

  // The same with counters that count only in their left or right half, modulo 2^(4 * block_size), as in MGM's
  // multipliers and keystream (incr_l and incr_r of RFC 9058). There they are secret: no branch may depend on where
  // they wrap. Null if the kernel has no fused form.
  void (*ctr_left)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter);
  void (*ctr_right)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter);

  // The same in CNT of GOST 28147-89 (RFC 5830 clause 6), family magma: out[i] = in[i] ^ E(counter after i + 1 steps),
  // where counter is N3 then N4, 8 bytes. Null if the kernel has no fused form.
  void (*cnt)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter);

  // Family magma: the step of IMIT (RFC 5830 clause 8) for consecutive blocks of one message, state = rounds 1 to 16 of
  // (state ^ block), where state is N1 then N2, 8 bytes. Null if the kernel does not process consecutive blocks.
  void (*imit)(const void* schedule, uint8_t* state, const uint8_t* in, size_t num_blocks);

  // Family magma: encrypts a block under each of four keys, the step of GOST R 34.11-94 (RFC 5831 5.2). words[j][i] is
  // word j of key i, as in magma::RoundKeys; of the schedule only S-boxes and byte order are used. Null if there is no
  // such form.
  void (*encrypt_four)(const void* schedule, uint8_t* out, const uint8_t* in, const uint32_t (*words)[4]);

  // Computes Kuznyechik's canonical round keys from a 32-byte key with this row's instructions; null: the portable
  // expansion (see kuznyechik::expand_key_by). Null in family magma, whose round keys hold more than the key.
  void (*expand_key)(void* round_keys, const uint8_t* key);

  // Streams: every lane has its own key. All null, and size 0, if the row has no such form. keys: info.lanes pointers
  // to 32-byte keys, null for an unused lane. parameters: canonical round keys of the family, of which only the
  // parameters are used (S-box set and byte order of Magma's). A data row is info.lanes blocks, block i under key i;
  // num_rows rows are consecutive.
  size_t lanes_schedule_size;
  void (*prepare_lanes)(void* schedule, const uint8_t* const* keys, const void* parameters);
  void (*encrypt_lanes)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_rows);
  void (*decrypt_lanes)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_rows);
  // Family magma: rounds 1 to 16 instead of 32, the step of IMIT (RFC 5830 clause 8). Null elsewhere.
  void (*imit_lanes)(const void* schedule, uint8_t* out, const uint8_t* in, size_t num_rows);
  // Move a line, the next 64 bytes, of each lane's message to 64 / block_size rows and back; scatter_sum adds `add` to
  // what it writes, lines[i] == add[i] allowed. Null: moved by code for any CPU (streams/tile.hpp).
  void (*gather)(uint8_t* rows, const uint8_t* const* lines);
  void (*scatter)(uint8_t* const* lines, const uint8_t* rows);
  void (*scatter_sum)(uint8_t* const* lines, const uint8_t* const* add, const uint8_t* rows);
};

namespace streebog {
struct State;
}

// Row of a hash: the compression function g_N of GOST R 34.11-2012, clause 7 (RFC 6986 section 8), over whole 64-byte
// blocks.
struct HashKernel {
  KernelInfo info;
  // Absorbs full blocks (stage 2 of clause 8): h = g_N(h, m); N += 512; Sigma += m.
  void (*absorb)(streebog::State* state, const uint8_t* in, size_t num_blocks);
  // h = g_n(h, m), all 64 bytes, byte 0 least significant.
  void (*compress)(uint8_t* h, const uint8_t* n, const uint8_t* m);
};

// Row of a hash over many messages: h[i] = g_n[i](h[i], m[i]) for every i < info.lanes, all strings 64 bytes at any
// alignment. Each lane has its own pointers, so messages of unequal length and state stay in step without copies: n[i]
// and m[i] may be shared by lanes and may point into a State (stage 3 compresses N and Sigma), but not to the h of
// another lane. Unused lanes may all point to one scratch h.
struct HashLanesKernel {
  KernelInfo info;  // pass_cost: core cycles of a call
  void (*compress)(uint8_t* const* h, const uint8_t* const* n, const uint8_t* const* m);
};

inline constexpr size_t kMaxProductPass = 64;  // bytes

// A whole message of MGM whose multipliers and keystream are ready, no longer than clause 3 of RFC 9058 allows. Up to
// kMaxProductPass bytes behind multipliers and keystream may be read, and have no influence.
struct MgmBlocks {
  size_t n, data_len, len;     // bytes; n, of a block: 8 or 16
  const uint8_t* multipliers;  // of data, text and lengths
  const uint8_t* keystream;    // whole blocks
  const uint8_t* data;
  const uint8_t* in;
  uint8_t* out;  // len bytes; out == in, or == keystream, allowed
};

// Row of products of polynomials over GF(2), for MGM (RFC 9058): *sum ^= a[0] b[0] ^ ... ^ a[num - 1] b[num - 1], not
// reduced, so that one reduction per message suffices. A block is a polynomial in the RFC's bit order: the first bit of
// the first byte is the coefficient of the highest power. sum: word i holds the powers 64 i to 64 i + 63.
struct ProductKernel {
  KernelInfo info;                                                                // lanes: blocks of 16 bytes in a pass
  void (*add_64)(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num);  // blocks of 8 bytes, sums of 2 words
  void (*add_128)(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num);  // blocks of 16 bytes, sums of 4
  // Write out = in ^ keystream, and the reduced sum: the block whose encryption is the tag (RFC 9058 clause 4.1). The
  // ciphertext is `out` in seal, `in`, read once, in open.
  void (*seal)(uint8_t* block, const MgmBlocks& message);
  void (*open)(uint8_t* block, const MgmBlocks& message);
  // Write num of MGM's counters, blocks of n bytes, 8 or 16: `counter` and those after it by incr_l, by incr_r
  // (RFC 9058 clause 3). They are secret.
  void (*write_left)(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter);
  void (*write_right)(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter);
  // Adds tweaks of XTS (IEEE 1619-2007 clause 5.2), t, t x, t x^2, ... to num blocks: out = in ^ tweaks. t, 16 bytes,
  // becomes the next tweak. out == in allowed.
  void (*add_tweaks)(uint8_t* t, uint8_t* out, const uint8_t* in, size_t num);
};

// Members that a block kernel's file must provide; block_row checks them there.
template <class K, class RoundKeys>
concept BlockKernelImplementation = requires(typename K::Schedule& s, const typename K::Schedule& cs,
                                             const RoundKeys& rk, uint8_t* out, const uint8_t* in, size_t n) {
  requires std::is_trivially_copyable_v<typename K::Schedule>;
  requires alignof(typename K::Schedule) <= kScheduleAlignment;
  { K::kLanes } -> std::convertible_to<uint32_t>;
  { K::kPassCost } -> std::convertible_to<uint32_t>;
  { K::kConstantTime } -> std::convertible_to<bool>;
  { K::kBlockSize } -> std::convertible_to<size_t>;
  K::prepare(s, rk);
  K::encrypt(cs, out, in, n);
  K::decrypt(cs, out, in, n);
};

// Makes the row of kernel K. K is in an unnamed namespace, so nothing instantiated here leaves its object file.
template <class K, class RoundKeys>
requires BlockKernelImplementation<K, RoundKeys>
constexpr BlockKernel block_row(const char* family, const char* variant, cpu::Isa isa) {
  using Schedule = typename K::Schedule;
  BlockKernel row{};
  row.info = {family, variant, isa, K::kLanes, K::kPassCost, K::kConstantTime};
  if constexpr (requires { K::kPassCostCustom; }) row.info.pass_cost_custom = K::kPassCostCustom;
  row.block_size = K::kBlockSize;
  row.schedule_size = sizeof(Schedule);
  if constexpr (requires { K::kLayout; }) row.layout = K::kLayout;
  row.prepare = [](void* s, const void* rk) {
    K::prepare(*static_cast<Schedule*>(s), *static_cast<const RoundKeys*>(rk));
  };
  row.encrypt = [](const void* s, uint8_t* out, const uint8_t* in, size_t n) {
    K::encrypt(*static_cast<const Schedule*>(s), out, in, n);
  };
  row.decrypt = [](const void* s, uint8_t* out, const uint8_t* in, size_t n) {
    K::decrypt(*static_cast<const Schedule*>(s), out, in, n);
  };
  if constexpr (requires(const Schedule& s) { K::ctr(s, nullptr, nullptr, size_t{}, nullptr); }) {
    row.ctr = [](const void* s, uint8_t* out, const uint8_t* in, size_t n, const uint8_t* counter) {
      K::ctr(*static_cast<const Schedule*>(s), out, in, n, counter);
    };
  }
  if constexpr (requires(const Schedule& s) { K::ctr_left(s, nullptr, nullptr, size_t{}, nullptr); }) {
    row.ctr_left = [](const void* s, uint8_t* out, const uint8_t* in, size_t n, const uint8_t* counter) {
      K::ctr_left(*static_cast<const Schedule*>(s), out, in, n, counter);
    };
    row.ctr_right = [](const void* s, uint8_t* out, const uint8_t* in, size_t n, const uint8_t* counter) {
      K::ctr_right(*static_cast<const Schedule*>(s), out, in, n, counter);
    };
  }
  if constexpr (requires(const Schedule& s) { K::cnt(s, nullptr, nullptr, size_t{}, nullptr); }) {
    row.cnt = [](const void* s, uint8_t* out, const uint8_t* in, size_t n, const uint8_t* counter) {
      K::cnt(*static_cast<const Schedule*>(s), out, in, n, counter);
    };
  }
  if constexpr (requires(const Schedule& s) { K::imit(s, nullptr, nullptr, size_t{}); }) {
    row.imit = [](const void* s, uint8_t* state, const uint8_t* in, size_t n) {
      K::imit(*static_cast<const Schedule*>(s), state, in, n);
    };
  }
  if constexpr (requires(const Schedule& s) { K::encrypt_four(s, nullptr, nullptr, nullptr); }) {
    row.encrypt_four = [](const void* s, uint8_t* out, const uint8_t* in, const uint32_t(*words)[4]) {
      K::encrypt_four(*static_cast<const Schedule*>(s), out, in, words);
    };
  }
  if constexpr (requires(RoundKeys & rk) { K::expand_key(rk, nullptr); }) {
    row.expand_key = [](void* rk, const uint8_t* key) { K::expand_key(*static_cast<RoundKeys*>(rk), key); };
  }
  if constexpr (requires { typename K::LanesSchedule; }) {
    using Lanes = typename K::LanesSchedule;
    static_assert(std::is_trivially_copyable_v<Lanes> && alignof(Lanes) <= kScheduleAlignment);
    row.lanes_schedule_size = sizeof(Lanes);
    row.prepare_lanes = [](void* s, const uint8_t* const* keys, const void* rk) {
      K::prepare_lanes(*static_cast<Lanes*>(s), keys, *static_cast<const RoundKeys*>(rk));
    };
    row.encrypt_lanes = [](const void* s, uint8_t* out, const uint8_t* in, size_t n) {
      K::encrypt_lanes(*static_cast<const Lanes*>(s), out, in, n);
    };
    row.decrypt_lanes = [](const void* s, uint8_t* out, const uint8_t* in, size_t n) {
      K::decrypt_lanes(*static_cast<const Lanes*>(s), out, in, n);
    };
    if constexpr (requires(const Lanes& s) { K::imit_lanes(s, nullptr, nullptr, size_t{}); }) {
      row.imit_lanes = [](const void* s, uint8_t* out, const uint8_t* in, size_t n) {
        K::imit_lanes(*static_cast<const Lanes*>(s), out, in, n);
      };
    }
    if constexpr (requires { typename K::V::template Lines<K::kBlockSize>; }) {
      using Lines = typename K::V::template Lines<K::kBlockSize>;
      row.gather = [](uint8_t* rows, const uint8_t* const* lines) { Lines::template gather<K::kLanes>(rows, lines); };
      row.scatter = [](uint8_t* const* lines, const uint8_t* rows) {
        Lines::template scatter<K::kLanes, false>(lines, nullptr, rows);
      };
      row.scatter_sum = [](uint8_t* const* lines, const uint8_t* const* add, const uint8_t* rows) {
        Lines::template scatter<K::kLanes, true>(lines, add, rows);
      };
    }
  }
  return row;
}

}  // namespace vsh
