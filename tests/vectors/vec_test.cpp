// The reader of test vectors refuses invalid files, and every vector file is complete.
#include "support/vec.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace vec = vsh::vec;

namespace {

std::vector<vec::Record> parse(const std::string& text) {
  std::istringstream in(text);
  return vec::read_text(in, "x.vec");
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const vec::Error& e) {
    return e.what();
  }
  return "";
}

TEST(Vec, ReadsRecords) {
  const auto records = parse(
      "# head\n\n[a]\n\n# why\nIn = 00ff\nOut =\n\nIn =\nOut = 7f\n\n[b]\nIndex = 18446744073709551615\nSbox = "
      "tc26-z\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].bytes("In"), (vec::Bytes{0x00, 0xff}));
  EXPECT_TRUE(records[0].bytes("Out").empty());
  EXPECT_EQ(records[0].where(), "x.vec:6");
  EXPECT_EQ(records[1].bytes("Out"), vec::Bytes{0x7f});
  EXPECT_EQ(records[2].section(), "b");
  EXPECT_EQ(records[2].number("Index"), UINT64_MAX);
  EXPECT_EQ(records[2].word("Sbox"), "tc26-z");
  EXPECT_THROW(records[2].word("Index"), vec::Error);
  EXPECT_THROW(records[2].bytes("Key"), vec::Error);
}

TEST(Vec, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("[a]\nIn = 0\n"), "x.vec:2: odd number of hexadecimal digits in In");
  EXPECT_EQ(error_of("[a]\n\nInn = 00\n"), "x.vec:3: unknown field: Inn");
}

TEST(Vec, Refuses) {
  EXPECT_NE(error_of(""), "") << "no records";
  EXPECT_NE(error_of("In = 00\n"), "") << "outside of a section";
  EXPECT_NE(error_of("[a\nIn = 00\n"), "") << "section not closed";
  EXPECT_NE(error_of("[a]\nIn = 00\nIn = 01\n"), "") << "field twice";
  EXPECT_NE(error_of("[a]\nIn = 00\nOut = 00\n\nIn = 00\n"), "") << "field missing";
  EXPECT_NE(error_of("[a]\nIn = 00\n\nIn = 00\nOut = 00\n"), "") << "field too many";
  EXPECT_NE(error_of("[a]\nIn = 0g\n"), "") << "no digit";
  EXPECT_NE(error_of("[a]\nIn = FF\n"), "") << "upper case";
  EXPECT_NE(error_of("[a]\nIn = 00 \n"), "") << "space at the end";
  EXPECT_NE(error_of("[a]\nIn = \n"), "") << "space at the end of an empty value";
  EXPECT_NE(error_of("[a]\nIn=00\n"), "") << "no spaces";
  EXPECT_NE(error_of("[a]\nIn = 00\r\n"), "") << "carriage return";
  EXPECT_NE(error_of("[a]\nIndex =\n"), "") << "no number";
  EXPECT_NE(error_of("[a]\nIndex = -1\n"), "") << "negative";
  EXPECT_NE(error_of("[a]\nIndex = 18446744073709551616\n"), "") << "too large";
  EXPECT_NE(error_of("[a]\nSbox =\n"), "") << "no word";
  EXPECT_NE(error_of("[a]\nIn = 00\n\n[b]\nIn = 00\n\n[a]\nIn = 00\n"), "") << "section twice";
  EXPECT_NE(error_of("[a]\nhello\n"), "") << "neither field nor comment";
}

TEST(Vec, EveryFileIsWhole) {
  // Detects a deleted or renamed section, and an unlisted file.
  const std::map<std::string, std::set<std::string>> expected = {
      {"kuznyechik_block.vec", {"s", "r", "l", "constants", "key-feistel", "round-keys", "rounds", "block"}},
      {"mgm.vec", {"kuznyechik", "magma", "products"}},
      {"cms.vec", {"kuznyechik", "kuznyechik-long", "magma", "magma-long"}},
      {"magma_block.vec", {"t", "g", "round-keys", "rounds", "block"}},
      {"gost28147_block.vec", {"block", "block-user-sbox"}},
      {"kuznyechik_modes.vec",
       {"ecb", "ctr", "ctr-seek", "ctr-counter", "ofb", "cbc", "cfb", "mac-subkeys", "mac", "acpkm", "ctr-acpkm",
        "omac-acpkm"}},
      {"magma_modes.vec",
       {"ecb", "ctr", "ctr-seek", "ctr-counter", "ofb", "cbc", "cfb", "mac-subkeys", "mac", "acpkm", "ctr-acpkm",
        "omac-acpkm"}},
      {"gost28147_modes.vec",
       {"ecb", "cnt", "cnt-carry", "cnt-seek", "cfb", "cfb-segment", "cbc", "imit", "imit-short", "cnt-meshing",
        "cfb-meshing", "cbc-meshing", "imit-meshing"}},
      {"streebog.vec", {"hash", "repeat"}},
      {"aes_xts.vec", {"xts"}},
      {"kuznyechik_disk.vec", {"xts", "xts-crc"}},
      {"gost94.vec", {"hash", "repeat", "step"}},
      {"wrap.vec", {"kexp15-kuznyechik", "kexp15-magma", "cryptopro"}},
      {"sealed.vec", {"file", "recipient", "chunk key"}},
      {"kdf.vec", {"hmac", "prf", "kdf-tree", "pbkdf2", "pbkdf2-long", "tlstree", "esptree", "pbes2"}},
      {"records.vec",
       {"kuznyechik-mgm-s", "magma-mgm-l", "kuznyechik-ctr-omac", "magma-ctr-omac", "tls13-extract", "tls13-expand"}},
      {"esp.vec", {"kuznyechik-mgm-ktree", "magma-mgm-ktree", "kuznyechik-mgm-mac-ktree", "magma-mgm-mac-ktree"}},
  };
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(VSH_TEST_VECTORS_DIR)) {
    if (entry.path().extension() == ".vec") files.insert(entry.path().filename().string());
  }
  for (const auto& [file, sections] : expected) {
    EXPECT_TRUE(files.erase(file)) << file << " is missing";
    std::set<std::string> found;
    for (const vec::Record& r : vec::read_all(file)) {
      found.insert(r.section());
      if (r.has("Key")) {
        EXPECT_EQ(r.bytes("Key").size(), 32u) << r.where();
      }
      if (r.has("SboxRows")) {
        EXPECT_EQ(r.word("SboxRows").size(), 128u) << r.where();
      }
    }
    EXPECT_EQ(found, sections) << file;
  }
  EXPECT_TRUE(files.empty()) << *files.begin() << " is not listed in this test";
}

}  // namespace
