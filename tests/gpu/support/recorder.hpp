// Recorded launches: kernel, arguments, memory before and after. tools/gpu-static/execute.py runs NVIDIA's machine code
// on the same memory and compares the result. Nothing is written unless the environment has VSH_RECORD_LAUNCHES, the
// name of a folder.
//
// A file is a row of launches, in the byte order of the machine:
//     u32 length and text        of each: program, definitions, kernel
//     u64                        work items
//     u32                        buffers; of each: u64 size, pages before the launch, pages after it
//     u32                        arguments; of each: u8 type (Argument::Type), u64 number or buffer (~0: null)
// Pages are u32 count, and of each: u32 which, 4096 bytes (the last of a buffer may have less). Pages with only 0xa5,
// as in new memory, are left out; after the launch, unchanged pages.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"

namespace vsh::test {

// A launch, from before it starts. bytes_of(buffer) is where the host sees the device's memory.
template <class BytesOf>
class Recorder {
 public:
  Recorder(const std::string& program, const std::string& definitions, const std::string& kernel, uint64_t num_items,
           std::span<const gpu::Argument> arguments, BytesOf bytes_of)
      : arguments_(arguments), bytes_of_(bytes_of) {
    if (!folder()) return;
    for (const std::string* text : {&program, &definitions, &kernel}) put(head_, *text);
    put(head_, num_items);
    for (const auto& a : arguments)
      if (a.buffer && number_of(a.buffer) == buffers_.size())
        buffers_.push_back({a.buffer, {bytes_of(*a.buffer), bytes_of(*a.buffer) + a.buffer->size()}});
  }

  // After the launch.
  void write() {
    if (!folder()) return;
    static std::ofstream file(std::string(folder()) + "/" + std::to_string(::getpid()), std::ios::binary);
    std::string text = head_;
    put(text, static_cast<uint32_t>(buffers_.size()));
    for (const auto& [buffer, before] : buffers_) {
      put(text, uint64_t{buffer->size()});
      put_pages(text, before.data(), before, [](const uint8_t* p, size_t len) {
        return std::all_of(p, p + len, [](uint8_t byte) { return byte == 0xa5; });
      });
      const uint8_t* const after = bytes_of_(*buffer);
      put_pages(text, after, before, [&, &old = before](const uint8_t* p, size_t len) {
        return std::equal(p, p + len, old.begin() + (p - after));
      });
    }
    put(text, static_cast<uint32_t>(arguments_.size()));
    for (const auto& a : arguments_) {
      put(text, static_cast<uint8_t>(a.type));
      put(text, a.type != gpu::Argument::Type::buffer ? a.number : a.buffer ? number_of(a.buffer) : ~uint64_t{0});
    }
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
      throw std::runtime_error("cannot record launches");
  }

 private:
  struct Held {
    const gpu::Buffer* buffer;
    std::vector<uint8_t> before;
  };
  static constexpr size_t kPage = 4096;

  static const char* folder() {
    static const char* const name = std::getenv("VSH_RECORD_LAUNCHES");
    return name;
  }
  uint64_t number_of(const gpu::Buffer* buffer) const {
    return static_cast<uint64_t>(
        std::find_if(buffers_.begin(), buffers_.end(), [&](const Held& h) { return h.buffer == buffer; }) -
        buffers_.begin());
  }
  template <class T>
  static void put(std::string& text, const T& number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static void put(std::string& text, const std::string& s) {
    put(text, static_cast<uint32_t>(s.size()));
    text += s;
  }
  template <class Skip>
  static void put_pages(std::string& text, const uint8_t* bytes, const std::vector<uint8_t>& like, const Skip& skip) {
    std::string pages;
    uint32_t num = 0;
    for (size_t at = 0; at < like.size(); at += kPage) {
      const size_t len = std::min(kPage, like.size() - at);
      if (skip(bytes + at, len)) continue;
      put(pages, static_cast<uint32_t>(at / kPage));
      pages.append(reinterpret_cast<const char*>(bytes + at), len);
      ++num;
    }
    put(text, num);
    text += pages;
  }

  std::span<const gpu::Argument> arguments_;
  BytesOf bytes_of_;
  std::string head_;
  std::vector<Held> buffers_;
};

}  // namespace vsh::test
