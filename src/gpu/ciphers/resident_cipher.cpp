#include "gpu/ciphers/resident_cipher.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/cuda/interop.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kAlignment = 16;         // of what kernels load at once
constexpr size_t kMaxCopied = 16 << 20;   // bytes that are copied at a time
constexpr size_t kMaxLaunched = 1 << 30;  // bytes of a launch: GPUs with a display abort work that takes seconds
constexpr size_t kMaxStart = 256;         // a register of 16 blocks of 16 bytes

bool is_aligned(const void* p) noexcept { return reinterpret_cast<uintptr_t>(p) % kAlignment == 0; }

}  // namespace

// A task in progress.
class ResidentCipher::Pass {
 public:
  Pass(ResidentCipher& cipher, const Task& task)
      : c_(cipher), task_(task), device_(c_.keyed_.device()), n_(c_.keyed_.cipher().block_size()) {}

  void run() {
    if (task_.start) {
      const size_t len = looks_back(task_.operation) ? task_.z * n_ : n_;
      c_.queue_->upload(grow(device_, c_.start_, kMaxStart), 0, task_.start, len);
    }
    // A kernel that looks back must not write over what it will look at.
    const bool copies_in = !is_aligned(task_.in) || (looks_back(task_.operation) && task_.in == task_.out);
    const bool copies_out = !is_aligned(task_.out);
    const size_t unit = task_.unit_blocks * n_, whole = task_.len / unit * unit;
    const size_t most = std::max((copies_in || copies_out ? kMaxCopied : kMaxLaunched) / unit, size_t{1}) * unit;
    for (size_t at = 0; at < whole; at += most) piece(at, std::min(most, whole - at), copies_in, copies_out);
    if (whole < task_.len) tail(whole);
  }

 private:
  std::unique_ptr<Buffer> adopt(const uint8_t* p, size_t len) {
    return adopt_buffer(device_, const_cast<uint8_t*>(p), len);
  }

  void piece(size_t at, size_t len, bool copies_in, bool copies_out) {
    const std::unique_ptr<Buffer> theirs_in = adopt(task_.in + at, len), theirs_out = adopt(task_.out + at, len);
    if (copies_in) c_.queue_->copy(grow(device_, c_.in_, len), 0, *theirs_in, 0, len);
    if (copies_out) grow(device_, c_.out_, len);
    const Buffer& in = copies_in ? *c_.in_ : *theirs_in;
    launch(copies_out ? *c_.out_ : *theirs_out, in, at, len);
    if (copies_out) c_.queue_->copy(*theirs_out, 0, *c_.out_, 0, len);
    if (looks_back(task_.operation)) move_register(in, len);
  }

  // Processes the last block of a counter mode or CFB, which is not whole: a block of ours, of which some bytes go out.
  void tail(size_t at) {
    const size_t len = task_.len - at;
    Buffer& in = grow(device_, c_.tail_in_, kMaxStart);
    Buffer& out = grow(device_, c_.tail_out_, kMaxStart);
    c_.queue_->erase(in, 0, n_);
    c_.queue_->copy(in, 0, *adopt(task_.in + at, len), 0, len);
    launch(out, in, at, n_);
    c_.queue_->copy(*adopt(task_.out + at, len), 0, out, 0, len);
  }

  // Sets R to the last z blocks of R and the piece.
  void move_register(const Buffer& piece, size_t len) {
    const size_t size = task_.z * n_;
    if (len >= size) return c_.queue_->copy(*c_.start_, 0, piece, len - size, size);
    Buffer& before = grow(device_, c_.tail_in_, kMaxStart);  // a copy must not overlap itself
    c_.queue_->copy(before, 0, *c_.start_, len, size - len);
    c_.queue_->copy(*c_.start_, 0, before, 0, size - len);
    c_.queue_->copy(*c_.start_, size - len, piece, 0, len);
  }

  void launch(Buffer& out, const Buffer& in, size_t at, size_t len) {
    BlockCipher::Task task{task_.operation, &out, &in, len / n_};
    if (task_.start) task.start = c_.start_.get();
    task.first = looks_back(task_.operation) ? 0 : task_.first + at / n_;
    task.z = static_cast<uint32_t>(task_.z);
    if (is_xts(task_.operation)) {
      const auto unit_blocks = static_cast<uint32_t>(task_.unit_blocks);
      const uint64_t num_units = task.num_blocks / unit_blocks, before = at / n_ / unit_blocks;
      grow(device_, c_.tweaks_, BlockCipher::tweaks_size(num_units, unit_blocks));
      c_.keyed_.tweak_cipher().make_tweaks(*c_.queue_, *c_.tweaks_, task_.first_unit + before * task_.step, task_.step,
                                           num_units, unit_blocks);
      task.start = c_.tweaks_.get();
      task.first = 0;
      task.unit_blocks = unit_blocks;
    }
    c_.keyed_.cipher().launch(*c_.queue_, task);
  }

  ResidentCipher& c_;
  const Task& task_;
  Device& device_;
  const size_t n_;
};

ResidentCipher::ResidentCipher(Device& device, const keys::CipherKey& key, const keys::CipherKey* tweak_key)
    : keyed_(device, key, tweak_key, false) {}

ResidentCipher::~ResidentCipher() {
  try {
    finish();
  } catch (const Error&) {
  }
}

void ResidentCipher::run(const Task& task) {
  if (!queue_ || stream_ != task.stream) {
    finish();
    queue_ = adopt_stream(keyed_.device(), task.stream);
    stream_ = task.stream;
  }
  Pass(*this, task).run();
}

void ResidentCipher::finish() {
  if (queue_) queue_->finish();
}

}  // namespace vsh::gpu
