// Matrix functions that singular values and eigenvalues give: each is a few rows, run as one program.
#include "group.h"

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

namespace torch_pjrt {

namespace {

using at::Tensor;

// A = U H with U's columns orthonormal and H positive semidefinite.
std::tuple<Tensor, Tensor> polar(const Tensor& a) {
  Group group(a.device().index());
  const auto [left, values, right] = at::linalg_svd(a, /*full_matrices=*/false);
  const Tensor orthogonal = at::matmul(left, right);
  const Tensor scaled = right.mul(values.to(right.scalar_type()).unsqueeze(-1));
  Tensor positive = at::matmul(right.mH(), scaled);
  group.end();
  return {orthogonal, positive};
}

std::tuple<Tensor&, Tensor&> polar_out(const Tensor& a, Tensor& orthogonal, Tensor& positive) {
  const auto [u, h] = polar(a);
  at::native::resize_output(orthogonal, u.sizes());
  at::native::resize_output(positive, h.sizes());
  orthogonal.copy_(u);
  positive.copy_(h);
  return {orthogonal, positive};
}

// The square root of a Hermitian positive definite matrix.
Tensor matrix_sqrth(const Tensor& a) {
  Group group(a.device().index());
  const auto [values, vectors] = at::linalg_eigh(a);
  const Tensor roots = values.sqrt().to(vectors.scalar_type()).unsqueeze(-2);
  Tensor root = at::matmul(vectors.mul(roots), vectors.mH());
  group.end();
  return root;
}

Tensor& matrix_sqrth_out(const Tensor& a, Tensor& root) {
  const Tensor result = matrix_sqrth(a);
  at::native::resize_output(root, result.sizes());
  return root.copy_(result);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("linalg_polar", polar);
  m.impl("linalg_polar.out", polar_out);
  m.impl("linalg_matrix_sqrth", matrix_sqrth);
  m.impl("linalg_matrix_sqrth.out", matrix_sqrth_out);
}

} // namespace torch_pjrt
