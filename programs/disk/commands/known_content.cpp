#include "programs/disk/commands/known_content.hpp"

#include <blkid/blkid.h>

#include <memory>
#include <string_view>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

std::string known_content(int fd, const std::string& name) {
  const std::unique_ptr<blkid_struct_probe, decltype(&blkid_free_probe)> probe(blkid_new_probe(), blkid_free_probe);
  if (!probe || blkid_probe_set_device(probe.get(), fd, 0, 0) != 0)
    throw Failure(ExitCode::input, tr("{1}: its content cannot be looked at", name));
  (void)blkid_probe_enable_superblocks(probe.get(), 1);
  (void)blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_DEFAULT | BLKID_SUBLKS_VERSION);
  (void)blkid_probe_enable_partitions(probe.get(), 1);
  const int result = blkid_do_safeprobe(probe.get());
  if (result == 1) return {};
  if (result == -2) return tr("several formats at once");
  if (result != 0) throw Failure(ExitCode::input, tr("{1}: its content cannot be looked at", name));
  const auto value = [&](const char* key) -> std::string_view {
    const char* text = nullptr;
    return blkid_probe_lookup_value(probe.get(), key, &text, nullptr) == 0 && text ? text : "";
  };
  if (value("TYPE") == "crypto_LUKS" && value("VERSION") == "1") return "LUKS1";
  for (const char* key : {"TYPE", "PTTYPE"})
    if (!value(key).empty()) return std::string(value(key));
  return tr("an unknown format");
}

}  // namespace vsh::disk
