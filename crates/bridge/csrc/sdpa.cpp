// Which kernel scaled_dot_product_attention takes on the device: the one written in plain operators.
#include <ATen/SDPBackend.h>
#include <ATen/native/transformers/attention.h>
#include <torch/library.h>

namespace at::native {

namespace {

int64_t choose_attention(
    const Tensor&,
    const Tensor&,
    const Tensor&,
    const std::optional<Tensor>&,
    double,
    bool,
    std::optional<double>,
    bool) {
  return static_cast<int64_t>(at::SDPBackend::math);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_sdp_choice", choose_attention);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose_attention)

} // namespace at::native
