// The input of vershina-tunnel: key files, hellos, packets of a device and of the peer. A key file that is accepted has
// two different keys and bounds that hold, and its written form is read as the same; a hello that is accepted
// was written under the key. Packets that are joined are divided into as many bytes.
#include <algorithm>
#include <cstring>
#include <string>

#include "fuzz.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/tunnel/hello.hpp"
#include "programs/tunnel/key_file.hpp"
#include "programs/tunnel/segments.hpp"

namespace {

using namespace vsh::fuzz;
using namespace vsh::tunnel;

bool parses(KeyFile& file, const std::string& text) {
  try {
    parse_key_file(file, text, "fuzz");
    return true;
  } catch (const vsh::cli::Failure& failure) {
    check(failure.code() == vsh::cli::ExitCode::usage, "another failure", failure.what());
    return false;
  }
}

void fuzz_key_file(Input& input) {
  std::string text;
  const bool begins_well = input.byte() % 2;
  if (begins_well) text = "send = " + std::string(64, 'a') + "\nreceive = " + std::string(64, 'b') + "\n";
  const Bytes rest = input.rest();
  text.append(rest.begin(), rest.end());
  KeyFile file, again;
  if (!parses(file, text)) return;
  check(file.queues >= 1 && file.queues <= kMaxQueues, "queues out of bounds", "key file");
  check(file.transform == VSH_ESP_KUZNYECHIK_MGM || file.transform == VSH_ESP_MAGMA_MGM, "no encryption", "key file");
  check(!std::equal(std::begin(file.send.bytes), std::end(file.send.bytes), file.receive.bytes), "equal keys",
        "key file");
  check(parses(again, key_file_text(file, "peer")), "a written key file is not read", "key file");
  check(again.queues == file.queues && again.transform == file.transform &&
            std::equal(std::begin(file.send.bytes), std::end(file.send.bytes), again.send.bytes) &&
            std::equal(std::begin(file.receive.bytes), std::end(file.receive.bytes), again.receive.bytes),
        "a written key file is read as something else", "key file");
}

void fuzz_hello(Input& input) {
  DirectionKeys keys{};
  keys.control_spi = 0x10001;
  std::fill(std::begin(keys.control_key), std::end(keys.control_key), uint8_t{7});
  Hello hello{};
  for (uint8_t& byte : hello.challenge) byte = input.byte();
  hello.sent = input.byte(), hello.seen = input.byte();
  Bytes message(Hello::kLen), before;
  write_hello(message.data(), keys, hello);
  before = message;
  const size_t changes = input.below(3);
  for (size_t i = 0; i < changes; ++i) message[input.byte() % message.size()] ^= input.byte();
  const Bytes rest = input.rest();
  if (changes == 2) message.insert(message.end(), rest.begin(), rest.end());
  Hello read{};
  const bool is_right = read_hello(read, keys, message.data(), message.size());
  check(is_right == (message == before), "a changed hello is read, or a right one is not", "hello");
  if (is_right) check(read.sent == hello.sent && read.challenge == hello.challenge, "another hello", "hello");
  check(!read_hello(read, keys, rest.data(), rest.size()) || rest == before, "a forged hello is read", "hello");
}

Bytes divide(const DeviceHeader& header, const Bytes& packet) {
  Bytes all;
  Segmenter segmenter;
  if (!segmenter.take(header, packet.data(), packet.size())) return all;
  while (const size_t len = segmenter.next_len()) {
    check(len <= packet.size(), "a segment is longer than the whole", "segments");
    Bytes segment(len);  // its bounds are those of the sanitizer
    segmenter.write_next(segment.data());
    all.insert(all.end(), segment.begin(), segment.end());
  }
  return all;
}

void fuzz_segments(Input& input) {
  DeviceHeader header{};
  Bytes bytes(sizeof header);
  for (uint8_t& byte : bytes) byte = input.byte();
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(&header));
  const size_t len = 1 + input.byte();
  Bytes first = input.rest(), second;
  divide(header, first);
  if (first.size() <= len) return;
  second.assign(first.begin() + static_cast<std::ptrdiff_t>(len), first.end());
  first.resize(len);
  first.shrink_to_fit();

  Joiner joiner(true);
  check(joiner.add(first.data(), first.size()), "the first packet is not taken", "segments");
  if (!joiner.add(second.data(), second.size())) return;
  check(joiner.packets() == 2 && joiner.bytes() == first.size() + second.size(), "wrong counts", "segments");
  Bytes whole;
  for (const iovec& part : joiner.parts().subspan(1)) {
    const auto* const at = static_cast<const uint8_t*>(part.iov_base);
    whole.insert(whole.end(), at, at + part.iov_len);
  }
  std::memcpy(&header, joiner.parts()[0].iov_base, sizeof header);
  check(divide(header, whole).size() == joiner.bytes(), "other packets come back", "segments");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  switch (input.byte() % 4) {
    case 0: fuzz_hello(input); break;
    case 1: fuzz_segments(input); break;
    default: fuzz_key_file(input);
  }
  return 0;
}
