// New recipients for the same payload: the state after each step, and after a crash at any moment.
#include <gtest/gtest.h>

#include <algorithm>

#include "sealed/support/sealed_file.hpp"

namespace {

using namespace vsh::test;

constexpr size_t kSlot = VSH_SEALED_IN_PLACE_SLOT_LEN;

const Bytes kNewKey = counted(40, 3);

class Rekeying : public testing::Test {
 protected:
  Bytes sealed_in_place(const std::vector<vsh_recipient>& recipients) const {
    return seal(plaintext_, recipients, 4096, SIZE_MAX, with_threads(1), kSlot).bytes;
  }
  // Builds the next slot: kSealingKey is removed, kNewKey added.
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
    // Recipients of both generations are never locked out.
    EXPECT_EQ(open(file_, key_recipient(kOtherKey)).bytes, plaintext_);
  }
  vsh_sealed_info inspect() {
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, file_.data(), file_.size()), VSH_OK);
    return info;
  }

  const Bytes plaintext_ = counted(5000);
  Bytes file_ = sealed_in_place({key_recipient(), key_recipient(kOtherKey)});
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

// After an interrupted change the next one begins with the slot not in force.
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
  ASSERT_NE(inspect().slots_differ, 0);
  rekey();
  EXPECT_EQ(first_, 0u);
  write(0);
  expect(VSH_E_WRONG_KEY, VSH_OK);
}

// Intact, of a high generation, but made without the file key: no crash leaves such a slot.
TEST_F(Rekeying, AForeignSlotIsRefused) {
  const Bytes key = counted(32, 9);
  Bytes foreign = sealed_in_place({key_recipient(key)});
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, foreign, key_recipient(key)), VSH_OK);
  ASSERT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, nullptr, 0, nullptr, 0), VSH_OK);
  const Bytes before = file_;
  for (const size_t place : {0, 1}) {
    file_ = before;
    write(place);
    EXPECT_EQ(open(file_).status, VSH_E_FORMAT);
    EXPECT_EQ(open(file_, key_recipient(key)).status, VSH_E_FORMAT);
  }
  // A slot of this file, by its preamble and recipients, but without the MAC: newer, then older than the other.
  file_ = before;
  rekey();
  write(0), write(1);
  slot_ = Bytes(before.begin(), before.begin() + kSlot);
  for (const uint8_t generation : {9, 1})
    for (const size_t place : {0, 1}) {
      slot_[55] = generation, slot_[57] = 1;  // only kSealingKey, the first of two
      std::fill(slot_.begin() + 64 + 176, slot_.end(), uint8_t{0});
      write_digest(slot_.data(), kSlot);
      const Bytes good = file_;
      write(place);
      EXPECT_EQ(open(file_).status, VSH_E_WRONG_KEY);
      EXPECT_EQ(open(file_, key_recipient(kNewKey)).status, generation == 9 ? VSH_E_WRONG_KEY : VSH_E_FORMAT);
      file_ = good;
    }
}

// A crash leaves an old slot together with the new one. The old one does not readmit recipients that the new one lacks.
TEST_F(Rekeying, ARolledBackSlotDoesNotCount) {
  const Bytes old_slot(file_.begin(), file_.begin() + kSlot);
  rekey();
  write(0), write(1);
  slot_ = old_slot;
  for (const size_t place : {0, 1}) {
    const Bytes before = file_;
    write(place);
    expect(VSH_E_WRONG_KEY, VSH_OK);
    file_ = before;
  }
}

// If slot 0 is damaged, the first place of an intact slot of that length is the second one's, regardless of the bytes
// after it: one file has one header.
TEST_F(Rekeying, OnePlaceForTheSecondSlot) {
  const Bytes one = counted(32, 50), two = counted(32, 60);
  Bytes file(20000);
  const auto plant = [&](const Bytes& key, size_t slot_len) {
    const Bytes sealed = seal({}, {key_recipient(key)}, 4096, SIZE_MAX, with_threads(1), slot_len).bytes;
    std::copy_n(sealed.begin(), slot_len, file.begin() + static_cast<std::ptrdiff_t>(slot_len));
  };
  plant(two, 4096);
  OpenerPointer opener;
  EXPECT_EQ(unlock(opener, file, key_recipient(two)), VSH_OK);
  EXPECT_EQ(vsh_opener_header_len(opener.get()), 8192u);
  plant(one, 512);
  EXPECT_EQ(unlock(opener, file, key_recipient(two)), VSH_E_WRONG_KEY);
  EXPECT_EQ(unlock(opener, file, key_recipient(one)), VSH_OK);
  EXPECT_EQ(vsh_opener_header_len(opener.get()), 1024u);
}

// More recipients than a short slot can hold, and back: the same payload at a new offset.
TEST_F(Rekeying, AnotherLength) {
  const Bytes file = seal(plaintext_).bytes;
  ASSERT_EQ(slot_len_of(file), kShortSlot);
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  const std::vector<vsh_recipient> add = {key_recipient(kNewKey), key_recipient(kOtherKey)};
  for (const size_t slot_len : {512, 1024, 2048, 4096, 8192}) {
    Bytes moved(2 * slot_len);
    const vsh_status status =
        vsh_opener_rekey(opener.get(), moved.data(), slot_len, &first_, add.data(), 2, nullptr, 0);
    EXPECT_EQ(status, slot_len == 512 ? VSH_E_CAPACITY : VSH_OK);
    if (status != VSH_OK) continue;
    std::copy_n(moved.begin(), slot_len, moved.begin() + static_cast<std::ptrdiff_t>(slot_len));
    moved.insert(moved.end(), file.begin() + kShortHeader, file.end());
    for (const vsh_recipient& r : {key_recipient(), key_recipient(kNewKey), key_recipient(kOtherKey)})
      EXPECT_EQ(open(moved, r).bytes, plaintext_);
  }
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
  EXPECT_EQ(rekey({}, {0, 1}), VSH_E_ARGUMENT);  // no recipient left
  EXPECT_EQ(rekey(many, {}), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey(many, {0}), VSH_E_CAPACITY);  // 32
  vsh_recipient labelled = add;
  labelled.label = "\n";
  EXPECT_EQ(rekey({labelled}, {}), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey({passphrase_recipient(kNewKey, 1)}, {}), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey({key_recipient(counted(31))}, {}), VSH_E_KEY_LENGTH);
  EXPECT_EQ(rekey({add}, {}, kSlot - 1), VSH_E_PARAMETERS);
  EXPECT_EQ(rekey({add}, {}, 2 * VSH_SEALED_MAX_SLOT_LEN), VSH_E_PARAMETERS);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, nullptr, &add, 1, nullptr, 0), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, nullptr, 1, nullptr, 0), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_rekey(opener.get(), slot_.data(), kSlot, &first_, &add, 1, nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(slot_, untouched);
  EXPECT_EQ(first_, 99u);
  EXPECT_EQ(rekey(std::vector<vsh_recipient>(20, add), {}), VSH_OK);
  vsh_opener* locked = nullptr;
  ASSERT_EQ(vsh_opener_new(&locked, file_.data(), file_.size(), 0, nullptr), VSH_OK);
  EXPECT_EQ(vsh_opener_rekey(locked, slot_.data(), kSlot, &first_, &add, 1, nullptr, 0), VSH_E_STATE);
  vsh_opener_free(locked);
}

}  // namespace
