// copy_(): a shared value or one device call on a device, an upload or a download between device and
// host. Bytes move in the order of memory, so a dense tensor of any strides needs no device work.
#include "copy.h"

#include "device.h"
#include "host_allocator.h"
#include "raise.h"
#include "tensors.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/resolve_neg.h>
#include <torch/library.h>

#include <algorithm>
#include <numeric>

namespace torch_pjrt {

namespace {

using at::Tensor;

// Reading a storage up to this size as a whole costs less than a launch that picks elements from it,
// and needs no program for each position that item() reads.
constexpr size_t kSmallStorage = 64 * 1024;

bool same_device(const Tensor& a, const Tensor& b) {
  return a.device() == b.device();
}

bool fills_storage(const Tensor& tensor) {
  return tensor.storage_offset() == 0 && tensor.nbytes() == tensor.storage().nbytes();
}

bool same_strides(const Tensor& a, const Tensor& b) {
  return a.strides().equals(b.strides()) || (a.is_contiguous() && b.is_contiguous());
}

// The same elements with dimensions in the order of memory: contiguous for every dense tensor.
Tensor in_memory_order(const Tensor& tensor) {
  if (tensor.is_contiguous()) {
    return tensor;
  }
  c10::DimVector order(tensor.dim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return tensor.stride(a) > tensor.stride(b);
  });
  c10::DimVector sizes, strides;
  for (const int64_t dim : order) {
    sizes.push_back(tensor.size(dim));
    strides.push_back(tensor.stride(dim));
  }
  return at::native::as_strided_tensorimpl(tensor, sizes, strides, tensor.storage_offset());
}

// copy_() falls through PyTorch's Conjugate and Negative keys: the bits arrive here.
bool has_bits(const Tensor& tensor) {
  return tensor.is_conj() || tensor.is_neg();
}

// The memory of the tensor, without its bits.
Tensor without_bits(const Tensor& tensor) {
  Tensor memory = tensor.is_neg() ? at::_neg_view(tensor) : tensor;
  return memory.is_conj() ? at::_conj(memory) : memory;
}

// `values` changed as the bits of `tensor` say; the two changes undo themselves.
Tensor apply_bits(const Tensor& tensor, Tensor values) {
  if (tensor.is_conj()) {
    values = at::conj_physical(values);
  }
  return tensor.is_neg() ? at::neg(values) : values;
}

void check_broadcast(const Tensor& self, const Tensor& src) {
  if (self.sizes().equals(src.sizes())) {
    return;
  }
  const auto sizes = at::infer_size_dimvector(self.sizes(), src.sizes());
  TORCH_CHECK(
      self.sizes().equals(sizes),
      "output with shape ", self.sizes(), " doesn't match the broadcast shape ", c10::IntArrayRef(sizes));
}

// Both are whole contiguous tensors of one kind: the new value is the old one, nothing is launched.
bool share_value(const Tensor& self, const Tensor& src) {
  if (self.scalar_type() != src.scalar_type() || !self.sizes().equals(src.sizes()) ||
      !self.is_contiguous() || !src.is_contiguous() || !fills_storage(self) || !fills_storage(src)) {
    return false;
  }
  TpStorage* to = storage_of(self);
  TpStorage* from = storage_of(src);
  const TpView to_view = view_of(self);
  const TpView from_view = view_of(src);
  if (tp_can_share(to, from, &to_view, &from_view) == 0) {
    return false;
  }
  check(tp_share_value(to, from, &to_view));
  return true;
}

void copy_on_device(const Tensor& self, const Tensor& src) {
  if (self.is_alias_of(src) && self.storage_offset() == src.storage_offset() &&
      self.scalar_type() == src.scalar_type() && self.sizes().equals(src.sizes()) &&
      self.strides().equals(src.strides())) {
    return;
  }
  if (src.is_complex() && !self.is_complex() && self.scalar_type() != at::kBool) {
    TORCH_WARN_ONCE("Casting complex values to real discards the imaginary part");
  }
  at::assert_no_internal_overlap(self);
  if (!share_value(self, src)) {
    at::assert_no_partial_overlap(self, src);
    run_device_copy(self, src);
  }
}

// `src`, on the host, in the dtype and strides of `like`.
Tensor laid_out_as(const Tensor& like, const Tensor& src) {
  if (src.scalar_type() == like.scalar_type() && same_strides(src, like)) {
    return src;
  }
  return at::empty_strided(like.sizes(), like.strides(), like.options().device(at::kCPU)).copy_(src);
}

void upload(const Tensor& self, const Tensor& src) {
  if (!src.sizes().equals(self.sizes()) || !fills_storage(self) || !self.is_non_overlapping_and_dense()) {
    at::assert_no_internal_overlap(self);
    const Tensor staged = empty(src.sizes(), self.scalar_type(), self.device().index());
    upload(staged, src);
    run_device_copy(self, staged);
    return;
  }
  const Tensor host = laid_out_as(self, src);
  const Tensor target = in_memory_order(self);
  const TpView view = view_of(target);
  check(tp_upload(storage_of(self), &view, host.const_data_ptr(), self.nbytes()));
}

void release_host(void* storage) {
  delete static_cast<c10::Storage*>(storage);
}

// Into pinned memory without waiting; the host storage lives until the bytes are there.
void download_async(const Tensor& self, TpStorage* from, const TpView& view) {
  auto* held = new c10::Storage(self.storage());
  const TpStatus status =
      tp_download_async(from, &view, self.mutable_data_ptr(), self.nbytes(), &release_host, held);
  if (status != TP_OK) {
    delete held;
    check(status);
  }
}

// The values of a small storage's tensor, read with everything that lies before them.
Tensor download_from_small(const Tensor& src) {
  int64_t elements = src.storage_offset() + 1;
  for (int64_t dim = 0; dim < src.dim(); ++dim) {
    elements += (src.size(dim) - 1) * src.stride(dim);
  }
  const Tensor prefix = at::native::as_strided_tensorimpl(src, {elements}, {1}, 0);
  const Tensor host = at::empty_strided({elements}, {1}, src.options().device(at::kCPU));
  const TpView view = view_of(prefix);
  check(tp_download(storage_of(src), &view, host.mutable_data_ptr(), host.nbytes()));
  return at::native::as_strided_tensorimpl(host, src.sizes(), src.strides(), src.storage_offset());
}

void download(const Tensor& self, const Tensor& src, bool non_blocking) {
  if (src.storage_offset() != 0 || !src.is_non_overlapping_and_dense()) {
    if (src.storage().nbytes() <= kSmallStorage) {
      self.copy_(download_from_small(src));
    } else {
      download(self, contiguous_copy(src), non_blocking);
    }
    return;
  }
  const Tensor source = in_memory_order(src);
  const TpView view = view_of(source);
  TpStorage* from = storage_of(src);
  const bool direct = self.scalar_type() == src.scalar_type() && self.sizes().equals(src.sizes()) &&
      same_strides(self, src) && self.is_non_overlapping_and_dense();
  if (direct && non_blocking && is_pinned(self.const_data_ptr())) {
    download_async(self, from, view);
    return;
  }
  const Tensor host =
      direct ? self : at::empty_strided(src.sizes(), src.strides(), src.options().device(at::kCPU));
  check(tp_download(from, &view, host.mutable_data_ptr(), host.nbytes()));
  if (!direct) {
    self.copy_(host);
  }
}

Tensor to_host(const Tensor& src) {
  const auto options = src.options().device(at::kCPU);
  Tensor host = src.is_non_overlapping_and_dense()
      ? at::empty_strided(src.sizes(), src.strides(), options)
      : at::empty(src.sizes(), options);
  if (src.is_privateuseone()) {
    copy_values(host, src, /*non_blocking=*/false);
  } else {
    host.copy_(src);
  }
  return host;
}

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  copy_values(self, src, non_blocking);
  return self;
}

Tensor copy_from(const Tensor& self, const Tensor& dst, bool non_blocking) {
  copy_values(dst, self, non_blocking);
  return dst;
}

Tensor copy_from_and_resize(const Tensor& self, const Tensor& dst) {
  if (!dst.sizes().equals(self.sizes())) {
    dst.resize_(self.sizes());
  }
  copy_values(dst, self, /*non_blocking=*/false);
  return dst;
}

at::Scalar local_scalar_dense(const Tensor& self) {
  const Tensor host = at::empty({}, self.options().device(at::kCPU));
  const Tensor scalar = at::native::as_strided_tensorimpl(self, {}, {}, self.storage_offset());
  copy_values(host, scalar, /*non_blocking=*/false);
  return at::native::_local_scalar_dense_cpu(host);
}

// The answer is on the host: one wait.
bool equal(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(),
      "Expected all tensors to have the same dtype, but found ", self.scalar_type(), " and ", other.scalar_type());
  if (!self.sizes().equals(other.sizes())) {
    return false;
  }
  return self.numel() == 0 || at::eq(self, other).all().item<bool>();
}

} // namespace

Tensor resolve_bits(const Tensor& tensor) {
  return tensor.is_cpu() ? at::resolve_neg(at::resolve_conj(tensor))
                         : apply_bits(tensor, without_bits(tensor));
}

Tensor contiguous_copy(const Tensor& src) {
  Tensor copy = empty(src.sizes(), src.scalar_type(), src.device().index());
  run_device_copy(copy, src);
  return copy;
}

void copy_values(const Tensor& self, const Tensor& src, bool non_blocking) {
  TORCH_CHECK(self.defined() && src.defined(), "copy_() needs two defined tensors");
  check_broadcast(self, src);
  if (self.numel() == 0 || self.is_same(src)) {
    return;
  }
  TORCH_CHECK(
      !self._is_zerotensor(),
      "ZeroTensors are immutable. Please materialize the tensor using `.clone()`, if you want a mutable zero tensor.");
  if (src._is_zerotensor()) {
    self.zero_();
    return;
  }
  if (has_bits(self) || has_bits(src)) {
    copy_values(without_bits(self), apply_bits(self, resolve_bits(src)), non_blocking);
    return;
  }
  if (same_device(self, src)) {
    copy_on_device(self, src);
  } else if (src.is_cpu()) {
    upload(self, src);
  } else if (self.is_cpu()) {
    download(self, src, non_blocking);
  } else if (self.is_privateuseone()) {
    upload(self, to_host(src));
  } else {
    self.copy_(to_host(src));
  }
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("copy_", copy_);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("equal", equal);
}

} // namespace torch_pjrt
