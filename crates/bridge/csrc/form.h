// A form: one overload that a row serves, as a boxed kernel.
#pragma once

#include "encode.h"

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <vector>

namespace torch_pjrt {

// What the table knows about one overload. Derived once, at import.
struct Form {
  uint32_t id = 0;
  size_t row = 0;
  bool random = false;
  bool infers = false;
  std::vector<ArgumentKind> kinds;
  std::vector<bool> baked;
  // Entry i: the argument that is returned as result i, or -1 for a new tensor.
  std::vector<int> returned_argument;
  std::vector<bool> returned_list;
  // Results that are no tensors (sizes that an attention saves for its backward): 0, since no program computes them.
  std::vector<bool> returned_number;
  // The row's own overload, and which argument of this one feeds each of its arguments (-1: none).
  c10::OperatorHandle functional;
  std::vector<int32_t> argument_map;
  // Arguments that out= results are written to.
  std::vector<int32_t> out_arguments;
  // These, and arguments that an in-place overload writes to.
  std::vector<int32_t> written_arguments;
  int device_argument = -1;
  int generator_argument = -1;
};

// How much of an input's memory a tensor that is written to may share.
enum class Shared { Nothing, AllOrNothing };

// Raises as ATen does when a written argument shares memory with another one in a way that it may not.
void refuse_overlaps(const Form& form, const c10::IValue* arguments, Shared allowed);

class FormKernel final : public c10::OperatorKernel {
 public:
  explicit FormKernel(Form form) : form_(std::move(form)) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  Form form_;
};

// Asks PyTorch's meta kernels for the results of a new signature, and describes it to the core. Resizes out=
// tensors as ATen does; returns true when it did, so that the call must be encoded anew.
bool define_signature(const Form& form, const c10::OperatorHandle& op, const TpCall& call, c10::ArrayRef<c10::IValue> arguments);

} // namespace torch_pjrt
