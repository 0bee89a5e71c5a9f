// No secret of a sealed file stays on the stack: stack.hpp.
#include "api/support/stack.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

#include "sealed/argon2id.hpp"
#include "sealed/format.hpp"
#include "vershina/keys.h"
#include "vershina/sealed.h"

namespace {

using namespace vsh::test;
namespace format = vsh::sealed;

size_t num_draws = 0;  // since a sealer was made
Bytes drawn(size_t draw, size_t len) { return Random(100 + draw).bytes(len); }

}  // namespace

// Replaces the C library's function, so that the file key is known before the call that draws it.
extern "C" ssize_t getrandom(void* p, size_t len, unsigned) {
  std::memcpy(p, drawn(num_draws++, len).data(), len);
  return static_cast<ssize_t>(len);
}

namespace {

constexpr size_t kSlot = VSH_SEALED_MIN_SLOT_LEN, kChunk = VSH_SEALED_MIN_CHUNK_LEN, kTag = VSH_SEALED_TAG_LEN;
constexpr size_t kHeader = VSH_SEALED_NUM_SLOTS * kSlot;

Bytes part(const Bytes& bytes, size_t at, size_t len) {
  return Bytes(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + len));
}

Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes derived(const Bytes& key, std::string_view label, const Bytes& seed) {
  Bytes out(32);
  OK(vsh_kdf(out.data(), out.size(), key.data(), key.size(), reinterpret_cast<const uint8_t*>(label.data()),
             label.size(), seed.data(), seed.size(), nullptr));
  return out;
}

void add_hmac_key(Secrets& secrets, const std::string& name, const Bytes& key) {
  secrets.add_key(name, key);
  for (const uint8_t pad : {uint8_t{0x36}, uint8_t{0x5C}}) {
    secrets.add(name + " and a pad", exclusive_or(key, Bytes(key.size(), pad)));
    Bytes block = key, n(64), h(64, 1);  // h: the initial value of 256 bits
    block.resize(64);
    const auto kernels = vsh::hash_kernels();
    const auto runs = [](const vsh::HashKernel* row) { return vsh::runnable(row->info); };
    const vsh::HashKernel* const kernel = *std::find_if(kernels.begin(), kernels.end(), runs);
    kernel->compress(h.data(), n.data(), exclusive_or(block, Bytes(64, pad)).data());
    secrets.add(name + ", hashed with a pad", h);
  }
}

// Derives the keys of a recipient's entry: docs/sealed-format.md, clause 4. Returns the wrapped file key.
Bytes add_wrap(Secrets& secrets, const vsh_recipient& r, uint32_t iterations, const Bytes& file, size_t i,
               const format::Argon2idCost& argon2id = {}) {
  const Bytes entry = part(file, format::at::recipients + i * format::kRecipientLen, format::kRecipientLen);
  Bytes secret(r.secret, r.secret + r.secret_len);
  add_hmac_key(secrets, "a recipient's secret", secret);
  if (r.kind == VSH_RECIPIENT_PASSPHRASE) {
    const Bytes salt = part(entry, format::recipient_at::salt, format::kSaltLen);
    Bytes stretched(64);
    if (argon2id.is_set()) {
      EXPECT_EQ(format::argon2id(stretched, {secret, salt}, argon2id), format::Argon2idStatus::ok);
    } else {
      OK(vsh_pbkdf2(stretched.data(), stretched.size(), secret.data(), secret.size(), salt.data(), salt.size(),
                    iterations, nullptr));
    }
    secret = stretched;
    add_hmac_key(secrets, "a stretched passphrase", secret);
  }
  const Bytes bound = joined(part(file, 0, format::kPreambleLen), part(entry, 0, format::recipient_at::wrapped));
  const Bytes mask = derived(secret, format::kLabelWrap, bound);
  secrets.add("a wrap's mask", mask);
  add_hmac_key(secrets, "a wrap's key of the MAC", derived(secret, format::kLabelWrapMac, bound));
  return exclusive_or(mask, part(entry, format::recipient_at::wrapped, format::kFileKeyLen));
}

// Adds the file's keys (clauses 3 and 6), and those of its chunks.
void add_file(Secrets& secrets, const Row& row, const Bytes& file_key, const Bytes& plain, const Bytes& file) {
  const Bytes id = part(file, format::at::file_id, format::kFileIdLen);
  EXPECT_EQ(derived(file_key, format::kLabelFileId, part(file, 0, format::at::file_id)), id);
  add_hmac_key(secrets, "the file key", file_key);
  add_hmac_key(secrets, "the slots' key of the MAC", derived(file_key, format::kLabelHeader, id));
  const Bytes chunk_key = derived(file_key, format::kLabelPayload, joined(id, Bytes(8)));
  row.add_key(secrets, "the chunks' key", chunk_key);
  secrets.add("plaintext", plain);
  for (size_t i = 0; i * kChunk < plain.size(); ++i) {
    const size_t len = std::min(kChunk, plain.size() - i * kChunk);
    secrets.add("keystream",
                exclusive_or(part(plain, i * kChunk, len), part(file, kHeader + i * (kChunk + kTag), len)));
    Bytes nonce(16);
    nonce[7] = (i + 1) * kChunk >= plain.size();
    nonce[15] = static_cast<uint8_t>(i);
    add_multipliers(secrets, row, chunk_key, nonce, 60);
  }
}

void check_sealed(const Row& row, const std::string& note = "") {
  Random random(11);
  const Bytes key = random.bytes(32), passphrase = random.bytes(24), new_key = random.bytes(48), bad = random.bytes(32);
  const Bytes plain = random.bytes(2 * kChunk + 100);
  const vsh_recipient recipients[] = {{VSH_RECIPIENT_KEY, key.data(), key.size(), 0, nullptr},
                                      {VSH_RECIPIENT_PASSPHRASE, passphrase.data(), passphrase.size(), 1000, nullptr}};
  vsh_options o = row.options();
  o.threads = 1;  // the one whose stack is searched
  const std::string what = row.name() + note + ": ";

  // Runs once to learn the secrets, and again.
  Bytes file, first_file;
  Secrets secrets;
  const auto checked = [&](const char* name, const std::function<void()>& work) { check(what + name, secrets, work); };
  for (const bool again : {false, true}) {
    vsh_sealer* s = nullptr;
    size_t n = 0, len = kHeader;
    num_draws = 0;
    file.assign(kHeader + plain.size() + 3 * kTag + VSH_SEALED_END_LEN, 0);
    checked("vsh_sealer_new", [&] { OK(vsh_sealer_new(&s, kChunk, &o)); });
    checked("vsh_sealer_set_content", [&] { OK(vsh_sealer_set_content(s, VSH_SEALED_BYTES)); });
    for (const vsh_recipient& r : recipients)
      checked("vsh_sealer_add_recipient", [&] { OK(vsh_sealer_add_recipient(s, &r)); });
    checked("vsh_sealer_header", [&] { OK(vsh_sealer_header(s, file.data(), file.size())); });
    size_t done = 0;
    for (const size_t end : {size_t{5}, kChunk + 7, plain.size()}) {
      checked("vsh_sealer_update",
              [&] { OK(vsh_sealer_update(s, &file[len], file.size() - len, &n, &plain[done], end - done)); });
      done = end, len += n;
    }
    checked("vsh_sealer_final", [&] { OK(vsh_sealer_final(s, &file[len], file.size() - len, &n)); });
    EXPECT_EQ(len + n, file.size());
    checked("vsh_sealer_free", [&] { vsh_sealer_free(s); });
    if (again) continue;
    add_file(secrets, row, drawn(0, format::kFileKeyLen), plain, file);
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(add_wrap(secrets, recipients[i], 1000, file, i), drawn(0, format::kFileKeyLen));
    first_file = file;
  }
  EXPECT_EQ(file, first_file);

  // Wrong secrets, and changed slots with a correct secret: no correct tag stays either.
  const vsh_recipient key_to_open = recipients[0], wrong_key{VSH_RECIPIENT_KEY, bad.data(), bad.size(), 0, nullptr};
  vsh_recipient passphrase_to_open = recipients[1], wrong_passphrase = wrong_key;
  passphrase_to_open.iterations = 0, wrong_passphrase.kind = VSH_RECIPIENT_PASSPHRASE;
  const auto fails_to_unlock = [&](const char* name, const Secrets& all, const Bytes& header, const vsh_recipient& r) {
    vsh_opener* opener = nullptr;
    OK(vsh_opener_new(&opener, header.data(), header.size(), 0, &o));
    check(what + name, all, [&] { EXPECT_EQ(vsh_opener_unlock(opener, &r), VSH_E_WRONG_KEY); });
    vsh_opener_free(opener);
  };
  for (const vsh_recipient& r : {wrong_key, wrong_passphrase}) {
    Secrets all = secrets;
    for (size_t i = 0; i < 2; ++i)
      if (recipients[i].kind == r.kind) add_wrap(all, r, 1000, file, i);
    fails_to_unlock("vsh_opener_unlock with a wrong secret", all, file, r);
  }
  const size_t slot_mac = kSlot - format::kSealLen;
  const size_t wrap_mac = format::at::recipients + format::recipient_at::wrapped + format::kFileKeyLen;
  for (const size_t at : {slot_mac, wrap_mac}) {
    Bytes forged = part(file, 0, kSlot);
    for (size_t i = 0; i < 32; ++i) forged[at + i] ^= 0xFF;
    OK(vsh_hash_digest(&forged[kSlot - 32], 32, VSH_STREEBOG256, forged.data(), kSlot - 32, nullptr));
    Secrets all = secrets;
    all.add("right tag", &file[at], 32);
    fails_to_unlock("vsh_opener_unlock of a forged slot", all, joined(forged, forged), key_to_open);
  }

  for (const vsh_recipient& r : {key_to_open, passphrase_to_open}) {
    vsh_opener* opener = nullptr;
    size_t n = 0, len = 0;
    Bytes result(plain.size());
    checked("vsh_opener_new", [&] { OK(vsh_opener_new(&opener, file.data(), file.size(), 0, &o)); });
    checked("vsh_opener_unlock", [&] { OK(vsh_opener_unlock(opener, &r)); });
    for (const size_t begin : {kHeader, kHeader + 5, kHeader + kChunk + 77}) {
      const size_t end = begin == kHeader ? kHeader + 5 : begin == kHeader + 5 ? kHeader + kChunk + 77 : file.size();
      checked("vsh_opener_update", [&] {
        OK(vsh_opener_update(opener, result.data() + len, result.size() - len, &n, &file[begin], end - begin));
      });
      len += n;
    }
    checked("vsh_opener_final", [&] { OK(vsh_opener_final(opener, result.data() + len, result.size() - len, &n)); });
    EXPECT_EQ(result, plain);

    vsh_sealed_span span;
    OK(vsh_opener_locate(opener, &span, 0, plain.size(), file.size()));
    const auto read = [&](const Bytes& in) {
      return vsh_opener_read(opener, result.data(), result.size(), &n, nullptr, &span, &in[kHeader],
                             in.size() - kHeader);
    };
    checked("vsh_opener_read", [&] { OK(read(file)); });
    OK(vsh_opener_rewind(opener));
    Bytes forged = file;
    Secrets all = secrets;
    all.add("right tag", &file[kHeader + kChunk], kTag);
    for (size_t i = 0; i < kTag; ++i) forged[kHeader + kChunk + i] ^= 0xFF;
    check(what + "vsh_opener_read of a wrong tag", all, [&] { EXPECT_EQ(read(forged), VSH_E_CHUNK); });
    check(what + "vsh_opener_update of a wrong tag", all, [&] {
      EXPECT_EQ(vsh_opener_update(opener, result.data(), result.size(), &n, &forged[kHeader], 2 * kChunk), VSH_E_CHUNK);
    });

    const vsh_recipient added{VSH_RECIPIENT_KEY, new_key.data(), new_key.size(), 0, nullptr};
    const size_t removed = 0;
    Bytes slot(kSlot);
    const auto rekey = [&] {
      num_draws = 9;
      size_t first;
      OK(vsh_opener_rekey(opener, slot.data(), slot.size(), &first, &added, 1, &removed, 1));
    };
    rekey();
    all = secrets;
    EXPECT_EQ(add_wrap(all, added, 0, slot, 1), drawn(0, format::kFileKeyLen));
    check(what + "vsh_opener_rekey", all, rekey);
    checked("vsh_opener_free", [&] { vsh_opener_free(opener); });
  }
}

TEST(StackSealed, SealedFiles) {
  SKIP_UNLESS_OPTIMISED();
  for (const Row& row : rows(VSH_KUZNYECHIK)) check_sealed(row);
}

// Nor by libargon2, whose frames are deeper.
TEST(StackSealed, Argon2id) {
  SKIP_UNLESS_OPTIMISED();
  if (!format::has_argon2id()) GTEST_SKIP() << "libargon2 is not installed";
  Random random(12);
  const Bytes passphrase = random.bytes(24);
  const vsh_argon2id cost = {3, 64, 2};
  const vsh_recipient r = {VSH_RECIPIENT_PASSPHRASE, passphrase.data(), passphrase.size(), 0, nullptr};
  Secrets secrets;
  for (const bool again : {false, true}) {
    num_draws = 0;
    vsh_sealer* s = nullptr;
    Bytes header(kHeader);
    OK(vsh_sealer_new(&s, kChunk, nullptr));
    OK(vsh_sealer_set_argon2id(s, &cost));
    const auto add = [&] { OK(vsh_sealer_add_recipient(s, &r)); };
    again ? check("vsh_sealer_add_recipient, argon2id", secrets, add) : add();
    OK(vsh_sealer_header(s, header.data(), header.size()));
    vsh_sealer_free(s);
    if (!again) {
      add_wrap(secrets, r, 0, header, 0, {cost.passes, cost.memory, cost.lanes});
      continue;
    }
    // Its hash of the passphrase and its blocks are not among these secrets, but they lie deeper than anything else.
    [[maybe_unused]] const auto depth = [&](uint32_t iterations) {
      const vsh_recipient by = {VSH_RECIPIENT_PASSPHRASE, passphrase.data(), passphrase.size(), iterations, nullptr};
      return stack_after([&] {
               vsh_sealer* sealer = nullptr;
               OK(vsh_sealer_new(&sealer, kChunk, nullptr));
               OK(vsh_sealer_set_argon2id(sealer, &cost));
               OK(vsh_sealer_add_recipient(sealer, &by));
               vsh_sealer_free(sealer);
             })
          .size();
    };
#if !defined(__e2k__)  // where the portable wiping leaves its own frame, below all that it erased
    EXPECT_LE(depth(0), depth(1000) + 1024);
#endif
    vsh_opener* opener = nullptr;
    OK(vsh_opener_new(&opener, header.data(), header.size(), 0, nullptr));
    check("vsh_opener_unlock, argon2id", secrets, [&] { OK(vsh_opener_unlock(opener, &r)); });
    vsh_opener_free(opener);
  }
}

TEST(StackSealed, SealedFilesWithEachKernelOfStreebog) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh::HashKernel* row : vsh::hash_kernels()) {
    if (!vsh::runnable(row->info) || !row->info.constant_time) continue;
    setenv("VERSHINA_KERNEL", ("streebog:" + std::string(row->info.variant)).c_str(), 1);
    check_sealed({VSH_KUZNYECHIK, ""}, " streebog " + std::string(row->info.variant));
    unsetenv("VERSHINA_KERNEL");
  }
}

}  // namespace
