// No secret stays on the stack when a call of the C ABI has returned: keys, plaintext, keystream, round keys and
// schedules of every row, MGM's multipliers, right tags of messages that failed, keys that were unwrapped or derived.
// Each call runs on a thread whose stack is a zeroed buffer of ours, which is searched afterwards.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>

#include "api/support/contexts.hpp"
#include "core/registry.hpp"
#include "core/wipe.hpp"
#include "support/random.hpp"
#include "support/subjects.hpp"
#include "vershina/aead.h"
#include "vershina/disk.h"
#include "vershina/keys.h"

namespace {

using namespace vsh::test;

#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNLESS_OPTIMISED() \
  GTEST_SKIP() << "unoptimised and instrumented code keeps copies where no source line put them"
#else
#define SKIP_UNLESS_OPTIMISED()
#endif

constexpr size_t kStackSize = 1 << 18;

// What `work` leaves on its stack, from the deepest byte that it wrote.
Bytes stack_after(const std::function<void()>& work) {
  alignas(64) static uint8_t stack[kStackSize];
  std::memset(stack, 0, sizeof stack);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return Bytes(std::find_if(stack, stack + sizeof stack, [](uint8_t byte) { return byte != 0; }), stack + sizeof stack);
}

// What is looked for: any 8 neighbouring bytes of a secret, but those that may well stand there by themselves.
class Secrets {
 public:
  static constexpr size_t kWindow = 8;

  void add(const std::string& name, const uint8_t* p, size_t len) {
    for (size_t i = 0; i + kWindow <= len; ++i)
      if (num_distinct(p + i) > kWindow / 2) insert(p + i, name);
  }
  void add(const std::string& name, const Bytes& bytes) { add(name, bytes.data(), bytes.size()); }

  // As it came; as 32-bit words of this processor, as Magma's rounds take it, also backwards; and each word by itself,
  // twice in a row or alone in a register of 64 bits.
  void add_key(const std::string& name, Bytes key) {
    add(name, key);
    for (int order = 0; order < 2; ++order) {
      for (size_t i = 0; i < key.size(); i += 4) {
        const auto word = key.begin() + static_cast<ptrdiff_t>(i);
        Bytes twice(word, word + 4), alone(word, word + 4);
        twice.insert(twice.end(), word, word + 4);
        alone.insert(order ? alone.end() : alone.begin(), 4, 0);
        insert(twice.data(), name + ", a word");
        insert(alone.data(), name + ", a word");
        std::reverse(word, word + 4);
      }
      add(name + ", words", key);
      Bytes backwards(key.rbegin(), key.rend());
      for (size_t i = 0; i < key.size(); i += 4)
        std::reverse(backwards.begin() + static_cast<ptrdiff_t>(i), backwards.begin() + static_cast<ptrdiff_t>(i) + 4);
      add(name + ", words backwards", backwards);
    }
  }

  std::string found_in(const Bytes& memory) const {
    std::set<std::string> names;
    for (size_t i = 0; i + kWindow <= memory.size(); ++i) {
      const uint64_t window = load(memory.data() + i);
      if (!begins_[window % kBeginnings]) continue;
      if (const auto at = windows_.find(window); at != windows_.end())
        names.insert(names_[at->second] + " at -" + std::to_string(memory.size() - i));
    }
    std::string all;
    size_t n = 0;
    for (const std::string& name : names) {
      if (++n > 6) return all + "; and " + std::to_string(names.size() - 6) + " more";
      all += (all.empty() ? "" : "; ") + name;
    }
    return all;
  }

 private:
  static uint64_t load(const uint8_t* p) {
    uint64_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  static size_t num_distinct(const uint8_t* p) {
    size_t num = 0;
    for (size_t i = 0; i < kWindow; ++i) num += std::find(p, p + i, p[i]) == p + i;
    return num;
  }
  void insert(const uint8_t* p, const std::string& name) {
    if (names_.empty() || names_.back() != name) names_.push_back(name);
    windows_.emplace(load(p), names_.size() - 1);
    begins_[load(p) % kBeginnings] = true;
  }

  static constexpr size_t kBeginnings = 65521;
  std::unordered_map<uint64_t, size_t> windows_;  // to names
  std::vector<std::string> names_;
  std::vector<bool> begins_ = std::vector<bool>(kBeginnings);  // by which most of what is searched is passed over
};

void check(const std::string& what, const Secrets& secrets, const std::function<void()>& work) {
  const Bytes left = stack_after(work);
  EXPECT_EQ(secrets.found_in(left), "") << what;
}

// A cipher under a key, and one row of it that is forced; "" for the default ones.
struct Row {
  vsh_cipher_algorithm algorithm;
  std::string variant;

  vsh::Algorithm family() const {
    return algorithm == VSH_KUZNYECHIK ? vsh::Algorithm::kuznyechik
           : algorithm == VSH_MAGMA    ? vsh::Algorithm::magma
                                       : vsh::Algorithm::gost28147;
  }
  size_t block() const { return vsh_block_len(algorithm); }
  std::string name() const {
    return std::string(vsh::algorithm_name(family())) + ' ' + (variant.empty() ? "default" : variant);
  }
  vsh_options options() const {
    vsh_options o = vsh::test::options();
    o.flags = VSH_ALLOW_TABLES | VSH_ALLOW_EXPERIMENTAL;
    o.kernel = variant.empty() ? nullptr : variant.c_str();
    return o;
  }
  std::unique_ptr<Subject> subject(const Bytes& key) const {
    Key k;
    std::copy(key.begin(), key.end(), k.begin());
    if (algorithm == VSH_KUZNYECHIK) return std::make_unique<KuznyechikSubject>(k);
    if (algorithm == VSH_MAGMA) return std::make_unique<MagmaSubject>(k);
    return std::make_unique<MagmaSubject>(k, vsh::tables::MagmaSbox::tc26_z);
  }
  // The key, its round keys, and what the rows' schedules have of it.
  void add_key(Secrets& secrets, const std::string& name, const Bytes& key) const {
    secrets.add_key(name, key);
    const std::unique_ptr<Subject> s = subject(key);
    if (algorithm == VSH_KUZNYECHIK)
      for (const auto& k : static_cast<const KuznyechikSubject&>(*s).reference)
        secrets.add("round key of " + name, k.data(), k.size());
    for (const vsh::BlockKernel* row : vsh::block_kernels(family())) {
      if (!vsh::runnable(row->info)) continue;
      std::vector<std::max_align_t> schedule(row->schedule_size / sizeof(std::max_align_t) + 8);
      void* p = schedule.data();
      size_t space = schedule.size() * sizeof schedule[0];
      row->prepare(std::align(vsh::kScheduleAlignment, row->schedule_size, p, space), s->round_keys());
      secrets.add("schedule of " + name + " for " + std::string(row->info.variant), static_cast<uint8_t*>(p),
                  row->schedule_size);
    }
  }
};

std::vector<Row> rows(vsh_cipher_algorithm a) {
  std::vector<Row> all{{a, ""}};
  for (const vsh::BlockKernel* row : vsh::block_kernels(all[0].family()))
    if (vsh::runnable(row->info)) all.push_back({a, std::string(row->info.variant)});
  return all;
}

Bytes exclusive_or(const Bytes& a, const Bytes& b) {
  Bytes sum(std::min(a.size(), b.size()));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] ^ b[i];
  return sum;
}

#define OK(call) EXPECT_EQ(call, VSH_OK)

TEST(Stack, TheSearchFindsWhatIsLeft) {
  static const Bytes secret = Random(1).bytes(32);
  Secrets secrets;
  secrets.add_key("secret", secret);
  const Bytes left = stack_after([] {
    uint8_t deep[8192];  // its low end is far from what the end of a thread overwrites
    std::memcpy(deep, secret.data(), secret.size());
    __asm__ volatile("" : : "r"(deep) : "memory");
  });
  EXPECT_NE(secrets.found_in(left), "");
}

// Of a fixed size and with nothing above it, so that it begins right below the caller's frame.
__attribute__((noinline, no_stack_protector)) void fill_stack() {
  uint8_t array[4096];
  std::memset(array, 0xA5, sizeof array);
  __asm__ volatile("" : : "r"(array) : "memory");
}

// Every byte below the caller, from its frame on.
TEST(Stack, WipingLeavesNoGap) {
#if defined(__e2k__)
  GTEST_SKIP() << "the wiping of Elbrus is portable code, whose own frame stays";
#endif
  SKIP_UNLESS_OPTIMISED();
  const Bytes pattern(8, 0xA5);
  for (const bool wipes : {false, true}) {
    const Bytes left = stack_after([&] {
      fill_stack();
      if (wipes) vsh::wipe_stack(4096 + 512);
    });
    EXPECT_EQ(std::search(left.begin(), left.end(), pattern.begin(), pattern.end()) == left.end(), wipes);
  }
}

// What registers hold after clear_registers, all of which had a pattern before.
TEST(Stack, RegistersAreCleared) {
#if defined(__x86_64__) && !defined(__e2k__)
  using Register = uint8_t[64];
  alignas(64) Register after[40] = {}, pattern;
  std::memset(pattern, 0xA5, sizeof pattern);
  size_t num = 16;
  void (*const clear)() noexcept = vsh::clear_registers;
  // rbx, r12 and r13 keep their values over the call.
#define VSH_CLOBBERS                                                                                              \
  "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",    \
      "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc"
#define VSH_LOW "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
  register const void* from __asm__("rbx") = pattern;
  register void* to __asm__("r12") = after;
  register void* function __asm__("r13") = reinterpret_cast<void*>(clear);
#if !VSH_EMULATED
  if (vsh::cpu::features() & vsh::cpu::kAvx512) {
    num = 40;
    __asm__ volatile(
        ".irp i, " VSH_LOW ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "vmovdqu64 (%%rbx), %%zmm\\i\n.endr\n"
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\nkmovq (%%rbx), %%k\\i\n.endr\n"
        "call *%%r13\n"
        ".irp i, " VSH_LOW ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "vmovdqu64 %%zmm\\i, 64 * \\i(%%r12)\n.endr\n"
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\nkmovq %%k\\i, 2048 + 64 * \\i(%%r12)\n.endr\n"
        : : "r"(from), "r"(to), "r"(function) : VSH_CLOBBERS);
  } else
#endif
  if (vsh::cpu::features() & vsh::cpu::kAvx2) {
    __asm__ volatile(".irp i, " VSH_LOW "\nvmovdqu (%%rbx), %%ymm\\i\n.endr\n"
                     "call *%%r13\n"
                     ".irp i, " VSH_LOW "\nvmovdqu %%ymm\\i, 64 * \\i(%%r12)\n.endr\n"
                     : : "r"(from), "r"(to), "r"(function) : VSH_CLOBBERS);
  } else {
    __asm__ volatile(".irp i, " VSH_LOW "\nmovdqu (%%rbx), %%xmm\\i\n.endr\n"
                     "call *%%r13\n"
                     ".irp i, " VSH_LOW "\nmovdqu %%xmm\\i, 64 * \\i(%%r12)\n.endr\n"
                     : : "r"(from), "r"(to), "r"(function) : VSH_CLOBBERS);
  }
#elif defined(__aarch64__)
  using Register = uint8_t[16];
  Register after[32], pattern;
  std::memset(pattern, 0xA5, sizeof pattern);
  const size_t num = 32;
  void (*const clear)() noexcept = vsh::clear_registers;
  register const void* from __asm__("x19") = pattern;
  register void* to __asm__("x20") = after;
  register void* function __asm__("x21") = reinterpret_cast<void*>(clear);
#define VSH_ALL \
  "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
  __asm__ volatile(
      ".irp i, " VSH_ALL "\nldr q\\i, [x19]\n.endr\n"
      "blr x21\n"
      ".irp i, " VSH_ALL "\nstr q\\i, [x20, #16 * \\i]\n.endr\n"
      : : "r"(from), "r"(to), "r"(function)
      : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
        "x17", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
        "v31", "memory", "cc");
  // The low halves of v8 to v15 are the caller's.
  for (size_t i = 8; i < 16; ++i) {
    EXPECT_EQ(std::count(after[i], after[i] + 8, 0xA5), 8) << i;
    std::memset(after[i], 0, 8);
  }
#else
  GTEST_SKIP() << "written for x86-64 and AArch64";
#endif
#if (defined(__x86_64__) && !defined(__e2k__)) || defined(__aarch64__)
  for (size_t i = 0; i < num; ++i)
    EXPECT_EQ(std::count(std::begin(after[i]), std::end(after[i]), 0), std::ssize(after[i])) << "register " << i;
#endif
}

void check_cipher(const Row& row, vsh_mode mode, size_t len) {
  Random random(2);
  const Bytes key = random.bytes(32), plain = random.bytes(len), iv(256, 0x24);
  vsh_options o = row.options();
  if (mode == VSH_ECB || mode == VSH_CBC) o.padding = VSH_PADDING_NONE;
  const size_t iv_len = vsh_iv_len(row.algorithm, mode);
  Bytes cipher(len), result(len);
  size_t n;
  const auto whole = [&](auto f, Bytes& out, const Bytes& in) {
    OK(f(out.data(), out.size(), &n, row.algorithm, mode, key.data(), key.size(), iv.data(), iv_len, in.data(),
         in.size(), &o));
  };
  whole(vsh_encrypt, cipher, plain);
  Secrets secrets;
  row.add_key(secrets, "the key", key);
  secrets.add("plaintext", plain);
  secrets.add("keystream", exclusive_or(plain, cipher));
  const std::string what = row.name() + ", mode " + std::to_string(mode) + ", " + std::to_string(len) + " bytes: ";
  check(what + "vsh_encrypt", secrets, [&] { whole(vsh_encrypt, result, plain); });
  check(what + "vsh_decrypt", secrets, [&] { whole(vsh_decrypt, result, cipher); });
  EXPECT_EQ(result, plain);

  for (const vsh_direction d : {VSH_ENCRYPT, VSH_DECRYPT}) {
    const Bytes& in = d == VSH_ENCRYPT ? plain : cipher;
    vsh_cipher* c = nullptr;
    check(what + "vsh_cipher_new", secrets, [&] {
      OK(vsh_cipher_new(&c, row.algorithm, mode, d, key.data(), key.size(), iv.data(), iv_len, &o));
    });
    size_t done = 0;
    for (const size_t end : {size_t{5}, len - 11, len})
      check(what + "vsh_cipher_update", secrets, [&] {
        OK(vsh_cipher_update(c, result.data(), result.size(), &n, in.data() + done, end - done));
        done = end;
      });
    check(what + "vsh_cipher_final", secrets, [&] { OK(vsh_cipher_final(c, result.data(), result.size(), &n)); });
    check(what + "vsh_cipher_free", secrets, [&] { vsh_cipher_free(c); });
  }
}

void check_ciphers(vsh_cipher_algorithm a) {
  SKIP_UNLESS_OPTIMISED();
  for (const Row& row : rows(a))
    for (const vsh_mode mode : {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB, VSH_CNT, VSH_CTR_ACPKM}) {
      if (mode != VSH_ECB && vsh_iv_len(a, mode) == 0) continue;  // no such mode
      for (const size_t len : {size_t{48}, size_t{9600}}) check_cipher(row, mode, len);
    }
}
TEST(Stack, Kuznyechik) { check_ciphers(VSH_KUZNYECHIK); }
TEST(Stack, Magma) { check_ciphers(VSH_MAGMA); }
TEST(Stack, Gost28147) { check_ciphers(VSH_GOST28147); }

void check_mac(const std::string& row, vsh_mac_algorithm a, const Bytes& key, const vsh_options& o, Secrets& secrets) {
  const Bytes message = Random(3).bytes(1000);
  vsh_mac* c = nullptr;
  if (const vsh_status s = vsh_mac_new(&c, a, key.data(), key.size(), &o); s != VSH_OK) {
    EXPECT_EQ(s, VSH_E_KERNEL_UNKNOWN) << row;  // IMIT runs on kernels for one block alone
    return;
  }
  Bytes tag(vsh_mac_max_len(a)), wrong(tag.size(), 0x11);
  OK(vsh_mac_update(c, message.data(), message.size()));
  OK(vsh_mac_final(c, tag.data(), tag.size()));
  vsh_mac_free(c);
  secrets.add("message", message);
  secrets.add("right tag", tag);
  const std::string what = row + ", MAC " + std::to_string(a) + ": ";
  check(what + "vsh_mac_new", secrets, [&] { OK(vsh_mac_new(&c, a, key.data(), key.size(), &o)); });
  check(what + "vsh_mac_update", secrets, [&] { OK(vsh_mac_update(c, message.data(), message.size())); });
  check(what + "vsh_mac_verify", secrets, [&] { EXPECT_EQ(vsh_mac_verify(c, wrong.data(), wrong.size()), VSH_E_TAG); });
  check(what + "vsh_mac_reset", secrets, [&] { OK(vsh_mac_reset(c)); });
  OK(vsh_mac_update(c, message.data(), message.size()));
  check(what + "vsh_mac_final", secrets, [&] { OK(vsh_mac_final(c, tag.data(), tag.size())); });
  vsh_mac_free(c);
}

TEST(Stack, Macs) {
  SKIP_UNLESS_OPTIMISED();
  const Bytes key = Random(4).bytes(32);
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA, VSH_GOST28147})
    for (const Row& row : rows(a)) {
      Secrets secrets;
      row.add_key(secrets, "the key", key);
      for (const vsh_mac_algorithm mac : {VSH_KUZNYECHIK_MAC, VSH_KUZNYECHIK_OMAC_ACPKM, VSH_MAGMA_MAC,
                                          VSH_MAGMA_OMAC_ACPKM, VSH_GOST28147_IMIT}) {
        const bool kuznyechik = mac == VSH_KUZNYECHIK_MAC || mac == VSH_KUZNYECHIK_OMAC_ACPKM;
        if (a != (kuznyechik ? VSH_KUZNYECHIK : mac == VSH_GOST28147_IMIT ? VSH_GOST28147 : VSH_MAGMA)) continue;
        check_mac(row.name(), mac, key, row.options(), secrets);
      }
    }
}

// MGM's multipliers of the first and the last blocks.
void add_multipliers(Secrets& secrets, const Row& row, const Bytes& key, const Bytes& nonce, size_t num) {
  const std::unique_ptr<Subject> subject = row.subject(key);
  const size_t n = row.block();
  Bytes z(nonce.begin(), nonce.begin() + static_cast<ptrdiff_t>(n));
  z[0] |= 0x80;
  subject->encrypt(z.data());
  for (size_t i = 0; i < num; ++i) {
    Bytes h = z;
    subject->encrypt(h.data());
    secrets.add("multiplier of MGM", h);
    for (size_t j = n / 2; j-- > 0 && ++z[j] == 0;) {}
  }
}

void check_aead(const Row& row, vsh_aead_algorithm a, size_t len, const std::string& note = "") {
  Random random(5);
  const bool mgm = a == VSH_KUZNYECHIK_MGM || a == VSH_MAGMA_MGM;
  const Bytes key = random.bytes(32), nonce(16, 0x24), plain = random.bytes(len), data = random.bytes(mgm ? 40 : 0);
  const size_t nonce_len = vsh_aead_nonce_len(a), tag_len = vsh_aead_max_tag_len(a);
  const vsh_options o = row.options();
  Bytes sealed(len + tag_len), result(len + tag_len);
  vsh_aead* c = nullptr;
  size_t n;
  const std::string what = row.name() + note + ", AEAD " + std::to_string(a) + ", " + std::to_string(len) + " bytes: ";
  Secrets secrets;
  row.add_key(secrets, "the key", key);
  secrets.add("plaintext", plain);
  if (mgm) add_multipliers(secrets, row, key, nonce, std::min<size_t>((data.size() + len) / row.block() + 2, 60));
  check(what + "vsh_aead_new", secrets, [&] { OK(vsh_aead_new(&c, a, key.data(), key.size(), 0, &o)); });
  const auto seal = [&] {
    OK(vsh_aead_seal(c, sealed.data(), sealed.size(), &n, nonce.data(), nonce_len, data.data(), data.size(),
                     plain.data(), plain.size()));
  };
  seal();
  secrets.add("keystream", exclusive_or(plain, sealed));
  check(what + "vsh_aead_seal", secrets, seal);
  secrets.add("right tag", Bytes(sealed.end() - static_cast<ptrdiff_t>(tag_len), sealed.end()));
  Bytes bad = sealed;
  for (size_t i = len; i < bad.size(); ++i) bad[i] ^= 0xFF;
  const auto open = [&](const Bytes& in) {
    return vsh_aead_open(c, result.data(), result.size(), &n, nonce.data(), nonce_len, data.data(), data.size(),
                         in.data(), in.size());
  };
  check(what + "vsh_aead_open of a wrong tag", secrets, [&] { EXPECT_EQ(open(bad), VSH_E_TAG); });

  const auto begin = [&] { OK(vsh_aead_begin(c, nonce.data(), nonce_len)); };
  const auto add_data = [&] { EXPECT_EQ(vsh_aead_add_data(c, data.data(), data.size()), VSH_OK); };
  begin(), add_data();
  OK(vsh_aead_decrypt_unverified(c, result.data(), sealed.data(), len));
  check(what + "vsh_aead_verify of a wrong tag", secrets,
        [&] { EXPECT_EQ(vsh_aead_verify(c, bad.data() + len, tag_len), VSH_E_TAG); });
  check(what + "vsh_aead_begin", secrets, begin);
  check(what + "vsh_aead_add_data", secrets, add_data);
  check(what + "vsh_aead_encrypt", secrets, [&] { OK(vsh_aead_encrypt(c, result.data(), plain.data(), 13)); });
  check(what + "vsh_aead_encrypt", secrets,
        [&] { OK(vsh_aead_encrypt(c, result.data() + 13, plain.data() + 13, len - 13)); });
  check(what + "vsh_aead_final", secrets, [&] { OK(vsh_aead_final(c, result.data() + len, tag_len)); });
  EXPECT_EQ(result, sealed);
  begin(), add_data();
  check(what + "vsh_aead_authenticate", secrets, [&] { OK(vsh_aead_authenticate(c, sealed.data(), len)); });
  begin(), add_data();
  check(what + "vsh_aead_decrypt_unverified", secrets,
        [&] { OK(vsh_aead_decrypt_unverified(c, result.data(), sealed.data(), len)); });
  check(what + "vsh_aead_open", secrets, [&] { OK(open(sealed)); });
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), result.begin()));
  vsh_aead_free(c);
}

// Short messages, which are one call of the cipher, and those that are not.
constexpr size_t kAeadLens[] = {48, 240, 20000};

TEST(Stack, Aead) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh_aead_algorithm a :
       {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC, VSH_MAGMA_CTR_ACPKM_OMAC})
    for (const Row& row : rows(a == VSH_KUZNYECHIK_MGM || a == VSH_KUZNYECHIK_CTR_ACPKM_OMAC ? VSH_KUZNYECHIK
                                                                                              : VSH_MAGMA))
      for (const size_t len : kAeadLens) check_aead(row, a, len);
}

TEST(Stack, AeadWithEachKernelOfProducts) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh::ProductKernel* row : vsh::product_kernels()) {
    if (!vsh::runnable(row->info)) continue;
    setenv("VERSHINA_KERNEL", ("gf2n:" + std::string(row->info.variant)).c_str(), 1);
    for (const size_t len : kAeadLens) {
      check_aead({VSH_KUZNYECHIK, ""}, VSH_KUZNYECHIK_MGM, len, " gf2n " + std::string(row->info.variant));
      check_aead({VSH_MAGMA, ""}, VSH_MAGMA_MGM, len, " gf2n " + std::string(row->info.variant));
    }
    unsetenv("VERSHINA_KERNEL");
  }
}

TEST(Stack, Wraps) {
  SKIP_UNLESS_OPTIMISED();
  Random random(6);
  const Bytes kek = random.bytes(64), key = random.bytes(32), iv(16, 0x24);
  for (const vsh_wrap_algorithm w :
       {VSH_KEXP15_KUZNYECHIK, VSH_KEXP15_MAGMA, VSH_WRAP_GOST28147, VSH_WRAP_CRYPTOPRO, VSH_WRAP_RFC7836}) {
    const vsh_cipher_algorithm a = w == VSH_KEXP15_KUZNYECHIK ? VSH_KUZNYECHIK
                                   : w == VSH_KEXP15_MAGMA    ? VSH_MAGMA
                                                              : VSH_GOST28147;
    for (const Row& row : rows(a)) {
      const vsh_options o = row.options();
      Bytes wrapped(256), result(256);
      const size_t iv_len = vsh_wrap_iv_len(w), kek_len = vsh_wrap_kek_len(w);
      size_t n = 0, len = 0;
      const auto wrap = [&] {
        return vsh_wrap(wrapped.data(), wrapped.size(), &n, w, kek.data(), kek_len, iv.data(), iv_len, key.data(),
                        key.size(), &o);
      };
      if (const vsh_status s = wrap(); s != VSH_OK) {
        EXPECT_EQ(s, VSH_E_KERNEL_UNKNOWN) << row.name();  // IMIT, as above
        continue;
      }
      Secrets secrets;
      row.add_key(secrets, "the KEK", Bytes(kek.begin(), kek.begin() + 32));
      if (kek_len == 64) row.add_key(secrets, "the KEK's second half", Bytes(kek.begin() + 32, kek.end()));
      secrets.add_key("the wrapped key", key);
      const std::string what = row.name() + ", wrap " + std::to_string(w) + ": ";
      check(what + "vsh_wrap", secrets, [&] { OK(wrap()); });
      const auto unwrap = [&] {
        return vsh_unwrap(result.data(), result.size(), &len, w, kek.data(), kek_len, iv.data(), iv_len,
                          wrapped.data(), n, &o);
      };
      check(what + "vsh_unwrap", secrets, [&] { OK(unwrap()); });
      EXPECT_TRUE(std::equal(key.begin(), key.end(), result.begin()));
      wrapped[n - 1] ^= 1;
      check(what + "vsh_unwrap of a wrong tag", secrets, [&] { EXPECT_EQ(unwrap(), VSH_E_TAG); });
    }
  }
}

void check_xts(const Row& row) {
  Random random(7);
  const Bytes keys = random.bytes(64), plain = random.bytes(4096);
  const vsh_options o = row.options();
  Bytes cipher(plain.size()), result(plain.size());
  Secrets secrets;
  row.add_key(secrets, "the key", Bytes(keys.begin(), keys.begin() + 32));
  row.add_key(secrets, "the tweaks' key", Bytes(keys.begin() + 32, keys.end()));
  secrets.add("plaintext", plain);
  uint8_t number[16] = {9};
  Bytes tweak(number, number + 16);
  row.subject(Bytes(keys.begin() + 32, keys.end()))->encrypt(tweak.data());
  secrets.add("tweak", tweak);
  vsh_xts* c = nullptr;
  const std::string what = row.name() + ": ";
  check(what + "vsh_xts_new", secrets, [&] { OK(vsh_xts_new(&c, keys.data(), keys.size(), &o)); });
  check(what + "vsh_xts_encrypt_sectors", secrets,
        [&] { OK(vsh_xts_encrypt_sectors(c, cipher.data(), plain.data(), 8, 512, 9)); });
  check(what + "vsh_xts_decrypt_sectors", secrets,
        [&] { OK(vsh_xts_decrypt_sectors(c, result.data(), cipher.data(), 8, 512, 9)); });
  EXPECT_EQ(result, plain);
  for (const size_t len : {size_t{16}, size_t{75}, plain.size() - 3}) {
    check(what + "vsh_xts_encrypt_unit", secrets,
          [&] { OK(vsh_xts_encrypt_unit(c, cipher.data(), plain.data(), len, number)); });
    check(what + "vsh_xts_decrypt_unit", secrets,
          [&] { OK(vsh_xts_decrypt_unit(c, result.data(), cipher.data(), len, number)); });
  }
  vsh_xts_free(c);
}

void check_dec(const Row& row) {
  Random random(8);
  const Bytes key = random.bytes(32), plain = random.bytes(1024);
  const vsh_options o = row.options();
  Bytes cipher(plain.size());
  const uint64_t counters[] = {3, 4};
  Secrets secrets;
  row.add_key(secrets, "the key", key);
  secrets.add("plaintext", plain);
  vsh_dec_experimental* c = nullptr;
  const auto crypt = [&] { OK(vsh_dec_experimental_crypt(c, cipher.data(), plain.data(), 2, 0, counters)); };
  OK(vsh_dec_experimental_new(&c, key.data(), key.size(), 1, 2, 512, &o));
  crypt();
  vsh_dec_experimental_free(c);
  secrets.add("keystream", exclusive_or(plain, cipher));
  check(row.name() + ": vsh_dec_experimental_new", secrets,
        [&] { OK(vsh_dec_experimental_new(&c, key.data(), key.size(), 1, 2, 512, &o)); });
  check(row.name() + ": vsh_dec_experimental_crypt", secrets, crypt);
  vsh_dec_experimental_free(c);
}

TEST(Stack, Disks) {
  SKIP_UNLESS_OPTIMISED();
  for (const Row& row : rows(VSH_KUZNYECHIK)) check_xts(row), check_dec(row);
}

void check_streams(const Row& row, size_t num_jobs) {
  Random random(9);
  const Bytes prepared = random.bytes(64), brought = random.bytes(32), plain = random.bytes(160), iv(256, 0x24);
  const vsh_options o = row.options();
  Secrets keys;
  for (const Bytes& key : {Bytes(prepared.begin(), prepared.begin() + 32), Bytes(prepared.begin() + 32, prepared.end()),
                           brought})
    row.add_key(keys, "a key", key);
  Secrets secrets = keys;
  secrets.add("plaintext", plain);
  const std::string what = row.name() + ", " + std::to_string(num_jobs) + " jobs: ";
  vsh_streams* s = nullptr;
  check(what + "vsh_streams_new", secrets, [&] { OK(vsh_streams_new(&s, row.algorithm, prepared.data(), 2, &o)); });
  std::vector<Bytes> outs(num_jobs, Bytes(plain.size() + 16));
  const auto key_of = [&](auto& job, size_t i) {
    job.key = i % 3 == 2 ? brought.data() : nullptr;
    job.key_index = i % 3 % 2;
  };
  for (const vsh_mode mode : {VSH_ECB, VSH_CTR, VSH_CBC, VSH_CFB, VSH_CNT})
    for (const vsh_stream_work work : {VSH_STREAM_ENCRYPT, VSH_STREAM_DECRYPT, VSH_STREAM_MAC}) {
      if (mode != VSH_ECB && (vsh_iv_len(row.algorithm, mode) == 0 || work == VSH_STREAM_MAC)) continue;
      std::vector<vsh_stream_job> jobs(num_jobs);
      for (size_t i = 0; i < num_jobs; ++i) {
        vsh_stream_job& job = jobs[i];
        job = {};
        job.work = work, job.mode = mode, job.iv = iv.data();
        job.iv_len = work == VSH_STREAM_MAC ? 0 : vsh_iv_len(row.algorithm, mode);
        job.in = plain.data(), job.in_len = plain.size();
        job.out = outs[i].data(), job.out_len = work == VSH_STREAM_MAC ? row.block() : plain.size();
        key_of(job, i);
      }
      OK(vsh_streams_run(s, jobs.data(), jobs.size()));
      Secrets all = keys;
      if (work != VSH_STREAM_DECRYPT) all.add("plaintext", plain);
      for (const Bytes& out : outs) {
        if (work == VSH_STREAM_DECRYPT) all.add("plaintext", out);
        const bool is_gamma = work != VSH_STREAM_MAC && mode != VSH_ECB && mode != VSH_CBC;
        if (is_gamma) all.add("keystream", exclusive_or(plain, out));
      }
      check(what + "vsh_streams_run, mode " + std::to_string(mode) + ", work " + std::to_string(work), all,
            [&] { OK(vsh_streams_run(s, jobs.data(), jobs.size())); });
    }
  if (row.algorithm == VSH_GOST28147) return vsh_streams_free(s);

  const size_t tag_len = row.block();
  const Bytes nonce(16, 0x24);
  for (size_t i = 0; i < 3; ++i)
    add_multipliers(secrets, row, i == 2 ? brought : Bytes(prepared.begin() + 32 * static_cast<ptrdiff_t>(i),
                                                           prepared.begin() + 32 * static_cast<ptrdiff_t>(i + 1)),
                    nonce, plain.size() / row.block() + 2);
  std::vector<vsh_mgm_job> jobs(num_jobs);
  for (size_t i = 0; i < num_jobs; ++i) {
    vsh_mgm_job& job = jobs[i];
    job = {};
    job.work = VSH_STREAM_ENCRYPT, job.nonce = nonce.data(), job.nonce_len = row.block();
    job.data = brought.data(), job.data_len = 0;
    job.in = plain.data(), job.in_len = plain.size(), job.out = outs[i].data(), job.out_len = plain.size() + tag_len;
    job.tag_len = tag_len;
    key_of(job, i);
  }
  OK(vsh_streams_mgm(s, jobs.data(), jobs.size()));
  for (const Bytes& out : outs) secrets.add("keystream", exclusive_or(plain, out));
  check(what + "vsh_streams_mgm, sealing", secrets, [&] { OK(vsh_streams_mgm(s, jobs.data(), jobs.size())); });
  std::vector<Bytes> opened(num_jobs, Bytes(plain.size()));
  for (size_t i = 0; i < num_jobs; ++i) {
    secrets.add("right tag", outs[i].data() + plain.size(), tag_len);
    jobs[i].work = VSH_STREAM_DECRYPT, jobs[i].in = outs[i].data(), jobs[i].in_len = plain.size() + tag_len;
    jobs[i].out = opened[i].data(), jobs[i].out_len = plain.size();
  }
  check(what + "vsh_streams_mgm, opening", secrets, [&] { OK(vsh_streams_mgm(s, jobs.data(), jobs.size())); });
  EXPECT_EQ(opened[0], plain);
  for (Bytes& out : outs)
    for (size_t i = plain.size(); i < plain.size() + tag_len; ++i) out[i] ^= 0xFF;
  check(what + "vsh_streams_mgm of wrong tags", secrets,
        [&] { EXPECT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), VSH_E_JOB); });
  vsh_streams_free(s);
}

TEST(Stack, Streams) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA, VSH_GOST28147})
    for (const Row& row : rows(a))
      for (const size_t num_jobs : {size_t{1}, size_t{70}}) check_streams(row, num_jobs);
}

// HMAC and what stands on it, with each kernel of Streebog.
TEST(Stack, Derivations) {
  SKIP_UNLESS_OPTIMISED();
  Random random(10);
  const Bytes key = random.bytes(32), label(8, 0x31), seed(8, 0x32);
  std::vector<std::string> variants{""};
  for (const vsh::HashKernel* row : vsh::hash_kernels())
    if (vsh::runnable(row->info) && row->info.constant_time) variants.emplace_back(row->info.variant);
  for (const vsh::HashLanesKernel* row : vsh::hash_lanes_kernels())
    if (vsh::runnable(row->info)) variants.emplace_back(row->info.variant);
  for (const std::string& variant : variants) {
    vsh_options o = options();
    o.kernel = variant.empty() ? nullptr : variant.c_str();
    const std::string what = "streebog " + variant + ": ";
    Secrets secrets;
    secrets.add_key("the key", key);
    secrets.add("the key and ipad", exclusive_or(key, Bytes(32, 0x36)));
    secrets.add("the key and opad", exclusive_or(key, Bytes(32, 0x5C)));
    for (const vsh_mac_algorithm a : {VSH_HMAC_STREEBOG256, VSH_HMAC_STREEBOG512}) {
      Secrets more = secrets;
      check_mac(what, a, key, o, more);
    }
    Bytes out(96);
    const auto derives = [&](const char* name, auto call) {
      call();
      Secrets all = secrets;
      all.add(std::string("output of ") + name, out);
      check(what + name, all, call);
    };
    derives("vsh_kdf", [&] {
      OK(vsh_kdf(out.data(), 32, key.data(), key.size(), label.data(), label.size(), seed.data(), seed.size(), &o));
    });
    derives("vsh_kdf_tree", [&] {
      OK(vsh_kdf_tree(out.data(), out.size(), key.data(), key.size(), 2, label.data(), label.size(), seed.data(),
                      seed.size(), &o));
    });
    for (size_t i = 0; const char* const name = vsh_prf_name(i); ++i) {
      vsh_prf_algorithm a;
      OK(vsh_prf_by_name(&a, name));
      const size_t label_len = a == VSH_PRF_TLS_256 || a == VSH_PRF_TLS_512 ? label.size() : 0;
      derives(name, [&] {
        OK(vsh_prf(out.data(), out.size(), a, key.data(), key.size(), label.data(), label_len, seed.data(),
                   seed.size(), &o));
      });
    }
    derives("vsh_pbkdf2", [&] {
      OK(vsh_pbkdf2(out.data(), out.size(), key.data(), key.size(), seed.data(), seed.size(), 7, &o));
    });
    std::vector<Bytes> outs(70, Bytes(64));
    std::vector<vsh_pbkdf2_job> passwords(70);
    std::vector<vsh_hmac_job> macs(70);
    for (size_t i = 0; i < 70; ++i) {
      passwords[i] = {key.data(), key.size(), seed.data(), seed.size(), 7, outs[i].data(), outs[i].size(), VSH_OK};
      macs[i] = {key.data(), key.size(), seed.data(), seed.size(), outs[i].data(), outs[i].size(), VSH_OK};
    }
    check(what + "vsh_pbkdf2_batch", secrets, [&] { OK(vsh_pbkdf2_batch(passwords.data(), 70, &o)); });
    check(what + "vsh_streams_hmac", secrets, [&] { OK(vsh_streams_hmac(VSH_HMAC_STREEBOG512, macs.data(), 70, &o)); });
    vsh_tlstree* tls = nullptr;
    vsh_esptree* esp = nullptr;
    check(what + "vsh_tlstree_new", secrets,
          [&] { OK(vsh_tlstree_new(&tls, VSH_TLSTREE_KUZNYECHIK_MGM_S, key.data(), key.size(), &o)); });
    check(what + "vsh_esptree_new", secrets, [&] { OK(vsh_esptree_new(&esp, key.data(), key.size(), &o)); });
    out.assign(96, 0);
    derives("vsh_tlstree_key", [&, number = uint64_t{0}]() mutable {
      OK(vsh_tlstree_key(tls, out.data(), 32, ++number << 40));
      OK(vsh_tlstree_key(tls, out.data(), 32, 1));
    });
    derives("vsh_esptree_key", [&] {
      OK(vsh_esptree_key(esp, out.data(), 32, 1, 2, 4));
      OK(vsh_esptree_key(esp, out.data(), 32, 1, 2, 3));
    });
    vsh_tlstree_free(tls);
    vsh_esptree_free(esp);
  }
}

}  // namespace
