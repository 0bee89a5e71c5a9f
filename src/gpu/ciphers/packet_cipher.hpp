// Many packets in MGM (RFC 9058) on one device, each under its own key: the cipher only encrypts blocks, so a packet is
// three messages in ECB (gpu/ciphers/stream_cipher.hpp), and the program mgm does the rest.
#pragma once

#include "gpu/ciphers/stream_cipher.hpp"

namespace vsh::gpu {

class PacketCipher {
 public:
  // cipher: Kuznyechik or Magma. The device must outlive this. Throws Error.
  PacketCipher(Device& device, const keys::CipherParameters& cipher);

  size_t block_size() const noexcept { return cipher_.block_size(); }
  const StreamCipher& stream_cipher() const noexcept { return cipher_; }  // for messages in other modes

  // Every packet has a row in each buffer, of the same length for all packets: shorter ones are filled up with zeros in
  // `in`.
  struct Task {
    bool opens;            // `in` has ciphertext
    Buffer* out;           // text_blocks blocks a packet. To open: unverified plaintext
    Buffer* tags;          // a block, of which the tag is the beginning
    const Buffer* in;      // data_blocks of associated data, text_blocks of text
    const Buffer* keys;    // 32 bytes
    const Buffer* nonces;  // two blocks: 0 || ICN, 1 || ICN
    const Buffer* lens;    // bytes of data, bytes of text: 32 bits each, in the host's order
    uint32_t num_packets, data_blocks, text_blocks;
  };

  // Memory of one queue; what it holds is secret, and erased by the back end when it is given back.
  struct Scratch {
    StreamCipher::Scratch keys;
    std::unique_ptr<Buffer> firsts;               // Y_1 and Z_1 of each packet
    std::unique_ptr<Buffer> counters, encrypted;  // Z and Y; H and keystream
    std::unique_ptr<Buffer> sums, blocks;         // of products; reduced
  };

  // Returns how many blocks the cipher encrypts for a row.
  static constexpr uint64_t columns(uint64_t data_blocks, uint64_t text_blocks) noexcept {
    return data_blocks + 2 * text_blocks + 1;
  }
  // Most blocks in one launch.
  static constexpr uint64_t kMostBlocks = uint64_t{1} << 31;

  // Queues the task and returns; any number of threads, each with its own queue and scratch. Lengths fit their rows.
  // The first launch compiles or finds the programs. Throws Error.
  void launch(Queue& queue, Scratch& scratch, const Task& task) const;

 private:
  Program& program() const;

  Device& device_;
  StreamCipher cipher_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Program> program_;
};

}  // namespace vsh::gpu
