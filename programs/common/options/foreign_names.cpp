#include "programs/common/options/foreign_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

struct ForeignName {
  std::string_view what, name;
  const char* ours;
};

// The rows of docs/openssl-equivalents.md; names in libgcrypt, RHash and older engines.
constexpr ForeignName kForeignNames[] = {
    {"cipher", "gost89", "-c gost28147-cfb --key-meshing cryptopro"},
    {"cipher", "gost89-cnt", "-c gost28147-cnt --sbox cryptopro-a --key-meshing cryptopro"},
    {"cipher", "gost89-cnt-12", "-c gost28147-cnt --key-meshing cryptopro"},
    {"cipher", "gost89-cbc", "-c gost28147-cbc --padding pkcs7"},
    {"cipher", "gost89-ecb", "-c gost28147-ecb --padding pkcs7"},
    {"cipher", "grasshopper-ecb", "-c kuznyechik-ecb --padding pkcs7"},
    {"cipher", "grasshopper-cbc", "-c kuznyechik-cbc --padding pkcs7"},
    {"cipher", "kuznyechik-kexp15", "vershina wrap -a kexp15-kuznyechik"},
    {"cipher", "magma-kexp15", "vershina wrap -a kexp15-magma"},
    {"hash", "md_gost12_256", "-a streebog256"},
    {"hash", "md_gost12_512", "-a streebog512"},
    {"hash", "md_gost94", "-a gost94-cryptopro"},
    {"hash", "gost12-256", "-a streebog256"},
    {"hash", "gost12-512", "-a streebog512"},
    {"hash", "gostr3411_94", "-a gost94-test"},
    {"hash", "gostr3411_cp", "-a gost94-cryptopro"},
    {"command", "enc", "vershina encrypt"},
    {"command", "dgst", "vershina hash"},
    {"command", "mount", "vershina disk serve"},
    {"command of vershina disk", "mount", "vershina disk serve"},
    {"command of vershina disk", "open", "vershina disk serve"},
    {"option of encrypt", "-iv", "--iv-hex"},
    {"option of decrypt", "-iv", "--iv-hex"},
    {"MAC", "gost-mac", "-a gost28147-imit --sbox cryptopro-a --key-meshing cryptopro"},
    {"MAC", "gost-mac-12", "-a gost28147-imit --key-meshing cryptopro"},
    {"MAC", "md_gost12_256", "-a hmac-streebog256"},
    {"MAC", "md_gost12_512", "-a hmac-streebog512"},
};

// Names that have no equivalent, or more than one.
constexpr ForeignName kAdvice[] = {
    {"cipher", "kuznyechik-gcm", mark("there is no GCM here; -c kuznyechik-mgm authenticates, too")},
    {"cipher", "magma-gcm", mark("there is no GCM here; -c magma-mgm authenticates, too")},
    {"hash", "gost94",
     mark("two sets of S-boxes have that name: -a gost94-cryptopro (OpenSSL, CryptoPro), -a gost94-test (RHash, "
          "libgcrypt)")},
    {"option of encrypt", "-K", mark("give the key with --key-hex, or better --key-file")},
    {"option of decrypt", "-K", mark("give the key with --key-hex, or better --key-file")},
    {"option of encrypt", "-p", mark("`vershina seal` takes passphrases")},
    {"option of decrypt", "-p", mark("`vershina open` takes passphrases")},
    {"option of seal", "-r", mark("there are no public-key recipients: give -k FILE or -p")},
    {"option of seal", "-R", mark("there are no public-key recipients: give -k FILE or -p")},
};

// Other spellings of a family's name, in small letters.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"grasshopper", "kuznyechik"}, {"кузнечик", "kuznyechik"}, {"магма", "magma"},
    {"stribog", "streebog"},       {"стрибог", "streebog"},
};

}  // namespace

std::string usual_spelling(std::string_view name) {
  for (const auto& [theirs, ours] : kSpellings)
    if (name.starts_with(theirs)) return std::string(ours).append(name.substr(theirs.size()));
  return std::string(name);
}

std::string advice_for_foreign_name(std::string_view what, std::string_view name) {
  const auto is_it = [&](const ForeignName& row) { return row.what == what && row.name == name; };
  if (const auto* row = std::find_if(std::begin(kForeignNames), std::end(kForeignNames), is_it);
      row != std::end(kForeignNames))
    return tr("in vershina this is `{1}`", row->ours);
  const auto* row = std::find_if(std::begin(kAdvice), std::end(kAdvice), is_it);
  return row == std::end(kAdvice) ? std::string() : tr(row->ours);
}

}  // namespace vsh::cli
