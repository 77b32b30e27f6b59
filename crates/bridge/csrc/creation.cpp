// Tensors without values, and new geometry over the same storage: what ATen asks a device for before
// any computation. Views are PyTorch's own metadata code.
#include "allocator.h"
#include "device.h"
#include "tensors.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_resize_output_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace torch_pjrt {

namespace {

using at::IntArrayRef;
using at::Tensor;

// The device index for a new tensor; refuses options that a device tensor cannot have.
int device_for(
    std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      layout.value_or(at::kStrided) == at::kStrided,
      "tensors of layout ", *layout, " are not implemented on this device; use torch.strided");
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  return device.has_value() ? with_index(*device).index() : current_device();
}

Tensor empty_memory_format(
    IntArrayRef sizes,
    std::optional<at::ScalarType> dtype,
    std::optional<at::Layout> layout,
    std::optional<at::Device> device,
    std::optional<bool> pin_memory,
    std::optional<at::MemoryFormat> memory_format) {
  Tensor tensor = empty(sizes, at::dtype_or_default(dtype), device_for(layout, device, pin_memory));
  if (memory_format.has_value() && *memory_format != at::MemoryFormat::Contiguous) {
    tensor.unsafeGetTensorImpl()->empty_tensor_restride(*memory_format);
  }
  return tensor;
}

Tensor empty_strided_options(
    IntArrayRef sizes,
    IntArrayRef strides,
    std::optional<at::ScalarType> dtype,
    std::optional<at::Layout> layout,
    std::optional<at::Device> device,
    std::optional<bool> pin_memory) {
  return empty_strided(
      sizes, strides, at::dtype_or_default(dtype), device_for(layout, device, pin_memory));
}

// A tensor of zeros without a storage, which autograd uses for gradients that are known to vanish.
Tensor efficient_zero_tensor(
    IntArrayRef sizes,
    std::optional<at::ScalarType> dtype,
    std::optional<at::Layout> layout,
    std::optional<at::Device> device,
    std::optional<bool> pin_memory) {
  const int index = device_for(layout, device, pin_memory);
  at::native::ZeroTensorAllocator allocator(
      at::Device(at::kPrivateUse1, static_cast<c10::DeviceIndex>(index)));
  const auto keys = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1) |
      c10::DispatchKeySet(c10::DispatchKey::ZeroTensor);
  return at::detail::empty_generic(
      sizes, &allocator, keys, at::dtype_or_default(dtype), std::nullopt);
}

// ATen's geometry code, then our storage growth: ATen's own would copy host bytes.
void set_geometry(const Tensor& self, IntArrayRef sizes, at::OptionalIntArrayRef strides) {
  auto* impl = self.unsafeGetTensorImpl();
  at::native::resize_impl_cpu_(impl, sizes, strides, /*resize_storage=*/false);
  if (impl->numel() == 0) {
    return;
  }
  const size_t needed = at::detail::computeStorageNbytes(
      impl->sizes(), impl->strides(), impl->itemsize(), impl->storage_offset());
  auto* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  if (needed > storage->nbytes()) {
    resize_storage(*storage, needed);
  }
}

const Tensor& resize_(
    const Tensor& self, IntArrayRef sizes, std::optional<at::MemoryFormat> memory_format) {
  set_geometry(self, sizes, std::nullopt);
  if (memory_format.has_value()) {
    TORCH_CHECK(
        *memory_format != at::MemoryFormat::Preserve, "Unsupported memory format ", *memory_format);
    self.unsafeGetTensorImpl()->empty_tensor_restride(*memory_format);
  }
  return self;
}

Tensor& set_storage(
    Tensor& self, at::Storage source, int64_t offset, IntArrayRef sizes, IntArrayRef strides) {
  at::native::checkSetStorage(self, std::move(source), offset, sizes, strides);
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  set_geometry(
      self, sizes, strides.data() == nullptr ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(strides));
  return self;
}

Tensor& set_empty(Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  at::Storage storage(at::Storage::use_byte_size_t(), 0, device_allocator(), /*resizable=*/true);
  return set_storage(self, std::move(storage), 0, {0}, {});
}

// Work is ordered by one queue a device, and values are immutable: nothing to note.
void record_stream(Tensor&, at::Stream) {}

// Whether `tensor.data = from` may keep the tensor: Module.to() then keeps its Parameter objects, as it
// does between PyTorch's own devices, and tied weights stay tied.
bool has_compatible_shallow_copy_type(const Tensor& self, const Tensor& from) {
  constexpr c10::DispatchKeySet dense(c10::DispatchKey::Dense);
  return self.key_set().has_any(dense) && from.key_set().has_any(dense);
}

Tensor lazy_clone(const Tensor& self) {
  return at::clone(self); // values are shared by copy_ already
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty_memory_format);
  m.impl("empty_strided", empty_strided_options);
  m.impl("_efficientzerotensor", efficient_zero_tensor);
  m.impl("_lazy_clone", lazy_clone);

  m.impl("resize_", resize_);
  m.impl("_resize_output_", at::native::_resize_output_);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Storage", static_cast<Tensor& (*)(Tensor&, at::Storage)>(at::native::set_));
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  m.impl("set_", set_empty);
  m.impl("is_set_to", at::native::is_set_to);
  m.impl("record_stream", record_stream);
  m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type);

  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
}

} // namespace torch_pjrt
