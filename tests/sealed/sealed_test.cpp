// vsh_sealer and vsh_opener: round trips, in any pieces and in parts; and misuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "sealed/support/sealed_file.hpp"
#include "support/random.hpp"

namespace {

using namespace vsh::test;

constexpr size_t kChunk = 4096, kHeader = kShortHeader;

const Bytes kPassword = {'s', 'e', 's', 'a', 'm', 'e'}, kOtherPassword = {'o', 'p', 'e', 'n'};

TEST(Sealed, AnyLengthInAnyPieces) {
  SCOPED_TRACE(seed_note());
  Random random(1);
  for (const size_t len : {0, 1, 15, 4095, 4096, 4097, 8191, 8192, 8193, 20000, 70000})
    for (const size_t piece :
         {size_t{1}, size_t{1000}, size_t{4096}, size_t{4112}, size_t{4121}, size_t{9000}, SIZE_MAX}) {
      if (piece == 1 && len > 9000) continue;
      SCOPED_TRACE(std::to_string(len) + " in pieces of " + std::to_string(piece));
      const Bytes plaintext = random.bytes(len);
      const Outcome sealed = seal(plaintext, {key_recipient()}, kChunk, piece);
      ASSERT_EQ(sealed.status, VSH_OK);
      const size_t num_chunks = len == 0 ? 1 : (len + kChunk - 1) / kChunk;
      EXPECT_EQ(sealed.bytes.size(), kHeader + len + VSH_SEALED_TAG_LEN * num_chunks + VSH_SEALED_END_LEN);
      const Outcome opened = open(sealed.bytes, key_recipient(), piece);
      EXPECT_EQ(opened.status, VSH_OK);
      EXPECT_EQ(opened.bytes, plaintext);
      EXPECT_EQ(opened.chunk, num_chunks);
    }
}

// Over the change of keys after 256 chunks; chunks of several lengths; on any number of threads.
TEST(Sealed, ManyChunksOnManyThreads) {
  const Bytes plaintext = Random(2).bytes(700 * kChunk + 17);
  for (const unsigned threads : {1u, 2u, 0u})
    for (const size_t chunk_len : {size_t{4096}, size_t{65536}, size_t{1} << 20}) {
      const vsh_options o = with_threads(threads);
      const Outcome sealed = seal(plaintext, {key_recipient()}, chunk_len, 1000003, o);
      ASSERT_EQ(sealed.status, VSH_OK);
      const Outcome opened = open(sealed.bytes, key_recipient(), 1000003, o);
      EXPECT_EQ(opened.status, VSH_OK);
      EXPECT_TRUE(opened.bytes == plaintext) << threads << " " << chunk_len;
    }
}

TEST(Sealed, NoTwoFilesAreAlike) {
  const Bytes plaintext = counted(100);
  const Bytes a = seal(plaintext).bytes, b = seal(plaintext).bytes;
  EXPECT_FALSE(std::equal(a.begin() + 16, a.begin() + 48, b.begin() + 16));   // file ids
  EXPECT_FALSE(std::equal(a.begin() + 80, a.begin() + 112, b.begin() + 80));  // salts
  EXPECT_FALSE(std::equal(a.begin() + kHeader, a.end() - 8, b.begin() + kHeader));
}

TEST(Sealed, EveryRecipientOpens) {
  const Bytes plaintext = counted(1000);
  std::vector<vsh_recipient> recipients = {key_recipient(), passphrase_recipient(kPassword, 1000),
                                           key_recipient(kOtherKey), passphrase_recipient(kOtherPassword, 1500)};
  const Bytes file = seal(plaintext, recipients).bytes;
  for (size_t i = 0; i < recipients.size(); ++i) {
    recipients[i].iterations = 0;
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, file, recipients[i]), VSH_OK) << i;
    size_t index = 99;
    EXPECT_EQ(vsh_opener_recipient(opener.get(), &index), VSH_OK);
    EXPECT_EQ(index, i);
    const size_t header_len = vsh_opener_header_len(opener.get());
    EXPECT_EQ(header_len, 2048u);
    EXPECT_EQ(open_payload(opener.get(), file.data() + header_len, file.size() - header_len).bytes, plaintext);
  }
  // The same bytes of the other kind are a different secret.
  const Bytes as_passphrase = kSealingKey;
  EXPECT_EQ(open(file, passphrase_recipient(as_passphrase)).status, VSH_E_WRONG_KEY);
  vsh_sealed_info info;
  ASSERT_EQ(vsh_sealed_inspect(&info, file.data(), file.size()), VSH_OK);
  EXPECT_EQ(info.version, 2u);
  EXPECT_EQ(info.slot_len, 1024u);
  EXPECT_STREQ(info.cipher, "kuznyechik-mgm");
  EXPECT_STREQ(info.key_derivation, "streebog");
  EXPECT_EQ(info.chunk_len, kChunk);
  EXPECT_TRUE(std::equal(info.file_id, info.file_id + 32, file.begin() + 16));
  EXPECT_EQ(info.generation, 1u);
  EXPECT_EQ(info.slots_differ, 0);
  ASSERT_EQ(info.num_recipients, 4u);
  EXPECT_EQ(info.recipients[1].kind, VSH_RECIPIENT_PASSPHRASE);
  EXPECT_EQ(info.recipients[3].iterations, 1500u);
  EXPECT_EQ(info.recipients[2].kind, VSH_RECIPIENT_KEY);
}

TEST(Sealed, SaysWhatItsContentIs) {
  for (const vsh_sealed_content content : {VSH_SEALED_BYTES, VSH_SEALED_DIRECTORY}) {
    vsh_sealer* sealer = nullptr;
    ASSERT_EQ(vsh_sealer_new(&sealer, kChunk, nullptr), VSH_OK);
    const SealerPointer owner(sealer);
    EXPECT_EQ(vsh_sealer_set_content(sealer, static_cast<vsh_sealed_content>(2)), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_sealer_set_content(nullptr, content), VSH_E_ARGUMENT);
    ASSERT_EQ(vsh_sealer_set_content(sealer, content), VSH_OK);
    const vsh_recipient r = key_recipient();
    ASSERT_EQ(vsh_sealer_add_recipient(sealer, &r), VSH_OK);
    EXPECT_EQ(vsh_sealer_set_content(sealer, VSH_SEALED_BYTES), VSH_E_STATE);  // the wrap is bound to it
    Bytes file(kHeader);
    ASSERT_EQ(vsh_sealer_header(sealer, file.data(), file.size()), VSH_OK);
    ASSERT_EQ(append_sealed(file, sealer, counted(10)), VSH_OK);
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, file), VSH_OK);
    vsh_sealed_info info;
    ASSERT_EQ(vsh_opener_inspect(opener.get(), &info), VSH_OK);
    EXPECT_EQ(info.content, content);
    EXPECT_EQ(open(file).bytes, counted(10));
  }
}

// As short as the recipients fit, or longer on request; the payload follows either way.
TEST(Sealed, HeadersOfAnyLength) {
  const Bytes plaintext = counted(5000);
  const struct {
    size_t recipients, slot_len;
  } fits[] = {{1, 512},   {2, 512},   {3, 1024},  {5, 1024},  {6, 2048},
              {10, 2048}, {11, 4096}, {22, 4096}, {23, 8192}, {32, 8192}};
  for (const auto& fit : fits) {
    EXPECT_EQ(vsh_sealed_slot_len(fit.recipients), fit.slot_len);
    for (const size_t wanted : {0, 512, 1024, 4096, 8192}) {
      const std::vector<vsh_recipient> recipients(fit.recipients, key_recipient());
      const Bytes file = seal(plaintext, recipients, kChunk, SIZE_MAX, with_threads(1), wanted).bytes;
      EXPECT_EQ(slot_len_of(file), std::max(fit.slot_len, wanted));
      EXPECT_EQ(file.size(), header_len_of(file) + plaintext.size() + 2 * VSH_SEALED_TAG_LEN + VSH_SEALED_END_LEN);
      EXPECT_EQ(open(file).bytes, plaintext);
    }
  }
  EXPECT_EQ(vsh_sealed_slot_len(33), 0u);
}

TEST(Sealed, Labels) {
  const auto sealed = [](const std::string& label) {
    vsh_recipient r = key_recipient();
    r.label = label.c_str();
    return seal({}, {r});
  };
  for (const std::string& label :
       {std::string(), std::string("Alice"), std::string("сейф, 2-й этаж"), std::string("\xf0\x9f\x94\x91"),
        std::string(64, 'x'), std::string("\xe2\x80\x8d\xd9\x85")}) {  // a joiner, as Persian has it
    const Bytes file = sealed(label).bytes;
    vsh_sealed_info info;
    ASSERT_EQ(vsh_sealed_inspect(&info, file.data(), file.size()), VSH_OK) << label;
    EXPECT_EQ(info.recipients[0].label, label);
    OpenerPointer opener;
    EXPECT_EQ(unlock(opener, file), VSH_OK);
  }
  // Too long, control characters, and text that is not UTF-8: cut off, overlong, surrogates, beyond the last character.
  for (const char* const label : {"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a\nb",
                                  "\x1b[2J", "\x7f", "\xc2\x80", "\xc2\x9b", "\xd1", "\xe2\x82", "\x80", "\xc0\x80",
                                  "\xe0\x82\x80", "\xf0\x82\x82\xac", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_EQ(sealed(label).status, VSH_E_PARAMETERS) << label;

  // Characters that are invisible or turn text around are not written; a file of another program may have them.
  const char* const invisible[] = {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c", "\xe2\x80\xa8",
                                   "\xef\xbb\xbf", "\xe2\x80\x8b", "\xc2\xad", "\xf3\xa0\x81\x81",
                                   // Joiners, fillers, vowels and selectors that show nothing, and a blank of braille.
                                   "\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180f",
                                   "\u2800", "\u3164", "\ufe00", "\ufe0f", "\uffa0", "\U000e0100", "\U000e01ef"};
  for (const char* const label : invisible) {
    EXPECT_EQ(sealed(std::string("a") + label).status, VSH_E_PARAMETERS) << label;
    Bytes file = sealed("").bytes;
    for (size_t slot = 0; slot < VSH_SEALED_NUM_SLOTS; ++slot) {
      uint8_t* const recipient = &file[slot * kShortSlot + 64];
      recipient[2] = static_cast<uint8_t>(std::strlen(label));
      std::memcpy(recipient + 48, label, std::strlen(label));
      write_digest(&file[slot * kShortSlot]);
    }
    vsh_sealed_info info;
    ASSERT_EQ(vsh_sealed_inspect(&info, file.data(), file.size()), VSH_OK);
    EXPECT_STREQ(info.recipients[0].label, label);
    EXPECT_EQ(open(file).status, VSH_E_WRONG_KEY);  // the wrap is bound to the label
  }
}

TEST(Sealed, WrongSecretThenTheRightOne) {
  const Bytes plaintext = counted(10), file = seal(plaintext, {passphrase_recipient(kPassword, 1000)}).bytes;
  OpenerPointer opener;
  EXPECT_EQ(unlock(opener, file, passphrase_recipient(kOtherPassword)), VSH_E_WRONG_KEY);
  const vsh_recipient key = key_recipient(), right = passphrase_recipient(kPassword);
  EXPECT_EQ(vsh_opener_unlock(opener.get(), &key), VSH_E_WRONG_KEY);
  uint8_t out[100];
  size_t len = 77;
  EXPECT_EQ(vsh_opener_update(opener.get(), out, 100, &len, file.data() + kHeader, 34), VSH_E_STATE);
  EXPECT_EQ(vsh_opener_final(opener.get(), out, 100, &len), VSH_E_STATE);
  EXPECT_EQ(vsh_opener_rewind(opener.get()), VSH_E_STATE);
  size_t index;
  EXPECT_EQ(vsh_opener_recipient(opener.get(), &index), VSH_E_STATE);
  vsh_sealed_info info;
  EXPECT_EQ(vsh_opener_inspect(opener.get(), &info), VSH_E_STATE);
  ASSERT_EQ(vsh_opener_unlock(opener.get(), &right), VSH_OK);
  EXPECT_EQ(vsh_opener_unlock(opener.get(), &right), VSH_E_STATE);
  EXPECT_EQ(open_payload(opener.get(), file.data() + kHeader, file.size() - kHeader).bytes, plaintext);
  EXPECT_EQ(vsh_opener_inspect(opener.get(), &info), VSH_OK);
  EXPECT_EQ(info.slots[1].status, VSH_OK);
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

TEST(Sealed, AnyPart) {
  SCOPED_TRACE(seed_note());
  Random random(3);
  for (const size_t len : {0, 1, 4096, 4097, 5 * 4096, 5 * 4096 + 99}) {
    const Bytes plaintext = random.bytes(len), file = seal(plaintext).bytes;
    OpenerPointer opener;
    ASSERT_EQ(unlock(opener, file), VSH_OK);
    uint64_t plain_len = 99;
    ASSERT_EQ(vsh_opener_plain_len(opener.get(), &plain_len, file.size()), VSH_OK);
    EXPECT_EQ(plain_len, len);
    for (int round = 0; round < 60; ++round) {
      const size_t position = random.below(len + 1),
                   part = round == 0 ? len - position : random.below(len - position + 1);
      vsh_sealed_span span;
      ASSERT_EQ(vsh_opener_locate(opener.get(), &span, position, part, file.size()), VSH_OK);
      ASSERT_LE(span.offset + span.in_len, file.size());
      EXPECT_LE(span.num_chunks, part / kChunk + 2);
      Bytes out(span.out_len);
      size_t got = 0;
      ASSERT_EQ(
          vsh_opener_read(opener.get(), out.data(), out.size(), &got, nullptr, &span, &file[span.offset], span.in_len),
          VSH_OK);
      ASSERT_EQ(got, span.out_len);
      ASSERT_LE(span.skip + part, got);
      EXPECT_TRUE(std::equal(out.begin() + static_cast<std::ptrdiff_t>(span.skip),
                             out.begin() + static_cast<std::ptrdiff_t>(span.skip + part),
                             plaintext.begin() + static_cast<std::ptrdiff_t>(position)));
    }
    vsh_sealed_span span;
    EXPECT_EQ(vsh_opener_locate(opener.get(), &span, len, 1, file.size()), VSH_E_DATA_LENGTH);
    EXPECT_EQ(vsh_opener_locate(opener.get(), &span, len + 1, 0, file.size()), VSH_E_DATA_LENGTH);
    EXPECT_EQ(vsh_opener_locate(opener.get(), &span, 1, UINT64_MAX, file.size()), VSH_E_DATA_LENGTH);
  }
}

// A part needs only its own chunks, and detects changes of them; the last chunk verifies the length.
TEST(Sealed, PartsOfADamagedFile) {
  const Bytes plaintext = counted(4 * kChunk + 50);
  Bytes file = seal(plaintext).bytes;
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  file[kHeader + 2 * (kChunk + 16) + 30] ^= 1;  // chunk 2
  const auto read = [&](uint64_t position, uint64_t len, size_t file_len, uint64_t& damaged, size_t& got) {
    vsh_sealed_span span;
    if (const vsh_status s = vsh_opener_locate(opener.get(), &span, position, len, file_len)) return s;
    Bytes out(span.out_len);
    got = 0, damaged = 99;
    return vsh_opener_read(opener.get(), out.data(), out.size(), &got, &damaged, &span, &file[span.offset],
                           span.in_len);
  };
  uint64_t damaged;
  size_t got;
  EXPECT_EQ(read(0, 2 * kChunk, file.size(), damaged, got), VSH_OK);
  EXPECT_EQ(read(3 * kChunk, kChunk + 50, file.size(), damaged, got), VSH_OK);
  EXPECT_EQ(read(kChunk, 2 * kChunk, file.size(), damaged, got), VSH_E_CHUNK);
  EXPECT_EQ(damaged, 2u);
  EXPECT_EQ(got, kChunk);  // chunk 1
  // Cut after chunk 1, with an end mark appended or not: the length is possible, but chunk 1 is not the last.
  file.resize(kHeader + 2 * (kChunk + 16) + VSH_SEALED_END_LEN);
  EXPECT_EQ(read(2 * kChunk, 0, file.size(), damaged, got), VSH_E_TRUNCATED);
  std::copy_n("\x89VSHEND\n", VSH_SEALED_END_LEN, file.end() - VSH_SEALED_END_LEN);
  EXPECT_EQ(read(0, kChunk, file.size(), damaged, got), VSH_OK);  // not the last chunk: its length is not verified
  EXPECT_EQ(read(2 * kChunk, 0, file.size(), damaged, got), VSH_E_CHUNK);
  EXPECT_EQ(damaged, 1u);
}

TEST(Sealed, LengthsThatNoFileHas) {
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, seal({}).bytes), VSH_OK);
  uint64_t len = 7;
  for (const uint64_t file_len :
       {uint64_t{0}, uint64_t{kHeader}, uint64_t{kHeader + 23}, uint64_t{kHeader + 8 + 4112 + 1},
        uint64_t{kHeader + 8 + 4112 + 16}, UINT64_MAX, UINT64_MAX - 4112})
    EXPECT_EQ(vsh_opener_plain_len(opener.get(), &len, file_len), VSH_E_TRUNCATED) << file_len;
  EXPECT_EQ(len, 7u);
  EXPECT_EQ(vsh_opener_plain_len(opener.get(), &len, kHeader + 24), VSH_OK);
  EXPECT_EQ(len, 0u);
  EXPECT_EQ(vsh_opener_plain_len(opener.get(), &len, kHeader + 8 + 4112 + 17), VSH_OK);
  EXPECT_EQ(len, 4097u);
  // A span over a huge file: numbers only.
  vsh_sealed_span span;
  const uint64_t huge = kHeader + 8 + (uint64_t{1} << 40) * 4112;
  ASSERT_EQ(vsh_opener_locate(opener.get(), &span, (uint64_t{1} << 52) - 1, 1, huge), VSH_OK);
  EXPECT_EQ(span.first_chunk, (uint64_t{1} << 40) - 1);
  EXPECT_EQ(span.offset + span.in_len, huge);
}

// ---- Misuse ---------------------------------------------------------------------------------------------------------

TEST(SealedMisuse, Sealing) {
  vsh_sealer* made = nullptr;
  EXPECT_EQ(vsh_sealer_new(nullptr, 0, nullptr), VSH_E_ARGUMENT);
  for (const size_t chunk_len : {1, 4095, 5000, 2048, 1 << 25})
    EXPECT_EQ(vsh_sealer_new(&made, chunk_len, nullptr), VSH_E_PARAMETERS);
  vsh_options options = VSH_OPTIONS_INIT;
  options.kernel = "no such";
  EXPECT_EQ(vsh_sealer_new(&made, 0, &options), VSH_E_KERNEL_UNKNOWN);
  options.struct_size = 1;
  EXPECT_EQ(vsh_sealer_new(&made, 0, &options), VSH_E_ARGUMENT);
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(vsh_sealer_new(&made, 0, nullptr), VSH_OK);
  const SealerPointer sealer(made);
  EXPECT_EQ(vsh_sealer_final_capacity(made), 65536u + 24);

  Bytes out(kHeader + 200000, 0xaa);
  const Bytes untouched = out;
  size_t len = 77;
  EXPECT_EQ(vsh_sealer_header(made, out.data(), out.size()), VSH_E_STATE);  // no recipient
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), &len, kSealingKey.data(), 1), VSH_E_STATE);
  EXPECT_EQ(vsh_sealer_final(made, out.data(), out.size(), &len), VSH_E_STATE);

  const auto add = [&](vsh_recipient r) { return vsh_sealer_add_recipient(made, &r); };
  EXPECT_EQ(vsh_sealer_add_recipient(made, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(add({static_cast<vsh_recipient_kind>(3), kSealingKey.data(), 32, 0, nullptr}), VSH_E_ARGUMENT);
  EXPECT_EQ(add({VSH_RECIPIENT_KEY, nullptr, 32, 0, nullptr}), VSH_E_ARGUMENT);
  EXPECT_EQ(add({VSH_RECIPIENT_KEY, kSealingKey.data(), 31, 0, nullptr}), VSH_E_KEY_LENGTH);
  EXPECT_EQ(add({VSH_RECIPIENT_KEY, out.data(), 65, 0, nullptr}), VSH_E_KEY_LENGTH);
  EXPECT_EQ(add({VSH_RECIPIENT_KEY, kSealingKey.data(), 32, 1000, nullptr}), VSH_E_ARGUMENT);
  EXPECT_EQ(add({VSH_RECIPIENT_PASSPHRASE, kPassword.data(), 0, 1000, nullptr}), VSH_E_KEY_LENGTH);
  EXPECT_EQ(add({VSH_RECIPIENT_PASSPHRASE, out.data(), VSH_SEALED_MAX_PASSPHRASE_LEN + 1, 1000, nullptr}),
            VSH_E_KEY_LENGTH);
  EXPECT_EQ(add(passphrase_recipient(kPassword, 999)), VSH_E_PARAMETERS);
  EXPECT_EQ(add(passphrase_recipient(kPassword, VSH_SEALED_MAX_ITERATIONS + 1)), VSH_E_PARAMETERS);
  for (const size_t slot_len : {1, 256, 513, 16384})
    EXPECT_EQ(vsh_sealer_set_slot_len(made, slot_len), VSH_E_PARAMETERS) << slot_len;
  for (int i = 0; i < VSH_SEALED_MAX_RECIPIENTS; ++i) EXPECT_EQ(add(key_recipient()), VSH_OK);
  EXPECT_EQ(add(key_recipient()), VSH_E_PARAMETERS);

  EXPECT_EQ(vsh_sealer_header_len(made), VSH_SEALED_MAX_HEADER_LEN);
  EXPECT_EQ(vsh_sealer_header(made, out.data(), VSH_SEALED_MAX_HEADER_LEN - 1), VSH_E_CAPACITY);
  EXPECT_EQ(out, untouched);
  EXPECT_EQ(vsh_sealer_header(made, out.data(), out.size()), VSH_OK);
  EXPECT_EQ(vsh_sealer_header(made, out.data(), out.size()), VSH_E_STATE);
  EXPECT_EQ(add(key_recipient()), VSH_E_STATE);
  EXPECT_EQ(vsh_sealer_set_slot_len(made, 512), VSH_E_STATE);

  const Bytes in(70000);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), 65551, &len, in.data(), in.size()), VSH_E_CAPACITY);
  EXPECT_EQ(len, 65552u);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), &len, out.data() + 60000, 70000),
            VSH_E_ARGUMENT);  // overlap
  EXPECT_EQ(vsh_sealer_update(made, nullptr, 65552, &len, in.data(), in.size()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), nullptr, in.data(), in.size()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), &len, nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_sealer_update(made, nullptr, 0, &len, nullptr, 0), VSH_OK);
  EXPECT_EQ(len, 0u);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), &len, in.data(), in.size()), VSH_OK);
  EXPECT_EQ(len, 65552u);
  EXPECT_EQ(vsh_sealer_final(made, out.data(), 10, &len), VSH_E_CAPACITY);
  EXPECT_EQ(len, 70000u - 65536 + 24);
  EXPECT_EQ(vsh_sealer_final(made, out.data(), out.size(), &len), VSH_OK);
  EXPECT_EQ(vsh_sealer_final(made, out.data(), out.size(), &len), VSH_E_STATE);
  EXPECT_EQ(vsh_sealer_update(made, out.data(), out.size(), &len, in.data(), 1), VSH_E_STATE);
  vsh_sealer_free(nullptr);
}

// All passphrases of a file together have a bound, checked before any work.
TEST(SealedMisuse, IterationsTogether) {
  vsh_sealer* made = nullptr;
  ASSERT_EQ(vsh_sealer_new(&made, 0, nullptr), VSH_OK);
  const SealerPointer sealer(made);
  const vsh_recipient few = passphrase_recipient(kPassword, 1000),
                      many = passphrase_recipient(kPassword, VSH_SEALED_MAX_ITERATIONS - 999);
  EXPECT_EQ(vsh_sealer_add_recipient(made, &few), VSH_OK);
  EXPECT_EQ(vsh_sealer_add_recipient(made, &many), VSH_E_PARAMETERS);
}

TEST(SealedMisuse, Opening) {
  const Bytes file = seal(counted(10000)).bytes;
  vsh_opener* made = nullptr;
  EXPECT_EQ(vsh_opener_new(nullptr, file.data(), file.size(), 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_new(&made, nullptr, 10, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_new(&made, nullptr, 0, 0, nullptr), VSH_E_FORMAT);
  const Bytes zeros(10000);
  EXPECT_EQ(vsh_opener_new(&made, zeros.data(), zeros.size(), 0, nullptr), VSH_E_FORMAT);
  EXPECT_EQ(made, nullptr);
  OpenerPointer opener;
  ASSERT_EQ(unlock(opener, file), VSH_OK);
  const vsh_recipient r = key_recipient();
  EXPECT_EQ(vsh_opener_unlock(nullptr, &r), VSH_E_ARGUMENT);
  vsh_sealed_info info;
  EXPECT_EQ(vsh_sealed_inspect_sized(&info, 0, file.data(), file.size()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_sealed_inspect_sized(&info, sizeof info + 1, file.data(), file.size()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_sealed_inspect_sized(nullptr, sizeof info, file.data(), file.size()), VSH_E_ARGUMENT);
  unsigned version = 7;
  EXPECT_EQ(
      vsh_sealed_inspect_sized(reinterpret_cast<vsh_sealed_info*>(&version), sizeof version, file.data(), file.size()),
      VSH_OK);
  EXPECT_EQ(version, 2u);

  Bytes out(20000, 0xaa);
  size_t len = 77;
  const uint8_t* const payload = file.data() + kHeader;
  EXPECT_EQ(vsh_opener_update(opener.get(), out.data(), 4095, &len, payload, 5000), VSH_E_CAPACITY);
  EXPECT_EQ(len, kChunk);
  EXPECT_EQ(out, Bytes(20000, 0xaa));
  EXPECT_EQ(vsh_opener_update(opener.get(), out.data(), 20000, &len, out.data() + 100, 5000), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_update(opener.get(), nullptr, 20000, &len, payload, 5000), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_opener_update(opener.get(), out.data(), 20000, &len, payload, file.size() - kHeader), VSH_OK);
  EXPECT_EQ(len, 2 * kChunk);
  EXPECT_EQ(vsh_opener_final(opener.get(), out.data(), 10, &len), VSH_E_CAPACITY);
  EXPECT_EQ(len, 10000 - 2 * kChunk);
  EXPECT_EQ(vsh_opener_final(opener.get(), out.data(), out.size(), &len), VSH_OK);
  EXPECT_EQ(vsh_opener_final(opener.get(), out.data(), out.size(), &len), VSH_E_STATE);
  EXPECT_EQ(vsh_opener_update(opener.get(), out.data(), 20000, &len, payload, 1), VSH_E_STATE);
  EXPECT_EQ(vsh_opener_rewind(opener.get()), VSH_OK);
  EXPECT_EQ(open_payload(opener.get(), payload, file.size() - kHeader).bytes, counted(10000));

  vsh_sealed_span span, changed;
  ASSERT_EQ(vsh_opener_locate(opener.get(), &span, 0, 10000, file.size()), VSH_OK);
  const auto read = [&](const vsh_sealed_span& s, size_t in_len) {
    return vsh_opener_read(opener.get(), out.data(), out.size(), &len, nullptr, &s, payload, in_len);
  };
  EXPECT_EQ(read(span, span.in_len), VSH_OK);
  EXPECT_EQ(read(span, span.in_len - 1), VSH_E_ARGUMENT);
  for (uint64_t vsh_sealed_span::*member :
       {&vsh_sealed_span::first_chunk, &vsh_sealed_span::num_chunks, &vsh_sealed_span::offset, &vsh_sealed_span::in_len,
        &vsh_sealed_span::out_len, &vsh_sealed_span::file_len})
    for (const uint64_t wrong : {uint64_t{0}, uint64_t{1}, uint64_t{5}, UINT64_MAX}) {
      changed = span;
      if (changed.*member == wrong) continue;
      changed.*member = wrong;
      EXPECT_EQ(read(changed, static_cast<size_t>(changed.in_len)), VSH_E_ARGUMENT);
    }
  vsh_opener_free(nullptr);
}

}  // namespace
