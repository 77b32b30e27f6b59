// copy_() between host and device, and on the device.
#pragma once

#include <ATen/core/Tensor.h>

namespace torch_pjrt {

// Writes src's values into self as one call of the row aten::copy: both on one device, any geometry,
// cast to self's dtype, src broadcast to self's sizes. Defined in table.cpp.
void run_device_copy(const at::Tensor& self, const at::Tensor& src);

// self.copy_(src) where at least one of them is on this device.
void copy_values(const at::Tensor& self, const at::Tensor& src, bool non_blocking);

// The tensor without conj and neg bits, which some operators are handed unresolved (mm, bmm, addmm,
// baddbmm, dot, vdot, clone, conj_physical_, neg_): itself where it has none.
at::Tensor resolve_bits(const at::Tensor& tensor);

// A new contiguous tensor of src's values on the same device.
at::Tensor contiguous_copy(const at::Tensor& src);

} // namespace torch_pjrt
