// The boxed fallback of the device: PyTorch's decomposition where it has one, else the CPU kernel,
// counted, and announced or refused as TORCH_PJRT_FALLBACK says.
#include "fallback.h"

#include "abi.h"
#include "decompose.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <cstdlib>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>

namespace torch_pjrt {

namespace {

void describe(std::ostream& out, const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (tensor.defined()) {
      out << tensor.scalar_type() << tensor.sizes() << " on " << tensor.device();
    } else {
      out << "no tensor";
    }
  } else if (value.isList()) {
    out << '(';
    const char* separator = "";
    for (const c10::IValue& element : value.toListRef()) {
      out << separator;
      describe(out, element);
      separator = ", ";
    }
    out << ')';
  } else {
    out << value;
  }
}

// "(self=Float[2, 3] on tpu:0, dim=1)"
std::string describe_arguments(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  std::ostringstream out;
  const auto& arguments = schema.arguments();
  const char* separator = "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    out << separator << arguments[i].name() << '=';
    describe(out, torch::jit::peek(stack, i, arguments.size()));
    separator = ", ";
  }
  out << (arguments.empty() ? "()" : ")");
  return out.str();
}

bool first_time(const c10::OperatorName& name) {
  static std::mutex mutex;
  static auto* seen = new std::unordered_set<c10::OperatorName>();
  const std::lock_guard<std::mutex> lock(mutex);
  return seen->insert(name).second;
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (try_decomposition(op, stack)) {
    return;
  }
  const std::string name = c10::toString(op.operator_name());
  const auto device = c10::Device(c10::kPrivateUse1).str();
  const FallbackMode mode = fallback_mode();
  if (mode == FallbackMode::Error) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false,
        name, " has no row for the device '", device, "', and TORCH_PJRT_FALLBACK=error forbids the CPU: ",
        describe_arguments(op.schema(), *stack),
        ". Set TORCH_PJRT_FALLBACK=warn to run it on the CPU, or add a row for it (CONTRIBUTING.md).");
  }
  tp_count_fallback(name.data(), name.size());
  if (mode == FallbackMode::Warn && first_time(op.operator_name())) {
    TORCH_WARN(
        name, " has no row for the device '", device, "' and runs on the CPU, with copies both ways: ",
        describe_arguments(op.schema(), *stack),
        ". Said once an overload; TORCH_PJRT_FALLBACK=error|silent changes it.");
  }
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

} // namespace

FallbackMode fallback_mode() {
  const char* setting = std::getenv("TORCH_PJRT_FALLBACK");
  const std::string_view mode = setting == nullptr ? "" : setting;
  if (mode == "error") {
    return FallbackMode::Error;
  }
  if (mode == "silent") {
    return FallbackMode::Silent;
  }
  TORCH_CHECK_VALUE(
      mode.empty() || mode == "warn", "TORCH_PJRT_FALLBACK must be warn, error or silent, not '", mode, "'");
  return FallbackMode::Warn;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

} // namespace torch_pjrt
