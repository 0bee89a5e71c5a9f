// The values of docs/sealed-format.md, which tests/sealed/independent.py made: each step, and whole files in both
// directions.
#include <gtest/gtest.h>

#include "sealed/header.hpp"
#include "sealed/payload.hpp"
#include "sealed/support/sealed_file.hpp"
#include "support/vec.hpp"

namespace {

using namespace vsh;
using namespace vsh::test;
using vec::Record;

sealed::Suite suite() {
  return {choose_hash_kernel({}, false).row, choose_block_kernel(Algorithm::kuznyechik, {}, false),
          choose_product_kernel().row, 1};
}

void set(sealed::FileKey& key, const Bytes& bytes) { std::copy(bytes.begin(), bytes.end(), key->begin()); }

sealed::Slot slot_of(const Record& r) {
  sealed::Slot slot{};
  sealed::FileKey key;
  set(key, r.bytes("FileKey"));
  slot.chunk_log2 = 12;
  slot.len = r.has("Slot") ? r.bytes("Slot").size() : sealed::kMinSlotLen;
  slot.preamble = sealed::make_preamble(12, r.has("Content") ? static_cast<uint8_t>(r.number("Content")) : 0);
  sealed::make_file_id(suite().hash, slot.preamble.data() + sealed::at::file_id, slot.preamble.data(), key);
  EXPECT_EQ(Bytes(slot.file_id().begin(), slot.file_id().end()), r.bytes("FileId")) << r.where();
  return slot;
}

// The recipients of a file, wrapped again from their secrets, salts and iterations.
void add_recipients(sealed::Slot& slot, const sealed::FileKey& key, const Bytes& file_id) {
  for (const Record& r : vec::read(
           "sealed.vec", "recipient",
           {"FileId", "FileKey", "Content", "Kind", "Secret", "Salt", "Count", "Label", "Key", "MacKey", "Out"})) {
    if (r.bytes("FileId") != file_id) continue;
    const Bytes secret = r.bytes("Secret"), salt = r.bytes("Salt");
    sealed::Recipient& added = slot.recipients[slot.num_recipients++];
    added.kind = static_cast<uint8_t>(r.number("Kind"));
    added.iterations = static_cast<uint32_t>(r.number("Count"));
    std::copy(salt.begin(), salt.end(), added.salt.begin());
    const Bytes label = r.bytes("Label");
    std::copy(label.begin(), label.end(), added.label.begin());
    sealed::wrap_file_key(suite(), added, slot, {added.kind, secret}, key);
    EXPECT_EQ(Bytes(added.wrapped.begin(), added.wrapped.end()), r.bytes("Out")) << r.where();
  }
}

std::vector<Record> files() {
  return vec::read("sealed.vec", "file",
                   {"FileId", "FileKey", "Content", "Generation", "MacKey", "Key", "Slot", "Length", "Payload"});
}

TEST(SealedVectors, Seal) {
  for (const Record& r : files()) {
    SCOPED_TRACE(r.where());
    sealed::FileKey key;
    set(key, r.bytes("FileKey"));
    sealed::Slot slot = slot_of(r);
    slot.generation = r.number("Generation");
    add_recipients(slot, key, r.bytes("FileId"));
    ASSERT_GT(slot.num_recipients, 0u);
    Bytes written(slot.len);
    sealed::seal_slot(suite().hash, written.data(), slot, key);
    EXPECT_EQ(written, r.bytes("Slot"));

    sealed::Payload payload(suite(), key, slot);
    const Bytes plaintext = counted(r.number("Length"));
    const size_t num = payload.layout().num_chunks(plaintext.size());
    Bytes chunks(plaintext.size() + num * sealed::kTagLen);
    payload.seal(chunks.data(), {0, num, plaintext.data(), num, nullptr, plaintext.size() - (num - 1) * 4096, true});
    chunks.insert(chunks.end(), sealed::kEndMark, sealed::kEndMark + sealed::kEndLen);
    EXPECT_EQ(chunks, r.bytes("Payload"));
  }
}

TEST(SealedVectors, DerivedKeys) {
  for (const Record& r : files()) {
    sealed::FileKey key;
    set(key, r.bytes("FileKey"));
    Bytes derived(32);
    sealed::derive(suite().hash, derived.data(), key.value, sealed::kLabelHeader, r.bytes("FileId"));
    EXPECT_EQ(derived, r.bytes("MacKey")) << r.where();
  }
}

// A chunk of any number decrypts under the key that the vectors say, and under no other.
TEST(SealedVectors, ChunkKeys) {
  for (const Record& r : vec::read("sealed.vec", "chunk key", {"FileId", "FileKey", "Index", "Key"})) {
    SCOPED_TRACE(r.where());
    sealed::FileKey key;
    set(key, r.bytes("FileKey"));
    const sealed::Slot slot = slot_of(r);
    sealed::Payload payload(suite(), key, slot);
    const Bytes plaintext = counted(100);
    Bytes chunk(plaintext.size() + sealed::kTagLen), back(plaintext.size());
    payload.seal(chunk.data(), {r.number("Index"), 1, plaintext.data(), 1, nullptr, plaintext.size(), true});
    uint8_t nonce[16] = {0, 0, 0, 0, 0, 0, 0, 1};
    for (int i = 0; i < 8; ++i) nonce[8 + i] = static_cast<uint8_t>(r.number("Index") >> (56 - 8 * i));
    const sealed::MgmKey chunk_key(suite(), r.bytes("Key").data());
    EXPECT_TRUE(chunk_key.open(back.data(), chunk.data(), plaintext.size(), nonce, slot.preamble));
    EXPECT_EQ(back, plaintext);
  }
}

TEST(SealedVectors, Open) {
  size_t num = 0;
  for (const Record& r : files()) {
    Bytes file = r.bytes("Slot");
    file.resize(2 * file.size());
    std::copy_n(file.begin(), file.size() / 2, file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
    const Bytes payload = r.bytes("Payload");
    file.insert(file.end(), payload.begin(), payload.end());
    for (const Record& recipient : vec::read(
             "sealed.vec", "recipient",
             {"FileId", "FileKey", "Content", "Kind", "Secret", "Salt", "Count", "Label", "Key", "MacKey", "Out"})) {
      const Bytes secret = recipient.bytes("Secret");
      const vsh_recipient who = {static_cast<vsh_recipient_kind>(recipient.number("Kind")), secret.data(),
                                 secret.size(), 0, nullptr};
      const Outcome opened = open(file, who);
      const bool is_theirs = recipient.bytes("FileId") == r.bytes("FileId");
      num += is_theirs;
      EXPECT_EQ(opened.status, is_theirs ? VSH_OK : VSH_E_WRONG_KEY) << r.where() << ", " << recipient.where();
      EXPECT_EQ(opened.bytes, is_theirs ? counted(r.number("Length")) : Bytes());
    }
  }
  EXPECT_EQ(num, 6u);
}

}  // namespace
