// Block ciphers on devices against the references: on the emulated device, with the programs of CUDA and of
// OpenCL, and on every device here.
#include <algorithm>
#include <tuple>

#include "gpu/ciphers/block_cipher.hpp"

#include "gpu/programs/block_programs.hpp"
#include "gpu/support/device_test.hpp"
#include "support/subjects.hpp"

namespace vsh::gpu {
namespace {

using test::make_subject;
using test::Random;
using test::random_key;
using test::Subject;
using Bytes = std::vector<uint8_t>;

constexpr size_t kMost = 1024 + 2 * 32 + 5;  // more than 32 items share, the last ones not full
constexpr size_t kMargin = 64;               // bytes behind the output that must stay

std::unique_ptr<Device> make_device(const std::string& name) {
  if (name == "emulated_lut3") return std::make_unique<test::EmulatedDevice>(test::block_programs_lut3());
  return std::make_unique<test::EmulatedDevice>(test::block_programs_gates2());
}

// A cipher on a device and the reference, with data of both.
class Bench {
 public:
  Bench(Device& device, const std::string& name)
      : random_(std::hash<std::string>{}(name)),
        subject_(make_subject(name, random_)),
        size(block_size(subject_->round_keys().algorithm())),
        device_(device),
        queue_(device.make_queue()),
        cipher_(device, *queue_, subject_->round_keys()) {
    plain = random_.bytes(kMost * size);
    encrypted = plain;
    for (size_t i = 0; i < kMost; ++i) subject_->encrypt(&encrypted[i * size]);
  }

  std::unique_ptr<Buffer> upload(const Bytes& bytes) {
    auto buffer = device_.allocate(std::max<size_t>(bytes.size(), 1));
    queue_->upload(*buffer, 0, bytes.data(), bytes.size());
    return buffer;
  }

  // The first n blocks of `in` through the device; into another buffer, or in place.
  void expect(Operation operation, const Bytes& in, const Bytes& expected, size_t n, const Buffer* start = nullptr,
              uint64_t first = 0, uint32_t number = 1, bool in_place = false) {
    SCOPED_TRACE(std::to_string(n) + " blocks");
    const size_t len = n * size;
    const Bytes input(in.begin(), in.begin() + static_cast<ptrdiff_t>(len));
    Bytes out = in_place ? input : Bytes(len, 0xA5);
    out.resize(len + kMargin, 0xA5);
    const auto from = upload(input), to = upload(out);
    cipher_.launch(*queue_, {.operation = operation,
                             .out = to.get(),
                             .in = in_place ? to.get() : from.get(),
                             .num_blocks = n,
                             .start = start,
                             .first = first,
                             .z = number,
                             .unit_blocks = number});
    queue_->download(out.data(), *to, 0, out.size());
    queue_->finish();
    ASSERT_EQ(Bytes(kMargin, 0xA5), Bytes(out.begin() + static_cast<ptrdiff_t>(len), out.end())) << "written beyond";
    for (size_t i = 0; i < n; ++i)
      ASSERT_EQ(0, std::memcmp(&out[i * size], &expected[i * size], size)) << "block " << i;
  }

  // Checks a counter mode: counter number `first` is first_counter, and so on.
  template <class Next>
  void expect_keystream(Operation operation, const Bytes& start, uint64_t first, Bytes first_counter, Next next,
                        size_t n) {
    Bytes expected = plain;
    for (size_t i = 0; i < n; ++i, next(first_counter)) {
      Bytes keystream = first_counter;
      subject_->encrypt(keystream.data());
      for (size_t b = 0; b < size; ++b) expected[i * size + b] ^= keystream[b];
    }
    const auto counter = upload(start);
    expect(operation, plain, expected, n, counter.get(), first);
    expect(operation, plain, expected, n / 2, counter.get(), first, 1, true);
  }

  Random random_;
  std::unique_ptr<Subject> subject_;
  size_t size;
  Device& device_;
  std::unique_ptr<Queue> queue_;
  BlockCipher cipher_;
  Bytes plain, encrypted;
};

const size_t kCounts[] = {0, 1, 31, 33, 1024, kMost};

void check_ecb(Bench& b) {
  for (const size_t n : kCounts) {
    b.expect(Operation::ecb_encrypt, b.plain, b.encrypted, n);
    b.expect(Operation::ecb_decrypt, b.encrypted, b.plain, n);
  }
  b.expect(Operation::ecb_encrypt, b.plain, b.encrypted, kMost, nullptr, 0, 1, true);
  b.expect(Operation::ecb_decrypt, b.encrypted, b.plain, kMost, nullptr, 0, 1, true);
}

// The sequence of z blocks before, then the input.
void check_feedback(Bench& b) {
  for (const uint32_t z : {1u, 2u, 16u, BlockCipher::kMostFeedback}) {
    SCOPED_TRACE("z = " + std::to_string(z));
    const auto cut = [&](const Bytes& bytes) {
      return Bytes(bytes.begin() + static_cast<ptrdiff_t>(z * b.size), bytes.end());
    };
    Bytes cbc = cut(b.plain), cfb = cut(b.plain);
    for (size_t i = 0; i < cbc.size(); ++i) {
      cbc[i] ^= b.encrypted[i];
      cfb[i] ^= b.encrypted[i];
    }
    const auto ciphertext = b.upload(Bytes(b.encrypted.begin(), b.encrypted.begin() + ptrdiff_t(z * b.size)));
    const auto registers = b.upload(Bytes(b.plain.begin(), b.plain.begin() + ptrdiff_t(z * b.size)));
    for (const size_t n : {size_t{1}, size_t{33}, kMost - z}) {
      b.expect(Operation::cbc_decrypt, cut(b.encrypted), cbc, n, ciphertext.get(), 0, z);
      b.expect(Operation::cfb_decrypt, cut(b.plain), cfb, n, registers.get(), 0, z);
    }
  }
}

// Adds `steps` to the big-endian number in bytes `first` to `end` - 1.
void count(Bytes& counter, size_t first, size_t end, uint64_t steps = 1) {
  for (size_t b = end; b-- > first && steps;) {
    steps += counter[b];
    counter[b] = static_cast<uint8_t>(steps);
    steps >>= 8;
  }
}

void check_counters(Bench& b) {
  const struct {
    Operation operation;
    size_t first, end;
  } rules[] = {
      {Operation::ctr, 0, b.size}, {Operation::ctr_left, 0, b.size / 2}, {Operation::ctr_right, b.size / 2, b.size}};
  for (const auto& rule : rules) {
    SCOPED_TRACE("rule " + std::to_string(static_cast<int>(rule.operation)));
    const auto check = [&](const Bytes& start, uint64_t first, size_t n) {
      Bytes counter = start;
      count(counter, rule.first, rule.end, first);
      b.expect_keystream(
          rule.operation, start, first, counter, [&](Bytes& c) { count(c, rule.first, rule.end); }, n);
    };
    check(b.random_.bytes(b.size), 0, kMost);
    check(Bytes(b.size, 0xFF), 0, 40);  // wraps at once, in some lanes and items only
    Bytes late(b.size, 0xFF);
    late[rule.end - 1] = 0;
    late[rule.end - 2] = 0xFE;
    check(late, 0, 700);                            // in the middle
    check(Bytes(b.size, 0), 0xFFFFFFFFu - 20, 40);  // over 32 bits, by the number of the first
    check(b.random_.bytes(b.size), 0xFEDCBA9876543210u, 40);
  }
}

// RFC 5830 clause 6.1, literally.
void check_cnt(Bench& b) {
  const auto step = [](Bytes& counters) {
    const uint64_t n3 = (load_le32(&counters[0]) + uint64_t{0x01010101}) & 0xFFFFFFFF;
    uint64_t n4 = load_le32(&counters[4]) + uint64_t{0x01010104};
    if (n4 >= uint64_t{1} << 32) n4 -= 0xFFFFFFFF;
    store_le64(counters.data(), n4 << 32 | n3);
  };
  std::vector<Bytes> starts(4, b.random_.bytes(8));
  starts[1] = Bytes(8, 0xFF);                                  // N3 wraps at once, N4 is 2^32 - 1
  starts[2] = Bytes(8, 0);                                     // N4 = 0
  store_le32(&starts[3][4], 0xFFFFFFFFu - 300 * 0x01010104u);  // N4 becomes 2^32 - 1 and goes on from there
  for (const Bytes& start : starts) {
    for (const uint64_t first : {0u, 70u}) {
      Bytes counters = start;
      for (uint64_t i = 0; i <= first; ++i) step(counters);
      b.expect_keystream(Operation::cnt, start, first, counters, step, first ? 300 : kMost);
    }
  }
}

// Units of every size: several in the blocks of 32 items, one for several items, none a power of two.
void check_xts(Bench& b) {
  const auto second = make_subject("kuznyechik", b.random_);
  const BlockCipher tweak_cipher(b.device_, *b.queue_, second->round_keys());
  for (const uint32_t unit_blocks : {1u, 3u, 32u, 40u, 256u, 1055u}) {
    SCOPED_TRACE("units of " + std::to_string(unit_blocks) + " blocks");
    const size_t num_units = kMost / unit_blocks, n = num_units * unit_blocks;
    const uint64_t first = 0xFFFFFFFFu - 1, step = 8, skipped = 2;
    // Numbers and blocks are little-endian polynomials (IEEE 1619 clause 5).
    Bytes in = b.plain, out = b.encrypted;
    for (size_t unit = 0; unit < num_units; ++unit) {
      uint8_t t[16] = {};
      store_le64(t, first + (skipped + unit) * step);
      second->encrypt(t);
      for (size_t i = unit * unit_blocks; i < (unit + 1) * unit_blocks; ++i) {
        for (size_t k = 0; k < 16; ++k) in[16 * i + k] ^= t[k], out[16 * i + k] ^= t[k];
        const uint8_t over = t[15] >> 7 ? 0x87 : 0;
        for (size_t k = 15; k > 0; --k) t[k] = static_cast<uint8_t>(t[k] << 1 | t[k - 1] >> 7);
        t[0] = static_cast<uint8_t>(t[0] << 1 ^ over);
      }
    }
    const auto tweaks = b.device_.allocate(BlockCipher::tweaks_size(num_units + skipped, unit_blocks));
    tweak_cipher.make_tweaks(*b.queue_, *tweaks, first, step, num_units + skipped, unit_blocks);
    b.expect(Operation::xts_encrypt, in, out, n, tweaks.get(), skipped, unit_blocks);
    b.expect(Operation::xts_decrypt, out, in, n, tweaks.get(), skipped, unit_blocks, true);
  }
}

enum class Extent { all, no_feedback };

void check(Device& device, const std::string& cipher, Extent extent) {
  SCOPED_TRACE(cipher);
  Bench b(device, cipher);
  check_ecb(b);
  if (extent == Extent::all) check_feedback(b);
  if (cipher.starts_with("gost28147")) return check_cnt(b);
  check_counters(b);
  if (cipher == "kuznyechik") check_xts(b);
}

class Emulated : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Emulated, AgreesWithTheReference) {
  const auto& [device, cipher] = GetParam();
  check(*make_device(device), cipher, Extent::all);
}

std::vector<std::string> ciphers() {
  std::vector<std::string> all = {"kuznyechik", "magma", "gost28147_custom"};
  for (int i = 0; i < tables::kNumMagmaSboxes; ++i) all.push_back("gost28147_set" + std::to_string(i));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Programs, Emulated,
                         testing::Combine(testing::Values("emulated_lut3", "emulated_gates2"),
                                          testing::ValuesIn(ciphers())),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

using OnDevices = test::DeviceTest;

// Circuits are tested on the emulated device; one set and a user-defined one check the compiler's numbers of sets.
// Feedback is the same in all of Magma's programs, and each kernel takes a second to compile.
TEST_F(OnDevices, AgreeWithTheReference) {
  for_each_device([](Device& device) {
    check(device, "kuznyechik", Extent::all);
    check(device, "magma", Extent::all);
    check(device, "gost28147_set4", Extent::no_feedback);
    check(device, "gost28147_custom", Extent::no_feedback);
  });
}

}  // namespace
}  // namespace vsh::gpu
