// Sealed files: hostile headers, and changed sequences of chunks. For any input, the output is a prefix of the
// plaintext, and all of it only if the file is equivalent to the original.
#include "fuzz.hpp"

#include <algorithm>

#include "core/registry.hpp"
#include "sealed/header.hpp"
#include "sealed/payload.hpp"

namespace {

using namespace vsh;
using fuzz::Bytes;
using fuzz::check;
using fuzz::Input;

constexpr size_t kChunk = 4096, kSealed = kChunk + sealed::kTagLen, kSlot = sealed::kMinSlotLen, kHeader = 2 * kSlot;
size_t word(Input& in) {
  const size_t high = in.byte();
  return high << 8 | in.byte();
}

constexpr uint64_t kMaxIterations = 4000;  // so that an input takes milliseconds
constexpr uint8_t kKey[32] = {1, 2, 3};
constexpr uint8_t kPassphrase[] = {'f', 'u', 'z', 'z'};

// The same file in every run: its keys and salts are constants.
struct Original {
  Original() {
    const sealed::Suite suite{choose_hash_kernel({}, false).row, choose_block_kernel(Algorithm::kuznyechik, {}, false),
                              choose_product_kernel().row, 1};
    sealed::FileKey key;
    key->fill(7);
    sealed::Slot slot{};
    slot.chunk_log2 = 12, slot.len = kSlot, slot.generation = 3, slot.num_recipients = 2;
    slot.preamble = sealed::make_preamble(12, sealed::kContentBytes);
    sealed::make_file_id(suite.hash, slot.preamble.data() + sealed::at::file_id, slot.preamble.data(), key);
    slot.recipients[1].label = {'f', 'u', 'z', 'z'};
    slot.recipients[0].kind = sealed::kKey;
    slot.recipients[1].kind = sealed::kPassphrase, slot.recipients[1].iterations = 1000;
    check(sealed::wrap_file_key(suite, slot.recipients[0], slot, {sealed::kKey, kKey}, key) &&
              sealed::wrap_file_key(suite, slot.recipients[1], slot, {sealed::kPassphrase, kPassphrase}, key),
          "the original was not made", "sealed");
    header.resize(kHeader);
    sealed::seal_slot(suite.hash, header.data(), slot, key);
    std::copy_n(header.begin(), kSlot, header.begin() + kSlot);

    for (size_t i = 0; i < 3 * kChunk + 77; ++i) plaintext.push_back(static_cast<uint8_t>(i * 5 + i / 256));
    sealed::Payload payload(suite, key, slot);
    for (size_t i = 0; i < 4; ++i) {
      const size_t len = i == 3 ? 77 : kChunk;
      chunks[i].resize(len + sealed::kTagLen);
      payload.seal(chunks[i].data(), {i, 1, &plaintext[i * kChunk], 1, nullptr, len, i == 3});
    }
  }
  Bytes header, plaintext, chunks[4];
};
const Original& original() {
  static const Original file;
  return file;
}

vsh_opener* open_header(const Bytes& header, const vsh_recipient& secret) {
  vsh_sealed_info info;
  const vsh_status inspected = vsh_sealed_inspect(&info, header.data(), header.size());
  vsh_opener* opener = nullptr;
  const vsh_status status = vsh_opener_new(&opener, header.data(), header.size(), kMaxIterations, nullptr);
  check((status == VSH_OK) == (opener != nullptr), "an opener without success", "sealed");
  check(status != VSH_OK || inspected == VSH_OK, "opened but not inspected", "sealed");
  if (!opener) return nullptr;
  // Argon2id in as little memory and time.
  check(vsh_opener_limit_argon2id(opener, 1024, 4096) == VSH_OK, "bounds are refused", "sealed");
  if (vsh_opener_unlock(opener, &secret) == VSH_OK) return opener;
  vsh_opener_free(opener);
  return nullptr;
}

// A header accepted without the file key has the original's preamble and recipients.
void header_target(Input in) {
  Bytes header = original().header;
  const bool fix_digest = in.byte() & 1, with_key = in.byte() & 1;
  for (size_t changes = in.byte() % 16; changes > 0; --changes) {
    const size_t at = word(in) % header.size(), len = 1 + in.below(40);
    const Bytes bytes = in.bytes(len);
    std::copy_n(bytes.begin(), std::min(len, header.size() - at), header.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (fix_digest) {
    for (uint8_t* slot : {header.data(), header.data() + kSlot}) {
      constexpr size_t len = kSlot - sealed::kDigestLen;
      vsh_hash_digest(slot + len, sealed::kDigestLen, VSH_STREEBOG256, slot, len, nullptr);
    }
  }
  const vsh_recipient secret = with_key ? vsh_recipient{VSH_RECIPIENT_KEY, kKey, 32, 0, nullptr}
                                        : vsh_recipient{VSH_RECIPIENT_PASSPHRASE, kPassphrase, 4, 0, nullptr};
  vsh_opener* const opener = open_header(header, secret);
  if (!opener) return;
  vsh_sealed_info info;
  check(vsh_opener_inspect(opener, &info) == VSH_OK, "no information", "header");
  const auto slot = header.begin() + static_cast<std::ptrdiff_t>(info.slot * kSlot);
  check(std::equal(slot, slot + (kSlot - sealed::kDigestLen), original().header.begin()), "a changed slot was believed",
        "header");
  vsh_opener_free(opener);
}

Bytes with_end(Bytes payload) {
  payload.insert(payload.end(), sealed::kEndMark, sealed::kEndMark + sealed::kEndLen);
  return payload;
}

Bytes changed_payload(Input& in) {
  std::vector<Bytes> chunks(std::begin(original().chunks), std::end(original().chunks));
  for (size_t changes = in.byte() % 8; changes > 0 && !chunks.empty(); --changes) {
    const size_t i = in.below(chunks.size()), j = in.below(chunks.size());
    Bytes& chunk = chunks[i];
    switch (in.below(6)) {
      case 0: std::swap(chunk, chunks[j]); break;
      case 1: chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(j), Bytes(chunk)); break;
      case 2: chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(i)); break;
      case 3: chunk.resize(word(in) % (kSealed + 20)); break;
      case 4: {
        const size_t at = word(in);
        if (!chunk.empty()) chunk[at % chunk.size()] ^= in.byte();
        break;
      }
      case 5: chunk = in.bytes(in.byte()); break;
    }
  }
  Bytes payload;
  for (const Bytes& chunk : chunks) payload.insert(payload.end(), chunk.begin(), chunk.end());
  return in.byte() % 8 == 0 ? payload : with_end(payload);
}

vsh_status stream(vsh_opener* opener, Bytes& out, const Bytes& payload, Input& in) {
  vsh_status status = VSH_OK;
  Bytes room;
  size_t got = 0;
  for (size_t i = 0, len; i < payload.size() && status == VSH_OK; i += len) {
    len = std::min<size_t>(payload.size() - i, 1 + word(in) % 20000);
    room.assign(vsh_opener_update_capacity(opener, len), 0);
    got = 0;
    status = vsh_opener_update(opener, room.data(), room.size(), &got, &payload[i], len);
    out.insert(out.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
  }
  if (status != VSH_OK) return status;
  room.assign(vsh_opener_final_capacity(opener), 0);
  got = 0;
  status = vsh_opener_final(opener, room.data(), room.size(), &got);
  out.insert(out.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
  return status;
}

void payload_target(Input in) {
  static vsh_opener* const opener = open_header(original().header, {VSH_RECIPIENT_KEY, kKey, 32, 0, nullptr});
  check(opener && vsh_opener_rewind(opener) == VSH_OK, "the original does not open", "payload");
  const Bytes& plaintext = original().plaintext;
  const Bytes payload = changed_payload(in);
  Bytes right, out;
  for (const Bytes& chunk : original().chunks) right.insert(right.end(), chunk.begin(), chunk.end());
  const vsh_status status = stream(opener, out, payload, in);
  check((status == VSH_OK) == (payload == with_end(right)), "changed, and not noticed", "payload");
  check(status == VSH_OK || status == VSH_E_CHUNK || status == VSH_E_TRUNCATED, "another error", "payload");
  check(out.size() <= plaintext.size() && std::equal(out.begin(), out.end(), plaintext.begin()), "wrong bytes came out",
        "payload");
  check(status != VSH_OK || out == plaintext, "not all came out", "payload");

  // Any part of it, by the current length of the file.
  const uint64_t file_len = kHeader + payload.size(), position = word(in), len = word(in);
  vsh_sealed_span span;
  if (vsh_opener_locate(opener, &span, position, len, file_len) != VSH_OK) return;
  check(span.offset >= kHeader && span.offset + span.in_len <= file_len, "a span beyond the file", "payload");
  Bytes part(span.out_len);
  size_t got = 0;
  if (vsh_opener_read(opener, part.data(), part.size(), &got, nullptr, &span, payload.data() + (span.offset - kHeader),
                      span.in_len) != VSH_OK)
    return;
  const size_t begin = span.first_chunk * kChunk;
  check(got == part.size() && begin + got <= plaintext.size() &&
            std::equal(part.begin(), part.end(), plaintext.begin() + static_cast<std::ptrdiff_t>(begin)),
        "a wrong part came out", "payload");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Input in(data + 1, size - 1);
  if (data[0] % 3 == 0) {
    header_target(in);
  } else if (data[0] % 3 == 1) {
    payload_target(in);
  } else {  // bytes as they are
    const Bytes header(data + 1, data + size);
    check(open_header(header, {VSH_RECIPIENT_KEY, kKey, 32, 0, nullptr}) == nullptr, "opened by chance", "bytes");
  }
  return 0;
}
