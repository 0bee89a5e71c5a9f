#include "programs/common/disk/formats/luks2_create.hpp"

#include <fcntl.h>
#include <libcryptsetup.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "programs/common/digest/sha256.hpp"
#include "programs/common/disk/formats/luks2.hpp"
#include "programs/common/disk/formats/memory_file.hpp"
#include "programs/common/system/descriptor_path.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::Descriptor;
using cli::ExitCode;
using cli::Failure;
using cli::tr;

// LUKS2 On-Disk Format Specification 1.1.4, 2.1: the binary header of a copy. Numbers are big-endian.
constexpr size_t kBinaryLen = 4096, kHeaderSizeAt = 8, kChecksumNameAt = 72, kChecksumAt = 448, kChecksumLen = 64;
constexpr char kFormatCipher[] = "aes", kFormatMode[] = "xts-plain64";

struct FreeDevice {
  void operator()(crypt_device* device) const { crypt_free(device); }
};

[[noreturn]] void fail(const std::string& what, int error) {
  throw Failure(ExitCode::internal, tr("making the LUKS2 header: {1}", what + ": " + std::strerror(error)), {}, error);
}

uint64_t read_big_endian(const uint8_t* in) {
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | in[i];
  return number;
}

// Changes the cipher of the segment in the copy that begins at `begin`, and renews the checksum. Returns its length.
size_t change_cipher(std::vector<uint8_t>& bytes, size_t begin) {
  const auto damaged = [] { return Failure(ExitCode::internal, tr("libcryptsetup made a header of another form")); };
  if (bytes.size() < begin + kBinaryLen) throw damaged();
  uint8_t* const copy = bytes.data() + begin;
  const uint64_t len = read_big_endian(copy + kHeaderSizeAt);
  if (len <= kBinaryLen || len > bytes.size() - begin) throw damaged();
  if (std::strcmp(reinterpret_cast<const char*>(copy + kChecksumNameAt), "sha256") != 0) throw damaged();

  char* const area = reinterpret_cast<char*>(copy + kBinaryLen);
  const size_t area_len = len - kBinaryLen;
  // Read and put back by one library: all but the cipher stays as libcryptsetup made it.
  auto metadata = cli::parse_json<nlohmann::ordered_json>({area, ::strnlen(area, area_len)});
  if (metadata.is_discarded() || !metadata.contains("segments") || metadata["segments"].size() != 1) throw damaged();
  metadata["segments"]["0"]["encryption"] = std::string(kLuks2Cipher);
  const std::string text = metadata.dump();
  if (text.size() >= area_len) throw damaged();
  std::memset(area, 0, area_len);
  std::memcpy(area, text.data(), text.size());

  std::memset(copy + kChecksumAt, 0, kChecksumLen);
  cli::Sha256 hash;
  uint8_t digest[cli::Sha256::kLen];
  hash.update({copy, len});
  hash.final(digest);
  std::memcpy(copy + kChecksumAt, digest, sizeof digest);
  return len;
}

std::string* said = nullptr;

void collect_message(int level, const char* message, void*) {
  if (level != CRYPT_LOG_ERROR || said == nullptr || message == nullptr) return;
  *said += (said->empty() ? "" : "; ") + std::string(message);
  while (said->ends_with('\n') || said->ends_with('.')) said->pop_back();
}

// Lets libcryptsetup make its header for AES. Returns the offset of the volume.
uint64_t format(const MemoryFile& file, const Luks2Choices& choices, uint64_t store_size,
                std::span<const uint8_t> secret) {
  crypt_device* raw = nullptr;
  int error = crypt_init(&raw, file.path().c_str());
  const std::unique_ptr<crypt_device, FreeDevice> device(raw);
  if (error < 0) fail("libcryptsetup", -error);
  std::string messages;
  said = &messages;
  crypt_set_log_callback(raw, collect_message, nullptr);
  const auto check = [&](int result) {
    if (result >= 0) return;
    said = nullptr;
    if (result == -ENOMEM) throw std::bad_alloc();
    throw Failure(ExitCode::internal,
                  tr("making the LUKS2 header: {1}", messages.empty() ? std::strerror(-result) : messages.c_str()));
  };
  crypt_set_rng_type(raw, CRYPT_RNG_URANDOM);

  crypt_pbkdf_type pbkdf{};
  pbkdf.type = CRYPT_KDF_ARGON2ID;
  pbkdf.hash = "sha256";
  const crypt_pbkdf_type* const defaults = crypt_get_pbkdf_default(CRYPT_LUKS2);
  pbkdf.time_ms = choices.milliseconds ? choices.milliseconds : defaults ? defaults->time_ms : 2000;
  pbkdf.max_memory_kb = choices.memory ? static_cast<uint32_t>(choices.memory)
                        : defaults     ? defaults->max_memory_kb
                                       : uint32_t{1} << 20;
  pbkdf.parallel_threads =
      choices.lanes ? choices.lanes : std::clamp(std::thread::hardware_concurrency(), 1u, unsigned{kMaxArgon2Lanes});
  if (choices.passes) {
    pbkdf.iterations = choices.passes;
    pbkdf.flags = CRYPT_PBKDF_NO_BENCHMARK;
  }
  check(crypt_set_pbkdf_type(raw, &pbkdf));

  crypt_params_luks2 parameters{};
  parameters.sector_size = choices.sector_len;
  parameters.label = choices.label.empty() ? nullptr : choices.label.c_str();
  const MemoryFile data(choices.is_detached ? store_size : 0);
  const std::string data_path = data.path();
  if (choices.is_detached) parameters.data_device = data_path.c_str();
  check(crypt_format(raw, CRYPT_LUKS2, kFormatCipher, kFormatMode,
                     choices.uuid.empty() ? nullptr : choices.uuid.c_str(), nullptr, VSH_XTS_KEY_LEN, &parameters));
  check(crypt_keyslot_add_by_volume_key(raw, CRYPT_ANY_SLOT, nullptr, 0, reinterpret_cast<const char*>(secret.data()),
                                        secret.size()));
  said = nullptr;
  return crypt_get_data_offset(raw) * VSH_SECTOR_UNIT;
}

// cryptsetup's lock of the metadata (utils_device_locking.c): flock() of a regular file, or of the device's own file in
// /run/cryptsetup, which is removed on unlocking: a file that has lost its name by then locks nothing. The descriptor
// is not open where there is no lock. path: for messages.
Descriptor lock_metadata(int fd, const std::string& path) {
  const std::string self = cli::path_of(fd);
  if (has_no_metadata_lock(self)) return Descriptor();
  const std::string name = cli::quote_name(path);
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw Failure(ExitCode::output, name + ": " + std::strerror(errno), {}, errno);
  const bool is_device = S_ISBLK(status.st_mode);
  const std::string file = !is_device ? self
                                      : "/run/cryptsetup/L_" + std::to_string(major(status.st_rdev)) + ":" +
                                            std::to_string(minor(status.st_rdev));
  if (is_device) (void)::mkdir("/run/cryptsetup", 0700);
  for (;;) {
    Descriptor lock(::open(file.c_str(), O_RDWR | O_CLOEXEC | (is_device ? O_CREAT | O_NOFOLLOW : 0), 0644));
    if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      throw Failure(ExitCode::output, tr("{1}: the header cannot be locked: {2}", name, std::strerror(error)),
                    error == EWOULDBLOCK ? tr("cryptsetup is working on it") : "", error);
    }
    struct stat held {};
    if (!is_device ||
        (::fstat(lock.get(), &held) == 0 && ::stat(file.c_str(), &status) == 0 && cli::is_same_file(held, status)))
      return lock;
  }
}

}  // namespace

NewHeader make_luks2_header(const Luks2Choices& choices, uint64_t store_size, std::span<const uint8_t> secret) {
  constexpr uint64_t kDetachedLen = uint64_t{16} << 20;  // what libcryptsetup takes by default
  const MemoryFile file(choices.is_detached ? kDetachedLen : store_size);
  NewHeader header;
  const uint64_t offset = format(file, choices, store_size, secret);
  if (choices.is_detached ? offset != 0 : offset > store_size || offset > (uint64_t{1} << 30))
    throw Failure(ExitCode::parameters, tr("the store is too small"));
  header.bytes.resize(choices.is_detached ? kDetachedLen : offset);
  file.read(header.bytes, 0);
  header.copy_len = change_cipher(header.bytes, 0);
  if (change_cipher(header.bytes, header.copy_len) != header.copy_len)
    throw Failure(ExitCode::internal, tr("libcryptsetup made two different headers"));
  file.write(header.bytes, 0);

  const Luks2Header loaded(file.path());
  (void)check_luks2(loaded.metadata(), store_size, choices.is_detached, tr("the new header"));
  VolumeKey key;
  loaded.unlock(key, secret);
  return header;
}

void write_luks2_header(int fd, const std::string& path, const NewHeader& header) {
  const Descriptor lock = lock_metadata(fd, path);
  const auto put = [&](const uint8_t* in, size_t begin, size_t end) {
    while (begin < end) {
      const ssize_t len = ::pwrite(fd, in, end - begin, static_cast<off_t>(begin));
      if (len < 0 && errno == EINTR) continue;
      if (len <= 0) cli::throw_write_failure(path, len < 0 ? errno : EIO);
      in += len;
      begin += static_cast<size_t>(len);
    }
    if (::fsync(fd) != 0) cli::throw_write_failure(path, errno);
  };
  const std::vector<uint8_t> zeros(header.bytes.size());
  const uint8_t* const bytes = header.bytes.data();
  const size_t copy = header.copy_len;
  put(zeros.data(), 0, zeros.size());
  put(bytes + 2 * copy, 2 * copy, header.bytes.size());
  put(bytes + copy, copy, 2 * copy);
  // The first block, with the magic number, last.
  put(bytes + kBinaryLen, kBinaryLen, copy);
  put(bytes, 0, kBinaryLen);
}

}  // namespace vsh::disk
