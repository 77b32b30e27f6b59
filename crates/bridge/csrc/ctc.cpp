// ctc_loss gives the lengths of its sequences as numbers. The rows take them as tensors, so that lengths that vary from
// batch to batch need no other program; labels that were joined into one tensor are padded apart.
#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>

namespace torch_pjrt {

namespace {

using at::Tensor;

struct Sequences {
  Tensor targets;
  Tensor input_lengths;
  Tensor target_lengths;
};

// Programs are made for label counts that are multiples of this.
constexpr int64_t kLabels = 8;

Tensor on_device(at::IntArrayRef lengths, const Tensor& like) {
  return at::tensor(lengths, at::TensorOptions().dtype(at::kLong)).to(like.device());
}

Sequences sequences(
    const Tensor& log_probs,
    const Tensor& targets,
    at::IntArrayRef input_lengths,
    at::IntArrayRef target_lengths,
    int64_t blank) {
  const int64_t steps = log_probs.size(0);
  const int64_t batch = log_probs.size(1);
  const int64_t classes = log_probs.size(2);
  TORCH_CHECK(batch > 0, "log_probs tensor must not be empty");
  TORCH_CHECK(0 <= blank && blank < classes, "blank must be in label range");
  TORCH_CHECK(static_cast<int64_t>(input_lengths.size()) == batch, "input_lengths must be of size batch_size");
  TORCH_CHECK(static_cast<int64_t>(target_lengths.size()) == batch, "target_lengths must be of size batch_size");
  int64_t most = 0;
  int64_t total = 0;
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < batch; ++i) {
    TORCH_CHECK(
        input_lengths[i] >= 0 && input_lengths[i] <= steps,
        "Expected input_lengths to have value at most ", steps, ", but got value ", input_lengths[i]);
    TORCH_CHECK(
        target_lengths[i] >= 0,
        "Expected target_lengths to have value at least ", 0, ", but got value ", target_lengths[i],
        " (while checking arguments for ctc_loss)");
    starts.push_back(total);
    total += target_lengths[i];
    most = std::max(most, target_lengths[i]);
  }
  Tensor apart = targets;
  if (targets.dim() == 1) {
    TORCH_CHECK(targets.size(0) == total, "Expected targets to have ", total, " labels, but it has ", targets.size(0));
    const int64_t room = (most + kLabels - 1) / kLabels * kLabels;
    if (total == 0) {
      apart = at::zeros({batch, room}, targets.options());
    } else {
      const Tensor first = on_device(starts, targets).unsqueeze(1);
      const Tensor place = first + at::arange(room, first.options()).unsqueeze(0);
      apart = targets.take(place.clamp_max(total - 1));
    }
  } else {
    TORCH_CHECK(
        targets.dim() == 2 && targets.size(0) == batch && targets.size(1) >= most,
        "Expected targets of shape (batch, at least ", most, "), but got ", targets.sizes());
  }
  return {apart, on_device(input_lengths, log_probs), on_device(target_lengths, log_probs)};
}

std::tuple<Tensor, Tensor> ctc_loss(
    const Tensor& log_probs,
    const Tensor& targets,
    at::IntArrayRef input_lengths,
    at::IntArrayRef target_lengths,
    int64_t blank,
    bool zero_infinity) {
  const Sequences s = sequences(log_probs, targets, input_lengths, target_lengths, blank);
  return at::_ctc_loss(log_probs, s.targets, s.input_lengths, s.target_lengths, blank, zero_infinity);
}

Tensor ctc_loss_backward(
    const Tensor& gradient,
    const Tensor& log_probs,
    const Tensor& targets,
    at::IntArrayRef input_lengths,
    at::IntArrayRef target_lengths,
    const Tensor& loss,
    const Tensor& alpha,
    int64_t blank,
    bool zero_infinity) {
  const Sequences s = sequences(log_probs, targets, input_lengths, target_lengths, blank);
  return at::_ctc_loss_backward(
      gradient, log_probs, s.targets, s.input_lengths, s.target_lengths, loss, alpha, blank, zero_infinity);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_ctc_loss", ctc_loss);
  m.impl("_ctc_loss_backward", ctc_loss_backward);
}

} // namespace torch_pjrt
