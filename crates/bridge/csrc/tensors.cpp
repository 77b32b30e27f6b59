// Builds tensors without going through the dispatcher, and finds the storage behind one.
#include "tensors.h"

#include "allocator.h"
#include "raise.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

namespace torch_pjrt {

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void release(void* storage) {
  tp_storage_release(static_cast<TpStorage*>(storage));
}

TpStorage* handle_of(const c10::DataPtr& data) {
  if (data.get_deleter() == &release) [[likely]] {
    return static_cast<TpStorage*>(data.get_context());
  }
  // A blob over the data pointer of another tensor, as torch.save's older format makes.
  return data.get() == nullptr ? nullptr : tp_storage_at(reinterpret_cast<uint64_t>(data.get()));
}

// A tensor of no elements yet; the caller sets its geometry.
at::Tensor over_storage(c10::DataPtr data, uint64_t nbytes, at::ScalarType dtype) {
  return at::detail::make_tensor<c10::TensorImpl>(
      storage_over(std::move(data), nbytes), kKeys, c10::scalarTypeToTypeMeta(dtype));
}

at::Tensor new_tensor(uint64_t nbytes, at::ScalarType dtype, int device) {
  uint64_t address = 0;
  TpStorage* storage = check(tp_storage_new(device, nbytes, &address));
  return over_storage(data_ptr_of(storage, address, device), nbytes, dtype);
}

} // namespace

c10::DataPtr data_ptr_of(TpStorage* storage, uint64_t address, int device) {
  return {
      reinterpret_cast<void*>(address),
      storage,
      &release,
      c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device))};
}

c10::Storage storage_over(c10::DataPtr data, uint64_t nbytes) {
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(),
      c10::SymInt(static_cast<int64_t>(nbytes)),
      std::move(data),
      device_allocator(),
      /*resizable=*/true));
}

at::Tensor tensor_over(
    const c10::Storage& storage, at::ScalarType dtype, c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), kKeys, c10::scalarTypeToTypeMeta(dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return tensor;
}

at::Tensor tensor_from_output(const TpOutput& output, int device) {
  if (output.storage == nullptr) {
    return {};
  }
  const auto ndim = static_cast<size_t>(output.ndim);
  at::Tensor tensor = over_storage(
      data_ptr_of(output.storage, output.address, device),
      output.nbytes,
      static_cast<at::ScalarType>(output.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
      c10::IntArrayRef(output.sizes, ndim), c10::IntArrayRef(output.strides, ndim));
  return tensor;
}

at::Tensor empty_strided(
    c10::IntArrayRef sizes, c10::IntArrayRef strides, at::ScalarType dtype, int device) {
  at::detail::check_size_nonnegative(sizes);
  const size_t nbytes =
      at::detail::computeStorageNbytes(sizes, strides, c10::elementSize(dtype));
  at::Tensor tensor = new_tensor(nbytes, dtype, device);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return tensor;
}

at::Tensor empty(c10::IntArrayRef sizes, at::ScalarType dtype, int device) {
  at::detail::check_size_nonnegative(sizes);
  const size_t nbytes =
      at::detail::computeStorageNbytesContiguous(sizes, c10::elementSize(dtype));
  at::Tensor tensor = new_tensor(nbytes, dtype, device);
  if (sizes.size() != 1 || sizes[0] != 0) {
    tensor.unsafeGetTensorImpl()->generic_set_sizes_contiguous(sizes);
  }
  return tensor;
}

TpStorage* storage_of(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.unsafeGetTensorImpl()->unsafe_storage();
  TORCH_CHECK(
      storage,
      "this operation needs a tensor with a storage, but got ",
      tensor.defined() ? tensor.toString() : "an undefined tensor");
  TpStorage* handle = handle_of(storage.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks());
  TORCH_CHECK(
      handle != nullptr,
      "the storage of this ", tensor.toString(), " of shape ", tensor.sizes(), " on ",
      tensor.device(), " was not made by this device; copy the tensor to the device with .to()");
  return handle;
}

void resize_storage(c10::StorageImpl& storage, size_t nbytes) {
  TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
  c10::DataPtr& data = storage._mutable_data_ptr_no_checks();
  TORCH_CHECK(
      data.get_deleter() == &release, "Trying to resize a storage that was not made by this device");
  auto* handle = static_cast<TpStorage*>(data.get_context());
  uint64_t address = 0;
  check(tp_storage_resize(handle, nbytes, &address));
  const int device = data.device().index();
  data.release_context();
  storage.set_data_ptr_noswap(data_ptr_of(handle, address, device));
  storage.set_nbytes(nbytes);
}

} // namespace torch_pjrt
