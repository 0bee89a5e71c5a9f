// Random programs of EVP_CIPHER calls with authentication (support/states.hpp).
#include <algorithm>
#include <cstring>

#include "openssl/support/states.hpp"

namespace vsh::test::evp {
namespace {

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

  // GCM may take a message without any IV, which is refused here.
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
      // To decrypt, the keystream: zeros sealed.
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
  run_programs(61, kAeads, [](const auto& n, Random& random) { AeadProgram(n, random).run(); });
}

}  // namespace
}  // namespace vsh::test::evp
