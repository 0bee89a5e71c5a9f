// Other recipients for the same payload: what holds after each step, and after a crash at any moment of it.
#include <gtest/gtest.h>

#include "sealed_file.hpp"

namespace {

using namespace vsh::test;

constexpr size_t kSlot = VSH_SEALED_SLOT_LEN;

const Bytes kNewKey = counted(40, 3);

class Rekeying : public testing::Test {
 protected:
  // The next slot: kSealingKey is taken away, kNewKey added.
  void rekey() {
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, file_), VSH_OK);
    size_t index = 99;
    ASSERT_EQ(vsh_opener_recipient(opener.get(), &index), VSH_OK);
    const vsh_recipient add = key_recipient(kNewKey);
    ASSERT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, &add, 1, &index, 1), VSH_OK);
  }
  void write(size_t place, size_t len = kSlot) {
    std::copy_n(slot_.begin(), len, file_.begin() + static_cast<std::ptrdiff_t>(place * kSlot));
  }
  void expect(vsh_status old_secret, vsh_status new_secret) {
    const Outcome by_old = open(file_), by_new = open(file_, key_recipient(kNewKey));
    EXPECT_EQ(by_old.status, old_secret);
    EXPECT_EQ(by_new.status, new_secret);
    EXPECT_EQ(by_old.bytes, old_secret == VSH_OK ? plaintext_ : Bytes());
    EXPECT_EQ(by_new.bytes, new_secret == VSH_OK ? plaintext_ : Bytes());
    // Who is in both generations is never locked out.
    EXPECT_EQ(open(file_, key_recipient(kOtherKey)).bytes, plaintext_);
  }
  vsh_sealed_info inspect() {
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, file_.data(), file_.size()), VSH_OK);
    return info;
  }

  const Bytes plaintext_ = counted(5000);
  Bytes file_ = seal(plaintext_, {key_recipient(), key_recipient(kOtherKey)}).bytes;
  Bytes slot_ = Bytes(kSlot);
  size_t first_ = 99;
};

TEST_F(Rekeying, StepByStep) {
  expect(VSH_OK, VSH_E_WRONG_KEY);
  rekey();
  ASSERT_EQ(first_, 1u);  // both are alike: slot 0 counts as the one that holds
  write(first_);
  expect(VSH_E_WRONG_KEY, VSH_OK);
  EXPECT_NE(inspect().slots_differ, 0);
  EXPECT_EQ(inspect().slots[0].generation, 1u);
  EXPECT_EQ(inspect().generation, 2u);
  write(1 - first_);
  expect(VSH_E_WRONG_KEY, VSH_OK);
  EXPECT_EQ(inspect().slots_differ, 0);
  EXPECT_EQ(inspect().num_recipients, 2u);
}

// A crash may leave any beginning of a slot written.
TEST_F(Rekeying, TornAtAnyByte) {
  rekey();
  const Bytes before = file_;
  for (size_t len = 0; len <= kSlot; len += len % 512 < 4 || len > 4030 ? 1 : 127) {
    file_ = before;
    write(first_, len);
    const bool is_whole =
        std::equal(slot_.begin(), slot_.end(), file_.begin() + static_cast<std::ptrdiff_t>(first_ * kSlot));
    SCOPED_TRACE(len);
    is_whole ? expect(VSH_E_WRONG_KEY, VSH_OK) : expect(VSH_OK, VSH_E_WRONG_KEY);
    write(first_);
    write(1 - first_, len);
    expect(VSH_E_WRONG_KEY, VSH_OK);
  }
}

// After an interrupted change the next one begins with the slot that does not hold.
TEST_F(Rekeying, GoesOnAfterInterruption) {
  rekey();
  write(first_);
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file_, key_recipient(kNewKey)), VSH_OK);
  const vsh_recipient add = key_recipient();
  ASSERT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, &add, 1, nullptr, 0), VSH_OK);
  EXPECT_EQ(first_, 0u);
  write(0);
  expect(VSH_OK, VSH_OK);
  EXPECT_EQ(inspect().generation, 3u);
  EXPECT_EQ(inspect().num_recipients, 3u);
}

TEST_F(Rekeying, ADamagedSlotIsReplacedFirst) {
  file_[10] ^= 1;  // of slot 0
  rekey();
  EXPECT_EQ(first_, 0u);
  write(0);
  expect(VSH_E_WRONG_KEY, VSH_OK);
}

// Whole, of a high generation, but not made by somebody who knows the file key.
TEST_F(Rekeying, AForeignSlotDoesNotCount) {
  Bytes foreign = seal(plaintext_, {key_recipient(counted(32, 9))}).bytes;
  for (int i = 0; i < 3; ++i) {
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, foreign, key_recipient(counted(32, 9))), VSH_OK);
    size_t first;
    ASSERT_EQ(vsh_opener_rekey(opener.get(), foreign.data(), kSlot, &first, nullptr, 0, nullptr, 0), VSH_OK);
    std::copy_n(foreign.begin(), kSlot, foreign.begin() + kSlot);
  }
  std::copy_n(foreign.begin(), kSlot, file_.begin() + kSlot);
  EXPECT_EQ(inspect().slot, 1u);
  expect(VSH_OK, VSH_E_WRONG_KEY);
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file_), VSH_OK);
  vsh_sealed_info info;
  ASSERT_EQ(vsh_opener_inspect(opener.get(), &info), VSH_OK);
  EXPECT_EQ(info.slot, 0u);
  EXPECT_EQ(info.slots[1].status, VSH_E_FORMAT);
  rekey();
  EXPECT_EQ(first_, 1u);
}

TEST_F(Rekeying, Misuse) {
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file_), VSH_OK);
  const vsh_recipient add = key_recipient(kNewKey);
  const std::vector<vsh_recipient> many(31, add);
  const Bytes untouched = slot_;
  const auto rekey = [&](std::vector<vsh_recipient> adds, std::vector<size_t> removes, size_t capacity = kSlot) {
    return vsh_opener_rekey(opener.get(), slot_.data(), capacity, &first_, adds.data(), adds.size(), removes.data(),
                            removes.size());
  };
  EXPECT_EQ(rekey({}, {2}), VSH_E_ARGUMENT);
  EXPECT_EQ(rekey({}, {0, 0}), VSH_E_ARGUMENT);
  EXPECT_EQ(rekey({}, {0, 1}), VSH_E_ARGUMENT);  // nobody left
  EXPECT_EQ(rekey(many, {}), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey({passphrase_recipient(kNewKey, 1)}, {}), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey({key_recipient(counted(31))}, {}), VSH_E_KEY_LENGTH);
  EXPECT_EQ(rekey({add}, {}, kSlot - 1), VSH_E_CAPACITY);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, nullptr, &add, 1, nullptr, 0), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, nullptr, 1, nullptr, 0), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, &add, 1, nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(slot_, untouched);
  EXPECT_EQ(first_, 99u);
  EXPECT_EQ(rekey(many, {0}), VSH_OK);
  vsh_opener* locked = nullptr;
  ASSERT_EQ(vsh_opener_new(&locked, file_.data(), file_.size(), 0, nullptr), VSH_OK);
  EXPECT_EQ(vsh_opener_rekey(locked, slot_.data(), kSlot, &first_, &add, 1, nullptr, 0), VSH_E_STATE);
  vsh_opener_free(locked);
}

}  // namespace
