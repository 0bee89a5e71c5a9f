// Kernels by name, through the C ABI: by option and by environment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "api/support/contexts.hpp"

namespace {

using namespace vsh::test;

// For algorithms whose kernels are of the family.
template <class F>
void for_each_algorithm(const vsh_kernel_info& k, F&& f) {
  const std::string family = k.family;
  if (family == "kuznyechik") f("kuznyechik", VSH_KUZNYECHIK);
  if (family == "magma") f("magma", VSH_MAGMA);
  if (family == "magma") f("gost28147", VSH_GOST28147);
}

vsh_status status_when_forced(const vsh_kernel_info& k, bool allow_tables) {
  if (!k.runnable) return VSH_E_KERNEL_CPU;
  return k.constant_time || allow_tables ? VSH_OK : VSH_E_KERNEL_TABLES;
}

class Environment {
 public:
  explicit Environment(const std::string& value) { setenv("VERSHINA_KERNEL", value.c_str(), 1); }
  ~Environment() { unsetenv("VERSHINA_KERNEL"); }
};

TEST(Kernels, AForcedKernelIsTheOneThatRuns) {
  unsetenv("VERSHINA_KERNEL");
  for (const vsh_kernel_info& k : kernels()) {
    for (const bool allow : {false, true}) {
      for_each_algorithm(k, [&](const char* name, vsh_cipher_algorithm a) {
        const auto check = [&](const vsh_options& o) {
          vsh_cipher* c = nullptr;
          const vsh_status status = vsh_cipher_new(&c, a, VSH_ECB, VSH_ENCRYPT, kKey.data(), 32, nullptr, 0, &o);
          EXPECT_EQ(status, status_when_forced(k, allow)) << name << ':' << k.variant;
          if (!c) return;
          EXPECT_STREQ(vsh_cipher_kernel(c), k.variant);
          EXPECT_STREQ(vsh_cipher_kernel_one_block(c), k.variant);
          vsh_cipher_free(c);
        };
        vsh_options o = options();
        o.flags = allow ? VSH_ALLOW_TABLES : VSH_INPUT_IS_PUBLIC;  // the latter is only for hashes
        o.kernel = k.variant;
        check(o);
        o.kernel = nullptr;
        const Environment environment("streebog:portable," + std::string(name) + ":" + k.variant);
        check(o);
      });
      if (std::string(k.family) != "streebog") continue;
      for (const uint32_t flag : {VSH_ALLOW_TABLES, VSH_INPUT_IS_PUBLIC}) {
        vsh_options o = options();
        o.flags = allow ? flag : 0;
        for (const bool by_environment : {false, true}) {
          o.kernel = nullptr;
          // Rows for many messages leave a single one to the default.
          const std::string expected = k.lanes > 1 ? vsh_hash_kernel(make_hash(VSH_STREEBOG256, o).get()) : k.variant;
          if (!by_environment) o.kernel = k.variant;
          if (by_environment) setenv("VERSHINA_KERNEL", (std::string("streebog:") + k.variant).c_str(), 1);
          vsh_hash* c = nullptr;
          EXPECT_EQ(vsh_hash_new(&c, VSH_STREEBOG256, &o), status_when_forced(k, allow)) << k.variant;
          if (c) {
            EXPECT_EQ(vsh_hash_kernel(c), expected);
          }
          vsh_hash_free(c);
          unsetenv("VERSHINA_KERNEL");
        }
      }
    }
  }
}

// IMIT runs on one-block rows that implement it; a row that this CPU lacks and an unknown one have different statuses.
TEST(Kernels, AForcedKernelOfImitRunsOrIsRefusedWithItsReason) {
  unsetenv("VERSHINA_KERNEL");
  size_t accepted = 0;
  for (const vsh_kernel_info& k : kernels()) {
    if (std::string(k.family) != "magma") continue;
    vsh_options o = options();
    o.kernel = k.variant;
    vsh_mac* c = nullptr;
    const vsh_status status = vsh_mac_new(&c, VSH_GOST28147_IMIT, kKey.data(), 32, &o);
    const bool is_serial = std::string_view(k.variant).starts_with("serial");
    EXPECT_EQ(status, is_serial ? status_when_forced(k, false) : VSH_E_KERNEL_UNKNOWN) << k.variant;
    if (!c) continue;
    EXPECT_STREQ(vsh_mac_kernel(c), k.variant);
    vsh_mac_free(c);
    ++accepted;
  }
  EXPECT_GT(accepted, 0u);
}

// A misspelt name would silently leave the default in force: every algorithm refuses it.
TEST(Kernels, ANameThatDoesNotExistIsRefusedByAllAlgorithms) {
  const Environment environment("kuznyechik:portable,streebog:nonsense");
  EXPECT_EQ(try_new(VSH_KUZNYECHIK, VSH_ECB), VSH_E_KERNEL_UNKNOWN);
  EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB), VSH_E_KERNEL_UNKNOWN);
  vsh_mac* imit = nullptr;
  EXPECT_EQ(vsh_mac_new(&imit, VSH_GOST28147_IMIT, kKey.data(), 32, nullptr), VSH_E_KERNEL_UNKNOWN);
}

TEST(Kernels, UnknownNamesAreRefused) {
  for (const char* name : {"", "nonsense", "AVX2", "avx2 ", "kuznyechik:avx2"}) {
    vsh_options o = options();
    o.kernel = name;
    EXPECT_EQ(try_new(VSH_KUZNYECHIK, VSH_ECB, &o), VSH_E_KERNEL_UNKNOWN) << name;
    vsh_mac* mac = nullptr;
    vsh_hash* hash = nullptr;
    EXPECT_EQ(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey.data(), 32, &o), VSH_E_KERNEL_UNKNOWN);
    EXPECT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, kKey.data(), 32, &o), VSH_E_KERNEL_UNKNOWN);
    EXPECT_EQ(vsh_hash_new(&hash, VSH_STREEBOG512, &o), VSH_E_KERNEL_UNKNOWN);
  }
}

TEST(Kernels, TablesAreNeverTheDefault) {
  unsetenv("VERSHINA_KERNEL");
  for (const vsh_kernel_info& k : kernels()) {
    if (k.constant_time) continue;
    EXPECT_FALSE(k.chosen || k.chosen_one_block) << k.family << ':' << k.variant;
    if (std::string(k.family) != "kuznyechik") continue;
    EXPECT_STRNE(vsh_cipher_kernel(make(VSH_KUZNYECHIK, VSH_CBC).get()), k.variant);
    EXPECT_STRNE(vsh_cipher_kernel_one_block(make(VSH_KUZNYECHIK, VSH_CBC).get()), k.variant);
    EXPECT_STRNE(vsh_mac_kernel(make_mac(VSH_KUZNYECHIK_MAC).get()), k.variant);
  }
  EXPECT_EQ(std::string_view(vsh_mac_kernel(make_mac(VSH_GOST28147_IMIT).get())).substr(0, 6), "serial");
}

TEST(Kernels, NamesAreNeverNull) {
  EXPECT_STREQ(vsh_cipher_kernel(nullptr), "");
  EXPECT_STREQ(vsh_cipher_kernel_one_block(nullptr), "");
  EXPECT_STREQ(vsh_mac_kernel(nullptr), "");
  EXPECT_STREQ(vsh_hash_kernel(nullptr), "");
  EXPECT_EQ(vsh_kernel(0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_update_capacity(nullptr, 16), 0u);
}

}  // namespace
