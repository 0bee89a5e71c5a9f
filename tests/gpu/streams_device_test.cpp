// Many messages, each under its own key: every operation in both shapes against the library's own streams, which
// tests/streams holds against calls for one message, and those against the standards' vectors. On the emulated
// device, and on every device here.
#include <cstring>
#include <map>

#include "gpu/ciphers/stream_cipher.hpp"
#include "gpu/programs/streams_programs.hpp"
#include "gpu/support/device_test.hpp"
#include "support/random.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

using Bytes = std::vector<uint8_t>;
using Shape = StreamCipher::Shape;

struct Cipher {
  Algorithm algorithm;
  vsh_cipher_algorithm number;
  unsigned sbox = VSH_SBOX_DEFAULT;
  uint8_t rows[8][16] = {};  // VSH_SBOX_CUSTOM

  size_t block() const { return block_size(algorithm); }
  keys::CipherParameters parameters() const {
    if (sbox == VSH_SBOX_CUSTOM) return keys::CipherParameters(rows[0]);
    return {algorithm, static_cast<tables::MagmaSbox>(sbox == VSH_SBOX_DEFAULT ? 0 : sbox - 1)};
  }
};

struct Mode {
  vsh_stream_work work;
  vsh_mode mode;
  bool whole;  // takes whole blocks
};
const std::map<Operation, Mode> kModes = {
    {Operation::ecb_encrypt, {VSH_STREAM_ENCRYPT, VSH_ECB, true}},
    {Operation::ecb_decrypt, {VSH_STREAM_DECRYPT, VSH_ECB, true}},
    {Operation::cbc_encrypt, {VSH_STREAM_ENCRYPT, VSH_CBC, true}},
    {Operation::cbc_decrypt, {VSH_STREAM_DECRYPT, VSH_CBC, true}},
    {Operation::cfb_encrypt, {VSH_STREAM_ENCRYPT, VSH_CFB, false}},
    {Operation::cfb_decrypt, {VSH_STREAM_DECRYPT, VSH_CFB, false}},
    {Operation::ofb, {VSH_STREAM_ENCRYPT, VSH_OFB, false}},
    {Operation::ctr, {VSH_STREAM_ENCRYPT, VSH_CTR, false}},
    {Operation::cnt, {VSH_STREAM_ENCRYPT, VSH_CNT, false}},
    {Operation::mac, {VSH_STREAM_MAC, VSH_ECB, false}},
    {Operation::imit, {VSH_STREAM_MAC, VSH_ECB, false}},
};

// `num` messages of `len` bytes, `stride` bytes apart, as on the device; and the library's results.
struct Batch {
  size_t num, len, stride, block, out_len;
  Bytes keys, ivs, in, expected;

  Batch(const Cipher& cipher, Operation operation, size_t num, size_t len, size_t gap, test::Random& random)
      : num(num), len(len), block(cipher.block()) {
    const Mode& mode = kModes.at(operation);
    const bool is_mac = mode.work == VSH_STREAM_MAC;
    stride = (len + block - 1) / block * block + gap * block;
    if (stride == 0) stride = block;
    keys = random.bytes(32 * num), ivs = random.bytes(block * num), in = random.bytes(stride * num);
    out_len = is_mac ? (operation == Operation::imit ? 4 : block) : len;
    expected.resize(out_len * num);

    vsh_options options = VSH_OPTIONS_INIT;
    options.padding = VSH_PADDING_NONE;
    options.sbox = static_cast<decltype(options.sbox)>(cipher.sbox);
    if (cipher.sbox == VSH_SBOX_CUSTOM) options.custom_sbox = &cipher.rows[0][0];
    vsh_streams* streams = nullptr;
    EXPECT_EQ(vsh_streams_new(&streams, cipher.number, nullptr, 0, &options), VSH_OK);
    const size_t iv_len = is_mac || mode.mode == VSH_ECB ? 0 : vsh_iv_len(cipher.number, mode.mode);
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < num; ++i)
      jobs.push_back({mode.work, mode.mode, &keys[32 * i], 0, &ivs[block * i], iv_len, &in[stride * i], len,
                      &expected[out_len * i], out_len, VSH_E_STATE});
    EXPECT_EQ(vsh_streams_run(streams, jobs.data(), num), VSH_OK);
    vsh_streams_free(streams);
  }

  // Returns the device's results, out_len bytes each.
  Bytes run(Device& device, const StreamCipher& cipher, Operation operation, Shape shape) const {
    const auto queue = device.make_queue();
    const auto upload = [&](const Bytes& bytes) {
      auto buffer = device.allocate(bytes.size());
      queue->upload(*buffer, 0, bytes.data(), bytes.size());
      return buffer;
    };
    const auto all_keys = upload(keys), all_ivs = upload(ivs), from = upload(in);
    const bool gives_tags = is_mac(operation);
    const size_t out_stride = gives_tags ? block : stride;
    Bytes all(out_stride * num, 0xa5), out;
    const auto to = upload(all);
    StreamCipher::Scratch scratch;
    cipher.launch(*queue, scratch,
                  {operation, to.get(), from.get(), all_keys.get(), all_ivs.get(), static_cast<uint32_t>(num), len,
                   stride, shape});
    queue->download(all.data(), *to, 0, all.size());
    queue->finish();
    for (size_t i = 0; i < num; ++i) {
      const auto at = all.begin() + static_cast<ptrdiff_t>(out_stride * i);
      out.insert(out.end(), at, at + static_cast<ptrdiff_t>(out_len));
      for (size_t k = (len + block - 1) / block * block; !gives_tags && k < stride; ++k)
        EXPECT_EQ(at[static_cast<ptrdiff_t>(k)], 0xa5) << "between messages";
    }
    return out;
  }
};

// The operation in both shapes, for numbers of messages and blocks about a work item's 32 lanes, and for more messages
// than a group of work items has lanes.
void check(Device& device, const Cipher& cipher, Operation operation) {
  SCOPED_TRACE(test::seed_note() + " " + std::string(operation_name(operation)));
  const StreamCipher on_device(device, cipher.parameters());
  ASSERT_TRUE(on_device.can(operation));
  test::Random random(static_cast<uint64_t>(operation));
  const size_t n = cipher.block(), part = kModes.at(operation).whole ? 0 : 3;
  struct Size {
    size_t num, len, gap;
  };
  for (const Size size : {Size{1, n + part, 0}, Size{33, 2 * n - part, 1}, Size{64, n, 0}, Size{70, 33 * n + part, 0},
                          Size{5, 96 * n, 2}, Size{4200, 5 * n, 1}}) {
    const Batch batch(cipher, operation, size.num, size.len, size.gap, random);
    for (const Shape shape : {Shape::spread, Shape::lockstep, Shape::best})
      EXPECT_EQ(batch.run(device, on_device, operation, shape), batch.expected)
          << size.num << " of " << size.len << " bytes, shape " << static_cast<int>(shape);
  }
}

const Cipher kGost28147{Algorithm::gost28147, VSH_GOST28147, VSH_SBOX_CRYPTOPRO_A};
const Cipher kMagma{Algorithm::magma, VSH_MAGMA};
const Cipher kKuznyechik{Algorithm::kuznyechik, VSH_KUZNYECHIK};

void check_all(Device& device, const Cipher& cipher) {
  for (const auto& [operation, mode] : kModes) {
    if (mode.mode == VSH_OFB && cipher.algorithm == Algorithm::gost28147) continue;  // the library has no such mode
    if (StreamCipher(device, cipher.parameters()).can(operation)) check(device, cipher, operation);
  }
}

TEST(StreamsEmulated, EveryWork) {
  test::EmulatedDevice emulated(test::streams_programs());
  for (const Cipher* cipher : {&kGost28147, &kMagma, &kKuznyechik}) check_all(emulated, *cipher);
}

TEST(StreamsEmulated, AUsersSboxes) {
  test::EmulatedDevice emulated(test::streams_programs());
  Cipher cipher{Algorithm::gost28147, VSH_GOST28147, VSH_SBOX_CUSTOM};
  test::Random random;
  for (auto& row : cipher.rows) {
    for (uint8_t i = 0; i < 16; ++i) row[i] = i;
    for (size_t i = 15; i > 0; --i) std::swap(row[i], row[random.below(i + 1)]);
  }
  check(emulated, cipher, Operation::ecb_encrypt);
  check(emulated, cipher, Operation::cnt);
}

class StreamsOnDevices : public test::DeviceTest {};

// The fake CUDA driver runs the same C++ as the emulated device, and compiles it while the test waits: a few works
// suffice.
bool is_fake_cuda(const Device& device) { return device.info().name.find("Fake CUDA") != std::string::npos; }

TEST_F(StreamsOnDevices, Gost28147) {
  for_each_device([](Device& device) {
    if (!is_fake_cuda(device)) return check_all(device, kGost28147);
    for (const Operation operation : {Operation::cnt, Operation::imit}) check(device, kGost28147, operation);
  });
}
TEST_F(StreamsOnDevices, Magma) {
  for_each_device([](Device& device) {
    if (is_fake_cuda(device)) return;
    for (const Operation operation : {Operation::ctr, Operation::mac}) check(device, kMagma, operation);
  });
}
TEST_F(StreamsOnDevices, Kuznyechik) {
  for_each_device([](Device& device) {
    check(device, kKuznyechik, Operation::ctr);
    if (is_fake_cuda(device)) return;
    for (const Operation operation : {Operation::ecb_decrypt, Operation::mac}) check(device, kKuznyechik, operation);
  });
}

}  // namespace
}  // namespace vsh::gpu
