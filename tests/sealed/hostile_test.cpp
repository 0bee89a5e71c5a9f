// Malicious headers with correct digests: refused before any long work, each with its own status. And a system without
// random bytes.
#include <gtest/gtest.h>

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sealed/support/sealed_file.hpp"

namespace {

enum class Randomness { interrupted, refused } randomness;
size_t num_calls = 0, num_good = 0;  // the first num_good calls succeed

}  // namespace

// Replaces the C library's function.
extern "C" ssize_t getrandom(void* p, size_t len, unsigned) {
  ++num_calls;
  if (randomness == Randomness::interrupted && num_calls % 2 == 1) {
    errno = EINTR;
    return -1;
  }
  if (randomness == Randomness::refused && num_calls > num_good) {
    errno = ENOSYS;
    return -1;
  }
  std::memset(p, static_cast<int>(num_calls), len);
  return static_cast<ssize_t>(len);
}

namespace {

using namespace vsh::test;

constexpr size_t kSlot = kShortSlot;

const Bytes kPassword = {'s', 'e', 's', 'a', 'm', 'e'};

class Hostile : public testing::Test {
 protected:
  void SetUp() override { randomness = Randomness::interrupted; }
  // Both slots with these bytes overwritten, and digests that fit.
  Bytes with(const Bytes& file, size_t at, const Bytes& bytes) {
    Bytes changed = file;
    for (size_t slot = 0; slot < VSH_SEALED_NUM_SLOTS; ++slot) {
      std::copy(bytes.begin(), bytes.end(), changed.begin() + static_cast<std::ptrdiff_t>(slot * kSlot + at));
      write_digest(&changed[slot * kSlot]);
    }
    return changed;
  }
  vsh_status opening(const Bytes& file, uint64_t max_iterations = 0) {
    vsh_opener* opener = nullptr;
    const vsh_status status = vsh_opener_new(&opener, file.data(), file.size(), max_iterations, nullptr);
    EXPECT_EQ(status == VSH_OK, opener != nullptr);
    vsh_opener_free(opener);
    return status;
  }
};

TEST_F(Hostile, Fields) {
  // Recipient 0 at 64 is a key, recipient 1 at 240 a passphrase. Fields are checked in order.
  const Bytes file = seal(counted(9), {key_recipient(), passphrase_recipient(kPassword, 1000)}).bytes;
  ASSERT_EQ(slot_len_of(file), kSlot);
  const struct {
    size_t at;
    Bytes bytes;
    vsh_status status;
  } fields[] = {
      {0, {'V'}, VSH_E_FORMAT},
      {8, {0, 0}, VSH_E_VERSION},
      {8, {0, 1}, VSH_E_TRUNCATED},  // a slot of version 1 has 4096 bytes
      {8, {0, 3}, VSH_E_VERSION},
      {8, {1, 2}, VSH_E_VERSION},
      {10, {0}, VSH_E_VERSION},
      {10, {2}, VSH_E_VERSION},
      {11, {2}, VSH_E_VERSION},
      {12, {0}, VSH_E_PARAMETERS},
      {12, {11}, VSH_E_PARAMETERS},
      {12, {25, 2}, VSH_E_PARAMETERS},
      {11, {2, 99}, VSH_E_VERSION},
      {13, {2}, VSH_E_VERSION},
      {14, {1}, VSH_E_VERSION},
      {15, {1}, VSH_E_VERSION},
      {48, Bytes(8), VSH_E_PARAMETERS},
      {56, {8}, VSH_E_FORMAT},  // where such a slot ends, there is no digest
      {56, {10}, VSH_E_TRUNCATED},
      {56, {14}, VSH_E_FORMAT},
      {57, {0}, VSH_E_PARAMETERS},
      {57, {1}, VSH_E_VERSION},  // the second recipient is now where there must be none
      {57, {3}, VSH_E_PARAMETERS},
      {57, {255}, VSH_E_PARAMETERS},
      {58, {1}, VSH_E_VERSION},
      {63, {1}, VSH_E_VERSION},
      {64, {0}, VSH_E_VERSION},
      {64, {3}, VSH_E_VERSION},
      {65, {1}, VSH_E_VERSION},  // a key that is derived
      {66, {65}, VSH_E_PARAMETERS},
      {66, {1}, VSH_E_PARAMETERS},  // a label of a zero byte
      {67, {1}, VSH_E_VERSION},
      {68, {0, 0, 4, 0}, VSH_E_PARAMETERS},  // iterations of a key
      {72, {1}, VSH_E_VERSION},
      {79, {1}, VSH_E_VERSION},
      {112, {'x'}, VSH_E_VERSION},   // a label of no length
      {241, {0}, VSH_E_VERSION},     // a passphrase as it is
      {241, {2}, VSH_E_PARAMETERS},  // argon2id in 1000 passes over nothing
      {241, {3}, VSH_E_VERSION},     // another derivation
      {244, Bytes(4), VSH_E_PARAMETERS},
      {244, {0, 0, 3, 0xe7}, VSH_E_PARAMETERS},
      {244, Bytes(4, 0xff), VSH_E_PARAMETERS},
      {244, {4, 0, 0, 1}, VSH_E_PARAMETERS},  // 2^26 + 1
      {244, {4, 0, 0, 0}, VSH_OK},            // unlocking takes 2^26 iterations
      {248, {1}, VSH_E_VERSION},
      {kSlot - 64, Bytes(32), VSH_OK},  // only a secret can check the MAC
  };
  size_t num = 0;
  for (const auto& field : fields) {
    EXPECT_EQ(opening(with(file, field.at, field.bytes)), field.status) << field.at << ": " << +field.bytes[0];
    ++num;
  }
  std::printf("%zu hostile fields\n", num);
  EXPECT_EQ(open(with(file, kSlot - 64, Bytes(32))).status, VSH_E_WRONG_KEY);
}

// The iterations of all passphrases together, by the caller's bound; inspection only reports them.
TEST_F(Hostile, IterationsTogether) {
  const Bytes other = {'o', 'p', 'e', 'n'};
  const Bytes file = seal({}, {passphrase_recipient(kPassword, 1000), passphrase_recipient(other, 1500)}).bytes;
  EXPECT_EQ(opening(file, 2499), VSH_E_PARAMETERS);
  EXPECT_EQ(opening(file, 2500), VSH_OK);
  const Bytes huge = with(file, 68, Bytes(4, 0xff));
  EXPECT_EQ(opening(huge), VSH_E_PARAMETERS);
  EXPECT_EQ(opening(huge, UINT64_MAX), VSH_OK);
  vsh_sealed_info info;
  ASSERT_EQ(vsh_sealed_inspect(&info, huge.data(), huge.size()), VSH_OK);
  EXPECT_EQ(info.recipients[0].iterations, 0xffffffffu);
}

// A whole slot of an unknown version is reported as such; so is one of version 1, whose slots are longer.
TEST_F(Hostile, OtherVersions) {
  const Bytes file = seal(counted(9), {key_recipient()}, 4096, SIZE_MAX, with_threads(1), 4096).bytes;
  for (const unsigned version : {1u, 3u, 0x102u}) {
    Bytes other = file;
    for (uint8_t* const slot : {&other[0], &other[4096]}) {
      slot[8] = static_cast<uint8_t>(version >> 8), slot[9] = static_cast<uint8_t>(version);
      if (version == 1) slot[56] = 0xaa;  // not a length
      write_digest(slot, 4096);
    }
    EXPECT_EQ(opening(other), VSH_E_VERSION);
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, other.data(), other.size()), VSH_E_VERSION);
    EXPECT_EQ(info.version, version);
    // Damage is not mistaken for a version: neither together with an unknown one, nor without it.
    other[9] ^= 0x10;
    EXPECT_EQ(vsh_sealed_inspect(&info, other.data(), other.size()), VSH_E_VERSION);
    EXPECT_EQ(info.version, version) << "that of slot 0, which is damaged";
    other[4096 + 9] ^= 0x10;
    EXPECT_EQ(opening(other), VSH_E_FORMAT);
  }
}

// Two slots that no crash can leave together are detected before any secret is needed.
TEST_F(Hostile, TwoHistories) {
  const Bytes file = seal(counted(9), {key_recipient()}).bytes, other = seal(counted(9), {key_recipient()}).bytes;
  const auto beside = [&](const Bytes& second) {
    Bytes both(file.begin(), file.begin() + kSlot);
    both.insert(both.end(), second.begin(), second.begin() + kSlot);
    both.insert(both.end(), file.begin() + 2 * kSlot, file.end());
    return both;
  };
  const auto expect_tampered = [&](const Bytes& bytes) {
    EXPECT_EQ(opening(bytes), VSH_E_FORMAT);
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, bytes.data(), bytes.size()), VSH_E_FORMAT);
    for (const vsh_sealed_slot_info& slot : info.slots) EXPECT_NE(slot.status, VSH_E_FORMAT);
  };
  expect_tampered(beside(other));                                                          // other preambles
  for (const size_t at : {size_t{9}, size_t{12}, size_t{100}, size_t{200}, kSlot - 40}) {  // equal generations
    Bytes changed = file;
    changed[at] ^= 0x40;
    write_digest(changed.data());
    expect_tampered(beside(changed));
  }
}

TEST_F(Hostile, NoRandomBytes) {
  const Bytes file = seal(counted(9)).bytes;
  randomness = Randomness::refused;
  vsh_sealer* sealer = nullptr;
  EXPECT_EQ(vsh_sealer_new(&sealer, 0, nullptr), VSH_E_RANDOM);  // the file key
  EXPECT_EQ(sealer, nullptr);
  num_calls = 0, num_good = 1;
  ASSERT_EQ(vsh_sealer_new(&sealer, 0, nullptr), VSH_OK);
  const SealerPointer owner(sealer);
  const vsh_recipient r = key_recipient();
  EXPECT_EQ(vsh_sealer_add_recipient(sealer, &r), VSH_E_RANDOM);
  uint8_t header[kShortHeader];
  EXPECT_EQ(vsh_sealer_header(sealer, header, sizeof header), VSH_E_STATE);  // no recipient was added
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  size_t first = 99;
  EXPECT_EQ(vsh_opener_rekey(opener.get(), header, kSlot, &first, &r, 1, nullptr, 0), VSH_E_RANDOM);
  EXPECT_EQ(first, 99u);
}

}  // namespace
