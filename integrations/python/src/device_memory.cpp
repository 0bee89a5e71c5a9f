// Data on a CUDA device: addresses and streams as numbers, extracted from objects by vershina.gpu.
#include <memory>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "dlpack.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

template <auto kFree>
struct Freed {
  void operator()(auto* context) const noexcept { kFree(context); }
};

void* pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }
// 1 is CUDA's legacy default stream (CU_STREAM_LEGACY), the library's null.
void* stream_pointer(uintptr_t number) { return number == 1 ? nullptr : pointer(number); }

// Returns an algorithm's S-boxes and kernel; the device is separate.
Options device_options(const Algorithm& algorithm) {
  Options options = algorithm.options();
  options.device = nullptr;
  return options;
}

class DeviceCipher {
 public:
  DeviceCipher(const Algorithm& algorithm, const std::string& device)
      : DeviceCipher(algorithm.id(), algorithm.name(), algorithm.key(), device, device_options(algorithm)) {}
  DeviceCipher(const Buffer& key, const std::string& device)
      : DeviceCipher(VSH_KUZNYECHIK, "kuznyechik", xts_key(Input("key", key)), device, Options()) {}

  void crypt(bool encrypt, const std::string& mode, uintptr_t out, uintptr_t in, size_t len, const Buffer& iv,
             uint64_t position, uintptr_t stream) {
    const Input iv_in("iv", iv);
    const vsh_mode id = mode_by_name(name_ + "-" + mode);
    const auto function = encrypt ? vsh_device_encrypt : vsh_device_decrypt;
    run(mode + ", " + bytes_text(len) + " from " + std::to_string(position) + ", IV of " + bytes_text(iv_in.size()),
        [&] {
          return function(cipher_.get(), id, pointer(out), pointer(in), len, iv_in.view().data(), iv_in.size(),
                          position, stream_pointer(stream));
        });
  }
  void sectors(bool encrypt, uintptr_t out, uintptr_t in, size_t len, size_t sector_len, uint64_t first_sector,
               uintptr_t stream) {
    const std::string detail = std::to_string(len) + " bytes in sectors of " + std::to_string(sector_len);
    if (sector_len == 0 || len % sector_len != 0) throw Failure(VSH_E_SECTOR, detail);
    const auto function = encrypt ? vsh_device_xts_encrypt : vsh_device_xts_decrypt;
    run(detail + " from number " + std::to_string(first_sector), [&] {
      return function(cipher_.get(), pointer(out), pointer(in), len / sector_len, sector_len, first_sector,
                      stream_pointer(stream));
    });
  }

 private:
  DeviceCipher(vsh_cipher_algorithm id, const char* name, View key, const std::string& device, const Options& options)
      : name_(name) {
    without_gil(kReleaseLen, [&] {
      explained(device, [&] {
        vsh_device_cipher* made = nullptr;
        check(vsh_device_cipher_new(&made, device.c_str(), id, key.data(), key.size(), &options));
        cipher_.reset(made);
      });
    });
  }
  static View xts_key(const Input& key) {
    if (key.size() != VSH_XTS_KEY_LEN)
      throw Failure(VSH_E_KEY_LENGTH, "XTS, " + length_text("key", key.size(), VSH_XTS_KEY_LEN));
    return key;
  }
  template <class Call>
  void run(const std::string& detail, Call&& call) {  // the first call compiles a program
    lock_.run(kReleaseLen, [&] { explained(detail, [&] { check(call()); }); });
  }

  std::string name_;
  std::unique_ptr<vsh_device_cipher, Freed<vsh_device_cipher_free>> cipher_;
  Lock lock_;
};

class DeviceStreams {
 public:
  DeviceStreams(const std::string& algorithm, const std::string& device, nb::object sbox) : name_(algorithm) {
    const Sbox box = sbox.is_none() ? Sbox() : Sbox(sbox);
    Options options;
    box.apply(options);
    vsh_mode any;
    explained(algorithm, [&] { check(vsh_cipher_by_name(&id_, &any, (algorithm + "-ecb").c_str())); });
    without_gil(kReleaseLen, [&] {
      explained(algorithm + " on " + device, [&] {
        vsh_device_streams* made = nullptr;
        check(vsh_device_streams_new(&made, device.c_str(), id_, &options));
        streams_.reset(made);
      });
    });
  }

  void run(vsh_stream_work work, const std::string& mode, uintptr_t out, uintptr_t in, uintptr_t keys, uintptr_t ivs,
           size_t num_messages, size_t len, size_t stride, uintptr_t stream) {
    const vsh_mode id = work == VSH_STREAM_MAC ? VSH_ECB : mode_by_name(name_ + "-" + mode);
    lock_.run(kReleaseLen, [&] {
      explained(std::to_string(num_messages) + " messages of " + std::to_string(len) + " bytes, rows of " +
                    std::to_string(stride),
                [&] {
                  check(vsh_device_streams_run(streams_.get(), work, id, pointer(out), pointer(in), pointer(keys),
                                               pointer(ivs), num_messages, len, stride, stream_pointer(stream)));
                });
    });
  }
  size_t block_len() const noexcept { return vsh_block_len(id_); }

 private:
  std::string name_;
  vsh_cipher_algorithm id_{};
  std::unique_ptr<vsh_device_streams, Freed<vsh_device_streams_free>> streams_;
  Lock lock_;
};

}  // namespace

void bind_device_memory(nb::module_& module) {
  nb::class_<Tensor>(module, "Tensor", "A contiguous DLPack tensor in CUDA memory, held while this object is there.")
      .def(nb::init<const char*, nb::handle, bool>(), "name"_a, "capsule"_a, "writable"_a,
           nb::sig("def __init__(self, name: str, capsule: object, writable: bool) -> None"))
      .def_prop_ro("address", &Tensor::address, "Address of the first byte.")
      .def_prop_ro("size", &Tensor::size, "Bytes.");

  nb::class_<DeviceCipher>(module, "DeviceCipher", "A key on a CUDA device; see vershina.gpu.Cipher and XTS.")
      .def(nb::init<const Algorithm&, const std::string&>(), "algorithm"_a, "device"_a)
      .def(nb::init<const Buffer&, const std::string&>(), "xts_key"_a, "device"_a)
      .def("crypt", &DeviceCipher::crypt, "encrypt"_a, "mode"_a, "out"_a, "data"_a, "size"_a, "iv"_a, "position"_a,
           "stream"_a)
      .def("sectors", &DeviceCipher::sectors, "encrypt"_a, "out"_a, "data"_a, "size"_a, "sector_len"_a,
           "first_sector"_a, "stream"_a);

  nb::enum_<vsh_stream_work>(module, "StreamWork", "The work on many messages.")
      .value("ENCRYPT", VSH_STREAM_ENCRYPT)
      .value("DECRYPT", VSH_STREAM_DECRYPT)
      .value("MAC", VSH_STREAM_MAC);
  nb::class_<DeviceStreams>(module, "DeviceStreams", "Many messages on a CUDA device; see vershina.gpu.Streams.")
      .def(nb::init<const std::string&, const std::string&, nb::object>(), "algorithm"_a, "device"_a, "sbox"_a.none())
      .def("run", &DeviceStreams::run, "work"_a, "mode"_a, "out"_a, "data"_a, "keys"_a, "ivs"_a, "num_messages"_a,
           "message_len"_a, "stride"_a, "stream"_a)
      .def_prop_ro("block_size", &DeviceStreams::block_len, "Bytes of a block: 16 or 8.");
}

}  // namespace vershina::python
