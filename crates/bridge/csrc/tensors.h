// Tensors over Rust storages: a TpStorage is the context of the tensor's DataPtr.
// The data pointer is a unique name with an offset, never memory of this process.
#pragma once

#include "abi.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

namespace torch_pjrt {

// Owns `storage` from here on.
c10::DataPtr data_ptr_of(TpStorage* storage, uint64_t address, int device);

c10::Storage storage_over(c10::DataPtr data, uint64_t nbytes);

// A tensor over memory that others may share.
at::Tensor tensor_over(
    const c10::Storage& storage, at::ScalarType dtype, c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset);

// A result of tp_call as a tensor; undefined where the result is. Takes the output's reference.
at::Tensor tensor_from_output(const TpOutput& output, int device);

at::Tensor empty_strided(
    c10::IntArrayRef sizes, c10::IntArrayRef strides, at::ScalarType dtype, int device);

// Contiguous.
at::Tensor empty(c10::IntArrayRef sizes, at::ScalarType dtype, int device);

// The storage behind a tensor of ours, borrowed. Raises where there is none or a foreign one.
TpStorage* storage_of(const at::Tensor& tensor);

// Grows or shrinks the storage in place; the first min(old, new) bytes stay.
void resize_storage(c10::StorageImpl& storage, size_t nbytes);

// Borrows the tensor's metadata: valid while the tensor lives and keeps its geometry.
inline TpView view_of(const at::Tensor& tensor) {
  const auto sizes = tensor.sizes();
  return TpView{
      static_cast<int32_t>(tensor.scalar_type()),
      static_cast<int32_t>(sizes.size()),
      sizes.data(),
      tensor.strides().data(),
      tensor.storage_offset()};
}

} // namespace torch_pjrt
