// Any change of a sealed file is detected, and only a prefix of the plaintext is released. The numbers of changes are
// printed, which would reveal an empty check.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "sealed/support/sealed_file.hpp"
#include "support/random.hpp"

namespace {

using namespace vsh::test;

// If a check of every bit would take minutes, every seventh is flipped: at least one of each byte, all positions in
// turn.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(VSH_SANITIZED)
constexpr size_t kStep = 1;
#else
constexpr size_t kStep = 7;
#endif

constexpr size_t kChunk = 4096, kSealed = kChunk + VSH_SEALED_TAG_LEN, kHeader = kShortHeader, kSlot = kShortSlot;

// One unlocked opener for many payloads.
class Payloads {
 public:
  explicit Payloads(const Bytes& file) { EXPECT_EQ(unlock(opener_, file), VSH_OK); }
  Outcome open(const Bytes& payload, size_t piece = SIZE_MAX) {
    EXPECT_EQ(vsh_opener_rewind(opener_.get()), VSH_OK);
    return open_payload(opener_.get(), payload.data(), payload.size(), piece);
  }

 private:
  OpenerPointer opener_;
};

bool is_prefix(const Bytes& part, const Bytes& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

void say(const char* what, size_t num) { std::printf("%zu %s: all detected\n", num, what); }

// ---- The header -----------------------------------------------------------------------------------------------------

vsh_status try_header(const Bytes& file) {
  OpenerPointer opener;
  return unlock(opener, file);
}

TEST(Tampering, EveryBitOfASlot) {
  const Bytes original = seal(counted(20000)).bytes;  // longer than any header
  ASSERT_EQ(header_len_of(original), kHeader);
  size_t num = 0;
  for (const size_t slot : {0, 1}) {
    Bytes file = original;
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>((1 - slot) * kSlot), kSlot, uint8_t{0});
    ASSERT_EQ(try_header(file), VSH_OK);
    for (size_t bit = 0; bit < 8 * kSlot; bit += kStep, ++num) {
      uint8_t& byte = file[slot * kSlot + bit / 8];
      byte ^= static_cast<uint8_t>(1 << bit % 8);
      EXPECT_EQ(try_header(file), VSH_E_FORMAT) << bit;
      byte ^= static_cast<uint8_t>(1 << bit % 8);
    }
  }
  say("flipped bits of slots", num);
}

// An attacker can compute the digest: the MAC, or the wrap, must detect it.
TEST(Tampering, EveryBitOfASlotWithItsDigest) {
  Bytes file = seal(counted(20000), {key_recipient(), key_recipient(kOtherKey)}).bytes;
  std::fill_n(file.begin() + kSlot, kSlot, uint8_t{0});
  const Bytes original = file;
  size_t num = 0, by_status[VSH_E_RANDOM + 1] = {};
  for (size_t byte = 0; byte < kSlot - 32; ++byte)
    for (int bit = 0; bit < 8; ++bit, ++num) {
      file[byte] ^= static_cast<uint8_t>(1 << bit);
      write_digest(file.data());
      const vsh_status status = try_header(file);
      EXPECT_TRUE(status == VSH_E_FORMAT || status == VSH_E_TRUNCATED || status == VSH_E_VERSION ||
                  status == VSH_E_PARAMETERS || status == VSH_E_WRONG_KEY)
          << byte << " " << status;
      ++by_status[status];
      std::copy_n(original.begin(), kSlot, file.begin());
    }
  for (const vsh_status s : {VSH_E_FORMAT, VSH_E_VERSION, VSH_E_PARAMETERS, VSH_E_WRONG_KEY})
    EXPECT_GT(by_status[s], 0u) << s;
  say("flipped bits of a slot with a digest that fits", num);
}

TEST(Tampering, OneDamagedSlotDoesNoHarm) {
  const Bytes plaintext = counted(5), file = seal(plaintext).bytes;
  for (const size_t slot : {0, 1})
    for (const size_t byte : {0, 9, 12, 40, 50, 56, 57, 70, 100, 400, 460, 500}) {
      Bytes damaged = file;
      damaged[slot * kSlot + byte] ^= 0x10;
      const Outcome opened = open(damaged);
      EXPECT_EQ(opened.status, VSH_OK);
      EXPECT_EQ(opened.bytes, plaintext);
      vsh_sealed_info info;
      ASSERT_EQ(vsh_sealed_inspect(&info, damaged.data(), damaged.size()), VSH_OK);
      EXPECT_EQ(info.slots[slot].status, VSH_E_FORMAT);
      EXPECT_EQ(info.slots[1 - slot].status, VSH_OK);
      EXPECT_EQ(info.slot, 1 - slot);
      EXPECT_NE(info.slots_differ, 0);
    }
}

// ---- The payload ----------------------------------------------------------------------------------------------------

// Every bit of a file of one chunk; of one with two, every place.
TEST(Tampering, EveryBitOfThePayload) {
  size_t num = 0;
  for (const size_t len : {size_t{13}, kChunk + 5}) {
    const Bytes plaintext = counted(len), file = seal(plaintext).bytes;
    Payloads payloads(file);
    Bytes payload(file.begin() + kHeader, file.end());
    ASSERT_EQ(payloads.open(payload).bytes, plaintext);
    const size_t end_mark = payload.size() - VSH_SEALED_END_LEN;
    for (size_t bit = 0; bit < 8 * payload.size(); bit += len < kChunk ? 1 : 7, ++num) {
      payload[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const Outcome opened = payloads.open(payload);
      payload[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const bool behind_first = len > kChunk && bit / 8 >= kSealed;
      EXPECT_EQ(opened.status, bit / 8 < end_mark ? VSH_E_CHUNK : VSH_E_TRUNCATED) << bit;
      EXPECT_EQ(opened.chunk, behind_first ? 1u : 0u) << bit;
      EXPECT_EQ(opened.bytes.size(), behind_first ? kChunk : 0) << bit;
      EXPECT_TRUE(is_prefix(opened.bytes, plaintext)) << bit;
    }
  }
  say("flipped bits of payloads", num);
}

TEST(Tampering, EveryTruncation) {
  const Bytes plaintext = counted(2 * kChunk), file = seal(plaintext).bytes;
  vsh_opener* opener = nullptr;
  for (size_t len = 0; len < kHeader; ++len)
    EXPECT_EQ(vsh_opener_new(&opener, file.data(), len, 0, nullptr), len < 8 ? VSH_E_FORMAT : VSH_E_TRUNCATED) << len;
  EXPECT_EQ(opener, nullptr);
  Payloads payloads(file);
  for (size_t len = 0; len < file.size() - kHeader; ++len) {
    const Outcome opened =
        payloads.open(Bytes(file.begin() + kHeader, file.begin() + static_cast<std::ptrdiff_t>(kHeader + len)));
    EXPECT_EQ(opened.status, VSH_E_TRUNCATED) << len;
    EXPECT_EQ(opened.bytes.size(), len > kSealed + VSH_SEALED_END_LEN ? kChunk : 0) << len;
    EXPECT_TRUE(is_prefix(opened.bytes, plaintext)) << len;
  }
  say("truncations", file.size());
}

TEST(Tampering, Extension) {
  const Bytes plaintext = counted(kChunk + 100), file = seal(plaintext).bytes;
  Payloads payloads(file);
  const Bytes payload(file.begin() + kHeader, file.end());
  size_t num = 0;
  for (const size_t len : {1, 7, 8, 9, 16, 24, 100, 3990, 4096, 4112, 4120, 5000, 9000})
    for (const int what : {0, 1, 2}) {  // zeros, the payload's own end again, the whole file again
      Bytes longer = payload;
      if (what == 0) longer.resize(longer.size() + len);
      if (what == 1)
        longer.insert(longer.end(), payload.end() - static_cast<std::ptrdiff_t>(std::min(len, payload.size())),
                      payload.end());
      if (what == 2)
        longer.insert(longer.end(), file.begin(),
                      file.begin() + static_cast<std::ptrdiff_t>(std::min(len, file.size())));
      const Outcome opened = payloads.open(longer);
      EXPECT_TRUE(opened.status == VSH_E_CHUNK || opened.status == VSH_E_TRUNCATED) << len << " " << what;
      EXPECT_TRUE(is_prefix(opened.bytes, plaintext));
      ++num;
    }
  say("extensions", num);
}

// ---- Chunks in other places -----------------------------------------------------------------------------------------

using Chunks = std::vector<Bytes>;

Chunks chunks_of(const Bytes& file) {
  Chunks chunks;
  for (size_t i = kHeader; i < file.size() - VSH_SEALED_END_LEN; i += kSealed)
    chunks.emplace_back(
        file.begin() + static_cast<std::ptrdiff_t>(i),
        file.begin() + static_cast<std::ptrdiff_t>(std::min(i + kSealed, file.size() - VSH_SEALED_END_LEN)));
  return chunks;
}

Bytes payload_of(const Chunks& chunks) {
  Bytes payload;
  for (const Bytes& chunk : chunks) payload.insert(payload.end(), chunk.begin(), chunk.end());
  constexpr uint8_t end_mark[] = {0x89, 'V', 'S', 'H', 'E', 'N', 'D', '\n'};
  payload.insert(payload.end(), std::begin(end_mark), std::end(end_mark));
  return payload;
}

class ChunkSequences : public testing::Test {
 protected:
  void expect_detected(const Chunks& changed) {
    ASSERT_NE(changed, chunks_);
    const Outcome opened = payloads_.open(payload_of(changed));
    EXPECT_TRUE(opened.status == VSH_E_CHUNK || opened.status == VSH_E_TRUNCATED) << opened.status;
    EXPECT_TRUE(is_prefix(opened.bytes, plaintext_));
    EXPECT_LT(opened.bytes.size(), plaintext_.size());
    // Intact chunks before the first change are output, if more follows them.
    const auto good = static_cast<size_t>(
        std::mismatch(chunks_.begin(), chunks_.end(), changed.begin(), changed.end()).first - chunks_.begin());
    EXPECT_LE(opened.bytes.size(), good * kChunk);
    ++num_;
  }
  Random random_;
  const Bytes plaintext_ = Random(1).bytes(5 * kChunk + 1000);
  const Bytes file_ = seal(plaintext_).bytes;
  const Chunks chunks_ = chunks_of(file_);
  Payloads payloads_{file_};
  size_t num_ = 0;
};

TEST_F(ChunkSequences, SwappedRepeatedLeftOut) {
  ASSERT_EQ(payloads_.open(payload_of(chunks_)).bytes, plaintext_);
  const size_t n = chunks_.size();
  for (size_t i = 0; i < n; ++i) {
    Chunks without = chunks_;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    expect_detected(without);
    for (size_t j = 0; j < n; ++j) {
      Chunks changed = chunks_;
      if (i < j) {
        std::swap(changed[i], changed[j]);
        expect_detected(changed);
      }
      if (i != j) {
        (changed = chunks_)[i] = chunks_[j];
        expect_detected(changed);
      }
      (changed = chunks_).insert(changed.begin() + static_cast<std::ptrdiff_t>(j), chunks_[i]);
      expect_detected(changed);
      // Only the beginning or the end, with chunk j as the last.
      if (i <= j && (i > 0 || j + 1 < n))
        expect_detected(Chunks(chunks_.begin() + static_cast<std::ptrdiff_t>(i),
                               chunks_.begin() + static_cast<std::ptrdiff_t>(j) + 1));
    }
  }
  say("swaps, repetitions, omissions and parts of chunk sequences", num_);
}

// Other files of the same recipient: another plaintext, the same one sealed again, other parameters.
TEST_F(ChunkSequences, Spliced) {
  const Bytes same = seal(plaintext_).bytes, other = seal(random_.bytes(plaintext_.size())).bytes;
  for (const Bytes& from : {same, other}) {
    const Chunks theirs = chunks_of(from);
    for (size_t i = 0; i < chunks_.size(); ++i) {
      Chunks changed = chunks_;
      changed[i] = theirs[i];
      expect_detected(changed);  // one chunk
      std::copy(theirs.begin() + static_cast<std::ptrdiff_t>(i), theirs.end(),
                changed.begin() + static_cast<std::ptrdiff_t>(i));
      expect_detected(changed);  // the beginning of one, the end of the other
    }
    Bytes header_of_other = file_;
    std::copy_n(from.begin(), kHeader, header_of_other.begin());
    EXPECT_EQ(open(header_of_other).status, VSH_E_CHUNK);
    ++num_;
    for (const size_t slot : {0, 1}) {  // one slot of each: two histories
      Bytes mixed = file_;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(slot) * kSlot, kSlot,
                  mixed.begin() + static_cast<std::ptrdiff_t>(slot) * kSlot);
      EXPECT_EQ(open(mixed).status, VSH_E_FORMAT);
      ++num_;
    }
  }
  say("spliced files", num_);
}

TEST_F(ChunkSequences, Random) {
  SCOPED_TRACE(seed_note());
  const Chunks theirs = chunks_of(seal(plaintext_).bytes);
  const auto pick = [&](size_t bound) { return static_cast<size_t>(random_.below(bound)); };
  for (int round = 0; round < 1000; ++round) {
    Chunks changed = chunks_;
    for (size_t changes = 1 + pick(4); changes > 0; --changes) {
      if (changed.empty()) break;
      const size_t i = pick(changed.size()), j = pick(changed.size());
      const auto at = changed.begin() + static_cast<std::ptrdiff_t>(i);
      switch (pick(6)) {
        case 0: std::swap(changed[i], changed[j]); break;
        case 1: changed.erase(at); break;
        case 2: changed.insert(at, Bytes(changed[j])); break;
        case 3: changed[i] = theirs[pick(theirs.size())]; break;
        case 4: changed[i][pick(changed[i].size())] ^= static_cast<uint8_t>(1 << pick(8)); break;
        case 5: changed[i].resize(16 + pick(kChunk)); break;
      }
    }
    if (changed != chunks_) expect_detected(changed);
  }
  say("random changes of chunk sequences", num_);
}

}  // namespace
