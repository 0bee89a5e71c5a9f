// Changes input during a call: output with OK must be authentic.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "api/support/contexts.hpp"
#include "support/changing_memory.hpp"
#include "support/random.hpp"
#include "vershina/vershina.hpp"

#if defined(__x86_64__) && defined(__linux__)
namespace vsh {
namespace {

using test::Bytes;
using test::ChangingMemory;

constexpr uint8_t kFill = 0xab;

// Result of a call.
struct Result {
  vsh_status status;
  Bytes out;
};

// Checks for the authentic text, or none of it: unchanged or erased.
void check(const Result& r, const Bytes& text, const Bytes& before) {
  if (r.status == VSH_OK) {
    EXPECT_TRUE(r.out == text) << "the output is not the authenticated data";
  } else {
    EXPECT_EQ(r.status, VSH_E_TAG);
    EXPECT_TRUE(r.out == before || r.out == Bytes(text.size())) << "something of the plaintext is out";
  }
}

// Writes the input, then runs `open` with each of the first, the middle and the last page changed after its first read,
// the second, the fourth and so on; check_result reports failures.
using OnInput = std::function<void(uint8_t* in)>;
void change_everywhere(size_t len, const OnInput& write, const OnInput& open,
                       const std::function<void()>& check_result) {
  ChangingMemory memory(len);
  size_t changes = 0;
  for (const size_t page : {size_t{0}, memory.size() / ChangingMemory::kPage / 2, (len - 1) / ChangingMemory::kPage})
    for (size_t n = 1; n <= 256; n *= 2) {
      write(memory.data());
      const uint8_t mask = n & 0x55555555 ? 0x01 : 0x80;
      const size_t reads = memory.run(page, n, mask, [&] { open(memory.data()); });
      SCOPED_TRACE("page " + std::to_string(page) + ", read " + std::to_string(n));
      check_result();
      if (testing::Test::HasFailure()) return;
      if (reads < n) break;
      ++changes;
    }
  EXPECT_GT(changes, 3u);
}

class ChangingInput : public testing::Test {
  void SetUp() override {
    if (!ChangingMemory::works()) GTEST_SKIP() << "instructions cannot be single-stepped here";
  }
};

struct Aead {
  Aead(vsh_aead_algorithm a, size_t text_len, unsigned threads = 1, const char* kernel = nullptr)
      : nonce(vsh_aead_nonce_len(a), 0x24), text(test::Random(text_len).bytes(text_len)) {
    vsh_options o = VSH_OPTIONS_INIT;
    o.threads = threads;
    o.kernel = kernel;
    vsh_aead* made = nullptr;
    EXPECT_EQ(vsh_aead_new(&made, a, test::kKey.data(), 32, 0, &o), VSH_OK);
    context.reset(made);
    if (a == VSH_KUZNYECHIK_MGM || a == VSH_MAGMA_MGM) data = Bytes(53, 0x11);
    sealed.resize(text_len + vsh_aead_max_tag_len(a));
    size_t len = 0;
    EXPECT_EQ(vsh_aead_seal(context.get(), sealed.data(), sealed.size(), &len, nonce.data(), nonce.size(), data.data(),
                            data.size(), text.data(), text.size()),
              VSH_OK);
  }
  // Size of all of the input.
  size_t size() const { return nonce.size() + data.size() + sealed.size(); }
  void write(uint8_t* to) const {
    for (const Bytes* b : {&nonce, &data, &sealed}) to = std::copy(b->begin(), b->end(), to);
  }
  const uint8_t* data_at(const uint8_t* in) const { return in + nonce.size(); }
  uint8_t* text_at(uint8_t* in) const { return in + nonce.size() + data.size(); }

  struct Free {
    void operator()(vsh_aead* c) const { vsh_aead_free(c); }
  };
  std::unique_ptr<vsh_aead, Free> context;
  Bytes nonce, data, text, sealed;
};

void open_whole(const Aead& m) {
  const Bytes before(m.text.size(), kFill), ciphertext(m.sealed.begin(), m.sealed.end() - 8);
  Result r;
  const auto open = [&](uint8_t* in, uint8_t* out) {
    size_t len = 0;
    r.status = vsh_aead_open(m.context.get(), out, m.text.size(), &len, in, m.nonce.size(), m.data_at(in),
                             m.data.size(), m.text_at(in), m.sealed.size());
  };
  change_everywhere(
      m.size(), [&](uint8_t* in) { m.write(in), r.out = before; }, [&](uint8_t* in) { open(in, r.out.data()); },
      [&] { check(r, m.text, before); });
  // In place: the output holds the text or the ciphertext with its changed byte. (OMAC authenticates the plaintext,
  // read where it was written, not where others write.)
  if (m.data.empty()) return;
  uint8_t* place = nullptr;
  change_everywhere(
      m.size(), [&](uint8_t* in) { m.write(in); }, [&](uint8_t* in) { open(in, place = m.text_at(in)); },
      [&] {
        r.out.assign(place, place + m.text.size());
        if (r.status == VSH_OK) return check(r, m.text, {});
        size_t differ = 0;
        for (size_t i = 0; i < r.out.size(); ++i) differ += r.out[i] != m.sealed[i];
        EXPECT_LE(differ, 1u) << "in place the ciphertext comes back";
      });
}

TEST_F(ChangingInput, Aead) {
  for (const vsh_aead_algorithm a :
       {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC, VSH_MAGMA_CTR_ACPKM_OMAC})
    for (const size_t len : {5, 75, 5000, 8200, 10300, 40003}) {
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(len) + " bytes");
      open_whole(Aead(a, len));
      if (HasFailure()) return;
    }
}

TEST_F(ChangingInput, AeadOfEveryKernel) {
  size_t num = 0;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) {
    const bool is_magma = std::string(info.family) == "magma";
    if (!info.runnable || !info.constant_time || (!is_magma && std::string(info.family) != "kuznyechik")) continue;
    SCOPED_TRACE(std::string(info.family) + " " + info.variant);
    open_whole(Aead(is_magma ? VSH_MAGMA_MGM : VSH_KUZNYECHIK_MGM, 9001, 1, info.variant));
    ++num;
    if (HasFailure()) return;
  }
  EXPECT_GT(num, 2u);
}

TEST_F(ChangingInput, AeadOnThreads) {
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM}) open_whole(Aead(a, 400001, 3));
}

TEST_F(ChangingInput, AeadInPieces) {
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC})
    for (const size_t len : {75, 5000, 40003}) {
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(len) + " bytes");
      const Aead m(a, len);
      Result r;
      change_everywhere(
          m.size(), [&](uint8_t* in) { m.write(in), r.out.resize(len); },
          [&](uint8_t* in) {
            vsh_aead* const c = m.context.get();
            const uint8_t* const text = m.text_at(in);
            const size_t cut = len / 3;
            ASSERT_EQ(vsh_aead_begin(c, in, m.nonce.size()), VSH_OK);
            ASSERT_EQ(vsh_aead_add_data(c, m.data_at(in), m.data.size()), VSH_OK);
            ASSERT_EQ(vsh_aead_decrypt_unverified(c, r.out.data(), text, cut), VSH_OK);
            ASSERT_EQ(vsh_aead_decrypt_unverified(c, r.out.data() + cut, text + cut, len - cut), VSH_OK);
            r.status = vsh_aead_verify(c, text + len, m.sealed.size() - len);
          },
          [&] {
            if (r.status == VSH_OK) EXPECT_EQ(r.out, m.text);
            else EXPECT_EQ(r.status, VSH_E_TAG);
          });
      if (HasFailure()) return;
    }
}

// One after the other in memory: short ones, which run in lockstep, and a long one.
TEST_F(ChangingInput, Packets) {
  std::vector<Aead> packets;
  for (const size_t len : {3, 64, 1500, 1500, 100, 6000, 700, 20000, 33}) packets.emplace_back(VSH_KUZNYECHIK_MGM, len);
  size_t size = 0;
  for (const Aead& p : packets) size += p.size();
  vsh_streams* made = nullptr;
  ASSERT_EQ(vsh_streams_new(&made, VSH_KUZNYECHIK, test::kKey.data(), 1, nullptr), VSH_OK);
  const std::unique_ptr<vsh_streams, decltype(&vsh_streams_free)> streams(made, &vsh_streams_free);
  std::vector<Result> results(packets.size());
  change_everywhere(
      size,
      [&](uint8_t* in) {
        for (size_t i = 0; i < packets.size(); in += packets[i++].size()) {
          packets[i].write(in);
          results[i].out.assign(packets[i].text.size(), kFill);
        }
      },
      [&](uint8_t* in) {
        std::vector<vsh_mgm_job> jobs;
        for (size_t i = 0; i < packets.size(); in += packets[i++].size()) {
          const Aead& p = packets[i];
          Bytes& out = results[i].out;
          jobs.push_back({VSH_STREAM_DECRYPT, nullptr, 0, in, p.nonce.size(), p.data_at(in), p.data.size(),
                          p.text_at(in), p.sealed.size(), out.data(), out.size(), 16, VSH_OK});
        }
        vsh_streams_mgm(streams.get(), jobs.data(), jobs.size());
        for (size_t i = 0; i < jobs.size(); ++i) results[i].status = jobs[i].status;
      },
      [&] {
        for (size_t i = 0; i < packets.size(); ++i)
          check(results[i], packets[i].text, Bytes(packets[i].text.size(), kFill));
      });
}

TEST_F(ChangingInput, Unwrap) {
  for (const char* name : {"kexp15-kuznyechik", "kexp15-magma", "gost28147", "cryptopro", "rfc7836"})
    for (const size_t len : {size_t{32}, size_t{20000}}) {
      vsh_wrap_algorithm a;
      ASSERT_EQ(vsh_wrap_by_name(&a, name), VSH_OK);
      const bool carries_iv = std::string(name).substr(0, 5) != "kexp1";
      if (carries_iv && len != 32) continue;
      SCOPED_TRACE(std::string(name) + " " + std::to_string(len));
      const Bytes kek = test::Random(1).bytes(vsh_wrap_kek_len(a)), iv(vsh_wrap_iv_len(a), 7);
      const Bytes key = test::Random(2).bytes(len), before(len, kFill);
      Bytes wrapped(vsh_wrapped_len(a, iv.size(), len));
      size_t n = 0;
      ASSERT_EQ(vsh_wrap(wrapped.data(), wrapped.size(), &n, a, kek.data(), kek.size(), iv.data(), iv.size(),
                         key.data(), len, nullptr),
                VSH_OK);
      Result r;
      change_everywhere(
          iv.size() + n,
          [&](uint8_t* in) {
            std::copy(wrapped.begin(), wrapped.end(), std::copy(iv.begin(), iv.end(), in));
            r.out = before;
          },
          [&](uint8_t* in) {
            r.status = vsh_unwrap(r.out.data(), len, &n, a, kek.data(), kek.size(), in, carries_iv ? 0 : iv.size(),
                                  in + iv.size(), wrapped.size(), nullptr);
          },
          [&] { check(r, key, before); });
      if (HasFailure()) return;
    }
}

TEST_F(ChangingInput, SealedFiles) {
  const Bytes key(32, 5), text = test::Random(3).bytes(30000);
  const vsh_recipient recipient = {VSH_RECIPIENT_KEY, key.data(), key.size(), 0, nullptr};
  vsh_sealer* made = nullptr;
  ASSERT_EQ(vsh_sealer_new(&made, 4096, nullptr), VSH_OK);
  const std::unique_ptr<vsh_sealer, decltype(&vsh_sealer_free)> sealer(made, &vsh_sealer_free);
  Bytes header(2 * VSH_SEALED_MIN_SLOT_LEN), body(2 * text.size());
  size_t len = 0, last = 0;
  ASSERT_EQ(vsh_sealer_add_recipient(made, &recipient), VSH_OK);
  ASSERT_EQ(vsh_sealer_header(made, header.data(), header.size()), VSH_OK);
  ASSERT_EQ(vsh_sealer_update(made, body.data(), body.size(), &len, text.data(), text.size()), VSH_OK);
  ASSERT_EQ(vsh_sealer_final(made, body.data() + len, body.size() - len, &last), VSH_OK);
  body.resize(len + last);
  vsh_opener* opened = nullptr;
  ASSERT_EQ(vsh_opener_new(&opened, header.data(), header.size(), 0, nullptr), VSH_OK);
  const std::unique_ptr<vsh_opener, decltype(&vsh_opener_free)> opener(opened, &vsh_opener_free);
  ASSERT_EQ(vsh_opener_unlock(opened, &recipient), VSH_OK);
  vsh_sealed_span span;
  ASSERT_EQ(vsh_opener_locate(opened, &span, 0, text.size(), header.size() + body.size()), VSH_OK);
  Bytes out(text.size() + 4096);
  const auto write = [&](uint8_t* in) { std::copy(body.begin(), body.end(), in); };
  // Released chunks are authentic, even if the next one fails.
  const auto right = [&] { EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<long>(len), text.begin())); };
  change_everywhere(
      body.size(), write,
      [&](uint8_t* in) {
        uint64_t damaged;
        vsh_opener_read(opened, out.data(), out.size(), &len, &damaged, &span, in, body.size());
      },
      right);
  change_everywhere(
      body.size(), write,
      [&](uint8_t* in) {
        vsh_opener_rewind(opened);
        last = 0;
        const vsh_status status = vsh_opener_update(opened, out.data(), out.size(), &len, in, body.size());
        if (status == VSH_OK) vsh_opener_final(opened, out.data() + len, out.size() - len, &last);
        len += last;
      },
      right);
}

}  // namespace
}  // namespace vsh
#else
TEST(ChangingInput, Everything) { GTEST_SKIP() << "accesses are single-stepped on x86-64 alone"; }
#endif
