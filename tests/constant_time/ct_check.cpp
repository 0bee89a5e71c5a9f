// Constant-time checks under valgrind's memcheck: secrets are declared undefined, so a branch or an address that
// depends on one is reported as a use of undefined data (the technique of Langley's ctgrind).
//
//   valgrind ct_check               every case
//   valgrind ct_check --run NAME    one case
//   ct_check --list                 names and expectations
//
// A case says what must happen: `clean`, no report, or `leaks`, at least one. The leaking ones are mistakes made on
// purpose, and the table kernels: they show that the check would see such a mistake.
// Each case also looks whether its output is undefined at the end: if not, no secret ever reached it, and silence
// proves nothing.
//
// valgrind hides AVX-512 from programs: those rows are skipped here. Their rounds are the source that the other word
// types compile too; of their own they have the word type alone (src/simd/avx512.hpp), straight-line code.
#include <valgrind/memcheck.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "core/registry.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"
#include "streebog/state.hpp"
#include "verdicts.hpp"
#include "vershina/vershina.h"

namespace {

using Bytes = std::vector<uint8_t>;

// Hides a value's origin from the optimiser, so that a leak made on purpose is not compiled away.
template <class T>
T opaque(T x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}

void make_secret(void* p, size_t n) { VALGRIND_MAKE_MEM_UNDEFINED(p, n); }
// Only for output and verdicts: what an observer may know.
void declassify(void* p, size_t n) { VALGRIND_MAKE_MEM_DEFINED(p, n); }

// True when some bit of p[0..n) depends on a secret. (VALGRIND_CHECK_MEM_IS_DEFINED would count as an error.)
bool is_secret(const void* p, size_t n) {
  std::vector<uint8_t> undefined_bits(n);
  VALGRIND_GET_VBITS(p, undefined_bits.data(), n);
  VALGRIND_MAKE_MEM_DEFINED(undefined_bits.data(), n);
  for (const uint8_t bits : undefined_bits)
    if (bits) return true;
  return false;
}

Bytes pattern(size_t n) {
  Bytes b(n);
  for (size_t i = 0; i < n; ++i) b[i] = static_cast<uint8_t>(i * 37 + 11);
  return b;
}
Bytes secret(size_t n) {
  Bytes b = pattern(n);
  make_secret(b.data(), n);
  return b;
}

enum class Expect { clean, leaks };

struct Case {
  std::string name;
  Expect expect;
  bool runnable;
  // Returns whether the result depended on a secret.
  std::function<bool()> run;
};

std::vector<Case> cases;

// ---- Mistakes made on purpose ----------------------------------------------------------------------------------------

__attribute__((noinline)) int branch_on(const uint8_t* key) {
  if (opaque(key[3]) & 1) {
    __asm__ volatile("");  // keeps this a branch
    return 1;
  }
  return 0;
}

volatile uint8_t table[256];
__attribute__((noinline)) uint8_t look_up(const uint8_t* key) { return table[opaque(key[0])]; }

__attribute__((noinline)) bool compare_early_exit(const uint8_t* a, const uint8_t* b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
    __asm__ volatile("");
  }
  return true;
}

__attribute__((noinline)) size_t strip_padding_by_loop(const uint8_t* block, size_t n) {
  while (n && block[n - 1] == 0) {
    __asm__ volatile("");
    --n;
  }
  return n;
}

void add_deliberate_leaks() {
  const auto leak = [](const char* name, std::function<bool()> run) {
    cases.push_back({std::string("leak/") + name, Expect::leaks, true, std::move(run)});
  };
  leak("branch", [] {
    const Bytes key = secret(32);
    (void)opaque(branch_on(key.data()));
    return true;
  });
  leak("index", [] {
    const Bytes key = secret(32);
    (void)opaque(look_up(key.data()));
    return true;
  });
  leak("memcmp-on-tags", [] {
    const Bytes tag = secret(16), expected = pattern(16);
    int (*volatile compare)(const void*, const void*, size_t) = std::memcmp;
    (void)opaque(compare(tag.data(), expected.data(), 16));
    return true;
  });
  leak("early-exit-on-tags", [] {
    const Bytes tag = secret(16), expected = pattern(16);
    (void)opaque(compare_early_exit(tag.data(), expected.data(), 16));
    return true;
  });
  leak("padding-loop", [] {
    const Bytes block = secret(16);
    (void)opaque(strip_padding_by_loop(block.data(), 16));
    return true;
  });
}

// ---- Kernel rows -----------------------------------------------------------------------------------------------------

struct alignas(vsh::kScheduleAlignment) Line {
  uint8_t bytes[vsh::kScheduleAlignment];
};

// A secret key's round keys, as the context makes them.
template <class RoundKeys>
using Expand = std::function<void(RoundKeys&, const uint8_t* key)>;

template <class RoundKeys>
void add_block_row(const std::string& name, const vsh::BlockKernel& row, Expand<RoundKeys> expand) {
  const Expect expect = row.info.constant_time ? Expect::clean : Expect::leaks;
  const bool runnable = vsh::runnable(row.info);
  // More than one pass, and a rest.
  const size_t num_blocks = 2 * row.info.lanes + 3;

  enum class Step { encrypt, decrypt, ctr, cnt, imit };
  const auto run = [&row, expand, num_blocks](Step step) {
    const Bytes key = secret(32);
    RoundKeys round_keys{};
    expand(round_keys, key.data());
    std::vector<Line> schedule(row.schedule_size / sizeof(Line) + 1);
    row.prepare(schedule.data(), &round_keys);
    Bytes data = secret(num_blocks * row.block_size);
    uint8_t counter[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    switch (step) {
      case Step::encrypt: row.encrypt(schedule.data(), data.data(), data.data(), num_blocks); break;
      case Step::decrypt: row.decrypt(schedule.data(), data.data(), data.data(), num_blocks); break;
      case Step::ctr: row.ctr(schedule.data(), data.data(), data.data(), num_blocks, counter); break;
      case Step::cnt: {  // its counters begin at an encrypted IV
        const Bytes start = secret(8);
        row.cnt(schedule.data(), data.data(), data.data(), num_blocks, start.data());
        break;
      }
      case Step::imit: row.imit(schedule.data(), data.data(), data.data(), num_blocks); break;
    }
    return is_secret(data.data(), data.size());
  };
  cases.push_back({name + "/encrypt", expect, runnable, [run] { return run(Step::encrypt); }});
  cases.push_back({name + "/decrypt", expect, runnable, [run] { return run(Step::decrypt); }});
  if (row.ctr) cases.push_back({name + "/ctr", expect, runnable, [run] { return run(Step::ctr); }});
  if (row.cnt) cases.push_back({name + "/cnt", expect, runnable, [run] { return run(Step::cnt); }});
  if (row.imit) cases.push_back({name + "/imit", expect, runnable, [run] { return run(Step::imit); }});
  if (row.expand_key) {
    cases.push_back({name + "/expand_key", expect, runnable, [&row] {
                       RoundKeys round_keys;
                       row.expand_key(&round_keys, secret(32).data());
                       return is_secret(reinterpret_cast<uint8_t*>(&round_keys), sizeof round_keys);
                     }});
  }
}

void add_rows() {
  for (const auto* row : vsh::block_kernels(vsh::Algorithm::kuznyechik))
    add_block_row<vsh::kuznyechik::RoundKeys>(std::string("row/kuznyechik/") + row->info.variant, *row,
                                              vsh::kuznyechik::expand_key);
  for (const auto* row : vsh::block_kernels(vsh::Algorithm::magma)) {
    using vsh::magma::RoundKeys;
    const std::string variant = row->info.variant;
    add_block_row<RoundKeys>("row/magma/" + variant, *row, vsh::magma::expand_key_magma);
    for (int set = 0; set < vsh::tables::kNumMagmaSboxes; ++set) {
      add_block_row<RoundKeys>("row/gost28147-" + std::string(vsh::tables::kMagmaSboxes[set].name) + "/" + variant, *row,
                               [set](RoundKeys& rk, const uint8_t* key) {
                                 vsh::magma::expand_key_gost28147(rk, key, static_cast<vsh::tables::MagmaSbox>(set));
                               });
    }
    // A user's own S-boxes are as secret as the key.
    add_block_row<RoundKeys>("row/gost28147-custom/" + variant, *row,
                             [](RoundKeys& rk, const uint8_t* key) {
                               uint8_t custom[8][16];
                               std::memcpy(custom, vsh::tables::kMagmaSboxes[3].rows, sizeof custom);
                               make_secret(custom, sizeof custom);
                               vsh::magma::expand_key_gost28147(rk, key, custom);
                             });
  }
  for (const auto* row : vsh::hash_kernels()) {
    const std::string name = std::string("row/streebog/") + row->info.variant;
    const Expect expect = row->info.constant_time ? Expect::clean : Expect::leaks;
    const bool runnable = vsh::runnable(row->info);
    cases.push_back({name + "/absorb", expect, runnable, [row] {
                       vsh::streebog::State state{};
                       make_secret(&state, sizeof state);
                       const Bytes message = secret(64 * 3);
                       row->absorb(&state, message.data(), 3);
                       return is_secret(&state, sizeof state);
                     }});
    cases.push_back({name + "/compress", expect, runnable, [row] {
                       Bytes h = secret(64), n = secret(64), m = secret(64);
                       row->compress(h.data(), n.data(), m.data());
                       return is_secret(h.data(), h.size());
                     }});
  }
  for (const auto* row : vsh::hash_lanes_kernels())
    cases.push_back({std::string("row/streebog/") + row->info.variant, Expect::clean, vsh::runnable(row->info), [row] {
                       const size_t lanes = row->info.lanes;
                       Bytes h = secret(64 * lanes), n = secret(64), m = secret(64 * lanes);
                       std::vector<uint8_t*> ph(lanes);
                       std::vector<const uint8_t*> pn(lanes, n.data()), pm(lanes);
                       for (size_t i = 0; i < lanes; ++i) ph[i] = h.data() + 64 * i, pm[i] = m.data() + 64 * i;
                       row->compress(ph.data(), pn.data(), pm.data());
                       return is_secret(h.data(), h.size());
                     }});
}

// ---- The C ABI -------------------------------------------------------------------------------------------------------

[[noreturn]] void die(const std::string& what, vsh_status status) {
  std::fprintf(stderr, "ct_check: %s: %s\n", what.c_str(), vsh_status_message(status));
  std::exit(3);
}
void must(const std::string& what, vsh_status status) {
  declassify(&status, sizeof status);
  if (status != VSH_OK) die(what, status);
}

// Encrypts (or decrypts) a secret message of odd pieces with a secret key.
bool run_cipher(const char* cipher_name, vsh_direction direction, const vsh_options& options, size_t len) {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  must(cipher_name, vsh_cipher_by_name(&algorithm, &mode, cipher_name));
  const Bytes key = secret(VSH_KEY_LEN), iv = pattern(vsh_iv_len(algorithm, mode));
  const Bytes in = secret(len);
  Bytes out(len + VSH_FINAL_CAPACITY);
  vsh_cipher* context = nullptr;
  must(cipher_name, vsh_cipher_new(&context, algorithm, mode, direction, key.data(), key.size(), iv.data(), iv.size(), &options));
  const size_t pieces[] = {1, 30, 77, len};
  size_t done = 0, written = 0;
  for (size_t piece : pieces) {
    const size_t n = std::min(piece, len - done);
    size_t out_len = 0;
    must(cipher_name, vsh_cipher_update(context, out.data() + written, out.size() - written, &out_len, in.data() + done, n));
    done += n;
    written += out_len;
  }
  size_t out_len = 0;
  vsh_status status = vsh_cipher_final(context, out.data() + written, out.size() - written, &out_len);
  const bool depends = is_secret(out.data(), written) || is_secret(&status, sizeof status);
  vsh_cipher_free(context);
  return depends;
}

void add_cipher(const std::string& name, Expect expect, bool runnable, const char* cipher, const vsh_options& options,
                size_t len) {
  for (const vsh_direction direction : {VSH_ENCRYPT, VSH_DECRYPT})
    cases.push_back({name + (direction == VSH_ENCRYPT ? "/encrypt" : "/decrypt"), expect, runnable,
                     [=] { return run_cipher(cipher, direction, options, len); }});
}

void add_abi() {
  struct Padding {
    const char* name;
    vsh_padding padding;
  };
  constexpr Padding kPaddings[] = {
      {"2", VSH_PADDING_2}, {"1", VSH_PADDING_1}, {"pkcs7", VSH_PADDING_PKCS7}, {"none", VSH_PADDING_NONE}};
  static uint8_t custom[8][16];

  std::vector<vsh_kernel_info> rows;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) rows.push_back(info);

  const auto family_of = [](const std::string& algorithm) { return algorithm == "gost28147" ? "magma" : algorithm; };

  for (size_t i = 0; const char* cipher = vsh_cipher_name(i); ++i) {
    const std::string cipher_name = cipher;
    const std::string algorithm = cipher_name.substr(0, cipher_name.find('-'));
    const bool padded = cipher_name.ends_with("-ecb") || cipher_name.ends_with("-cbc");
    const size_t len = 4096;  // a multiple of the block, for what is not padded

    vsh_options options = VSH_OPTIONS_INIT;
    if (!padded) add_cipher("abi/" + cipher_name, Expect::clean, true, cipher, options, len - 3);
    for (const auto& p : kPaddings) {
      if (!padded) break;
      options.padding = p.padding;
      add_cipher("abi/" + cipher_name + "/padding-" + p.name, Expect::clean, true, cipher, options, len);
    }
    if (algorithm == "gost28147") {
      options.padding = VSH_PADDING_DEFAULT;
      for (int set = VSH_SBOX_CRYPTOPRO_A; set <= VSH_SBOX_3411_94_CRYPTOPRO; ++set) {
        options.sbox = static_cast<vsh_sbox>(set);
        add_cipher("abi/" + cipher_name + "/sbox-" + std::to_string(set), Expect::clean, true, cipher, options, len);
      }
      std::memcpy(custom, vsh::tables::kMagmaSboxes[3].rows, sizeof custom);
      options.sbox = VSH_SBOX_CUSTOM;
      options.custom_sbox = custom[0];
      for (const vsh_direction direction : {VSH_ENCRYPT, VSH_DECRYPT})
        cases.push_back({"abi/" + cipher_name + "/sbox-custom" + (direction == VSH_ENCRYPT ? "/encrypt" : "/decrypt"),
                         Expect::clean, true, [=] {
                           make_secret(custom, sizeof custom);
                           return run_cipher(cipher, direction, options, len);
                         }});
    }
    for (const auto& row : rows) {
      if (family_of(algorithm) != row.family) continue;
      vsh_options forced = VSH_OPTIONS_INIT;
      forced.kernel = row.variant;
      forced.flags = row.constant_time ? 0 : VSH_ALLOW_TABLES;
      add_cipher("abi/" + cipher_name + "/" + row.variant, row.constant_time ? Expect::clean : Expect::leaks,
                 row.runnable != 0, cipher, forced, 2 * row.lanes * 16 + 48);
    }
  }

  for (size_t i = 0; const char* mac = vsh_mac_name(i); ++i) {
    const std::string name = std::string("abi/") + mac;
    vsh_mac_algorithm algorithm;
    must(name, vsh_mac_by_name(&algorithm, mac));
    const auto begin = [=](size_t len) {
      const Bytes key = secret(VSH_KEY_LEN), message = secret(len);
      vsh_mac* context = nullptr;
      must(name, vsh_mac_new(&context, algorithm, key.data(), key.size(), nullptr));
      must(name, vsh_mac_update(context, message.data(), len / 3));
      must(name, vsh_mac_update(context, message.data() + len / 3, len - len / 3));
      return context;
    };
    const size_t tag_len = vsh_mac_max_len(algorithm);
    for (const size_t len : {size_t{64}, size_t{77}})
      cases.push_back({name + "/final-" + std::to_string(len), Expect::clean, true, [=] {
                         vsh_mac* context = begin(len);
                         uint8_t tag[16];
                         must(name, vsh_mac_final(context, tag, tag_len));
                         vsh_mac_free(context);
                         return is_secret(tag, tag_len);
                       }});
    // The tag is compared as a secret: an attacker who sees where the comparison stops can forge.
    cases.push_back({name + "/verify", Expect::clean, true, [=] {
                       vsh_mac* context = begin(77);
                       const Bytes tag = secret(tag_len);
                       vsh_status status = vsh_mac_verify(context, tag.data(), tag_len);
                       declassify(&status, sizeof status);
                       vsh_mac_free(context);
                       return status == VSH_E_TAG;
                     }});
  }

  for (size_t i = 0; const char* hash = vsh_hash_name(i); ++i) {
    vsh_hash_algorithm algorithm;
    must(hash, vsh_hash_by_name(&algorithm, hash));
    const auto digest = [=](const vsh_options& options) {
      const Bytes message = secret(201);
      const size_t len = vsh_hash_len(algorithm);
      Bytes out(len);
      vsh_hash* context = nullptr;
      must(hash, vsh_hash_new(&context, algorithm, &options));
      must(hash, vsh_hash_update(context, message.data(), 100));
      must(hash, vsh_hash_update(context, message.data() + 100, 101));
      must(hash, vsh_hash_final(context, out.data(), len));
      vsh_hash_free(context);
      return is_secret(out.data(), len);
    };
    cases.push_back({std::string("abi/") + hash, Expect::clean, true, [=] { return digest(VSH_OPTIONS_INIT); }});
    cases.push_back({std::string("abi/") + hash + "/tables", Expect::leaks, true, [=] {
                       vsh_options options = VSH_OPTIONS_INIT;
                       options.flags = VSH_INPUT_IS_PUBLIC;
                       options.kernel = "tables";
                       return digest(options);
                     }});
  }
}

// ---- Batches ---------------------------------------------------------------------------------------------------------

// More messages than lanes, of unequal length, under prepared keys and then under keys of their own.
bool run_streams(const std::string& name, vsh_cipher_algorithm algorithm, vsh_stream_work work, vsh_mode mode) {
  vsh_streams* streams = nullptr;
  must(name, vsh_streams_new(&streams, algorithm, nullptr, 0, nullptr));
  const size_t num = vsh_streams_lanes(streams) + 3, len = 112;
  vsh_streams_free(streams);
  const Bytes keys = secret(num * VSH_KEY_LEN), in = secret(num * len), iv = pattern(VSH_MAX_BLOCK_LEN);
  must(name, vsh_streams_new(&streams, algorithm, keys.data(), num, nullptr));
  bool depends = true;
  for (const bool prepared : {true, false}) {
    Bytes out(num * len);
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < num; ++i) {
      const bool is_mac = work == VSH_STREAM_MAC;
      const size_t job_len = mode == VSH_ECB || mode == VSH_CBC ? len - i % 2 * 16 : len - i % 20;
      jobs.push_back({work, mode, prepared ? nullptr : &keys[i * VSH_KEY_LEN], i, iv.data(),
                      is_mac ? 0 : vsh_iv_len(algorithm, mode), &in[i * len], job_len, &out[i * len],
                      is_mac ? 4 : job_len, VSH_OK});
    }
    must(name, vsh_streams_run(streams, jobs.data(), jobs.size()));
    depends = depends && is_secret(out.data(), out.size());
  }
  vsh_streams_free(streams);
  return depends;
}

void add_streams() {
  const auto add = [](const std::string& name, vsh_cipher_algorithm algorithm, vsh_stream_work work, vsh_mode mode) {
    cases.push_back({name, Expect::clean, true, [=] { return run_streams(name, algorithm, work, mode); }});
  };
  for (size_t i = 0; const char* cipher = vsh_cipher_name(i); ++i) {
    const std::string name = std::string("streams/") + cipher;
    vsh_cipher_algorithm algorithm;
    vsh_mode mode;
    must(name, vsh_cipher_by_name(&algorithm, &mode, cipher));
    add(name + "/encrypt", algorithm, VSH_STREAM_ENCRYPT, mode);
    add(name + "/decrypt", algorithm, VSH_STREAM_DECRYPT, mode);
    if (mode == VSH_ECB) add(name.substr(0, name.rfind('-')) + "-mac", algorithm, VSH_STREAM_MAC, VSH_CTR);
  }
  for (const vsh_hash_algorithm algorithm : {VSH_STREEBOG256, VSH_STREEBOG512})
    cases.push_back({algorithm == VSH_STREEBOG256 ? "streams/streebog256" : "streams/streebog512", Expect::clean, true, [=] {
                       const size_t num = 300, len = 140, digest_len = vsh_hash_len(algorithm);
                       const Bytes in = secret(num * len);
                       Bytes out(num * digest_len);
                       std::vector<vsh_hash_job> jobs;
                       for (size_t i = 0; i < num; ++i)
                         jobs.push_back({&in[i * len], len - i % 70, &out[i * digest_len], digest_len, VSH_OK});
                       must("streams", vsh_streams_hash(algorithm, jobs.data(), num, nullptr));
                       return is_secret(out.data(), out.size());
                     }});
}

// ---- Running ---------------------------------------------------------------------------------------------------------

enum class Result { pass, fail, skip };

Result run(const Case& c) {
  if (!c.runnable) {
    std::printf("skip  %s (this CPU, as valgrind shows it, cannot run the row)\n", c.name.c_str());
    return Result::skip;
  }
  VALGRIND_PRINTF("case %s\n", c.name.c_str());
  const auto reports = [] { return VALGRIND_COUNT_ERRORS - excused_reports(); };
  const auto before = reports();
  const bool depends = c.run();
  const bool leaked = reports() != before;
  const char* problem = nullptr;
  if (!depends) problem = "no secret reached the output: the case checks nothing";
  else if (leaked && c.expect == Expect::clean) problem = "a branch or an address depends on a secret";
  else if (!leaked && c.expect == Expect::leaks) problem = "a leak was not noticed";
  std::printf("%s  %s%s%s\n", problem ? "FAIL" : "ok  ", c.name.c_str(), problem ? ": " : "", problem ? problem : "");
  std::fflush(stdout);
  return problem ? Result::fail : Result::pass;
}

}  // namespace

int main(int argc, char** argv) {
  bool list = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--list") list = true;
    else if (arg == "--run" && i + 1 < argc) only = argv[++i];
    else {
      std::fprintf(stderr, "usage: valgrind ct_check [--list | --run NAME]\n");
      return 2;
    }
  }
  add_deliberate_leaks();
  add_rows();
  add_abi();
  add_streams();
  if (list) {
    for (const auto& c : cases)
      std::printf("%s %s%s\n", c.expect == Expect::clean ? "clean" : "leaks", c.name.c_str(), c.runnable ? "" : " (skipped)");
    return 0;
  }
  if (!RUNNING_ON_VALGRIND) {
    std::fprintf(stderr, "ct_check: not under valgrind, nothing would be checked\n");
    return 2;
  }
  size_t passed = 0, failed = 0, skipped = 0;
  for (const auto& c : cases) {
    if (!only.empty() && c.name != only) continue;
    switch (run(c)) {
      case Result::pass: ++passed; break;
      case Result::fail: ++failed; break;
      case Result::skip: ++skipped; break;
    }
  }
  std::printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return failed || passed == 0 ? 1 : 0;
}
