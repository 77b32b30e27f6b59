// Which kernel scaled_dot_product_attention takes on the device: the fused one, which is a row, where its schema
// fits; else plain operators.
#include <ATen/SDPBackend.h>
#include <ATen/native/transformers/attention.h>
#include <torch/library.h>

namespace at::native {

namespace {

int64_t choose_attention(
    const Tensor& query,
    const Tensor& key,
    const Tensor& value,
    const std::optional<Tensor>&,
    double,
    bool,
    std::optional<double>,
    bool shares_heads) {
  // Sizes may be symbols, while torch.compile traces.
  const auto heads = [](const Tensor& tensor) { return tensor.sym_size(1); };
  const bool plain = query.dim() == 4 && key.dim() == 4 && value.dim() == 4 && query.sym_numel() > 0 &&
      key.sym_numel() > 0 && value.sym_numel() > 0 && query.scalar_type() == key.scalar_type() &&
      query.scalar_type() == value.scalar_type() && query.sym_size(0) == key.sym_size(0) &&
      key.sym_size(0) == value.sym_size(0) && heads(key) == heads(value) &&
      (heads(query) == heads(key) || (shares_heads && heads(query) % heads(key) == 0));
  return static_cast<int64_t>(plain ? at::SDPBackend::overrideable : at::SDPBackend::math);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_sdp_choice", choose_attention);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose_attention)

} // namespace at::native
