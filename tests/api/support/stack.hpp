// Inspects the stack after a call of the C ABI: it runs on a thread whose stack is a zeroed buffer, which is searched
// afterwards for keys, plaintext, keystream, round keys and schedules of every row, MGM's multipliers, correct tags of
// messages that failed, unwrapped or derived keys.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>

#include "api/support/contexts.hpp"
#include "core/registry.hpp"
#include "support/random.hpp"
#include "support/subjects.hpp"

namespace vsh::test {

#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNLESS_OPTIMISED() \
  GTEST_SKIP() << "unoptimised and instrumented code keeps copies where no source line put them"
#else
#define SKIP_UNLESS_OPTIMISED()
#endif

#ifdef __SANITIZE_THREAD__
inline constexpr size_t kStackSize = 1 << 22;  // the sanitizer keeps a megabyte of its own there
#else
inline constexpr size_t kStackSize = 1 << 18;
#endif

// Returns the stack after `work`, from the deepest byte that it wrote.
inline Bytes stack_after(const std::function<void()>& work) {
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
  const int error = pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work));
  EXPECT_EQ(error, 0);
  if (error == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return Bytes(std::find_if(stack, stack + sizeof stack, [](uint8_t byte) { return byte != 0; }), stack + sizeof stack);
}

// Search patterns: any 8 neighbouring bytes of a secret, except those that may occur by chance.
class Secrets {
 public:
  static constexpr size_t kWindow = 8;

  void add(const std::string& name, const uint8_t* p, size_t len) {
    for (size_t i = 0; i + kWindow <= len; ++i)
      if (num_distinct(p + i) > kWindow / 2) insert(p + i, name);
  }
  void add(const std::string& name, const Bytes& bytes) { add(name, bytes.data(), bytes.size()); }

  // As given; as 32-bit words of this processor, as in Magma's rounds, also backwards; and each word separately, twice
  // in a row or singly in a register of 64 bits.
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
  std::vector<bool> begins_ = std::vector<bool>(kBeginnings);  // by which most of the searched bytes are skipped
};

inline void check(const std::string& what, const Secrets& secrets, const std::function<void()>& work) {
  const Bytes left = stack_after(work);
  EXPECT_EQ(secrets.found_in(left), "") << what;
}

// A cipher under a key, and a forced row of it; "" for the default ones.
struct Row {
  vsh_cipher_algorithm algorithm;
  std::string variant;

  vsh::Algorithm family() const { return static_cast<vsh::Algorithm>(algorithm - VSH_KUZNYECHIK); }
  size_t block() const { return vsh_block_len(algorithm); }
  std::string name() const {
    return std::string(vsh::algorithm_name(family())) + ' ' + (variant.empty() ? "default" : variant);
  }
  vsh_options options() const {
    vsh_options o = vsh::test::options();
    o.flags = VSH_ALLOW_TABLES;
    o.kernel = variant.empty() ? nullptr : variant.c_str();
    return o;
  }
  std::unique_ptr<Subject> subject(const Bytes& key) const {
    Key k;
    std::copy(key.begin(), key.end(), k.begin());
    if (algorithm == VSH_KUZNYECHIK) return std::make_unique<KuznyechikSubject>(k);
    return std::make_unique<MagmaSubject>(k, family());
  }
  // Adds the key, its round keys, and their form in the rows' schedules.
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
      row->prepare(std::align(vsh::kScheduleAlignment, row->schedule_size, p, space),
                   vsh::RoundKeysView(s->round_keys()).for_row(*row));
      secrets.add("schedule of " + name + " for " + std::string(row->info.variant), static_cast<uint8_t*>(p),
                  row->schedule_size);
    }
  }
};

inline std::vector<Row> rows(vsh_cipher_algorithm a) {
  std::vector<Row> all{{a, ""}};
  for (const vsh::BlockKernel* row : vsh::block_kernels(all[0].family()))
    if (vsh::runnable(row->info)) all.push_back({a, std::string(row->info.variant)});
  return all;
}

inline Bytes exclusive_or(const Bytes& a, const Bytes& b) {
  Bytes sum(std::min(a.size(), b.size()));
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] ^ b[i];
  return sum;
}

#define OK(call) EXPECT_EQ(call, VSH_OK)

inline void check_mac(const std::string& row, vsh_mac_algorithm a, const Bytes& key, const vsh_options& o,
                      Secrets& secrets) {
  const Bytes message = Random(3).bytes(1000);
  vsh_mac* c = nullptr;
  if (const vsh_status s = vsh_mac_new(&c, a, key.data(), key.size(), &o); s != VSH_OK) {
    EXPECT_EQ(s, VSH_E_KERNEL_UNKNOWN) << row;  // IMIT runs only on one-block kernels
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

// Adds MGM's multipliers of the first and the last blocks.
inline void add_multipliers(Secrets& secrets, const Row& row, const Bytes& key, const Bytes& nonce, size_t num) {
  const std::unique_ptr<Subject> subject = row.subject(key);
  const size_t n = row.block();
  Bytes z(nonce.begin(), nonce.begin() + static_cast<ptrdiff_t>(n));
  z[0] |= 0x80;
  subject->encrypt(z.data());
  for (size_t i = 0; i < num; ++i) {
    Bytes h = z;
    subject->encrypt(h.data());
    secrets.add("multiplier of MGM", h);
    for (size_t j = n / 2; j-- > 0 && ++z[j] == 0;) {
    }
  }
}

}  // namespace vsh::test
