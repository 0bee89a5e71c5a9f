// Headers that somebody made to do harm, digests and all: refused before any long work, each with its own status. And a
// system that gives no random bytes.
#include <gtest/gtest.h>

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "sealed_file.hpp"

namespace {

enum class Randomness { interrupted, refused } randomness;
size_t num_calls = 0, num_good = 0;  // the first num_good calls succeed

}  // namespace

// In the C library's place.
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

constexpr size_t kSlot = VSH_SEALED_SLOT_LEN;

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
  // Recipient 0 at 80 is a key, recipient 1 at 176 a passphrase.
  const Bytes file = seal(counted(9), {key_recipient(), passphrase_recipient(kPassword, 1000)}).bytes;
  const struct {
    size_t at;
    Bytes bytes;
    vsh_status status;
  } fields[] = {
      {0, {'V'}, VSH_E_FORMAT},
      {8, {0, 2}, VSH_E_VERSION},
      {8, {1, 1}, VSH_E_VERSION},
      {10, {0}, VSH_E_VERSION},
      {10, {2}, VSH_E_VERSION},
      {11, {2}, VSH_E_VERSION},
      {12, {0}, VSH_E_PARAMETERS},
      {12, {11}, VSH_E_PARAMETERS},
      {12, {25}, VSH_E_PARAMETERS},
      {12, {255}, VSH_E_PARAMETERS},
      {13, {2}, VSH_E_VERSION},
      {14, {1}, VSH_E_VERSION},
      {31, {1}, VSH_E_VERSION},
      {64, Bytes(8), VSH_E_PARAMETERS},
      {72, {0}, VSH_E_PARAMETERS},
      {72, {1}, VSH_E_VERSION},  // the second recipient is now where there must be none
      {72, {3}, VSH_E_VERSION},  // a third one of zeros
      {72, {33}, VSH_E_PARAMETERS},
      {72, {255}, VSH_E_PARAMETERS},
      {79, {1}, VSH_E_VERSION},
      {80, {0}, VSH_E_VERSION},
      {80, {3}, VSH_E_VERSION},
      {81, {1}, VSH_E_VERSION},
      {84, {0, 0, 4, 0}, VSH_E_PARAMETERS},  // iterations of a key
      {88, {1}, VSH_E_VERSION},
      {180, Bytes(4), VSH_E_PARAMETERS},  // of a passphrase
      {180, {0, 0, 3, 0xe7}, VSH_E_PARAMETERS},
      {180, Bytes(4, 0xff), VSH_E_PARAMETERS},
      {180, {4, 0, 0, 1}, VSH_E_PARAMETERS},  // 2^26 + 1
      {180, {4, 0, 0, 0}, VSH_OK},            // whoever unlocks this waits, as 2^26 iterations take
      {4031, {1}, VSH_E_VERSION},
      {4032, Bytes(32), VSH_OK},  // whether the MAC is right, a secret tells
  };
  size_t num = 0;
  for (const auto& field : fields) {
    EXPECT_EQ(opening(with(file, field.at, field.bytes)), field.status) << field.at << ": " << +field.bytes[0];
    ++num;
  }
  std::printf("%zu hostile fields\n", num);
  EXPECT_EQ(open(with(file, 4032, Bytes(32))).status, VSH_E_FORMAT);
}

// The iterations of all passphrases together, by the caller's bound; who only inspects is told them.
TEST_F(Hostile, IterationsTogether) {
  const Bytes other = {'o', 'p', 'e', 'n'};
  const Bytes file = seal({}, {passphrase_recipient(kPassword, 1000), passphrase_recipient(other, 1500)}).bytes;
  EXPECT_EQ(opening(file, 2499), VSH_E_PARAMETERS);
  EXPECT_EQ(opening(file, 2500), VSH_OK);
  const Bytes huge = with(file, 84, Bytes(4, 0xff));
  EXPECT_EQ(opening(huge), VSH_E_PARAMETERS);
  EXPECT_EQ(opening(huge, UINT64_MAX), VSH_OK);
  vsh_sealed_info info;
  ASSERT_EQ(vsh_sealed_inspect(&info, huge.data(), huge.size()), VSH_OK);
  EXPECT_EQ(info.recipients[0].iterations, 0xffffffffu);
  // One hostile slot does not keep the other from being used.
  Bytes half = huge;
  std::copy_n(file.begin(), kSlot, half.begin());
  EXPECT_EQ(opening(half), VSH_OK);
}

TEST_F(Hostile, NoRandomBytes) {
  const Bytes file = seal(counted(9)).bytes;
  randomness = Randomness::refused;
  vsh_sealer* sealer = nullptr;
  for (num_good = 0; num_good < 2; ++num_good) {  // the file id, the file key
    num_calls = 0;
    EXPECT_EQ(vsh_sealer_new(&sealer, 0, nullptr), VSH_E_RANDOM);
    EXPECT_EQ(sealer, nullptr);
  }
  num_calls = 0;
  ASSERT_EQ(vsh_sealer_new(&sealer, 0, nullptr), VSH_OK);
  const SealerPointer owner(sealer);
  const vsh_recipient r = key_recipient();
  EXPECT_EQ(vsh_sealer_add_recipient(sealer, &r), VSH_E_RANDOM);
  uint8_t header[VSH_SEALED_HEADER_LEN];
  EXPECT_EQ(vsh_sealer_header(sealer, header, sizeof header), VSH_E_STATE);  // nobody was added
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  size_t first = 99;
  EXPECT_EQ(vsh_opener_rekey(opener.get(), header, sizeof header, &first, &r, 1, nullptr, 0), VSH_E_RANDOM);
  EXPECT_EQ(first, 99u);
}

}  // namespace
