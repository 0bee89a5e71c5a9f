#include "programs/tunnel/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "programs/common/files/final_name.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kSlot = 4096, kTag = 32;
constexpr char kMagic[8] = {'V', 'S', 'H', 'T', 'U', 'N', '0', '1'};
const char* const kNoWay = cli::mark(
    "sequence numbers would be used again, so nothing is sent; make new keys for both ends with `vershina "
    "tunnel keygen`");

void store(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}
uint64_t load(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | at[i];
  return value;
}

void fill_slot(uint8_t* slot, const uint8_t* key, uint64_t generation, const std::vector<Sequences>& sequences) {
  std::memset(slot, 0, kSlot);
  std::memcpy(slot, kMagic, sizeof kMagic);
  store(slot + 8, generation);
  for (size_t i = 0; i < sequences.size(); ++i) {
    store(slot + 16 + 16 * i, sequences[i].sent);
    store(slot + 24 + 16 * i, sequences[i].seen);
  }
  authenticate(slot + kSlot - kTag, key, slot, kSlot - kTag);
}

bool write_at(int fd, const uint8_t* data, size_t len, off_t at) {
  while (len > 0) {
    const ssize_t n = ::pwrite(fd, data, len, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, at += n, len -= static_cast<size_t>(n);
  }
  return ::fdatasync(fd) == 0;
}

std::string directory_of(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "./" : name.substr(0, slash + 1);
}

}  // namespace

void StateFile::create(const std::string& name, const KeyFile& keys) {
  cli::SecretBytes<32> key;
  derive_state_key(key, keys);
  const cli::Descriptor fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.is_open()) throw Failure(ExitCode::output, tr("{1}: {2}", name, std::strerror(errno)), {}, errno);
  std::vector<uint8_t> slots(2 * kSlot);
  const std::vector<Sequences> none(keys.queues);
  for (const unsigned i : {0, 1}) fill_slot(&slots[i * kSlot], key.bytes, i, none);
  if (!write_at(fd.get(), slots.data(), slots.size(), 0) || cli::sync_directory(directory_of(name)) != 0) {
    const int error = errno;
    ::unlink(name.c_str());
    throw Failure(ExitCode::output, tr("{1}: {2}", name, std::strerror(error)), {}, error);
  }
}

StateFile::StateFile(const std::string& name, const KeyFile& keys) : name_(name), queues_(keys.queues) {
  derive_state_key(key_, keys);
  fd_ = cli::Descriptor(::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd_.is_open() && errno == ENOENT)
    throw Failure(ExitCode::input, tr("{1}: the state of the sequence numbers is lost", name), tr(kNoWay));
  if (!fd_.is_open()) throw Failure(ExitCode::input, tr("{1}: {2}", name, std::strerror(errno)), {}, errno);
  check_own(fd_.get(), name, cli::kRightToWrite, cli::Names::one);
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0)
    throw Failure(ExitCode::usage, tr("{1}: another process uses these keys", name));
  bool found = false;
  for (const unsigned slot : {0, 1}) {
    uint64_t generation = 0;
    std::vector<Sequences> sequences;
    if (!read_slot(slot, generation, sequences) || (found && generation < generation_)) continue;
    found = true;
    generation_ = generation;
    for (unsigned q = 0; q < queues_; ++q) sent_[q] = sequences[q].sent, seen_[q] = sequences[q].seen;
  }
  if (!found)
    throw Failure(ExitCode::input,
                  tr("{1}: the state of the sequence numbers is damaged, or of another key file", name), tr(kNoWay));
}

bool StateFile::read_slot(unsigned slot, uint64_t& generation, std::vector<Sequences>& sequences) const {
  uint8_t bytes[kSlot], tag[kTag];
  if (::pread(fd_.get(), bytes, kSlot, static_cast<off_t>(slot * kSlot)) != static_cast<ssize_t>(kSlot)) return false;
  authenticate(tag, key_.bytes, bytes, kSlot - kTag);
  if (!vsh_equal(tag, bytes + kSlot - kTag, kTag) || std::memcmp(bytes, kMagic, sizeof kMagic) != 0) return false;
  generation = load(bytes + 8);
  for (size_t i = 0; i < queues_; ++i) sequences.push_back({load(bytes + 16 + 16 * i), load(bytes + 24 + 16 * i)});
  return generation % 2 == slot;
}

std::vector<Sequences> StateFile::all() const {
  std::vector<Sequences> sequences;
  for (unsigned q = 0; q < queues_; ++q) sequences.push_back(of(q));
  return sequences;
}

void StateFile::write(const std::vector<Sequences>& sequences) {
  uint8_t slot[kSlot];
  fill_slot(slot, key_.bytes, generation_ + 1, sequences);
  if (!write_at(fd_.get(), slot, kSlot, static_cast<off_t>((generation_ + 1) % 2 * kSlot)))
    throw Failure(ExitCode::output, tr("{1}: {2}", name_, std::strerror(errno)),
                  tr("the tunnel ends: nothing is sent unreserved"), errno);
  ++generation_;
  for (unsigned q = 0; q < queues_; ++q) {
    seen_[q].store(sequences[q].seen);
    sent_[q].store(sequences[q].sent, std::memory_order_release);
  }
}

void StateFile::reserve_more(unsigned queue, uint64_t needed) {
  const std::lock_guard lock(mutex_);
  if (needed <= sent_[queue].load()) return;
  std::vector<Sequences> sequences = all();
  sequences[queue].sent = needed + std::min(kMargin, UINT64_MAX - needed);
  write(sequences);
}

void StateFile::note_seen(unsigned queue, uint64_t seen) {
  if (seen <= seen_[queue].load()) return;
  const std::lock_guard lock(mutex_);
  if (seen <= seen_[queue].load()) return;
  std::vector<Sequences> sequences = all();
  sequences[queue].seen = seen;
  write(sequences);
}

void StateFile::settle(const std::vector<Sequences>& used) {
  const std::lock_guard lock(mutex_);
  std::vector<Sequences> sequences = all();
  for (unsigned q = 0; q < queues_; ++q) {
    sequences[q].sent = std::min(sequences[q].sent, used[q].sent);
    sequences[q].seen = std::max(sequences[q].seen, used[q].seen);
  }
  write(sequences);
}

}  // namespace vsh::tunnel
