#include "dlpack.hpp"

namespace vershina::python {
namespace {

struct Dlpack {  // DLTensor
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;  // strides in elements; null: row-major
  uint64_t byte_offset;
};
struct Managed {  // DLManagedTensor
  Dlpack tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {  // DLManagedTensorVersioned; what follows the deleter may change with the major version
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Dlpack tensor;
};
constexpr uint64_t kReadOnly = 1;
constexpr int32_t kCuda = 2, kCudaManaged = 13;

constexpr const char *kName = "dltensor", *kUsed = "used_dltensor";
constexpr const char *kNameVersioned = "dltensor_versioned", *kUsedVersioned = "used_dltensor_versioned";

template <class Owner>
void give_back(void* owner) {
  auto* const managed = static_cast<Owner*>(owner);
  if (managed->deleter) managed->deleter(managed);
}

// Returns the bytes of a row-major tensor without gaps; nullopt for any other, and on overflow.
std::optional<size_t> contiguous_size(const Dlpack& t) {
  size_t elements = 1;
  bool gaps = false, empty = false;
  for (int32_t i = t.ndim; i-- > 0;) {
    if (t.shape[i] < 0) return {};
    if (t.shape[i] == 0) empty = true;
    if (t.strides && t.shape[i] != 1 && t.strides[i] != static_cast<int64_t>(elements)) gaps = true;
    if (!empty && __builtin_mul_overflow(elements, static_cast<size_t>(t.shape[i]), &elements)) return {};
  }
  if (empty) return 0;
  const size_t bits = size_t{t.bits} * t.lanes;
  if (gaps || bits % 8 || __builtin_mul_overflow(elements, bits / 8, &elements)) return {};
  return elements;
}

}  // namespace

Tensor::Tensor(const char* name, nb::handle capsule, bool writable) {
  const auto refuse = [&](const char* why) {
    const std::string text = std::string(name) + ": " + why;
    throw nb::value_error(text.c_str());
  };
  versioned_ = PyCapsule_IsValid(capsule.ptr(), kNameVersioned);
  if (!versioned_ && !PyCapsule_IsValid(capsule.ptr(), kName)) {
    const std::string text = std::string(name) + ": __dlpack__ gave no DLPack tensor";
    throw nb::type_error(text.c_str());
  }
  owner_ = PyCapsule_GetPointer(capsule.ptr(), versioned_ ? kNameVersioned : kName);
  // A refused tensor stays in the capsule, whose destructor releases it.
  const auto* const v = static_cast<const ManagedVersioned*>(owner_);
  if (versioned_ && v->major > 1) refuse("DLPack of a version later than 1");
  const Dlpack& t = versioned_ ? v->tensor : static_cast<const Managed*>(owner_)->tensor;
  if (t.device_type != kCuda && t.device_type != kCudaManaged) refuse("not in the memory of a CUDA device");
  if (writable && versioned_ && (v->flags & kReadOnly)) refuse("the memory is read-only");
  const std::optional<size_t> size = contiguous_size(t);
  if (!size) refuse("the memory is not contiguous; pass a contiguous copy of it");
  size_ = *size;
  address_ = reinterpret_cast<uintptr_t>(t.data) + t.byte_offset;
  if (PyCapsule_SetName(capsule.ptr(), versioned_ ? kUsedVersioned : kUsed) != 0) throw nb::python_error();
}

Tensor::~Tensor() { versioned_ ? give_back<ManagedVersioned>(owner_) : give_back<Managed>(owner_); }

}  // namespace vershina::python
