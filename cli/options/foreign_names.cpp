#include "cli/options/foreign_names.hpp"

#include "cli/text/translate.hpp"

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
    {"cipher", "grasshopper-ofb", "-c kuznyechik-ofb"},
    {"cipher", "grasshopper-cfb", "-c kuznyechik-cfb"},
    {"cipher", "grasshopper-ctr", "-c kuznyechik-ctr"},
    {"cipher", "grasshopper-ctr-acpkm", "-c kuznyechik-ctr-acpkm"},
    {"cipher", "grasshopper-ctr-acpkm-omac", "-c kuznyechik-ctr-acpkm-omac"},
    {"cipher", "grasshopper-mgm", "-c kuznyechik-mgm"},
    {"cipher", "kuznyechik-kexp15", "vershina wrap -a kexp15-kuznyechik"},
    {"cipher", "magma-kexp15", "vershina wrap -a kexp15-magma"},
    {"hash", "md_gost12_256", "-a streebog256"},
    {"hash", "md_gost12_512", "-a streebog512"},
    {"hash", "md_gost94", "-a gost94-cryptopro"},
    {"hash", "gost12-256", "-a streebog256"},
    {"hash", "gost12-512", "-a streebog512"},
    {"hash", "gost94", "-a gost94-test"},
    {"hash", "stribog256", "-a streebog256"},
    {"hash", "stribog512", "-a streebog512"},
    {"hash", "gostr3411_94", "-a gost94-test"},
    {"hash", "gostr3411_cp", "-a gost94-cryptopro"},
    {"command", "enc", "vershina encrypt"},
    {"command", "dgst", "vershina hash"},
    {"command", "mount", "vershina disk serve"},
    {"command of vershina disk", "mount", "vershina disk serve"},
    {"command of vershina disk", "open", "vershina disk serve"},
    {"option of hash", "-r", "find DIR -type f -exec vershina hash {} +"},
    {"option of hash", "--recursive", "find DIR -type f -exec vershina hash {} +"},
    {"option of encrypt", "-K", mark("--key-hex, or better --key-file")},
    {"option of decrypt", "-K", mark("--key-hex, or better --key-file")},
    {"option of encrypt", "-iv", "--iv-hex"},
    {"option of decrypt", "-iv", "--iv-hex"},
    {"option of encrypt", "-p", mark("vershina seal, which takes passphrases")},
    {"option of decrypt", "-p", mark("vershina open, which takes passphrases")},
    {"MAC", "gost-mac", "-a gost28147-imit --sbox cryptopro-a --key-meshing cryptopro"},
    {"MAC", "gost-mac-12", "-a gost28147-imit --key-meshing cryptopro"},
    {"MAC", "md_gost12_256", "-a hmac-streebog256"},
    {"MAC", "md_gost12_512", "-a hmac-streebog512"},
    {"MAC", "grasshopper-mac", "-a kuznyechik-mac"},
};

}  // namespace

std::string advice_for_foreign_name(std::string_view what, std::string_view name) {
  for (const ForeignName& row : kForeignNames)
    if (row.what == what && row.name == name) return tr("other programs call it so, here it is `{1}`", tr(row.ours));
  return {};
}

}  // namespace vsh::cli
