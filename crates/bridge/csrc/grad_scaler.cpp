// The two kernels of torch.amp.GradScaler, written with device operators and run as one program each:
// the scale and the found_inf flag never visit the host.
#include "group.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <vector>

namespace torch_pjrt {

namespace {

using at::Tensor;

void check_scalar(const Tensor& tensor, const char* name, at::ScalarType dtype) {
  TORCH_CHECK(
      tensor.numel() == 1 && tensor.scalar_type() == dtype,
      name, " must be a 1-element ", dtype, " tensor, but got ", tensor.scalar_type(), tensor.sizes());
}

// Multiplies each gradient by inv_scale, in float32, and sets found_inf to 1 where one is not finite.
void non_finite_check_and_unscale_(at::TensorList gradients, Tensor& found_inf, const Tensor& inv_scale) {
  check_scalar(found_inf, "found_inf", at::kFloat);
  check_scalar(inv_scale, "inv_scale", at::kFloat);
  if (gradients.empty()) {
    return;
  }
  Group group(found_inf.device().index());
  std::vector<Tensor> finite;
  finite.reserve(gradients.size());
  const Tensor factor = inv_scale.reshape({});
  for (const Tensor& gradient : gradients) {
    TORCH_CHECK(gradient.is_floating_point(), "gradients must be floating point, but got ", gradient.scalar_type());
    finite.push_back(at::isfinite(gradient).all());
    const bool narrow = gradient.scalar_type() == at::kHalf || gradient.scalar_type() == at::kBFloat16;
    Tensor(gradient).copy_(at::mul(narrow ? gradient.to(at::kFloat) : gradient, factor));
  }
  const Tensor bad = at::logical_not(at::stack(finite).all()).to(at::kFloat);
  found_inf.copy_(at::maximum(found_inf, bad));
  group.end();
}

// scale: times backoff after a bad step, times growth after growth_interval good ones in a row.
Tensor& update_scale_(
    Tensor& scale,
    Tensor& growth_tracker,
    const Tensor& found_inf,
    double growth,
    double backoff,
    int64_t growth_interval) {
  check_scalar(scale, "current_scale", at::kFloat);
  check_scalar(growth_tracker, "growth_tracker", at::kInt);
  check_scalar(found_inf, "found_inf", at::kFloat);
  Group group(scale.device().index());
  const Tensor bad = found_inf.reshape({}) > 0;
  const Tensor good_steps = growth_tracker + 1;
  const Tensor due = good_steps == growth_interval;
  const Tensor grown = at::mul(scale, growth);
  const Tensor next = at::where(due.logical_and(at::isfinite(grown)), grown, scale);
  const Tensor next_scale = at::where(bad, at::mul(scale, backoff), next);
  const Tensor next_tracker = at::where(bad.logical_or(due), at::zeros_like(good_steps), good_steps);
  scale.copy_(next_scale);
  growth_tracker.copy_(next_tracker);
  group.end();
  return scale;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_amp_foreach_non_finite_check_and_unscale_", non_finite_check_and_unscale_);
  m.impl("_amp_update_scale_", update_scale_);
}

} // namespace torch_pjrt
