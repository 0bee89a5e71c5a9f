#include "programs/common/disk/formats/plain.hpp"

#include <cstring>
#include <string_view>

#include "programs/common/disk/formats/secret_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

void read_plain_key(VolumeKey& key, const std::string& path) {
  constexpr size_t kDigits = 2 * VSH_XTS_KEY_LEN;
  const cli::SecretBuffer content = read_secret_file(path, kDigits + 1);
  if (content.size() == VSH_XTS_KEY_LEN) {
    std::memcpy(key.bytes, content.data(), VSH_XTS_KEY_LEN);
    return;
  }
  std::string_view digits(reinterpret_cast<const char*>(content.data()), content.size());
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  if (digits.size() != kDigits || !cli::decode_hex(digits, key.bytes)) {
    throw Failure(ExitCode::usage, tr("{1}: a key file of a plain volume has 64 raw bytes or 128 hexadecimal digits",
                                      cli::quote_name(path)));
  }
}

Layout plain_layout(Layout wanted, uint64_t store_size, const std::string& whose) {
  if (wanted.size == 0) {
    if (wanted.offset >= store_size) {
      throw Failure(ExitCode::parameters, whose + ": " +
                                              tr("the volume would begin at byte {1}, behind the end of the store, "
                                                 "which has {2}",
                                                 wanted.offset, cli::bytes_of(store_size)));
    }
    wanted.size = store_size - wanted.offset;
    // Not silently rounded down: the rest belongs to a volume of another form, or is lost.
    if (wanted.sector_len > 0 && wanted.size % wanted.sector_len != 0) {
      throw Failure(ExitCode::parameters,
                    tr("{1}: {2} from the offset on, not a whole number of {3}-byte sectors", whose,
                       cli::bytes_of(wanted.size), wanted.sector_len),
                    tr("give the size of the volume"));
    }
  }
  check_layout(wanted, store_size, whose);
  return wanted;
}

}  // namespace vsh::disk
