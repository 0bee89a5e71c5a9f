// `vershina disk copy`: a plain image into a volume, or a volume's content into a plain image; verified by reading
// back.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/disk/formats/luks2.hpp"
#include "programs/common/disk/formats/secret_file.hpp"
#include "programs/common/disk/store/file_store.hpp"
#include "programs/common/disk/store/find_data.hpp"
#include "programs/common/disk/store/open_store.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/files/final_name.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/options/passphrase.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/own_file.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/disk/commands/commands.hpp"

namespace vsh::disk {
namespace {

using cli::Descriptor;
using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

constexpr uint64_t kBeginning = uint64_t{256} << 10;  // what a volume writes at a time
constexpr size_t kPiece = size_t{2} << 20;  // two, and the heap, are less than the usual RLIMIT_MEMLOCK of 8 MiB

struct CopySettings {
  std::string image, from, to, header, key_file;
  cli::PassphraseOptions passphrase;
  bool resume = false, force = false, quiet = false, no_progress = false;
};

// One side of a copy; both are read in the same way.
struct Side {
  std::string name;
  uint64_t size = 0;
  std::function<void(uint8_t*, size_t, uint64_t)> read;
  std::function<void(const uint8_t*, size_t, uint64_t)> write;
  Store* store = nullptr;
  bool has_holes = false;  // reads as zeros where nothing was written
};

struct OpenVolume {
  std::unique_ptr<Volume> volume;
  Side side;
};

OpenVolume open_volume(const CopySettings& settings, Access access) {
  std::unique_ptr<Store> store = open_store(settings.image, access);
  if (access == Access::read_write && !store->may_write())
    throw Failure(ExitCode::output, tr("{1}: may not be written", store->name()));
  const auto [header, layout] = open_luks2(*store, settings.header, access);
  VolumeKey key;
  if (!settings.key_file.empty()) {
    header.unlock(key, read_secret_file(settings.key_file, kMaxKeyFile).bytes());
  } else {
    const cli::EchoGuard silence;  // until the key is derived
    cli::Passphrase passphrase;
    settings.passphrase.load(passphrase, false, false);
    header.unlock(key, passphrase.bytes());
  }
  OpenVolume open;
  open.side.name = tr("the volume in {1}", store->name());
  open.side.store = store.get();
  open.volume = std::make_unique<Volume>(std::move(store), layout, key);
  (void)cli::lock_memory();  // with the round keys
  Volume* const volume = open.volume.get();
  open.side.size = volume->size();
  open.side.read = [volume](uint8_t* out, size_t len, uint64_t offset) { volume->read(out, len, offset); };
  open.side.write = [volume](const uint8_t* in, size_t len, uint64_t offset) { volume->write(in, len, offset); };
  return open;
}

Side side_of(FileStore& store) {
  Side side;
  side.name = store.name();
  side.size = store.size();
  side.store = &store;
  side.read = [&store](uint8_t* out, size_t len, uint64_t offset) { store.read(out, len, offset); };
  side.write = [&store](const uint8_t* in, size_t len, uint64_t offset) { store.write(in, len, offset); };
  return side;
}

bool is_zero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

// Writes what is not zero, in steps of 64 KiB.
void write_around_zeros(const Side& target, std::span<const uint8_t> in, uint64_t offset) {
  constexpr size_t kStep = size_t{64} << 10;
  for (size_t begin = 0, end = 0; begin < in.size(); begin = end) {
    end = std::min(begin + kStep, in.size());
    if (is_zero(in.subspan(begin, end - begin))) continue;
    while (end < in.size() && !is_zero(in.subspan(end, std::min(kStep, in.size() - end))))
      end = std::min(end + kStep, in.size());
    target.write(in.data() + begin, end - begin, offset + begin);
  }
}

// Plaintext passes through here: erased at the end, in no core file.
struct Buffers {
  cli::SecretBuffer source{kPiece}, target{kPiece};
};

void copy_all(Buffers& buffers, const Side& source, const Side& target, bool is_resumed, cli::Progress& progress) {
  for (uint64_t at = 0; at < source.size;) {
    const size_t len = static_cast<size_t>(std::min<uint64_t>(kPiece, source.size - at));
    source.read(buffers.source.data(), len, at);
    if (is_resumed) {
      target.read(buffers.target.data(), len, at);
      if (std::memcmp(buffers.source.data(), buffers.target.data(), len) != 0)
        target.write(buffers.source.data(), len, at);
    } else if (target.has_holes) {
      write_around_zeros(target, buffers.source.bytes().first(len), at);
    } else {
      target.write(buffers.source.data(), len, at);
    }
    at += len;
    progress.add(len);
  }
  target.store->flush();
}

void verify(Buffers& buffers, const Side& source, const Side& target, cli::Progress& progress) {
  target.store->forget_cached();
  for (uint64_t at = 0; at < source.size;) {
    const size_t len = static_cast<size_t>(std::min<uint64_t>(kPiece, source.size - at));
    source.read(buffers.source.data(), len, at);
    target.read(buffers.target.data(), len, at);
    if (std::memcmp(buffers.source.data(), buffers.target.data(), len) != 0) {
      const uint8_t* const begin = buffers.source.data();
      const auto differing = std::mismatch(begin, begin + len, buffers.target.data()).first - begin;
      throw Failure(ExitCode::data,
                    tr("{1}: read back, it differs from {2} at byte {3}", target.name, source.name,
                       at + static_cast<uint64_t>(differing)),
                    tr("the disk is faulty, or something else writes to one of them"));
    }
    at += len;
    progress.add(len);
  }
}

void run_copy(const CopySettings& settings, const Side& source, const Side& target) {
  Buffers buffers;
  const bool shows = !settings.quiet && !settings.no_progress;
  {
    cli::Progress progress(shows, tr("copy"), source.size);
    copy_all(buffers, source, target, settings.resume, progress);
  }
  cli::Progress progress(shows, tr("verify"), source.size);
  verify(buffers, source, target, progress);
}

// Returns whether the target begins as the source does: an interrupted copy, or the same data.
bool has_begun(const Side& source, const Side& target) {
  Buffers buffers;
  const auto len = static_cast<size_t>(std::min({kBeginning, source.size, target.size}));
  source.read(buffers.source.data(), len, 0);
  target.read(buffers.target.data(), len, 0);
  return std::memcmp(buffers.source.data(), buffers.target.data(), len) == 0;
}

// Throws if a sector of the volume was ever written, but, to resume, by this copy.
void refuse_content(const CopySettings& settings, const Side& source, const OpenVolume& open) {
  const Layout& layout = open.volume->layout();
  const bool shows = !settings.quiet && !settings.no_progress;
  if (settings.force || !find_data(*open.side.store, layout.offset, layout.offset + layout.size, shows)) return;
  if (!settings.resume) {
    throw Failure(ExitCode::output, tr("{1}: is not empty", open.side.name),
                  tr("--force overwrites its content; --resume goes on with a copy that was interrupted"));
  }
  if (!has_begun(source, open.side)) {
    throw Failure(ExitCode::output,
                  tr("{1}: is not an interrupted copy of {2}: its beginning is different", open.side.name, source.name),
                  tr("--force overwrites its content"));
  }
}

void copy_in(const CopySettings& settings) {
  FileStore plain(settings.from, Access::read_only);
  if (plain.size() == 0) throw Failure(ExitCode::input, tr("{1}: is empty", plain.name()));
  const OpenVolume open = open_volume(settings, Access::read_write);
  if (plain.size() > open.side.size) {
    throw Failure(ExitCode::parameters, tr("{1}: has {2}, and the volume only {3}", plain.name(),
                                           cli::bytes_of(plain.size()), cli::bytes_of(open.side.size)));
  }
  const Side source = side_of(plain);
  refuse_content(settings, source, open);
  run_copy(settings, source, open.side);
}

// Throws if the file of this status, under whatever name, is the volume or its header.
void refuse_the_volume(const CopySettings& settings, const OpenVolume& open, const struct stat& status,
                       const std::string& name) {
  for (const std::string& volume : {open.side.store->path(), settings.header}) {
    struct stat other {};
    if (::stat(volume.c_str(), &other) == 0 && cli::is_same_file(status, other))
      throw Failure(ExitCode::output, tr("{1}: is the volume itself", name), tr("choose another name for the output"));
  }
}

// Makes the file of an unfinished copy, or, to resume, checks that the existing one is such a file, which no other user
// made or may read: it got its length when it was made, and nothing else is changed.
Descriptor open_partial(const CopySettings& settings, const OpenVolume& open, const std::string& partial) {
  const std::string name = quote_name(partial);
  // O_NONBLOCK: a FIFO would wait for its other end.
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK | (settings.resume ? 0 : O_EXCL);
  Descriptor file(::open(partial.c_str(), flags, 0600));
  if (!file.is_open() && errno == EEXIST) {
    throw Failure(ExitCode::output, tr("{1}: is there already, of a copy that was interrupted", name),
                  tr("--resume finishes it; or remove it"));
  }
  const auto refuse = [&] {
    throw Failure(ExitCode::output, tr("{1}: is not an interrupted copy of this volume", name),
                  tr("choose another name for the output"));
  };
  struct stat status {};
  if (!file.is_open() && errno == ELOOP) refuse();  // a symbolic link
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) cli::throw_write_failure(partial, errno);
  refuse_the_volume(settings, open, status, name);
  const auto has = static_cast<uint64_t>(status.st_size), size = open.side.size;
  if (!S_ISREG(status.st_mode) || (has != 0 && has != size)) refuse();
  if (const std::string why = cli::why_not_own(status, cli::kAnyRight, cli::Names::one); !why.empty())
    throw Failure(ExitCode::output, name + ": " + why,
                  tr("it may be somebody else's: nothing is written into it; choose another name for the output"));
  if (has == 0 && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) cli::throw_write_failure(partial, errno);
  return file;
}

// A new file is written under the name TO.partial, which it keeps if the copy is interrupted, for --resume.
void copy_out(const CopySettings& settings) {
  const OpenVolume open = open_volume(settings, Access::read_only);
  struct stat status {};
  const std::string name = quote_name(settings.to);
  const bool is_there = ::stat(settings.to.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    throw Failure(ExitCode::output, tr("{1}: neither a file nor a block device", name));
  if (is_there) refuse_the_volume(settings, open, status, name);
  if (is_there && !settings.force)
    throw Failure(ExitCode::output, tr("{1}: is there already", name), tr("--force overwrites it"));

  const bool is_device = is_there && S_ISBLK(status.st_mode);
  const std::string partial = is_device ? settings.to : settings.to + ".partial";
  {
    FileStore store = is_device ? FileStore(settings.to, Access::read_write)
                                : FileStore(open_partial(settings, open, partial), partial);
    if (!store.may_write()) throw Failure(ExitCode::output, tr("{1}: may not be written", quote_name(partial)));
    if (is_device && store.is_file()) throw Failure(ExitCode::output, tr("{1}: is no longer a block device", name));
    if (store.size() < open.side.size) {
      throw Failure(ExitCode::parameters, tr("{1}: has {2}, and the volume {3}", name, cli::bytes_of(store.size()),
                                             cli::bytes_of(open.side.size)));
    }
    Side target = side_of(store);
    target.has_holes = !is_device;
    if (settings.resume && !settings.force && !has_begun(open.side, target) && find_data(store, 0, kBeginning, false)) {
      throw Failure(ExitCode::output, tr("{1}: is not an interrupted copy of this volume", quote_name(partial)),
                    tr("choose another name for the output"));
    }
    run_copy(settings, open.side, target);
    if (is_device) return;
    const int error = cli::name_file(store.descriptor(), partial.c_str(), settings.to.c_str(), settings.force);
    if (error == ESTALE)
      throw Failure(ExitCode::output, tr("{1}: was replaced by another file in the meantime", quote_name(partial)));
    if (error) cli::throw_write_failure(settings.to, error);
  }
  const size_t slash = settings.to.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : settings.to.substr(0, slash + 1);
  if (const int lost = cli::sync_directory(directory)) cli::throw_write_failure(settings.to, lost);
}

void copy(const CopySettings& settings) {
  if (settings.quiet) cli::keep_quiet();
  if (settings.from.empty() == settings.to.empty())
    throw Failure(ExitCode::usage, tr("neither --from nor --to is given"),
                  tr("give --from PLAIN, into the volume, or --to PLAIN, out of it"));
  if (settings.from == "-" || cli::is_standard_output(settings.to)) {
    throw Failure(ExitCode::usage,
                  tr("{1}: a pipe cannot be read back and compared", settings.from.empty() ? "--to" : "--from"),
                  tr("name a file, ./- if it is called so; or copy with `nbdcopy`, from or to `vershina disk serve`"));
  }
  if (!settings.key_file.empty() && settings.passphrase.given())
    throw Failure(ExitCode::usage, tr("--key-file and a passphrase exclude each other"), tr("give one of them"));
  try {
    settings.from.empty() ? copy_out(settings) : copy_in(settings);
  } catch (const IoError& error) {
    throw Failure(ExitCode::output, error.what(), tr("--resume goes on where the copy ended"), error.error());
  }
  cli::print_note(tr("copied and verified by reading back"));
}

}  // namespace

void add_copy_command(cli::Program& program) {
  cli::Command& command =
      program.add_command("copy", tr("Copy a plain image into a volume, or a volume's content out of it"));
  const auto settings = std::make_shared<CopySettings>();
  CopySettings& s = *settings;
  command.add_operand("IMAGE", s.image, tr("A file, a block device or an NBD URI with a LUKS2 volume"))->required();
  command.add_option("--from", s.from, "PLAIN", tr("Copy this file or device into the volume"))
      ->manual(
          "A file or device that is copied to the beginning of the volume; the rest of the volume stays as "
          "it is. A volume whose sectors were ever written is refused without --force: of a volume in a file "
          "all of them are looked at, of another one the first and last 16 MiB. Its holes are written as "
          "zeros: what the volume held would show through otherwise.")
      ->excludes(
          command.add_option("--to", s.to, "PLAIN", tr("Copy the volume's content into this new file or device"))
              ->manual(
                  "A new file, or with --force an existing file or a device, for the whole content. A file has the "
                  "name PLAIN.partial until it is complete, and holes where the volume has zeros."));
  s.passphrase.add_to(command);
  command.add_option("-k,--key-file", s.key_file, "FILE", tr("A key file instead of the passphrase, as cryptsetup's"));
  command.add_option("--header", s.header, "FILE", tr("A detached header"));
  command.add_flag("--resume", s.resume, tr("After an interruption: write only missing data"))
      ->manual(
          "After an interruption: compare first, and write only what differs. The volume, or the file "
          "PLAIN.partial, must begin as the copy does or be empty; the file must belong to this user, who "
          "alone may read and write it, and have one name.");
  command.add_flag("-f,--force", s.force, tr("Overwrite the file or device of --to, or a volume that is not empty"));
  command.add_flag("-q,--quiet", s.quiet, tr("Print errors only"));
  command.add_flag("--no-progress", s.no_progress, tr("No progress bar"));
  command.footer(tr(
      "Everything is read back and compared. A device that is mounted, and an image that is served, are refused. So\n"
      "is, without --force, a volume that was ever written: of a file all its sectors are looked at, of anything else\n"
      "the first and last 16 MiB.\n\n"
      "Examples:\n"
      "  vershina disk copy --from filesystem.img private.img\n"
      "  vershina disk copy --to filesystem.img private.img"));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("the copy, read back, differs")},
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::output, tr("it cannot be written, or holds something that --force would overwrite")},
                       ExitCode::wrong_key,
                       ExitCode::header,
                       ExitCode::version,
                       {ExitCode::parameters, tr("the volume is not one that is served, or too small")}});
  command.action([settings] { copy(*settings); });
}

}  // namespace vsh::disk
