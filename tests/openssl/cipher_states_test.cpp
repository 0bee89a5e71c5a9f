// Random programs of EVP_CIPHER calls without authentication (support/states.hpp).
#include <algorithm>
#include <cstring>
#include <optional>

#include "openssl/support/states.hpp"

namespace vsh::test::evp {
namespace {

// docs/openssl.md, of a cipher without authentication; over the library's calls for whole messages.
class CipherModel {
 public:
  explicit CipherModel(const CipherName& name) : n(name), block(vsh_block_len(name.algorithm)) {}

  CipherName n;  // with the S-boxes and meshing that are set
  size_t block;
  size_t section = 0;
  Bytes key, iv;
  bool encrypts = true, pads = true;
  enum { fresh, within, ended, failed } stage = fresh;

  // Since the last step, a call that the page says is refused though OpenSSL's own ciphers take it.
  bool was_refused = false;

  void init(const Bytes* new_key, const Bytes* new_iv, bool encrypt) {
    stage = fresh;
    encrypts = encrypt;
    if (new_key) key = *new_key, goes_on_ = false;
    if (new_iv && n.iv_len()) iv = to(*new_iv, n.iv_len()), is_iv_new_ = true;
    held_.clear();
    num_ = 0;
  }

  Step update(const Bytes& in) {
    if (!begin()) return {false, {}};
    if (n.is_block_mode()) {
      held_ = joined(held_, in);
      size_t whole = held_.size() / block * block;
      if (!encrypts && pads && whole && whole == held_.size()) whole -= block;
      Step step{true, crypt_blocks(to(held_, whole))};
      held_ = from(held_, whole);
      return step;
    }
    const size_t before = message_.size();
    message_ = joined(message_, in);
    num_ = message_.size() % block;
    vsh_options o = n.options();
    o.section_len = section;
    return {true, from(reference(n, encrypts, message_, o, key, iv), before)};
  }

  Step final() {
    if (key.empty()) return {false, {}};
    if (!n.is_block_mode()) return {};
    if (!begin()) return {false, {}};
    Step step;
    stage = ended;
    Bytes last = held_;
    held_.clear();
    if (encrypts && pads) {
      last.resize(block, static_cast<uint8_t>(block - last.size()));
      step.out = crypt_blocks(last);
    } else if (encrypts || !pads) {
      if (last.size() % block) stage = failed;
      else step.out = crypt_blocks(last);
    } else if (last.size() != block) {
      stage = failed;
    } else {
      step.out = crypt_blocks(last);
      const size_t padding = step.out.back();
      if (padding == 0 || padding > block ||
          !std::all_of(step.out.end() - static_cast<long>(padding), step.out.end(),
                       [&](uint8_t b) { return b == padding; }))
        stage = failed;
      else step.out.resize(block - padding);
    }
    step.ok = stage == ended;
    if (!step.ok) step.out.clear();
    return step;
  }

  std::optional<Bytes> updated_iv() {
    if (n.iv_len() && iv.empty()) return std::nullopt;
    if (stage == failed) return std::nullopt;
    if (n.mode == VSH_CBC) return stage == fresh ? iv : chain_;
    if (n.is_counter_mode()) {
      if (!is_iv_new_ && !(goes_on_ && message_.empty())) return std::nullopt;
      return iv;
    }
    if (n.is_block_mode() || stage != within || message_.empty()) return iv;
    if (message_.size() % block || n.meshing != VSH_MESHING_NONE) return std::nullopt;
    // The register: ciphertext of CFB, keystream of OFB.
    const Bytes out = reference(n, encrypts, message_, n.options(), key, iv);
    Bytes last = from(n.mode == VSH_CFB && !encrypts ? message_ : out, out.size() - block);
    if (n.mode == VSH_OFB)
      for (size_t i = 0; i < block; ++i) last[i] ^= message_[message_.size() - block + i];
    return last;
  }
  size_t num() const { return num_; }
  size_t num_held() const { return held_.size(); }

  // Sets a parameter that no longer fits the keystream; not within a message.
  template <class T>
  bool change(T& parameter, T value) {
    if (parameter == value) return true;
    if (stage == within) return false;
    parameter = value;
    goes_on_ = false;
    return true;
  }

 private:
  bool begin() {
    if (stage == within) return true;
    if (stage == failed) return was_refused = true, false;
    if (key.empty()) return false;
    if (n.is_counter_mode()) {
      if (!is_iv_new_ && !goes_on_) return was_refused = true, false;
      if (is_iv_new_) message_.clear();
      message_.resize((message_.size() + block - 1) / block * block);
      is_iv_new_ = false;
      goes_on_ = true;
    } else {
      if (n.iv_len() && iv.empty()) return was_refused = true, false;
      message_.clear();
      if (stage == fresh) chain_ = iv;
    }
    stage = within;
    return true;
  }

  Bytes crypt_blocks(const Bytes& in) {
    if (in.empty()) return in;
    const Bytes out = reference(n, encrypts, in, n.options(false), key, chain_);
    chain_ = from(encrypts ? out : in, in.size() - block);
    return out;
  }

  Bytes held_, chain_, message_;
  bool is_iv_new_ = false;
  bool goes_on_ = false;  // in counter modes: there is keystream to go on with
  size_t num_ = 0;
};

// The cipher of OpenSSL of the same mode and, where that matters, the same block.
const char* in_kind(const CipherName& n) {
  const bool is_128 = n.algorithm == VSH_KUZNYECHIK;
  switch (n.mode) {
    case VSH_ECB: return is_128 ? "aes-256-ecb" : "des-ede3-ecb";
    case VSH_CBC: return is_128 ? "aes-256-cbc" : "des-ede3-cbc";
    case VSH_CFB: return is_128 ? "aes-256-cfb" : "des-ede3-cfb";
    case VSH_OFB: return is_128 ? "aes-256-ofb" : "des-ede3-ofb";
    default: return "aes-256-ctr";
  }
}

class CipherProgram {
 public:
  CipherProgram(const CipherName& n, Random& random)
      : random_(random), model_(n), ours_(vershina(), n.name), kind_(vershina(), in_kind(n)) {
    if (n.in_gostprov && gostprov().missing().empty()) gost_.emplace(gostprov(), n.name);
  }

  void run() {
    init(true, true);
    for (size_t steps = 3 + random_.below(14); steps && !testing::Test::HasFailure(); --steps) step();
    errors();
  }

 private:
  void step() {
    was_ended_ = model_.stage == CipherModel::ended;  // known: behind final gostprov goes on otherwise
    switch (random_.below(16)) {
      case 0: return init(random_.below(4) == 0, random_.below(2));
      case 1:
      case 2: return init(false, true);
      case 3: return init(false, false);
      case 4:
      case 5:
      case 6: return final();
      case 7: return set_padding(static_cast<int>(random_.below(2)));
      case 8: return copy();
      case 9: return look_at_ivs();
      case 10: return set_parameter();
      default: return update();
    }
  }

  // A key is given or not; the first init has all and the cipher.
  void init(bool with_key, bool with_iv) {
    const bool is_first = !was_begun_;
    const int direction = is_first || random_.below(3) == 0 ? static_cast<int>(random_.below(2)) : -1;
    if (is_first && random_.below(8) == 0) with_iv = false;
    if (with_key) key_ = random_.bytes(32);
    if (with_iv) iv_ = random_.bytes(16);
    said_ += std::string(" init ") + (with_key ? "key " : "") + (with_iv ? "iv " : "") + std::to_string(direction);
    const bool encrypts = direction < 0 ? model_.encrypts : direction;
    model_.init(with_key ? &key_ : nullptr, with_iv ? &iv_ : nullptr, encrypts);
    const auto all = [&](Actor& actor) {
      return actor.init(is_first, with_key ? key_.data() : nullptr, with_iv ? iv_.data() : nullptr, direction);
    };
    EXPECT_TRUE(all(ours_)) << said_ << errors();
    // OpenSSL's DES takes 24 bytes of a key, which is longer here.
    EXPECT_TRUE(all(kind_)) << said_ << errors();
    if (gost_) {
      // Known: its streams keep their position over an init, and nothing restarts without an IV.
      if (!is_first && !(with_iv && model_.n.is_block_mode())) gost_->is_dead = true;
      if (!gost_->is_dead && !all(*gost_)) gost_->is_dead = true;
    }
    was_begun_ = true;
  }

  void update() {
    size_t len = random_.below(70);
    if (random_.below(3) == 0) len = len / model_.block * model_.block;
    if (random_.below(8) == 0) len = random_.below(2500);
    const Bytes in = random_.bytes(len);
    const bool in_place = random_.below(2) && model_.num_held() == 0;
    said_ += " update " + std::to_string(len) + (in_place ? " in place" : "");
    compare(model_.update(in), [&](Actor& actor) { return actor.update(in, in_place); });
  }

  void final() {
    said_ += " final";
    // Whether random bytes end in a padding differs from cipher to cipher.
    const bool is_chance = !model_.encrypts && model_.pads && model_.num_held() == model_.block;
    const Step expected = model_.final();
    if (is_chance) kind_.is_dead = true;
    compare(expected, [](Actor& actor) { return actor.final(); });
  }

  template <class Act>
  void compare(const Step& expected, Act act) {
    const Step ours = act(ours_);
    EXPECT_EQ(ours.ok, expected.ok) << said_ << errors();
    EXPECT_EQ(ours.out, expected.out) << said_;
    if (model_.was_refused || model_.stage == CipherModel::failed) kind_.is_dead = true;
    if (!kind_.is_dead) {
      const Step kind = act(kind_);
      EXPECT_EQ(kind.ok, expected.ok) << said_ << " in kind: " << errors();
      EXPECT_EQ(kind.out.size(), expected.out.size()) << said_ << " in kind";
    }
    if (gost_ && (!expected.ok || was_ended_)) gost_->is_dead = true;
    if (gost_ && !gost_->is_dead) {
      const Step theirs = act(*gost_);
      EXPECT_TRUE(theirs.ok) << said_ << " gostprov: " << errors();
      EXPECT_EQ(theirs.out, expected.out) << said_ << " gostprov";
    }
  }

  void set_padding(int pads) {
    said_ += " pad " + std::to_string(pads);
    model_.pads = pads;
    EXPECT_TRUE(EVP_CIPHER_CTX_set_padding(ours_.c.get(), pads)) << said_ << errors();
    EXPECT_TRUE(EVP_CIPHER_CTX_set_padding(kind_.c.get(), pads)) << said_ << errors();
    if (gost_) gost_->is_dead = true;
  }

  void copy() {
    said_ += " copy";
    EXPECT_TRUE(ours_.copy()) << said_ << errors();
    EXPECT_TRUE(kind_.copy());
    if (gost_ && !gost_->is_dead) {
      EXPECT_TRUE(gost_->copy()) << said_ << errors();
    }
  }

  void look_at_ivs() {
    said_ += " iv";
    const size_t len = model_.n.iv_len();
    if (len == 0) return;
    Bytes got(len), first(len);
    EXPECT_TRUE(EVP_CIPHER_CTX_get_original_iv(ours_.c.get(), first.data(), len)) << said_ << errors();
    if (!model_.iv.empty()) {
      EXPECT_EQ(first, model_.iv) << said_;
    }
    EXPECT_EQ(EVP_CIPHER_CTX_get_num(ours_.c.get()), static_cast<int>(model_.num())) << said_;
    const bool is_there = EVP_CIPHER_CTX_get_updated_iv(ours_.c.get(), got.data(), len);
    const std::optional<Bytes> expected = model_.updated_iv();
    EXPECT_EQ(is_there, expected.has_value()) << said_ << errors();
    if (expected && is_there) {
      EXPECT_EQ(got, *expected) << said_;
    }
    errors();
  }

  void set_parameter() {
    CipherName& n = model_.n;
    if (n.mode == VSH_CTR_ACPKM) {
      size_t section = model_.block << (1 + random_.below(8));
      said_ += " section " + std::to_string(section);
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("key-mesh", &section), OSSL_PARAM_construct_end()};
      set(params, model_.change(model_.section, section));
    } else if (n.algorithm == VSH_GOST28147 && random_.below(2)) {
      const bool is_a = random_.below(2);
      char name[] = "cryptopro-a", other[] = "tc26-z";
      said_ += std::string(" sbox ") + (is_a ? name : other);
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("sbox", is_a ? name : other, 0),
                                   OSSL_PARAM_construct_end()};
      set(params, model_.change(n.sbox, is_a ? VSH_SBOX_CRYPTOPRO_A : VSH_SBOX_TC26_Z));
    } else if (n.algorithm == VSH_GOST28147 && !n.is_block_mode()) {
      unsigned meshes = static_cast<unsigned>(random_.below(2));
      said_ += " meshing " + std::to_string(meshes);
      const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("key-mesh", &meshes), OSSL_PARAM_construct_end()};
      set(params, model_.change(n.meshing, meshes ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE));
    }
  }
  void set(const OSSL_PARAM* params, bool expected) {
    EXPECT_EQ(EVP_CIPHER_CTX_set_params(ours_.c.get(), params), expected) << said_ << errors();
    errors();
    if (gost_) gost_->is_dead = true;
  }

  Random& random_;
  CipherModel model_;
  Actor ours_, kind_;
  std::optional<Actor> gost_;
  Bytes key_, iv_;
  bool was_begun_ = false, was_ended_ = false;
  std::string said_ = seed_note() + ":";
};

TEST(EvpStates, Ciphers) {
  if (!gostprov().missing().empty())
    std::printf("SKIPPED: not compared with gostprov: %s\n", gostprov().missing().c_str());
  run_programs(60, kCiphers, [](const auto& n, Random& random) { CipherProgram(n, random).run(); });
}

}  // namespace
}  // namespace vsh::test::evp
