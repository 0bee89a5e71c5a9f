// Passphrases by argon2id: the loaded library, round trips with PBKDF2 and keys, costs at their bounds, and hostile
// costs, each alone and all together. Without libargon2 nothing is derived, and all else works.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "sealed/argon2id.hpp"
#include "sealed/support/sealed_file.hpp"

namespace {

using namespace vsh::test;

const Bytes kPassword = {'s', 'e', 's', 'a', 'm', 'e'}, kOther = {'o', 'p', 'e', 'n'};
constexpr vsh_argon2id kCheap = {1, 8, 1};

#define NEED_ARGON2ID() \
  if (!vsh::sealed::has_argon2id()) GTEST_SKIP() << "libargon2 is not installed"

// A file of a key, a passphrase by PBKDF2, and those of `costs` by argon2id, the password being the last one's.
Outcome sealed_by(const std::vector<vsh_argon2id>& costs, size_t slot_len = 0) {
  Outcome r;
  vsh_sealer* made = nullptr;
  if ((r.status = vsh_sealer_new(&made, 4096, nullptr))) return r;
  const SealerPointer sealer(made);
  const vsh_recipient key = key_recipient(), other = passphrase_recipient(kOther, 1000);
  if ((r.status = vsh_sealer_add_recipient(made, &key))) return r;
  if ((r.status = vsh_sealer_add_recipient(made, &other))) return r;
  for (size_t i = 0; i < costs.size(); ++i) {
    const vsh_recipient secret = passphrase_recipient(i + 1 == costs.size() ? kPassword : kSealingKey);
    if ((r.status = vsh_sealer_set_argon2id(made, &costs[i]))) return r;
    if ((r.status = vsh_sealer_add_recipient(made, &secret))) return r;
  }
  if ((r.status = vsh_sealer_set_slot_len(made, slot_len))) return r;
  r.bytes.resize(vsh_sealer_header_len(made));
  if ((r.status = vsh_sealer_header(made, r.bytes.data(), r.bytes.size()))) return r;
  r.status = append_sealed(r.bytes, made, counted(100));
  return r;
}

// RFC 9106 clause 5.3, with secret and associated data, through the loaded library.
TEST(Argon2id, VectorOfTheRfc) {
  NEED_ARGON2ID();
  const Bytes passphrase(32, 1), salt(16, 2), secret(8, 3), associated(12, 4);
  const Bytes expected = {0x0d, 0x64, 0x0d, 0xf5, 0x8d, 0x78, 0x76, 0x6c, 0x08, 0xc0, 0x37,
                          0xa3, 0x4a, 0x8b, 0x53, 0xc9, 0xd0, 0x1e, 0xf0, 0x45, 0x2d, 0x75,
                          0xb6, 0x5e, 0xb5, 0x25, 0x20, 0xe9, 0x6b, 0x01, 0xe6, 0x59};
  Bytes tag(32);
  ASSERT_EQ(vsh::sealed::argon2id(tag, {passphrase, salt, secret, associated}, {3, 32, 4}),
            vsh::sealed::Argon2idStatus::ok);
  EXPECT_EQ(tag, expected);
}

TEST(Argon2id, OpensBesidePbkdf2AndKeys) {
  NEED_ARGON2ID();
  const Outcome file = sealed_by({{2, 64, 2}, kCheap, {3, 100, 3}});
  ASSERT_EQ(file.status, VSH_OK);
  const vsh_recipient secrets[] = {key_recipient(), passphrase_recipient(kOther), passphrase_recipient(kSealingKey),
                                   passphrase_recipient(kPassword)};
  const size_t numbers[] = {0, 1, 2, 4};
  for (size_t i = 0; i < std::size(secrets); ++i) {
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, file.bytes, secrets[i]), VSH_OK) << i;
    size_t index = 99;
    EXPECT_EQ(vsh_opener_recipient(opener.get(), &index), VSH_OK);
    EXPECT_EQ(index, numbers[i]);
    EXPECT_EQ(open(file.bytes, secrets[i]).bytes, counted(100));
  }
  const Bytes wrong = {'n', 'o'};
  EXPECT_EQ(open(file.bytes, passphrase_recipient(wrong)).status, VSH_E_WRONG_KEY);

  vsh_sealed_info info;
  ASSERT_EQ(vsh_sealed_inspect(&info, file.bytes.data(), file.bytes.size()), VSH_OK);
  ASSERT_EQ(info.num_recipients, 5u);
  EXPECT_EQ(info.recipients[1].iterations, 1000u);
  EXPECT_EQ(info.argon2id[1].passes, 0u);
  EXPECT_EQ(info.recipients[4].kind, VSH_RECIPIENT_PASSPHRASE);
  EXPECT_EQ(info.recipients[4].iterations, 0u);
  EXPECT_EQ(info.argon2id[4].passes, 3u);
  EXPECT_EQ(info.argon2id[4].memory, 100u);
  EXPECT_EQ(info.argon2id[4].lanes, 3u);
  // A program that was compiled against an older header gets what it knows.
  vsh_sealed_info before{};
  before.argon2id[4].passes = 77;
  ASSERT_EQ(
      vsh_sealed_inspect_sized(&before, offsetof(vsh_sealed_info, argon2id), file.bytes.data(), file.bytes.size()),
      VSH_OK);
  EXPECT_EQ(before.num_recipients, 5u);
  EXPECT_EQ(before.argon2id[4].passes, 77u);
}

TEST(Argon2id, RekeyAddsAndRemoves) {
  NEED_ARGON2ID();
  const Bytes file = sealed_by({}).bytes;
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  const vsh_recipient added = passphrase_recipient(kPassword);
  Bytes slot(1024);
  size_t first = 0;
  const auto rekey = [&](const size_t* removed, size_t num) {
    return vsh_opener_rekey(opener.get(), slot.data(), slot.size(), &first, &added, 1, removed, num);
  };
  EXPECT_EQ(rekey(nullptr, 0), VSH_E_PARAMETERS);  // 0 iterations, and argon2id was not set
  ASSERT_EQ(vsh_opener_set_argon2id(opener.get(), &kCheap), VSH_OK);
  const size_t key = 0;
  ASSERT_EQ(rekey(&key, 1), VSH_OK);
  Bytes changed = slot;
  changed.insert(changed.end(), slot.begin(), slot.end());
  changed.insert(changed.end(), file.begin() + static_cast<std::ptrdiff_t>(header_len_of(file)), file.end());
  EXPECT_EQ(open(changed, added).bytes, counted(100));
  EXPECT_EQ(open(changed, passphrase_recipient(kOther)).bytes, counted(100));
  EXPECT_EQ(open(changed).status, VSH_E_WRONG_KEY);
  // A recipient that is kept keeps its cost.
  ASSERT_EQ(unlock(opener, changed, added), VSH_OK);
  const size_t pbkdf2 = 0;
  ASSERT_EQ(vsh_opener_rekey(opener.get(), slot.data(), slot.size(), &first, nullptr, 0, &pbkdf2, 1), VSH_OK);
  std::copy(slot.begin(), slot.end(), changed.begin());
  std::copy(slot.begin(), slot.end(), changed.begin() + 1024);
  EXPECT_EQ(open(changed, added).bytes, counted(100));
  ASSERT_EQ(vsh_opener_set_argon2id(opener.get(), nullptr), VSH_OK);
  EXPECT_EQ(rekey(nullptr, 0), VSH_E_PARAMETERS);
}

// Costs that may not be written, one and all together. Nothing here takes the memory that it asks for.
TEST(Argon2id, CostsThatAreRefused) {
  const vsh_argon2id invalid[] = {
      {0, 64, 1},          {1, 7, 1}, {1, 31, 4}, {1, 0, 1}, {1, 64, 0}, {1, 520, 65}, {1, UINT32_MAX, UINT32_MAX},
      {UINT32_MAX, 64, 65}};
  vsh_sealer* made = nullptr;
  ASSERT_EQ(vsh_sealer_new(&made, 4096, nullptr), VSH_OK);
  const SealerPointer sealer(made);
  for (const vsh_argon2id& cost : invalid) {
    EXPECT_EQ(vsh_sealer_set_argon2id(made, &cost), VSH_E_PARAMETERS)
        << cost.passes << " " << cost.memory << " " << cost.lanes;
  }
  EXPECT_EQ(vsh_sealer_set_argon2id(nullptr, &kCheap), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_set_argon2id(nullptr, &kCheap), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_limit_argon2id(nullptr, 0, 0), VSH_E_ARGUMENT);

  const vsh_recipient secret = passphrase_recipient(kPassword);
  EXPECT_EQ(vsh_sealer_add_recipient(made, &secret), VSH_E_PARAMETERS);  // neither iterations nor argon2id
  const vsh_argon2id beyond[] = {{1, VSH_SEALED_MAX_ARGON2ID_MEMORY + 1, 1},
                                 {17, VSH_SEALED_MAX_ARGON2ID_MEMORY, 4},
                                 {VSH_SEALED_MAX_ARGON2ID_WORK / 8 + 1, 8, 1},
                                 {UINT32_MAX, UINT32_MAX, 64}};
  for (const vsh_argon2id& cost : beyond) {
    ASSERT_EQ(vsh_sealer_set_argon2id(made, &cost), VSH_OK);
    EXPECT_EQ(vsh_sealer_add_recipient(made, &secret), VSH_E_PARAMETERS) << cost.passes << " " << cost.memory;
  }
  ASSERT_EQ(vsh_sealer_set_argon2id(made, nullptr), VSH_OK);
  const vsh_recipient key = key_recipient();
  ASSERT_EQ(vsh_sealer_add_recipient(made, &key), VSH_OK);
  Bytes header(vsh_sealer_header_len(made));
  ASSERT_EQ(vsh_sealer_header(made, header.data(), header.size()), VSH_OK);
  EXPECT_EQ(vsh_sealer_set_argon2id(made, &kCheap), VSH_E_STATE);
}

// Writes the parameters of recipient i into both slots.
void set_cost(Bytes& file, size_t i, const vsh_argon2id& cost) {
  const size_t slot_len = slot_len_of(file);
  for (size_t slot = 0; slot < VSH_SEALED_NUM_SLOTS; ++slot) {
    uint8_t* p = &file[slot * slot_len + 64 + 176 * i + 4];
    for (const uint32_t number : {cost.passes, cost.memory, cost.lanes})
      for (int shift = 24; shift >= 0; shift -= 8) *p++ = static_cast<uint8_t>(number >> shift);
    write_digest(&file[slot * slot_len], slot_len);
  }
}

vsh_status trying(const Bytes& file, uint64_t max_memory = 0, uint64_t max_work = 0,
                  const vsh_recipient& secret = passphrase_recipient(kPassword)) {
  vsh_opener* made = nullptr;
  if (const vsh_status s = vsh_opener_new(&made, file.data(), file.size(), 0, nullptr)) return s;
  const OpenerPointer opener(made);
  if (const vsh_status s = vsh_opener_limit_argon2id(made, max_memory, max_work)) return s;
  return vsh_opener_unlock(made, &secret);
}

TEST(Argon2id, HostileCosts) {
  NEED_ARGON2ID();
  const Bytes file = sealed_by({kCheap}).bytes;
  const auto with = [&](const vsh_argon2id& cost) {
    Bytes changed = file;
    set_cost(changed, 2, cost);
    return changed;
  };
  const vsh_argon2id out_of_bounds[] = {{0, 8, 1},    {1, 7, 1},          {1, 8, 0}, {1, 15, 2},
                                        {1, 520, 65}, {1, 8, UINT32_MAX}, {0, 0, 0}};
  for (const vsh_argon2id& cost : out_of_bounds) {
    vsh_opener* opener = nullptr;
    const Bytes changed = with(cost);
    EXPECT_EQ(vsh_opener_new(&opener, changed.data(), changed.size(), 0, nullptr), VSH_E_PARAMETERS)
        << cost.passes << " " << cost.memory << " " << cost.lanes;
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, changed.data(), changed.size()), VSH_E_PARAMETERS);
  }
  const vsh_argon2id too_much[] = {
      {1, VSH_SEALED_MAX_ARGON2ID_MEMORY + 1, 1},   {1, UINT32_MAX, 1}, {17, VSH_SEALED_MAX_ARGON2ID_MEMORY, 4},
      {VSH_SEALED_MAX_ARGON2ID_WORK / 8 + 1, 8, 1}, {UINT32_MAX, 8, 1}, {UINT32_MAX, UINT32_MAX, 64}};
  for (const vsh_argon2id& cost : too_much) {
    const Bytes changed = with(cost);
    EXPECT_EQ(trying(changed), VSH_E_PARAMETERS) << cost.passes << " " << cost.memory;
    EXPECT_EQ(trying(changed, 0, 0, passphrase_recipient(kOther)), VSH_E_PARAMETERS);
    // A key costs nothing of it; the slot's MAC does not fit the changed bytes.
    EXPECT_EQ(trying(changed, 0, 0, key_recipient()), VSH_E_WRONG_KEY);
    vsh_sealed_info info;
    EXPECT_EQ(vsh_sealed_inspect(&info, changed.data(), changed.size()), VSH_OK);
    EXPECT_EQ(info.argon2id[2].passes, cost.passes);
    EXPECT_EQ(info.argon2id[2].memory, cost.memory);
  }
  // The caller's bounds, to the number.
  const Bytes two = sealed_by({{2, 16, 1}, {3, 24, 1}}).bytes;
  EXPECT_EQ(trying(two, 23, 104), VSH_E_PARAMETERS);
  EXPECT_EQ(trying(two, 24, 103), VSH_E_PARAMETERS);
  EXPECT_EQ(trying(two, 24, 104), VSH_OK);
  EXPECT_EQ(trying(two, UINT64_MAX, UINT64_MAX), VSH_OK);
}

// As many recipients as there can be: their work counts together, and the sum does not overflow.
TEST(Argon2id, ManyRecipientsTogether) {
  NEED_ARGON2ID();
  const std::vector<vsh_argon2id> cheap(30, {1, 16, 1});
  const Outcome all = sealed_by(cheap);
  ASSERT_EQ(all.status, VSH_OK);
  EXPECT_EQ(trying(all.bytes, 16, 30 * 16 - 1), VSH_E_PARAMETERS);
  EXPECT_EQ(trying(all.bytes, 16, 30 * 16), VSH_OK);
  Bytes hostile = all.bytes;
  for (size_t i = 2; i < 32; ++i) set_cost(hostile, i, {1, VSH_SEALED_MAX_ARGON2ID_MEMORY, 1});
  EXPECT_EQ(trying(hostile), VSH_E_PARAMETERS);  // 30 GiB in all
  for (size_t i = 2; i < 32; ++i) set_cost(hostile, i, {UINT32_MAX, UINT32_MAX, 64});
  EXPECT_EQ(trying(hostile), VSH_E_PARAMETERS);
  EXPECT_EQ(trying(hostile, UINT64_MAX, UINT64_MAX - 1), VSH_E_PARAMETERS);  // 2^64 and more
  // The same when writing.
  EXPECT_EQ(sealed_by(std::vector<vsh_argon2id>(2, {1, VSH_SEALED_MAX_ARGON2ID_MEMORY + 1, 1})).status,
            VSH_E_PARAMETERS);
  vsh_sealer* made = nullptr;
  ASSERT_EQ(vsh_sealer_new(&made, 4096, nullptr), VSH_OK);
  const SealerPointer sealer(made);
  const vsh_argon2id half = {VSH_SEALED_MAX_ARGON2ID_WORK / 16, 8, 1};
  const vsh_recipient secret = passphrase_recipient(kPassword);
  ASSERT_EQ(vsh_sealer_set_argon2id(made, &kCheap), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(made, &secret), VSH_OK);
  const vsh_argon2id rest = {2 * half.passes, 8, 1};
  ASSERT_EQ(vsh_sealer_set_argon2id(made, &rest), VSH_OK);
  EXPECT_EQ(vsh_sealer_add_recipient(made, &secret), VSH_E_PARAMETERS);  // 8 KiB too many
}

// Memory that cannot be had is an error of its own, and the opener lives on.
TEST(Argon2id, NoMemory) {
  NEED_ARGON2ID();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends where memory is refused";
#endif
  Bytes file = sealed_by({kCheap}).bytes;
  set_cost(file, 2, {1, UINT32_MAX, 1});  // 4 TiB
  vsh_opener* made = nullptr;
  ASSERT_EQ(vsh_opener_new(&made, file.data(), file.size(), 0, nullptr), VSH_OK);
  const OpenerPointer opener(made);
  ASSERT_EQ(vsh_opener_limit_argon2id(made, UINT64_MAX, UINT64_MAX), VSH_OK);
  const vsh_recipient secret = passphrase_recipient(kPassword), key = key_recipient();
  EXPECT_EQ(vsh_opener_unlock(made, &secret), VSH_E_MEMORY);
  EXPECT_EQ(vsh_opener_unlock(made, &key), VSH_E_WRONG_KEY);
  // One that fits a recipient of this slot, whose MAC is wrong, gets the same answer as one that fits none.
  const vsh_recipient fits = passphrase_recipient(kOther);
  EXPECT_EQ(vsh_opener_unlock(made, &fits), VSH_E_MEMORY);
}

// Memory that cannot be had for one recipient keeps nobody else out.
TEST(Argon2id, NoMemoryForAnother) {
  NEED_ARGON2ID();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends where memory is refused";
#endif
  constexpr vsh_argon2id cost = {1, 128 << 10, 1};
  vsh_sealer* made = nullptr;
  ASSERT_EQ(vsh_sealer_new(&made, 4096, nullptr), VSH_OK);
  const SealerPointer sealer(made);
  const vsh_recipient first = passphrase_recipient(kPassword), second = passphrase_recipient(kOther, 1000);
  ASSERT_EQ(vsh_sealer_set_argon2id(made, &cost), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(made, &first), VSH_OK);
  ASSERT_EQ(vsh_sealer_add_recipient(made, &second), VSH_OK);
  Bytes file(vsh_sealer_header_len(made));
  ASSERT_EQ(vsh_sealer_header(made, file.data(), file.size()), VSH_OK);
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (pages == 0) GTEST_SKIP() << "/proc/self/statm does not say how much memory this process has";
  const rlimit little = {pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + (size_t{64} << 20), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  OpenerPointer opener;
  const vsh_status fitting = unlock(opener, file, passphrase_recipient(kOther));
  const vsh_status wrong = unlock(opener, file, passphrase_recipient(kSealingKey));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(fitting, VSH_OK);
  EXPECT_EQ(wrong, VSH_E_MEMORY);
}

// A changed number is another passphrase, as far as the file is concerned.
TEST(Argon2id, CostsAreBound) {
  NEED_ARGON2ID();
  const Bytes file = sealed_by({{2, 32, 2}}).bytes;
  for (const vsh_argon2id& cost : {vsh_argon2id{1, 32, 2}, {3, 32, 2}, {2, 33, 2}, {2, 32, 1}, {2, 40, 2}}) {
    Bytes changed = file;
    set_cost(changed, 2, cost);
    EXPECT_EQ(trying(changed), VSH_E_WRONG_KEY) << cost.passes << " " << cost.memory << " " << cost.lanes;
  }
}

}  // namespace
