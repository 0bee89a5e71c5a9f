// Encryption of disk sectors.
#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

class XtsObject {
 public:
  using Name = std::optional<std::string>;
  XtsObject(const Buffer& key, unsigned threads, Name kernel, bool allow_tables, Name device)
      : xts_(make(Input("key", key), Engine{threads, std::move(kernel), allow_tables, std::move(device)})) {}

  template <auto kSectors>  // member of Xts
  nb::bytes sectors(const Buffer& data, size_t sector_len, uint64_t first_sector) const {
    const Input in("data", data);
    const NewBytes out(in.size());
    run<kSectors>(out.room(), in, sector_len, first_sector);
    return out.take();
  }
  template <auto kSectors>
  void sectors_into(const Buffer& data, const Buffer& buf, size_t sector_len, uint64_t first_sector) const {
    const Input in("data", data);
    const Output out("buf", buf);
    run<kSectors>(out.room(), in, sector_len, first_sector);
  }
  template <auto kUnit>
  nb::bytes unit(const Buffer& data, const Buffer& number) const {
    const Input in("data", data);
    const Input tweak("number", number);
    if (tweak.size() != 16) throw Failure(VSH_E_IV_LENGTH, length_text("number", tweak.size(), 16));
    const NewBytes out(in.size());
    without_gil(in.size(), [&] {
      explained("unit of " + bytes_text(in.size()),
                [&] { (xts_.*kUnit)(out.room(), in, Xts::Number(tweak.view().data(), 16)); });
    });
    return out.take();
  }
  std::string kernel() const { return std::string(xts_.kernel()); }

 private:
  static Xts make(const Input& key, const Engine& engine) {
    return explained("XTS key of " + bytes_text(key.size()) + "; there are two of 32, which must differ",
                     [&] { return Xts(key, engine.options()); });
  }
  template <auto kSectors>
  void run(Room out, View in, size_t sector_len, uint64_t first_sector) const {
    without_gil(in.size(), [&] {
      explained(bytes_text(in.size()) + " in sectors of " + std::to_string(sector_len) + " from number " +
                    std::to_string(first_sector),
                [&] { (xts_.*kSectors)(out, in, sector_len, first_sector); });
    });
  }

  Xts xts_;  // may be used by several threads at once
};

}  // namespace

void bind_disk(nb::module_& module) {
  nb::class_<XtsObject>(
      module, "XTS",
      "XTS (IEEE 1619) over Kuznyechik: dm-crypt's kuznyechik-xts-plain64 and what VeraCrypt writes.\n\n"
      "key: 64 bytes, two different keys of 32: for the data, then for the sectors' numbers. Sectors have 512, 1024, "
      "2048 or 4096\n"
      "bytes and are numbered in units of 512 bytes, whatever their length. Does not notice changed sectors. threads, "
      "kernel,\n"
      "allow_tables, device: as Kuznyechik has them. Several threads may use one object at a time.")
      .def(nb::init<const Buffer&, unsigned, XtsObject::Name, bool, XtsObject::Name>(), "key"_a, nb::kw_only(),
           "threads"_a = 1, "kernel"_a = nb::none(), "allow_tables"_a = false, "device"_a = nb::none())
      .def("encrypt_sectors", &XtsObject::sectors<&Xts::encrypt_sectors>, "data"_a, "sector_len"_a, "first_sector"_a,
           "Whole sectors that follow each other; first_sector is the number of the first.")
      .def("decrypt_sectors", &XtsObject::sectors<&Xts::decrypt_sectors>, "data"_a, "sector_len"_a, "first_sector"_a,
           "The inverse.")
      .def("encrypt_sectors_into", &XtsObject::sectors_into<&Xts::encrypt_sectors>, "data"_a, "buf"_a, "sector_len"_a,
           "first_sector"_a, "The same into a writable buffer of the same length, which may be data itself.")
      .def("decrypt_sectors_into", &XtsObject::sectors_into<&Xts::decrypt_sectors>, "data"_a, "buf"_a, "sector_len"_a,
           "first_sector"_a, "The inverse.")
      .def("encrypt_unit", &XtsObject::unit<&Xts::encrypt_unit>, "data"_a, "number"_a,
           "One data unit of 16 bytes to 16 MiB, of any length (ciphertext stealing). number: 16 bytes, least "
           "significant first.")
      .def("decrypt_unit", &XtsObject::unit<&Xts::decrypt_unit>, "data"_a, "number"_a, "The inverse.")
      .def_prop_ro("kernel", &XtsObject::kernel, "Which kernel does many blocks, such as 'avx2'.")
      .def("__repr__", [](const XtsObject&) { return "<vershina cipher kuznyechik-xts>"; });
}

}  // namespace vershina::python
