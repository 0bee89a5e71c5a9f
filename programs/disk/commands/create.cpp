// `vershina disk create`: a new LUKS2 volume in a new file, or in a file or device that is there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "programs/common/disk/formats/luks2_create.hpp"
#include "programs/common/disk/formats/luks2_metadata.hpp"
#include "programs/common/disk/formats/secret_file.hpp"
#include "programs/common/disk/store/file_store.hpp"
#include "programs/common/disk/store/find_data.hpp"
#include "programs/common/disk/store/open_store.hpp"
#include "programs/common/files/final_name.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/passphrase.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/disk/commands/commands.hpp"
#include "programs/disk/commands/known_content.hpp"

namespace vsh::disk {
namespace {

using cli::Descriptor;
using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

constexpr uint64_t kHeaderLen = uint64_t{16} << 20;  // where libcryptsetup lets the volume begin

struct CreateSettings {
  std::string path, header, key_file, cipher{kLuks2Cipher};
  uint64_t size = 0, memory = 0;
  uint32_t sector_len = 0;
  Luks2Choices choices;
  cli::PassphraseOptions passphrase;
  bool force = false, quiet = false;
};

uint32_t sector_len_for(const CreateSettings& settings, uint64_t store_size) {
  return settings.sector_len ? settings.sector_len : store_size % 4096 == 0 ? 4096 : 512;
}

NewHeader make_header(CreateSettings& settings, uint64_t store_size) {
  settings.choices.is_detached = !settings.header.empty();
  settings.choices.sector_len = sector_len_for(settings, store_size);
  const uint64_t least = settings.choices.sector_len + (settings.header.empty() ? kHeaderLen : 0);
  if (store_size < least) {
    throw Failure(ExitCode::parameters, tr("{1}: {2} are too few: the header takes 16 MiB", quote_name(settings.path),
                                           cli::bytes_of(store_size)));
  }
  if (!settings.key_file.empty())
    return make_luks2_header(settings.choices, store_size, read_secret_file(settings.key_file, kMaxKeyFile).bytes());
  const cli::EchoGuard silence;  // until the key is derived
  cli::Passphrase passphrase;
  settings.passphrase.load(passphrase, true, false);
  if (passphrase.size() > kMaxPassphrase)
    throw Failure(ExitCode::usage, tr("a passphrase of LUKS2 has at most 512 bytes"));
  return make_luks2_header(settings.choices, store_size, passphrase.bytes());
}

// Makes a whole file under a temporary name, so that half a file is never seen. header: at its beginning, or null.
void make_file(const std::string& final_name, uint64_t size, const NewHeader* header) {
  const std::string name = quote_name(final_name);
  const std::filesystem::path path(final_name);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  std::string temporary = folder + "/.vershina-disk-XXXXXX";
  std::unique_ptr<cli::InterruptGuard> guard;
  Descriptor file;
  {
    const cli::InterruptHold hold;
    file = Descriptor(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.is_open()) cli::throw_write_failure(final_name, errno);
    guard = std::make_unique<cli::InterruptGuard>(hold, temporary, tr("{1}: not made", name));
  }
  try {
    if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) cli::throw_write_failure(final_name, errno);
    if (header) write_luks2_header(file.get(), temporary, *header);
    const int error =
        guard->commit([&] { return cli::name_file(file.get(), temporary.c_str(), final_name.c_str(), false); });
    if (error == EEXIST)
      throw Failure(ExitCode::output, tr("{1}: has been created in the meantime and stays as it is", name));
    if (error != 0) cli::throw_write_failure(final_name, error);
  } catch (...) {
    (void)::unlink(temporary.c_str());
    throw;
  }
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) (void)::fsync(directory.get());
}

void create_file(CreateSettings& settings) {
  const std::string name = quote_name(settings.path);
  if (settings.size == 0)
    throw Failure(ExitCode::usage, tr("{1}: there is no such file", name), tr("give --size to make a new image"));
  if (settings.size > uint64_t{INT64_MAX} - kHeaderLen) throw Failure(ExitCode::usage, tr("--size is too large"));
  const bool is_detached = !settings.header.empty();
  const uint64_t store_size = settings.size + (is_detached ? 0 : kHeaderLen);
  const NewHeader header = make_header(settings, store_size);
  if (is_detached) make_file(settings.header, header.bytes.size(), &header);
  try {
    make_file(settings.path, store_size, is_detached ? nullptr : &header);
  } catch (...) {
    if (is_detached) (void)::unlink(settings.header.c_str());
    throw;
  }
}

// Throws if the file or device is not empty: what libblkid does not know is not nothing.
void refuse_content(FileStore& store, const CreateSettings& settings) {
  const auto data = find_data(store, 0, store.size(), !settings.quiet);
  const std::string known = known_content(store.descriptor(), store.name());
  if (!data && known.empty()) return;
  throw Failure(ExitCode::output,
                known.empty() ? tr("{1}: is not empty: there is data at byte {2}", store.name(), *data)
                              : tr("{1}: is not empty: it holds {2}", store.name(), quote_name(known)),
                !data ? tr("--force makes it a volume, and everything in it is lost")
                : store.is_file()
                    ? tr("the whole file is looked through; --force makes it a volume, and everything in it is lost")
                    : tr("its first and last 16 MiB were looked at; --force makes it a volume, and everything "
                         "on it is lost"));
}

void create_over(CreateSettings& settings) {
  const std::string name = quote_name(settings.path);
  if (settings.size != 0) {
    throw Failure(ExitCode::output, tr("{1}: is there already", name),
                  tr("choose another name for a new image; without --size it would become the volume itself, and what "
                     "is in it would be lost"));
  }
  FileStore store(settings.path, Access::read_write);
  if (!store.may_write()) throw Failure(ExitCode::output, tr("{1}: may not be written", name));
  if (!settings.force) refuse_content(store, settings);
  const NewHeader header = make_header(settings, store.size());
  if (!settings.header.empty()) {
    make_file(settings.header, header.bytes.size(), &header);
    return;
  }
  // From here on the old content is lost; an interruption waits, and SIGKILL leaves no valid header, or the new one.
  const cli::InterruptHold hold;
  write_luks2_header(store.descriptor(), settings.path, header);
}

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(const std::string& text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

void create(CreateSettings& settings) {
  if (settings.quiet) cli::keep_quiet();
  settings.choices.memory = settings.memory / 1024;
  if (!settings.key_file.empty() && settings.passphrase.given())
    throw Failure(ExitCode::usage, tr("--key-file and a passphrase exclude each other"), tr("give one of them"));
  if (!settings.choices.uuid.empty() && !is_uuid(settings.choices.uuid))
    throw Failure(ExitCode::usage, tr("--uuid: is not a UUID"),
                  tr("for example {1}", "01234567-89ab-cdef-0123-456789abcdef"));
  if (settings.cipher != kLuks2Cipher) {
    throw Failure(ExitCode::usage, tr("--cipher: volumes with {1} are not made", quote_name(settings.cipher)),
                  tr("the only cipher is {1}; cryptsetup has others", kLuks2Cipher));
  }
  if (is_nbd_uri(settings.path)) {
    throw Failure(ExitCode::usage, tr("{1}: a volume is made in a file or a device", quote_name(settings.path)),
                  tr("`nbdcopy` puts it behind an NBD server"));
  }
  struct stat status {};
  if (!settings.header.empty() && ::lstat(settings.header.c_str(), &status) == 0)
    throw Failure(ExitCode::output, tr("{1}: is there already", quote_name(settings.header)), tr("name a new file"));
  try {
    if (::stat(settings.path.c_str(), &status) == 0) create_over(settings);
    else if (errno == ENOENT) create_file(settings);
    else throw Failure(ExitCode::input, quote_name(settings.path) + ": " + std::strerror(errno), {}, errno);
  } catch (const IoError& error) {
    throw Failure(ExitCode::input, error.what(), {}, error.error());
  }
  const std::string name = quote_name(settings.path), sector = cli::bytes_of(settings.choices.sector_len);
  cli::print_note(
      settings.header.empty()
          ? tr("{1}: a new LUKS2 volume with kuznyechik-xts-plain64, sectors of {2}; `vershina disk serve` opens it",
               name, sector)
          : tr("{1}: a new LUKS2 volume with kuznyechik-xts-plain64, sectors of {2}; `vershina disk serve --header "
               "{3}` "
               "opens it",
               name, sector, quote_name(settings.header)));
}

}  // namespace

void add_create_command(cli::Program& program) {
  cli::Command& command =
      program.add_command("create", tr("Make a new enciphered volume (LUKS2, kuznyechik-xts-plain64)"));
  const auto settings = std::make_shared<CreateSettings>();
  CreateSettings& s = *settings;
  command
      .add_operand("IMAGE", s.path,
                   tr("A new file; or a file or block device that becomes the volume, losing what it holds"))
      ->required();
  cli::add_number(command, "--size", s.size, {.min = 512, .max = INT64_MAX, .is_size = true, .multiple_of = 512},
                  tr("Size of the volume in a new file, which is 16 MiB larger; K, M, G, T may follow, powers of 1024"),
                  "SIZE");
  s.passphrase.add_to(command, "", tr("New passphrase"));
  command.add_option("-k,--key-file", s.key_file, "FILE", tr("A key file instead of the passphrase, as cryptsetup's"))
      ->manual("A key file instead of the passphrase, taken as it is like that of cryptsetup, at most 8 MiB.");
  command
      .add_option("--header", s.header, "FILE",
                  tr("Put the header into this new file; the volume is then the whole IMAGE"))
      ->manual(
          "Put the header into this new file, of 16 MiB; the volume is then the whole of IMAGE, of which an "
          "existing one is not written to. Without the file the volume is lost.");
  cli::add_number(command, "--sector-size", s.sector_len,
                  {.min = 512, .max = VSH_MAX_SECTOR_LEN, .is_size = true, .power_of_two = true},
                  tr("Sector size: 512, 1024, 2048 or 4096 (default, where the size is a multiple)"), "BYTES");
  command.add_option("--cipher", s.cipher, "NAME", tr("{1}, the only one", kLuks2Cipher))
      ->manual("`kuznyechik-xts-plain64`, the only one.");
  command.add_option("--label", s.choices.label, "TEXT", tr("Stored in the header, in the clear"));
  command.add_option("--uuid", s.choices.uuid, "UUID", tr("UUID of the volume; default: a random one"));
  cli::add_number(command, "--pbkdf-memory", s.memory,
                  {.min = 32 << 10, .max = kMaxArgon2Memory << 10, .is_size = true, .multiple_of = 1024},
                  tr("Memory of Argon2id, which makes guessing passphrases slow; default at most 1 GiB"), "SIZE")
      ->manual(
          "Memory of Argon2id, which makes guessing the passphrase slow; default at most 1 GiB, and half of "
          "what there is.");
  cli::add_number(command, "--pbkdf-passes", s.choices.passes, {.min = 4, .max = 1000},
                  tr("Passes of Argon2id; default: as many as take two seconds"))
      ->manual("Its passes, 4 or more; default as many as take two seconds here.");
  cli::add_number(command, "--pbkdf-parallel", s.choices.lanes, {.min = 1, .max = kMaxArgon2Lanes},
                  tr("Lanes of Argon2id; default: one for each processor, at most 4"));
  cli::add_number(command, "--iter-time", s.choices.milliseconds, {.min = 1, .max = 60'000},
                  tr("How long Argon2id takes here, where its passes are not given"), "MS");
  command.add_flag("-f,--force", s.force, tr("Make a volume of an IMAGE that is not empty: everything in it is lost"));
  command.add_flag("-q,--quiet", s.quiet, tr("Print errors only"));
  command.footer(
      tr("An IMAGE that is there already is looked at first: a file through the whole of it, a device at its first\n"
         "and last 16 MiB and for what libblkid knows. Anything but zeros is refused without --force.\n"
         "Without --passphrase-file or --passphrase-fd the passphrase is asked for twice on the terminal.\n"
         "luksDump, luksAddKey, luksHeaderBackup and other commands of cryptsetup work with the volume.\n\n"
         "Examples:\n"
         "  vershina disk create --size 64M private.img\n"
         "  vershina disk create /dev/sdX1\n"
         "  vershina disk create --header disk.header --key-file disk.key /dev/sdX1"));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::output, tr("it cannot be written, or holds something that --force would overwrite")},
                       ExitCode::parameters,
                       ExitCode::internal});
  command.action([settings] { create(*settings); });
}

}  // namespace vsh::disk
