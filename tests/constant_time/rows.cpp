// Runs each kernel row separately, with all members of the contract (core/kernel.hpp).
#include <cstring>

#include "cases.hpp"
#include "core/registry.hpp"
#include "gf2n/reduce.hpp"
#include "keys/cipher_key.hpp"
#include "streebog/state.hpp"
#include "support/schedule.hpp"
#include "support/skipped_rows.hpp"

namespace vsh::test {
namespace {

Expect expectation(const KernelInfo& info) { return info.constant_time ? Expect::clean : Expect::leaks; }

bool beyond_valgrind(const KernelInfo& info) {
  return (cpu::required(info.isa) & (cpu::kAvx512 | cpu::kGfni | cpu::kVbmi | cpu::kVpclmul)) != 0;
}

Case row_case(const std::string& name, const KernelInfo& info, std::function<bool()> run) {
  return {name, expectation(info), runnable(info), std::move(run), beyond_valgrind(info), why_skipped(info)};
}

// A cipher but for its key; S-boxes may be secret.
using MakeParameters = std::function<keys::CipherParameters()>;

// Work with a prepared key, or keys, and secret data.
using Work = std::function<void(const void* schedule, uint8_t* out, const uint8_t* in)>;

void add_block_row(Cases& cases, const std::string& name, const BlockKernel& row, MakeParameters parameters) {
  const auto add = [&](const char* step, std::function<bool()> run) {
    cases.push_back(row_case(name + "/" + step, row.info, std::move(run)));
  };
  const auto applied = [&row](const void* schedule, size_t num_blocks, const Work& work) {
    const Bytes in = secret(num_blocks * row.block_size);
    Bytes out(in.size());
    work(schedule, out.data(), in.data());
    return is_secret(out.data(), out.size());
  };

  // Several passes and a rest.
  const size_t n = 2 * row.info.lanes + 3;
  const auto one_key = [=, &row](const char* step, Work work) {
    add(step, [=, &row] { return applied(Schedule(row, keys::CipherKey(parameters(), secret(32).data())), n, work); });
  };
  static constexpr uint8_t kCounter[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  using Out = uint8_t*;
  using In = const uint8_t*;
  one_key("encrypt", [=, &row](const void* s, Out out, In in) { row.encrypt(s, out, in, n); });
  one_key("decrypt", [=, &row](const void* s, Out out, In in) { row.decrypt(s, out, in, n); });
  if (row.ctr) one_key("ctr", [=, &row](const void* s, Out out, In in) { row.ctr(s, out, in, n, kCounter); });
  // MGM counts from an encrypted nonce, a secret.
  if (row.ctr_left)
    one_key("ctr_left", [=, &row](const void* s, Out out, In in) { row.ctr_left(s, out, in, n, secret(16).data()); });
  if (row.ctr_right)
    one_key("ctr_right", [=, &row](const void* s, Out out, In in) { row.ctr_right(s, out, in, n, secret(16).data()); });
  // CNT counts from an encrypted IV, a secret.
  if (row.cnt) one_key("cnt", [=, &row](const void* s, Out out, In in) { row.cnt(s, out, in, n, secret(8).data()); });
  if (row.imit) one_key("imit", [=, &row](const void* s, Out out, In in) { row.imit(s, out, in, n); });
  if (row.encrypt_four) {
    one_key("encrypt_four", [&row](const void* s, Out out, In in) {
      const Bytes keys = secret(4 * 32);
      uint32_t words[8][4];
      std::memcpy(words, keys.data(), sizeof words);
      row.encrypt_four(s, out, in, words);
    });
  }
  if (row.expand_key) {
    add("expand_key", [&row] {
      kuznyechik::RoundKeys round_keys{};
      row.expand_key(&round_keys, secret(32).data());
      return is_secret(&round_keys, sizeof round_keys);
    });
  }
  if (!row.prepare_lanes) return;

  constexpr size_t kRows = 3;
  const auto many_keys = [=, &row](const char* step, Work work) {
    add(step, [=, &row] {
      const Bytes key_bytes = secret(32 * row.info.lanes);
      std::vector<const uint8_t*> keys(row.info.lanes);
      for (size_t i = 0; i < keys.size(); ++i) keys[i] = i % 3 == 2 ? nullptr : &key_bytes[32 * i];
      return applied(Schedule(row, keys.data(), keys::CipherKey(parameters())), kRows * row.info.lanes, work);
    });
  };
  many_keys("encrypt_lanes", [&row](const void* s, Out out, In in) { row.encrypt_lanes(s, out, in, kRows); });
  many_keys("decrypt_lanes", [&row](const void* s, Out out, In in) { row.decrypt_lanes(s, out, in, kRows); });
  if (row.imit_lanes)
    many_keys("imit_lanes", [&row](const void* s, Out out, In in) { row.imit_lanes(s, out, in, kRows); });
}

void add_magma_row(Cases& cases, const BlockKernel& row) {
  const std::string variant = row.info.variant;
  add_block_row(cases, "row/magma/" + variant, row, [] { return keys::CipherParameters(Algorithm::magma); });
  for (int set = 0; set < tables::kNumMagmaSboxes; ++set)
    add_block_row(cases, "row/gost28147-" + std::string(tables::kMagmaSboxes[set].name) + "/" + variant, row,
                  [set] { return keys::CipherParameters(Algorithm::gost28147, static_cast<tables::MagmaSbox>(set)); });
  // A user's own S-boxes are as secret as the key.
  add_block_row(cases, "row/gost28147-custom/" + variant, row, [] {
    uint8_t custom[8][16];
    std::memcpy(custom, tables::kMagmaSboxes[3].rows, sizeof custom);
    make_secret(custom);
    return keys::CipherParameters(custom[0]);
  });
}

// Two steps each, so that the chaining value is a secret too.
void add_hash_row(Cases& cases, const HashKernel& row) {
  const std::string name = std::string("row/streebog/") + row.info.variant;
  const auto add = [&](const char* step, std::function<bool()> run) {
    cases.push_back(row_case(name + "/" + step, row.info, std::move(run)));
  };
  add("absorb", [&row] {
    streebog::State state{};
    for (int i = 0; i < 2; ++i) row.absorb(&state, secret(64 * 3).data(), 3);
    return is_secret(&state, sizeof state);
  });
  add("compress", [&row] {
    Bytes h(64);
    for (int i = 0; i < 2; ++i) row.compress(h.data(), secret(64).data(), secret(64).data());
    return is_secret(h.data(), h.size());
  });
}

void add_hash_lanes_row(Cases& cases, const HashLanesKernel& row) {
  const std::string name = std::string("row/streebog/") + row.info.variant + "/compress";
  cases.push_back(row_case(name, row.info, [&row] {
    const size_t lanes = row.info.lanes;
    Bytes h(64 * lanes);
    const Bytes n = secret(64 * lanes), m = secret(64 * lanes);
    std::vector<uint8_t*> h_of(lanes);
    std::vector<const uint8_t*> n_of(lanes), m_of(lanes);
    for (size_t i = 0; i < lanes; ++i) {
      h_of[i] = &h[64 * i];
      n_of[i] = &n[64 * i];
      m_of[i] = &m[64 * i];
    }
    for (int i = 0; i < 2; ++i) row.compress(h_of.data(), n_of.data(), m_of.data());
    return is_secret(h.data(), h.size());
  }));
}

void add_product_row(Cases& cases, const ProductKernel& row) {
  for (const bool wide : {false, true}) {
    const std::string name = std::string("row/gf2n/") + row.info.variant + (wide ? "/add_128" : "/add_64");
    cases.push_back(row_case(name, row.info, [&row, wide] {
      const size_t num = 2 * row.info.lanes + 1;
      uint64_t sum[gf2n::kMaxSumWords] = {};
      uint8_t block[16];
      const Bytes a = secret(16 * num), b = secret(16 * num);
      (wide ? row.add_128 : row.add_64)(sum, a.data(), b.data(), num);
      gf2n::reduce(block, wide ? 16 : 8, sum);
      return is_secret(block, wide ? 16 : 8);
    }));
  }
  for (const size_t n : {size_t{8}, size_t{16}}) {
    for (const bool opens : {false, true}) {
      const std::string name = std::string("row/gf2n/") + row.info.variant + (opens ? "/open_" : "/seal_");
      cases.push_back(row_case(name + std::to_string(8 * n), row.info, [&row, n, opens] {
        const size_t len = 2 * 16 * row.info.lanes + 3;
        const Bytes blocks = secret(2 * len + 32 + kMaxProductPass), data(9, 1), text = secret(len);
        uint8_t sum[16];
        Bytes out(len);
        (opens ? row.open : row.seal)(
            sum, {n, data.size(), len, blocks.data(), blocks.data() + len, data.data(), text.data(), out.data()});
        return is_secret(sum, n) && is_secret(out.data(), len);
      }));
    }
    const std::string name = std::string("row/gf2n/") + row.info.variant + "/counters_" + std::to_string(8 * n);
    cases.push_back(row_case(name, row.info, [&row, n] {
      const size_t num = 2 * (16 * row.info.lanes / n) + 1;
      const Bytes counter = secret(n);
      Bytes blocks(2 * num * n);
      row.write_left(blocks.data(), n, num, counter.data());
      row.write_right(blocks.data() + num * n, n, num, counter.data());
      return is_secret(blocks.data(), blocks.size());
    }));
  }
  cases.push_back(row_case(std::string("row/gf2n/") + row.info.variant + "/add_tweaks", row.info, [&row] {
    const size_t num = 4 * row.info.lanes + 1;
    Bytes t = secret(16), data = secret(16 * num);
    row.add_tweaks(t.data(), data.data(), data.data(), num);
    return is_secret(data.data(), data.size()) && is_secret(t.data(), t.size());
  }));
}

}  // namespace

void add_kernel_rows(Cases& cases) {
  for (const auto* row : block_kernels(Algorithm::kuznyechik))
    add_block_row(cases, std::string("row/kuznyechik/") + row->info.variant, *row,
                  [] { return keys::CipherParameters(Algorithm::kuznyechik); });
  for (const auto* row : block_kernels(Algorithm::magma)) add_magma_row(cases, *row);
  for (const auto* row : hash_kernels()) add_hash_row(cases, *row);
  for (const auto* row : hash_lanes_kernels()) add_hash_lanes_row(cases, *row);
  for (const auto* row : product_kernels()) add_product_row(cases, *row);
}

}  // namespace vsh::test
