// Random programs of EVP_MAC calls (support/states.hpp).
#include "openssl/support/states.hpp"

namespace vsh::test::evp {
namespace {

struct MacName {
  const char* name;
  vsh_mac_algorithm algorithm;
  size_t size;  // of a tag by default
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
};
constexpr MacName kMacs[] = {
    {"kuznyechik-mac", VSH_KUZNYECHIK_MAC, 16},
    {"magma-mac", VSH_MAGMA_MAC, 8},
    {"gost-mac", VSH_GOST28147_IMIT, 4, VSH_SBOX_CRYPTOPRO_A, VSH_MESHING_CRYPTOPRO},
    {"gost-mac-12", VSH_GOST28147_IMIT, 4, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    {"kuznyechik-ctr-acpkm-omac", VSH_KUZNYECHIK_OMAC_ACPKM, 16},
    {"magma-ctr-acpkm-omac", VSH_MAGMA_OMAC_ACPKM, 8},
};

Bytes mac_of(const MacName& n, const Bytes& key, const Bytes& message, size_t size, size_t section) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.sbox = n.sbox;
  o.key_meshing = n.meshing;
  o.section_len = section;
  vsh_mac* c = nullptr;
  Bytes tag(size);
  EXPECT_EQ(vsh_mac_new(&c, n.algorithm, key.data(), 32, &o), VSH_OK);
  EXPECT_EQ(vsh_mac_update(c, message.data(), message.size()), VSH_OK);
  EXPECT_EQ(vsh_mac_final(c, tag.data(), size), VSH_OK);
  vsh_mac_free(c);
  return tag;
}

class MacProgram {
 public:
  MacProgram(const MacName& n, Random& random) : n_(n), random_(random) {
    c_.reset(EVP_MAC_CTX_new(vershina().mac(n.name).get()));
    // In kind: CMAC under AES. gostprov's second final ends the process: it gets one message.
    kind_.reset(EVP_MAC_CTX_new(vershina().mac("CMAC").get()));
    if (const Mac theirs = gostprov().mac(n.name)) theirs_.reset(EVP_MAC_CTX_new(theirs.get()));
    char aes[] = "aes-256-cbc";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", aes, 0), OSSL_PARAM_construct_end()};
    EXPECT_TRUE(EVP_MAC_CTX_set_params(kind_.get(), params));
  }

  void run() {
    if (random_.below(8)) init(true);
    for (size_t steps = 3 + random_.below(14); steps && !testing::Test::HasFailure(); --steps) step();
    errors();
  }

 private:
  void step() {
    switch (random_.below(10)) {
      case 0: return init(true);
      case 1: return init(false);
      case 2:
      case 3: return final();
      case 4: return copy();
      case 5: return set_size();
      case 6: return set_parameter();
      default: return update();
    }
  }

  void init(bool with_key) {
    said_ += with_key ? " init key" : " init";
    if (with_key) key_ = random_.bytes(32);
    const uint8_t* const key = with_key ? key_.data() : nullptr;
    EXPECT_TRUE(EVP_MAC_init(c_.get(), key, with_key ? 32 : 0, nullptr)) << said_ << errors();
    if (!with_key && key_.empty()) return;
    EXPECT_TRUE(EVP_MAC_init(kind_.get(), key, with_key ? 32 : 0, nullptr)) << said_ << errors();
    is_kind_dead_ = false;
    if (was_begun_ || !theirs_ || !EVP_MAC_init(theirs_.get(), key, 32, nullptr)) theirs_.reset();
    was_begun_ = true;
    is_started_ = false;
    message_.clear();
  }

  void update() {
    const Bytes in = random_.bytes(1 + random_.below(random_.below(6) ? 60 : 2000));
    said_ += " " + std::to_string(in.size());
    const bool ok = !key_.empty();
    EXPECT_EQ(EVP_MAC_update(c_.get(), in.data(), in.size()), ok) << said_ << errors();
    if (!ok) return;
    if (!is_kind_dead_) {
      EXPECT_TRUE(EVP_MAC_update(kind_.get(), in.data(), in.size())) << said_ << errors();
    }
    if (theirs_) {
      EXPECT_TRUE(EVP_MAC_update(theirs_.get(), in.data(), in.size())) << said_ << errors();
    }
    message_ = joined(message_, in);
    is_started_ = true;
  }

  void final() {
    said_ += " final";
    Bytes got(16), expected;
    size_t len = 0;
    const bool ok = !key_.empty();
    EXPECT_EQ(EVP_MAC_final(c_.get(), got.data(), &len, got.size()), ok) << said_ << errors();
    if (!ok) return;
    got.resize(len);
    expected = mac_of(n_, key_, message_, n_.size, section_);
    EXPECT_EQ(got, expected) << said_;
    Bytes other(16);
    if (!is_kind_dead_) {
      EXPECT_TRUE(EVP_MAC_final(kind_.get(), other.data(), &len, other.size())) << said_ << errors();
    }
    is_kind_dead_ = true;  // behind final CMAC goes on with garbage
    // For an empty message gostprov's tags are zeros or the last message's; IMIT of one block depends on its pieces
    // there.
    const bool is_right = message_.size() > (n_.algorithm == VSH_GOST28147_IMIT ? 8 : 0);
    if (theirs_ && is_right && EVP_MAC_final(theirs_.get(), other.data(), &len, other.size())) {
      other.resize(len);
      EXPECT_EQ(other, expected) << said_ << " gostprov";
    }
    theirs_.reset();
    is_started_ = false;
    message_.clear();
  }

  void copy() {
    said_ += " copy";
    for (MacCtx* const c : {&c_, &kind_}) {
      if (key_.empty()) continue;
      MacCtx twin(EVP_MAC_CTX_dup(c->get()));
      EXPECT_TRUE(twin) << said_ << errors();
      EVP_MAC_update(c->get(), key_.data(), 17);
      *c = std::move(twin);
    }
  }

  void set_size() {
    size_t size = 1 + random_.below(vsh_mac_max_len(n_.algorithm));
    said_ += " size " + std::to_string(size);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end()};
    EXPECT_TRUE(EVP_MAC_CTX_set_params(c_.get(), params)) << said_ << errors();
    n_.size = size;
    theirs_.reset();
  }

  // Not within a message.
  void set_parameter() {
    theirs_.reset();
    if (n_.algorithm == VSH_GOST28147_IMIT) {
      unsigned meshes = static_cast<unsigned>(random_.below(2));
      said_ += " meshing " + std::to_string(meshes);
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("key-mesh", &meshes), OSSL_PARAM_construct_end()};
      EXPECT_EQ(EVP_MAC_CTX_set_params(c_.get(), params), !is_started_) << said_ << errors();
      if (!is_started_) n_.meshing = meshes ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE;
    } else if (n_.algorithm == VSH_KUZNYECHIK_OMAC_ACPKM || n_.algorithm == VSH_MAGMA_OMAC_ACPKM) {
      size_t section = size_t{32} << random_.below(6);
      said_ += " section " + std::to_string(section);
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("key-mesh", &section), OSSL_PARAM_construct_end()};
      EXPECT_EQ(EVP_MAC_CTX_set_params(c_.get(), params), !is_started_) << said_ << errors();
      if (!is_started_) section_ = section;
    }
    errors();
  }

  MacName n_;
  Random& random_;
  MacCtx c_, kind_, theirs_;
  Bytes key_, message_;
  size_t section_ = 0;
  bool was_begun_ = false, is_started_ = false, is_kind_dead_ = true;
  std::string said_ = seed_note() + ":";
};

TEST(EvpStates, Macs) {
  run_programs(63, kMacs, [](const auto& n, Random& random) { MacProgram(n, random).run(); });
}

}  // namespace
}  // namespace vsh::test::evp
