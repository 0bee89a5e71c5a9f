// No secret of ESP stays on the stack: stack.hpp.
#include <algorithm>

#include "api/support/stack.hpp"

namespace {

using namespace vsh::test;

constexpr size_t kRoom = 16 + 160 + 17;

void fill(std::vector<vsh_esp_packet>& packets, std::vector<Bytes>& buffers, const Bytes& plain) {
  for (size_t i = 0; i < packets.size(); ++i) {
    buffers[i].assign(kRoom, 0);
    std::copy(plain.begin(), plain.end(), buffers[i].begin() + 16);
    packets[i] = {buffers[i].data(), kRoom, 16, plain.size(), 0, 0, 4, VSH_OK};
  }
}

void check_esp(const Row& row, size_t num_packets) {
  Random random(10);
  const bool magma = row.algorithm == VSH_MAGMA;
  const Bytes key = random.bytes(magma ? 36 : 44), plain = random.bytes(160);
  const Bytes root(key.begin(), key.begin() + 32);
  Secrets secrets;
  secrets.add_key("root", root);
  secrets.add("plaintext", plain);
  vsh_esptree* tree = nullptr;
  OK(vsh_esptree_new(&tree, root.data(), root.size(), nullptr));
  for (uint16_t leaf = 0; leaf < 8; ++leaf) {
    Bytes leaf_key(32);
    OK(vsh_esptree_key(tree, leaf_key.data(), 32, 0, 0, leaf));
    row.add_key(secrets, "leaf key", leaf_key);
  }
  vsh_esptree_free(tree);

  const vsh_options o = row.options();
  const std::string what = row.name() + ", " + std::to_string(num_packets) + " packets: ";
  vsh_esp_sa sa{};
  sa.transform = magma ? VSH_ESP_MAGMA_MGM : VSH_ESP_KUZNYECHIK_MGM, sa.spi = 1000;
  sa.key = key.data(), sa.key_len = key.size(), sa.leaf_packets = static_cast<uint32_t>(num_packets / 2 + 1);
  vsh_esp *out = nullptr, *in = nullptr;
  OK(vsh_esp_new(&out, 1, &o));
  OK(vsh_esp_new(&in, 1, &o));
  sa.flags = VSH_ESP_OUTBOUND;
  check(what + "vsh_esp_add", secrets, [&] { OK(vsh_esp_add(out, 0, &sa)); });
  sa.flags = VSH_ESP_INBOUND;
  OK(vsh_esp_add(in, 0, &sa));
  std::vector<vsh_esp_packet> packets(num_packets);
  std::vector<Bytes> buffers(num_packets);
  for (int round = 0; round < 3; ++round) {
    fill(packets, buffers, plain);
    check(what + "vsh_esp_seal", secrets, [&] { OK(vsh_esp_seal(out, packets.data(), num_packets)); });
    buffers[0][100] ^= static_cast<uint8_t>(round == 2);  // forged
    check(what + "vsh_esp_open", secrets,
          [&] { EXPECT_EQ(vsh_esp_open(in, packets.data(), num_packets), round == 2 ? VSH_E_JOB : VSH_OK); });
  }
  check(what + "vsh_esp_remove", secrets, [&] { OK(vsh_esp_remove(in, 0)); });
  vsh_esp_free(out);
  vsh_esp_free(in);
}

TEST(StackEsp, SealAndOpen) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA})
    for (const Row& row : rows(a))
      for (const size_t num_packets : {size_t{1}, size_t{100}}) check_esp(row, num_packets);
}

}  // namespace
