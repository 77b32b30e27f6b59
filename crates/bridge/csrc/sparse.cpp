// Sparse COO tensors: indices and values are ordinary tensors of the device, and what is done with them is written in
// operators that are rows. PyTorch's own device-independent functions keep the metadata.
#include "group.h"

#include <ATen/ATen.h>
#include <ATen/NativeFunctions.h>
#include <torch/library.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

namespace torch_pjrt {

namespace {

using at::Tensor;

// The sparse dimensions laid out as one, row-major.
struct Cells {
  explicit Cells(const Tensor& sparse)
      : sizes(sparse.sizes().begin(), sparse.sizes().begin() + sparse.sparse_dim()), strides(sizes.size(), 1) {
    for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  }

  int64_t count() const {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }

  // The cell of each column of `indices`, [nnz].
  Tensor of(const Tensor& indices) const {
    Tensor cells = at::zeros({indices.size(1)}, indices.options());
    for (size_t d = 0; d < sizes.size(); ++d) cells = cells + indices.select(0, d) * strides[d];
    return cells;
  }

  // The columns of indices that name these cells.
  Tensor indices(const Tensor& cells) const {
    std::vector<Tensor> rows;
    for (size_t d = 0; d < sizes.size(); ++d) rows.push_back(cells.div(strides[d], "floor").remainder(sizes[d]));
    return rows.empty() ? at::zeros({0, cells.size(0)}, cells.options()) : at::stack(rows);
  }

  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

// Sums of the values that share a row: [rows, dense dims..].
Tensor summed(int64_t rows, const Tensor& places, const Tensor& values) {
  std::vector<int64_t> sizes = values.sizes().vec();
  sizes[0] = rows;
  if (values.scalar_type() == at::kBool) {
    return summed(rows, places, values.to(at::kInt)).ne(0);
  }
  return at::zeros(sizes, values.options()).index_add(0, places, values);
}

Tensor with_indices(const Tensor& like, const Tensor& indices, const Tensor& values, bool coalesced) {
  return at::_sparse_coo_tensor_with_dims_and_tensors(
      like.sparse_dim(), like.dense_dim(), like.sizes(), indices, values, values.options().layout(at::kSparse), coalesced);
}

Tensor dense_of(const Tensor& self, std::optional<at::ScalarType> dtype, std::optional<bool> masked_grad) {
  Group group(self.device().index());
  const Cells cells(self);
  const Tensor values = dtype ? self._values().to(*dtype) : self._values();
  Tensor dense = summed(cells.count(), cells.of(self._indices()), values).reshape(self.sizes());
  group.end();
  return dense;
}

Tensor coalesced(const Tensor& self) {
  if (self._nnz() < 2) {
    return with_indices(self, self._indices().clone(), self._values().clone(), true);
  }
  const Cells cells(self);
  const auto [kept, places, counts] = at::_unique2(cells.of(self._indices()), /*sorted=*/true, /*return_inverse=*/true);
  return with_indices(self, cells.indices(kept), summed(kept.size(0), places, self._values()), true);
}

// The elements of `self` where `mask` has some.
Tensor masked(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(self.sizes() == mask.sizes(), "sparse_mask(): operands have incompatible sizes; self has size ", self.sizes(),
      " but mask has size ", mask.sizes());
  const Cells cells(mask);
  std::vector<int64_t> rows = mask._values().sizes().vec();
  rows[0] = cells.count();
  const Tensor dense = self.is_sparse() ? self.to_dense() : self;
  const Tensor values = dense.reshape(rows).index_select(0, cells.of(mask._indices()));
  return with_indices(mask, mask._indices().clone(), values, mask.is_coalesced());
}

// The same of a sparse `self`, whose elements at one place are summed.
Tensor projected(const Tensor& self, const Tensor& mask, bool) {
  return masked(self, mask);
}

Tensor added_to_dense(const Tensor& dense, const Tensor& sparse, const at::Scalar& alpha) {
  return at::add(dense, sparse.to_dense(), alpha);
}

Tensor plus(const Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  if (!self.is_sparse()) return added_to_dense(self, other, alpha);
  TORCH_CHECK(other.is_sparse(), "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  TORCH_CHECK(self.sizes() == other.sizes() && self.sparse_dim() == other.sparse_dim(),
      "add: expected sizes of 'self' and 'other' to match, but ", self.sizes(), " != ", other.sizes());
  const auto dtype = at::result_type(self, other);
  const Tensor values = at::cat({self._values().to(dtype), other._values().to(dtype).mul(alpha)});
  return with_indices(self, at::cat({self._indices(), other._indices()}, 1), values, false);
}

Tensor& plus_(Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  if (!self.is_sparse()) return self.copy_(added_to_dense(self, other, alpha));
  return self.copy_(plus(self, other, alpha));
}

// `self` with its values replaced by `apply(values, other's)`, where `other` is a number or of the same sizes.
template <typename Apply>
Tensor with_values(const Tensor& self, const Tensor& other, Apply apply) {
  if (other.dim() == 0) {
    const Tensor values = apply(self._values(), other.is_sparse() ? other.to_dense() : other);
    return with_indices(self, self._indices(), values, self.is_coalesced());
  }
  const Tensor own = self.coalesce();
  return with_indices(own, own._indices(), apply(own._values(), masked(other, own)._values()), true);
}

Tensor times(const Tensor& self, const Tensor& other) {
  const auto product = [](const Tensor& a, const Tensor& b) { return a * b; };
  return self.is_sparse() ? with_values(self, other, product) : with_values(other, self, product);
}

Tensor over(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.is_sparse() && other.dim() == 0, "a sparse tensor can only be divided by a number");
  return with_values(self, other, [](const Tensor& a, const Tensor& b) { return a / b; });
}

Tensor negative(const Tensor& self) {
  return with_indices(self, self._indices(), self._values().neg(), self.is_coalesced());
}

Tensor total(const Tensor& self, std::optional<at::ScalarType> dtype) {
  return self._values().sum(dtype);
}

Tensor plus_product(const Tensor& self, const Tensor& sparse, const Tensor& dense, const at::Scalar& beta, const at::Scalar& alpha) {
  TORCH_CHECK(sparse.is_sparse() && !dense.is_sparse() && !self.is_sparse(),
      "addmm: expected a dense 'self', a sparse 'mat1' and a dense 'mat2'");
  TORCH_CHECK(sparse.dim() == 2 && dense.dim() == 2 && sparse.size(1) == dense.size(0),
      "addmm: mat1 and mat2 shapes cannot be multiplied (", sparse.sizes(), " and ", dense.sizes(), ")");
  Group group(dense.device().index());
  const Tensor indices = sparse._indices();
  const Tensor terms = sparse._values().unsqueeze(1) * dense.index_select(0, indices.select(0, 1));
  const Tensor product = summed(sparse.size(0), indices.select(0, 0), terms);
  Tensor result = beta.toComplexDouble() == 0.0 ? product * alpha : at::add(self * beta, product, alpha);
  group.end();
  return result;
}

Tensor to_sparse(const Tensor& self, std::optional<at::Layout> layout, at::OptionalIntArrayRef blocks, std::optional<int64_t> dense_dim) {
  TORCH_CHECK_NOT_IMPLEMENTED(!layout || *layout == at::kSparse, "layout ", *layout, " is not there on this device: use torch.sparse_coo");
  return at::native::dense_to_sparse(self, self.dim() - dense_dim.value_or(0));
}

Tensor to_sparse_with_dims(const Tensor& self, int64_t sparse_dim) {
  return at::native::dense_to_sparse(self, sparse_dim);
}

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  m.impl("empty.memory_format", at::native::empty_sparse_symint);
  m.impl("_sparse_coo_tensor_with_dims", at::native::new_with_dims_sparse);
  m.impl("_sparse_coo_tensor_with_dims_and_tensors", at::native::new_with_dims_and_tensor_sparse_symint);
  m.impl("sparse_dim", at::native::sparse_dim_sparse);
  m.impl("dense_dim", at::native::dense_dim_sparse);
  m.impl("_dimI", at::native::sparse_dim_sparse);
  m.impl("_dimV", at::native::dense_dim_sparse);
  m.impl("_nnz", at::native::_nnz_sparse);
  m.impl("is_coalesced", at::native::is_coalesced_sparse);
  m.impl("_coalesced_", at::native::_coalesced_sparse_);
  m.impl("_indices", at::native::_indices_sparse);
  m.impl("_values", at::native::_values_sparse);
  m.impl("indices", at::native::indices_sparse);
  m.impl("values", at::native::values_sparse);
  m.impl("clone", at::native::clone_sparse);
  m.impl("copy_", at::native::copy_sparse_wrapper_);
  m.impl("copy_sparse_to_sparse_", at::native::copy_sparse_);
  m.impl("zero_", at::native::zero_sparse_);
  m.impl("sparse_resize_", at::native::sparse_resize_);
  m.impl("sparse_resize_and_clear_", at::native::sparse_resize_and_clear_);
  m.impl("resize_as_sparse_", at::native::resize_as_sparse_);
  m.impl("unsqueeze", at::native::unsqueeze_sparse);
  m.impl("mm", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(at::native::_sparse_mm));
  m.impl("_to_dense", dense_of);
  m.impl("_coalesce", coalesced);
  m.impl("sparse_mask", masked);
  m.impl("_sparse_mask_projection", projected);
  m.impl("add.Tensor", plus);
  m.impl("add_.Tensor", plus_);
  m.impl("mul.Tensor", times);
  m.impl("div.Tensor", over);
  m.impl("neg", negative);
  m.impl("sum", total);
  m.impl("addmm", plus_product);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_to_sparse", to_sparse);
  m.impl("_to_sparse.sparse_dim", to_sparse_with_dims);
}

} // namespace

} // namespace torch_pjrt
