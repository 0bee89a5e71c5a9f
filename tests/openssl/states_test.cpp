// Random programs of EVP calls. Each step of each cipher, digest and MAC is compared with a model of docs/openssl.md;
// with OpenSSL's own algorithm of the same mode in kind (success, and bytes written); and with gostprov in bytes, as
// long as it is right.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {
namespace {

using Clock = std::chrono::steady_clock;

// For each of the tests below: together at most 10 s, without VERSHINA_TEST_LONG.
Clock::time_point end_of_programs() {
  return Clock::now() + std::chrono::milliseconds(std::getenv("VERSHINA_TEST_LONG") ? 40000 : 2400);
}

struct Step {
  bool ok = true;
  Bytes out;
};

Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
Bytes from(const Bytes& a, size_t begin) { return Bytes(a.begin() + static_cast<long>(begin), a.end()); }
Bytes to(const Bytes& a, size_t end) { return Bytes(a.begin(), a.begin() + static_cast<long>(end)); }

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

  // What the page says is refused though OpenSSL's own ciphers take it, since the last step.
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

// A cipher of one provider, that takes the steps of a program. dead: no longer compared in this program.
struct Actor {
  Actor(const Library& library, const char* name) : cipher(library.cipher(name)), c(EVP_CIPHER_CTX_new()) {
    EXPECT_TRUE(cipher) << name << errors();
  }
  bool init(bool is_first, const uint8_t* key, const uint8_t* iv, int direction) {
    return EVP_CipherInit_ex2(c.get(), is_first ? cipher.get() : nullptr, key, iv, direction, nullptr);
  }
  // In place, or to another buffer.
  Step update(const Bytes& in, bool in_place) {
    Bytes buffer = in, other;
    buffer.resize(in.size() + EVP_MAX_BLOCK_LENGTH);
    other.resize(buffer.size());
    Bytes& out = in_place ? buffer : other;
    int len = 0;
    const bool ok = EVP_CipherUpdate(c.get(), out.data(), &len, buffer.data(), static_cast<int>(in.size()));
    out.resize(static_cast<size_t>(ok ? len : 0));
    return {ok, out};
  }
  Step final() {
    Step step;
    step.ok = evp::final(c.get(), step.out);
    return step;
  }
  // Goes on with a copy, after the original went elsewhere.
  bool copy() {
    CipherCtx twin(EVP_CIPHER_CTX_new());
    if (!EVP_CIPHER_CTX_copy(twin.get(), c.get())) return false;
    update(Bytes(77, 0x55), false);
    c = std::move(twin);
    return true;
  }

  Cipher cipher;
  CipherCtx c;
  bool is_dead = false;
};

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
  Random random(60);
  size_t num = 0;
  for (const Clock::time_point end = end_of_programs(); Clock::now() < end && !HasFailure();)
    for (const CipherName& n : kCiphers) {
      SCOPED_TRACE(n.name);
      CipherProgram(n, random).run();
      ++num;
    }
  std::printf("%zu programs, %s\n", num, seed_note().c_str());
}

// ---- Authenticated encryption

struct AeadName {
  const char* name;
  vsh_aead_algorithm algorithm;
  bool is_mgm;
};
constexpr AeadName kAeads[] = {{"kuznyechik-mgm", VSH_KUZNYECHIK_MGM, true},
                               {"magma-mgm", VSH_MAGMA_MGM, true},
                               {"kuznyechik-ctr-acpkm-omac", VSH_KUZNYECHIK_CTR_ACPKM_OMAC, false},
                               {"magma-ctr-acpkm-omac", VSH_MAGMA_CTR_ACPKM_OMAC, false}};

// A whole message by the C ABI: no tag where it is refused.
Step seal(const AeadName& n, const Bytes& key, const Bytes& nonce, const Bytes& data, const Bytes& text, Bytes& tag) {
  vsh_aead* c = nullptr;
  EXPECT_EQ(vsh_aead_new(&c, n.algorithm, key.data(), 32, tag.size(), nullptr), VSH_OK);
  Bytes out(text.size());
  const vsh_status s =
      vsh_aead_seal_apart(c, out.data(), tag.data(), tag.size(), nonce.data(), vsh_aead_nonce_len(n.algorithm),
                          data.data(), data.size(), text.data(), text.size());
  vsh_aead_free(c);
  return {s == VSH_OK, out};
}

class AeadProgram {
 public:
  AeadProgram(const AeadName& n, Random& random)
      : n_(n), random_(random), ours_(vershina(), n.name), kind_(vershina(), "aes-256-gcm") {
    tag_len_ = vsh_aead_max_tag_len(n.algorithm);
  }

  void run() {
    init(true, random_.below(8) != 0);
    for (size_t steps = 3 + random_.below(14); steps && !testing::Test::HasFailure(); --steps) step();
    errors();
  }

 private:
  void step() {
    switch (random_.below(12)) {
      case 0: return init(random_.below(2), random_.below(3) != 0);
      case 1: return init(false, true);
      case 2:
      case 3: return add_data();
      case 4:
      case 5:
      case 6: return final();
      case 7: return copy();
      case 8: return announce();
      default: return update();
    }
  }

  void init(bool with_key, bool with_iv) {
    const bool is_first = !was_begun_;
    const int direction = is_first || random_.below(3) == 0 ? static_cast<int>(random_.below(2)) : -1;
    if (with_key) key_ = random_.bytes(32);
    bool ok = true;
    if (is_started_) kind_.is_dead = true;  // GCM goes on with the nonce
    if (with_iv) {
      Bytes iv = random_.bytes(16);
      if (n_.is_mgm && random_.below(8)) iv[0] &= 0x7f;
      ok = !n_.is_mgm || iv[0] < 0x80;
      is_nonce_new_ = ok;
      nonce_ = iv;
    }
    if (direction >= 0) encrypts_ = direction;
    has_tag_ = is_started_ = false;
    said_ += std::string(" init ") + (with_key ? "key " : "") + (with_iv ? "iv " : "") + std::to_string(direction);
    const auto all = [&](Actor& a) {
      return a.init(is_first, with_key ? key_.data() : nullptr, with_iv ? nonce_.data() : nullptr, direction);
    };
    EXPECT_EQ(all(ours_), ok) << said_ << errors();
    EXPECT_TRUE(all(kind_)) << said_ << errors();
    kind_.is_dead |= !ok;
    was_begun_ = true;
  }

  // What is refused here GCM may take: a message without any IV.
  bool begin() {
    if (is_started_) return true;
    if (!is_nonce_new_ && !was_nonce_used_) kind_.is_dead = true;
    if (key_.empty() || !is_nonce_new_) return false;
    is_nonce_new_ = false;
    data_.clear(), text_.clear(), out_.clear();
    return is_started_ = was_nonce_used_ = true;
  }

  void add_data() {
    if (!n_.is_mgm) return;
    const Bytes data = random_.bytes(1 + random_.below(50));
    said_ += " data " + std::to_string(data.size());
    const bool ok = begin() && text_.empty();
    if (ok) data_ = joined(data_, data);
    const auto act = [&](Actor& a) {
      int len = 0;
      return EVP_CipherUpdate(a.c.get(), nullptr, &len, data.data(), static_cast<int>(data.size())) > 0;
    };
    EXPECT_EQ(act(ours_), ok) << said_ << errors();
    if (!kind_.is_dead) {
      EXPECT_EQ(act(kind_), ok) << said_ << " in kind: " << errors();
    }
  }

  void update() {
    const Bytes in = random_.bytes(1 + random_.below(random_.below(8) ? 70 : 2000));
    const bool in_place = random_.below(2);
    said_ += " update " + std::to_string(in.size()) + (in_place ? " in place" : "");
    Step expected{begin(), {}};
    if (expected.ok) {
      text_ = joined(text_, in);
      Bytes tag(tag_len_);
      // Of what is decrypted the keystream: zeros sealed.
      Bytes out = seal(n_, key_, nonce_, data_, encrypts_ ? text_ : Bytes(text_.size()), tag).out;
      if (!encrypts_)
        for (size_t i = 0; i < out.size(); ++i) out[i] ^= text_[i];
      expected.out = from(out, out_.size());
      out_ = out;
    }
    const Step ours = ours_.update(in, in_place);
    EXPECT_EQ(ours.ok, expected.ok) << said_ << errors();
    EXPECT_EQ(ours.out, expected.out) << said_;
    if (!kind_.is_dead) {
      EXPECT_EQ(kind_.update(in, in_place).ok, expected.ok) << said_ << " in kind: " << errors();
    }
  }

  void final() {
    bool ok = begin();
    Bytes tag(tag_len_);
    if (ok) ok = seal(n_, key_, nonce_, data_, encrypts_ ? text_ : out_, tag).ok;
    if (is_started_ && !ok) kind_.is_dead = true;  // MGM has no empty message, GCM has
    if (is_started_ && !encrypts_) {
      kind_.is_dead = true;
      const size_t choice = random_.below(4);
      if (choice == 3) {  // without a tag final fails, and the message may still be ended with one
        said_ += " final";
        EXPECT_EQ(ours_.final().ok, false) << said_;
        errors();
      }
      if (choice == 0) tag[random_.below(tag_len_)] ^= 1;
      said_ += choice == 0 ? " set wrong tag" : " set tag";
      EXPECT_GT(EVP_CIPHER_CTX_ctrl(ours_.c.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag_len_), tag.data()), 0)
          << said_ << errors();
      ok = ok && choice != 0;
    }
    said_ += " final";
    EXPECT_EQ(ours_.final().ok, ok) << said_ << errors();
    if (!kind_.is_dead) {
      EXPECT_EQ(kind_.final().ok, ok) << said_ << " in kind: " << errors();
    }
    if (is_started_) has_tag_ = ok && encrypts_, tag_ = tag;
    is_started_ = false;
    Bytes got(tag_len_);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(ours_.c.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag_len_), got.data()) > 0,
              has_tag_)
        << said_;
    if (has_tag_) {
      EXPECT_EQ(got, tag_) << said_;
    }
    errors();
  }

  void copy() {
    said_ += " copy";
    EXPECT_TRUE(ours_.copy()) << said_ << errors();
    EXPECT_TRUE(kind_.copy());
  }

  // The length of a tag belongs to the key: before the first byte.
  void announce() {
    const size_t len = random_.below(2) ? 8 : vsh_aead_max_tag_len(n_.algorithm);
    said_ += " tag of " + std::to_string(len);
    const bool ok = len == tag_len_ || !is_started_;
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(ours_.c.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(len), nullptr) > 0, ok)
        << said_ << errors();
    if (ok && len != tag_len_) tag_len_ = len, has_tag_ = false;
    errors();
  }

  const AeadName& n_;
  Random& random_;
  Actor ours_, kind_;
  Bytes key_, nonce_, data_, text_, out_, tag_;
  size_t tag_len_;
  bool encrypts_ = true, is_nonce_new_ = false, was_nonce_used_ = false, is_started_ = false, has_tag_ = false;
  bool was_begun_ = false;
  std::string said_ = seed_note() + ":";
};

TEST(EvpStates, Aeads) {
  Random random(61);
  size_t num = 0;
  for (const Clock::time_point end = end_of_programs(); Clock::now() < end && !HasFailure();)
    for (const AeadName& n : kAeads) {
      SCOPED_TRACE(n.name);
      AeadProgram(n, random).run();
      ++num;
    }
  std::printf("%zu programs, %s\n", num, seed_note().c_str());
}

// ---- Digests

// Steps of EVP_MD_CTX: what is absorbed since the last init; final ends it.
void run_digest_program(const char* name, vsh_hash_algorithm algorithm, Random& random) {
  const bool has_gostprov = gostprov().missing().empty();
  const Md mds[] = {vershina().md(name), vershina().md("sha512"), has_gostprov ? gostprov().md(name) : nullptr};
  MdCtx contexts[3];
  for (MdCtx& c : contexts) c.reset(EVP_MD_CTX_new());
  Bytes message;
  std::string said = seed_note() + ":";
  enum { none, open, ended } stage = none;
  for (size_t steps = 3 + random.below(12); steps && !testing::Test::HasFailure(); --steps) {
    const size_t choice = stage == none ? 0 : random.below(8);
    const Bytes in = random.bytes(random.below(random.below(6) ? 90 : 3000));
    Bytes expected(vsh_hash_len(algorithm));
    for (size_t i = 0; i < 3; ++i) {
      if (!mds[i]) continue;
      EVP_MD_CTX* const c = contexts[i].get();
      SCOPED_TRACE(i == 0 ? "ours" : i == 1 ? "in kind" : "gostprov");
      // Behind final there is nothing but an init or a copy. (OpenSSL's own digests go on with garbage in 3.0.)
      if (stage == ended && choice > 2) {
        if (i == 0) {
          EXPECT_FALSE(EVP_DigestUpdate(c, in.data(), in.size()) && !in.empty()) << said;
        }
        errors();
        continue;
      }
      switch (choice) {
        case 0:
        case 1: EXPECT_TRUE(EVP_DigestInit_ex2(c, stage == none ? mds[i].get() : nullptr, nullptr)) << said; break;
        case 2: {
          MdCtx twin(EVP_MD_CTX_new());
          EXPECT_TRUE(EVP_MD_CTX_copy_ex(twin.get(), c)) << said << errors();
          if (stage == open) EVP_DigestUpdate(c, "x", 1);
          contexts[i] = std::move(twin);
          break;
        }
        case 3: {
          Bytes got(EVP_MAX_MD_SIZE);
          unsigned len = 0;
          EXPECT_EQ(
              vsh_hash_digest(expected.data(), expected.size(), algorithm, message.data(), message.size(), nullptr),
              VSH_OK);
          EXPECT_TRUE(EVP_DigestFinal_ex(c, got.data(), &len)) << said << errors();
          got.resize(len);
          // gostprov's GOST R 34.11-94 of an empty message is wrong.
          if (i == 1 || (i == 2 && message.empty() && algorithm == VSH_GOST94_CRYPTOPRO)) break;
          EXPECT_EQ(got, expected) << said << " final";
          break;
        }
        default: EXPECT_TRUE(EVP_DigestUpdate(c, in.data(), in.size())) << said << errors();
      }
    }
    said += choice < 2 ? " init" : choice == 2 ? " copy" : choice == 3 ? " final" : " " + std::to_string(in.size());
    if (choice < 2) message.clear(), stage = open;
    else if (choice == 3) stage = ended;
    else if (choice > 3 && stage == open) message = joined(message, in);
  }
}

TEST(EvpStates, Digests) {
  Random random(62);
  size_t num = 0;
  for (const Clock::time_point end = end_of_programs(); Clock::now() < end && !HasFailure(); num += 3) {
    run_digest_program("md_gost12_256", VSH_STREEBOG256, random);
    run_digest_program("md_gost12_512", VSH_STREEBOG512, random);
    run_digest_program("md_gost94", VSH_GOST94_CRYPTOPRO, random);
  }
  std::printf("%zu programs, %s\n", num, seed_note().c_str());
}

// ---- MACs

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
    // Of an empty message gostprov's tags are zeros or the last message's; IMIT of one block depends on its pieces
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
  Random random(63);
  size_t num = 0;
  for (const Clock::time_point end = end_of_programs(); Clock::now() < end && !HasFailure();)
    for (const MacName& n : kMacs) {
      SCOPED_TRACE(n.name);
      MacProgram(n, random).run();
      ++num;
    }
  std::printf("%zu programs, %s\n", num, seed_note().c_str());
}

}  // namespace
}  // namespace vsh::test::evp
