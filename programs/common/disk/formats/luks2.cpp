#include "programs/common/disk/formats/luks2.hpp"

#include <fcntl.h>
#include <libcryptsetup.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// Collects libcryptsetup's error messages of one device.
void take_message(int level, const char* message, void* user) {
  if (level != CRYPT_LOG_ERROR || user == nullptr || message == nullptr) return;
  std::string& all = *static_cast<std::string*>(user);
  std::string_view text = message;
  while (text.ends_with('\n') || text.ends_with('.')) text.remove_suffix(1);
  if (!all.empty()) all += "; ";
  all += text;
}

void ignore_message(int, const char*, void*) {}

// Installs the above for a scope. Says `name` where libcryptsetup says the path that it was given.
class Messages {
 public:
  Messages(crypt_device* device, const std::string& path, const std::string& name)
      : device_(device), path_(path), name_(name) {
    crypt_set_log_callback(device, take_message, &text);
  }
  ~Messages() { crypt_set_log_callback(device_, ignore_message, nullptr); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // " (what libcryptsetup said)".
  std::string in_brackets() const {
    std::string said = text;
    for (size_t at = 0; (at = said.find(path_, at)) != std::string::npos; at += name_.size())
      said.replace(at, path_.size(), name_);
    return said.empty() ? "" : " (" + said + ")";
  }
  std::string text;

 private:
  crypt_device* const device_;
  const std::string &path_, &name_;
};

void set_up_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    crypt_set_log_callback(nullptr, ignore_message, nullptr);
#ifdef CRYPT_TOKEN_ABI_VERSION1
    crypt_token_external_disable();  // a header does not choose which modules are loaded
#endif
  });
}

}  // namespace

bool has_no_metadata_lock(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (S_ISBLK(status.st_mode)) return ::geteuid() != 0 && ::access("/run/cryptsetup", W_OK | X_OK) != 0;
  struct statfs system {};
  return ::statfs(path.c_str(), &system) == 0 && system.f_type == NFS_SUPER_MAGIC;
}

void Luks2Header::Free::operator()(crypt_device* device) const { crypt_free(device); }

Luks2Header::Luks2Header(const std::string& path, Repair repair)
    : name_(cli::quote_name(path)), file_(::open(path.c_str(), O_PATH | O_CLOEXEC)) {
  struct stat status {};
  if (!file_.is_open() || ::fstat(file_.get(), &status) != 0)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))  // a FIFO would wait for its other end
    throw Failure(ExitCode::input, tr("{1}: neither a file nor a block device", name_));
  load(cli::path_of(file_), repair);
}

Luks2Header::Luks2Header(Store& store, Repair repair) : name_(store.name()) {
  if (const std::string path = store.path(); path.empty()) copy_from(store);
  else load(path, repair);
}

void Luks2Header::copy_from(Store& store) {
  copy_ = std::make_unique<MemoryFile>(store.size());
  // The size of headers made by default, which is more than both copies of the longest header; then the rest of it.
  constexpr uint64_t kFirst = uint64_t{16} << 20, kMost = uint64_t{256} << 20;
  const auto copy = [&](uint64_t begin, uint64_t end) {
    std::vector<uint8_t> piece(size_t{1} << 20);
    for (; begin < end; begin += piece.size()) {
      piece.resize(static_cast<size_t>(std::min<uint64_t>(piece.size(), end - begin)));
      store.read(piece.data(), piece.size(), begin);
      copy_->write(piece, begin);
    }
  };
  copy(0, std::min(kFirst, store.size()));
  load(copy_->path());
  if (metadata_.header_len > kMost)
    throw Failure(ExitCode::header, tr("{1}: the LUKS2 header has more than 256 MiB", name_));
  copy(kFirst, std::min(metadata_.header_len, store.size()));
}

void Luks2Header::load(const std::string& path, Repair repair) {
  if (repair == Repair::no || has_no_metadata_lock(path)) (void)crypt_metadata_locking(nullptr, 0);
  load(path);
}

void Luks2Header::load(const std::string& path) {
  path_ = path;
  set_up_library();
  crypt_device* device = nullptr;
  int error = crypt_init(&device, path.c_str());
  device_.reset(device);
  if (error < 0) throw Failure(ExitCode::input, name_ + ": " + std::strerror(-error), {}, -error);
  const Messages messages(device, path_, name_);
  error = crypt_load(device, CRYPT_LUKS2, nullptr);
  if (error == -ENOMEM) throw std::bad_alloc();
  if (error == -EACCES || error == -EPERM)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(-error), {}, -error);
  if (error < 0) throw Failure(ExitCode::header, tr("{1}: no valid LUKS2 header{2}", name_, messages.in_brackets()));
  const char* json = nullptr;
  error = crypt_dump_json(device, &json, 0);
  if (error < 0 || json == nullptr) throw Failure(ExitCode::header, tr("{1}: the LUKS2 header has no metadata", name_));
  metadata_ = read_luks2_metadata(json, name_);
}

std::string Luks2Header::uuid() const {
  const char* const text = crypt_get_uuid(device_.get());
  return text ? text : "";
}

std::string Luks2Header::label() const {
  const char* const text = crypt_get_label(device_.get());
  return text ? text : "";
}

void Luks2Header::unlock(VolumeKey& key, std::span<const uint8_t> passphrase) const {
  const Messages messages(device_.get(), path_, name_);
  size_t len = sizeof key.bytes;
  // From any slot of the segment; libcryptsetup compares the key with the segment's digest.
  const int slot = crypt_volume_key_get(device_.get(), CRYPT_ANY_SLOT, reinterpret_cast<char*>(key.bytes), &len,
                                        reinterpret_cast<const char*>(passphrase.data()), passphrase.size());
  if (slot == -EPERM || slot == -ENOENT)
    throw Failure(ExitCode::wrong_key, tr("{1}: no key slot opens with this passphrase", name_));
  if (slot == -ENOMEM) {
    throw Failure(ExitCode::internal, tr("{1}: not enough memory to derive the key from the passphrase", name_),
                  tr("its Argon2 needs as much as `cryptsetup luksDump` shows"));
  }
  if (slot < 0)
    throw Failure(ExitCode::header, tr("{1}: the key cannot be read from its slot{2}", name_, messages.in_brackets()));
  if (len != sizeof key.bytes) throw Failure(ExitCode::parameters, tr("{1}: the volume key has not 64 bytes", name_));
  // libcryptsetup (2.6.1) takes every key for the right one where the digest is missing, has another length than its
  // hash, or names an unknown hash: then every passphrase would open the volume, most of them with a key of noise.
  key.bytes[0] ^= 1;
  if (crypt_volume_key_verify(device_.get(), reinterpret_cast<const char*>(key.bytes), sizeof key.bytes) >= 0)
    throw Failure(ExitCode::header, tr("{1}: the LUKS2 header is damaged: its digest is right for every key", name_));
  key.bytes[0] ^= 1;
}

Luks2Header load_luks2(Store& store, const std::string& detached, Repair repair) {
  return detached.empty() ? Luks2Header(store, repair) : Luks2Header(detached, repair);
}

Luks2Volume open_luks2(Store& store, const std::string& detached, Access access) {
  Luks2Header header = load_luks2(store, detached, access == Access::read_only ? Repair::no : Repair::yes);
  const Layout layout = check_luks2(header.metadata(), store.size(), !detached.empty(), store.name());
  return {std::move(header), layout};
}

}  // namespace vsh::disk
