// keys.hpp, aead.hpp, disk.hpp, sealed.hpp: the wrappers' own code; the C functions are tested elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "support/vec.hpp"
#include "vershina/aead.hpp"
#include "vershina/disk.hpp"
#include "vershina/keys.hpp"
#include "vershina/sealed.hpp"

namespace {

namespace vec = vsh::vec;
using vershina::Bytes;
using vershina::View;

const Bytes kKey(32, 0x42);

template <class T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T>;
static_assert(moves_only<vershina::Aead> && moves_only<vershina::Xts>);
static_assert(moves_only<vershina::TlsTree> && moves_only<vershina::EspTree>);
static_assert(moves_only<vershina::Sealer> && moves_only<vershina::Opener>);

template <class F>
vsh_status thrown(F&& f) {
  try {
    f();
  } catch (const vershina::Error& e) {
    return e.status();
  }
  return VSH_OK;
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes whole;
  for (const Bytes& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

// The first record of each section, from an RFC.
TEST(CppKeys, DerivationOfTheRfcs) {
  const auto hmac = vec::read("kdf.vec", "hmac", {"Bits", "Key", "In", "Out"}).front();
  const Bytes key = hmac.bytes("Key"), in = hmac.bytes("In");
  Bytes tag(32);
  vsh_hmac_job job = {key.data(), key.size(), in.data(), in.size(), tag.data(), tag.size(), VSH_E_STATE};
  EXPECT_TRUE(vershina::hmac_all(VSH_HMAC_STREEBOG256, {&job, 1}));
  EXPECT_EQ(tag, hmac.bytes("Out"));
  job.key_len = 0;
  EXPECT_FALSE(vershina::hmac_all(VSH_HMAC_STREEBOG256, {&job, 1}));
  EXPECT_EQ(job.status, VSH_E_KEY_LENGTH);

  const auto tree = vec::read("kdf.vec", "kdf-tree", {"CounterLen", "Key", "Label", "Seed", "Out"}).front();
  EXPECT_EQ(vershina::kdf(tree.bytes("Key"), tree.bytes("Label"), tree.bytes("Seed")), tree.bytes("Out"));
  EXPECT_EQ(vershina::kdf_tree(32, tree.bytes("Key"), tree.bytes("Label"), tree.bytes("Seed")), tree.bytes("Out"));
  EXPECT_EQ(thrown([&] { vershina::kdf_tree(32 * 255 + 1, kKey, {}, {}); }), VSH_E_PARAMETERS);
  EXPECT_EQ(thrown([&] { vershina::kdf({}, {}, {}); }), VSH_E_KEY_LENGTH);

  const auto prf = vec::read("kdf.vec", "prf", {"Function", "Key", "Label", "Seed", "Out"}).front();
  vsh_prf_algorithm algorithm;
  ASSERT_EQ(vsh_prf_by_name(&algorithm, prf.word("Function").c_str()), VSH_OK);
  const Bytes out = prf.bytes("Out");
  EXPECT_EQ(vershina::prf(out.size(), algorithm, prf.bytes("Key"), prf.bytes("Label"), prf.bytes("Seed")), out);
}

TEST(CppKeys, PasswordsOfTheRfcs) {
  const auto r = vec::read("kdf.vec", "pbkdf2", {"Password", "Salt", "Iterations", "Out"}).front();
  const Bytes password = r.bytes("Password"), salt = r.bytes("Salt"), out = r.bytes("Out");
  const auto iterations = static_cast<uint32_t>(r.number("Iterations"));
  EXPECT_EQ(vershina::pbkdf2(out.size(), password, salt, iterations), out);
  EXPECT_EQ(thrown([&] { vershina::pbkdf2(64, password, salt, 0); }), VSH_E_PARAMETERS);
  Bytes derived(out.size());
  vsh_pbkdf2_job job = {password.data(), password.size(), salt.data(),    salt.size(),
                        iterations,      derived.data(),  derived.size(), VSH_E_STATE};
  EXPECT_TRUE(vershina::pbkdf2_all({&job, 1}));
  EXPECT_EQ(derived, out);
  job.iterations = 0;
  EXPECT_FALSE(vershina::pbkdf2_all({&job, 1}));

  vershina::Pbes2 written;
  written.cipher = VSH_PBES2_KUZNYECHIK_CTR_ACPKM;
  written.iterations = 2000;
  written.salt_len = 32, written.iv_len = 16;
  written.salt[31] = 7, written.iv[15] = 9;
  const vershina::Pbes2 read(written.der());
  EXPECT_EQ(read.cipher, written.cipher);
  EXPECT_EQ(read.iterations, 2000u);
  EXPECT_EQ(read.salt[31] + read.iv[15], 16);
  EXPECT_EQ(thrown([] { vershina::Pbes2(Bytes(5)); }), VSH_E_FORMAT);
  written.iv_len = 7;
  EXPECT_EQ(thrown([&] { (void)written.der(); }), VSH_E_PARAMETERS);
}

TEST(CppKeys, Trees) {
  const auto tls = vec::read("kdf.vec", "tlstree", {"Suite", "Key", "Seqnum", "Out"}).front();
  vsh_tlstree_suite suite;
  ASSERT_EQ(vsh_tlstree_by_name(&suite, tls.word("Suite").c_str()), VSH_OK);
  vershina::TlsTree tree(suite, tls.bytes("Key"));
  EXPECT_EQ(tree.key(tls.number("Seqnum")), tls.bytes("Out"));
  EXPECT_EQ(vershina::TlsTree::records(VSH_TLSTREE_MAGMA_MGM_L), 128u);
  EXPECT_EQ(thrown([] { vershina::TlsTree(VSH_TLSTREE_MAGMA_MGM_S, kKey).key(uint64_t{1} << 39); }), VSH_E_LIMIT);
  const auto esp = vec::read("kdf.vec", "esptree", {"Key", "IV", "Out"}).front();
  const Bytes iv = esp.bytes("IV");
  const auto u16 = [&](size_t at) { return static_cast<uint16_t>(iv[at] << 8 | iv[at + 1]); };
  EXPECT_EQ(vershina::EspTree(esp.bytes("Key")).key(iv[0], u16(1), u16(3)), esp.bytes("Out"));
  EXPECT_EQ(thrown([] { vershina::EspTree(Bytes(31)); }), VSH_E_KEY_LENGTH);
}

TEST(CppAead, PiecesAreTheWhole) {
  vershina::Aead aead(VSH_MAGMA_MGM, kKey, 8);
  const Bytes nonce(8, 1), text(100, 7), data(3, 9), sealed = aead.seal(nonce, text, data);
  EXPECT_FALSE(aead.kernel().empty());
  ASSERT_EQ(sealed.size(), text.size() + aead.tag_len());
  Bytes out(text.size()), back(text.size());
  aead.begin(nonce);
  aead.add_data(data);
  aead.encrypt(out, text);
  EXPECT_EQ(joined({out, aead.final()}), sealed);
  const View tag = View(sealed).last(8);
  for (const bool decrypts : {false, true}) {
    aead.begin(nonce);
    aead.add_data(data);
    if (decrypts) aead.decrypt_unverified(back, out);
    else aead.authenticate(out);
    EXPECT_TRUE(aead.verify(tag));
  }
  EXPECT_EQ(back, text);
  aead.begin(nonce);
  EXPECT_EQ(thrown([&] { aead.encrypt(vershina::Room(out).first(99), text); }), VSH_E_CAPACITY);
  EXPECT_EQ(thrown([&] { aead.decrypt_unverified(vershina::Room(out).first(99), text); }), VSH_E_CAPACITY);
  aead.authenticate(out);  // without its associated data
  EXPECT_FALSE(aead.verify(tag));
  EXPECT_EQ(aead.open(nonce, sealed, data), text);
  EXPECT_EQ(aead.open(nonce, sealed), std::nullopt);
  EXPECT_EQ(thrown([&] { (void)aead.open(Bytes(9), sealed); }), VSH_E_IV_LENGTH);
}

TEST(CppDisk, Units) {
  Bytes keys(VSH_XTS_KEY_LEN, 1);
  keys[63] = 2;
  const vershina::Xts xts(keys);
  const uint8_t number[16] = {5};
  const Bytes in(4097, 3);
  Bytes out(in.size()), sector(4096);
  EXPECT_FALSE(xts.kernel().empty());
  xts.encrypt_unit(out, in, number);
  xts.decrypt_unit(out, out, number);
  EXPECT_EQ(out, in);
  xts.encrypt_sectors(sector, View(in).first(4096), 4096, 8);
  xts.decrypt_sectors(sector, sector, 4096, 8);
  EXPECT_EQ(sector, Bytes(4096, 3));
  EXPECT_EQ(thrown([&] { xts.encrypt_unit(sector, in, number); }), VSH_E_CAPACITY);
  EXPECT_EQ(thrown([&] { xts.decrypt_unit(sector, in, number); }), VSH_E_CAPACITY);
}

TEST(CppSealed, AFile) {
  const Bytes text(10000, 7);
  vershina::Sealer sealer(4096);
  sealer.add_passphrase("correct horse", 1000);
  sealer.add_key(kKey);
  const Bytes header = sealer.header(), body = joined({sealer.update(text), sealer.final()});
  EXPECT_EQ(vershina::inspect_sealed(header).num_recipients, 2u);
  EXPECT_EQ(thrown([&] { sealer.add_key(kKey); }), VSH_E_STATE);

  vershina::Opener opener(header);
  EXPECT_FALSE(opener.unlock(vershina::passphrase(vershina::bytes("wrong horse"))));
  EXPECT_TRUE(opener.unlock(vershina::sealing_key(kKey)));
  EXPECT_EQ(opener.recipient(), 1u);
  EXPECT_EQ(opener.inspect().num_recipients, 2u);
  EXPECT_EQ(joined({opener.update(body), opener.final()}), text);

  const size_t file_len = header.size() + body.size();
  EXPECT_EQ(opener.plain_len(file_len), text.size());
  const vsh_sealed_span span = opener.locate(5000, 10, file_len);
  const Bytes chunk = opener.read(span, View(body).subspan(span.offset - header.size(), span.in_len));
  EXPECT_EQ(chunk, Bytes(span.out_len, 7));

  opener.rewind();
  Bytes damaged = body;
  damaged[5000] ^= 1;
  EXPECT_EQ(thrown([&] { opener.update(damaged); }), VSH_E_CHUNK);
  EXPECT_EQ(opener.chunk(), 1u);

  const vsh_recipient added[] = {vershina::passphrase(vershina::bytes("battery"), 1000)};
  const size_t removed[] = {0};
  const auto slot = opener.rekey(added, removed);
  Bytes renewed = header;
  for (const size_t place : {slot.first, 1 - slot.first})
    std::copy(slot.bytes.begin(), slot.bytes.end(),
              renewed.begin() + static_cast<ptrdiff_t>(place * slot.bytes.size()));
  vershina::Opener again(renewed);
  EXPECT_FALSE(again.unlock(vershina::passphrase(vershina::bytes("correct horse"))));
  EXPECT_TRUE(again.unlock(vershina::passphrase(vershina::bytes("battery"))));
}

TEST(CppSealed, Argon2id) {
  vershina::Sealer sealer(4096);
  sealer.set_argon2id(vsh_argon2id{1, 8, 1});
  EXPECT_EQ(thrown([&] { sealer.set_argon2id(vsh_argon2id{0, 8, 1}); }), VSH_E_PARAMETERS);
  const vsh_status added = thrown([&] { sealer.add_passphrase("correct horse", 0); });
  if (added == VSH_E_LIBRARY) GTEST_SKIP() << "libargon2 is not installed";
  ASSERT_EQ(added, VSH_OK);
  sealer.set_argon2id(std::nullopt);
  EXPECT_EQ(thrown([&] { sealer.add_passphrase("battery staple", 0); }), VSH_E_PARAMETERS);
  const Bytes header = sealer.header();
  EXPECT_EQ(vershina::inspect_sealed(header).argon2id[0].memory, 8u);
  vershina::Opener opener(header);
  const Bytes secret = {'c', 'o', 'r', 'r', 'e', 'c', 't', ' ', 'h', 'o', 'r', 's', 'e'};
  opener.limit_argon2id(7, 0);
  EXPECT_EQ(thrown([&] { (void)opener.unlock(vershina::passphrase(secret)); }), VSH_E_PARAMETERS);
  opener.limit_argon2id(0, 0);
  EXPECT_TRUE(opener.unlock(vershina::passphrase(secret)));
  opener.set_argon2id(vsh_argon2id{2, 16, 2});
  const vsh_recipient another = vershina::passphrase(secret);
  const vershina::Opener::Slot slot = opener.rekey({&another, 1}, {});
  EXPECT_EQ(vershina::inspect_sealed(joined({slot.bytes, slot.bytes})).argon2id[1].lanes, 2u);
}

}  // namespace
