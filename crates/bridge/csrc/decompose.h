// Operators without a row that PyTorch itself writes in terms of others.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace torch_pjrt {

// Runs the operator as PyTorch's decomposition, as one program, and leaves its results on the stack.
// False, with the stack as it was, where there is none or where it needs this same operator.
bool try_decomposition(const c10::OperatorHandle& op, torch::jit::Stack* stack);

} // namespace torch_pjrt
