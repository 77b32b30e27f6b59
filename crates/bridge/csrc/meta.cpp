// Results of a new signature, from PyTorch's own meta kernels: their dtype promotion, strides and error text.
#include "form.h"
#include "raise.h"
#include "tensors.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch_pjrt {

namespace {

at::Tensor meta_of(const at::Tensor& tensor) {
  // A Python number that torch wrapped stays what it is: meta kernels written in Python take it back as a number.
  if (!tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    return tensor;
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
}

c10::IValue meta_of(const c10::IValue& value) {
  if (value.isTensor()) {
    return meta_of(value.toTensor());
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      list.push_back(meta_of(tensor));
    }
    return list;
  }
  if (value.isList()) {
    const auto entries = value.toListRef();
    const bool tensors = std::any_of(entries.begin(), entries.end(), [](const c10::IValue& v) { return v.isTensor(); });
    if (tensors) {
      c10::List<std::optional<at::Tensor>> list;
      for (const c10::IValue& entry : entries) {
        list.push_back(entry.isNone() ? std::nullopt : std::optional<at::Tensor>(meta_of(entry.toTensor())));
      }
      return list;
    }
  }
  if (value.isDevice()) {
    return c10::Device(c10::kMeta);
  }
  if (value.isGenerator()) {
    return c10::IValue();
  }
  return value;
}

void flatten(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      tensors.push_back(tensor);
    }
  } else {
    tensors.emplace_back();
  }
}

// Runs `op` on meta tensors, below autograd.
torch::jit::Stack run_on_meta(const c10::OperatorHandle& op, torch::jit::Stack stack) {
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  // Nothing of ours takes part: only backends that the meta tensors bring.
  op.callBoxed(&stack);
  return stack;
}

// Tensors up to this many elements are made on the CPU to ask its kernel why a call is wrong.
constexpr int64_t kMostAskedElements = 1 << 20;

// A meta kernel refused the call. Where it is one of those written in Python, its words are not the CPU kernel's, which
// users know: the CPU is asked with zeros of the same shapes. Returns if it has no objection.
void ask_cpu(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
  torch::jit::Stack stack;
  int64_t elements = 0;
  const auto zeros_of = [&](const at::Tensor& tensor) {
    elements += tensor.defined() ? tensor.numel() : 0;
    return tensor.defined() && tensor.device().is_privateuseone() && elements <= kMostAskedElements
        ? at::zeros(tensor.sizes(), tensor.options().device(c10::kCPU))
        : tensor;
  };
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor()) {
      stack.emplace_back(zeros_of(argument.toTensor()));
    } else if (argument.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : argument.toTensorVector()) {
        list.push_back(zeros_of(tensor));
      }
      stack.emplace_back(list);
    } else {
      stack.push_back(argument.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : argument);
    }
  }
  if (elements <= kMostAskedElements && op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU)) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    op.callBoxed(&stack);
  }
}

// Whether the results of the row's own overload come from the device dtype of `out`.
bool is_dtype_option(const c10::Argument& argument) {
  return argument.name() == "dtype" && kind_of(argument) == ArgumentKind::Dtype;
}

} // namespace

bool define_signature(const Form& form, const c10::OperatorHandle& op, const TpCall& call, c10::ArrayRef<c10::IValue> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* alias = op.schema().arguments()[i].alias_info();
    if (alias != nullptr && alias->isWrite() && arguments[i].isTensor() && arguments[i].toTensor().defined()) {
      at::assert_no_internal_overlap(arguments[i].toTensor());
    }
  }
  std::vector<at::Tensor> results;
  int32_t infers = 0;
  if (form.infers) {
    check(tp_call_infers(&call, &infers));
  }
  if (infers == 0) try {
    const auto& schema = form.functional.schema();
    torch::jit::Stack stack;
    for (size_t i = 0; i < form.argument_map.size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      const int32_t source = form.argument_map[i];
      if (source >= 0) {
        stack.push_back(meta_of(arguments[source]));
      } else if (is_dtype_option(argument) && !form.out_arguments.empty() && arguments[form.out_arguments[0]].isTensor()) {
        stack.emplace_back(arguments[form.out_arguments[0]].toTensor().scalar_type());
      } else if (argument.default_value()) {
        stack.push_back(*argument.default_value());
      } else {
        stack.emplace_back();
      }
      if (kind_of(argument) == ArgumentKind::Ignored && argument.name() == "device") {
        stack.back() = c10::Device(c10::kMeta);
      }
    }
    if (op.operator_name() != form.functional.operator_name()) {
      // What only the in-place or out= overload refuses (result shapes, casts).
      torch::jit::Stack derived;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const bool is_out = std::find(form.out_arguments.begin(), form.out_arguments.end(), static_cast<int32_t>(i)) != form.out_arguments.end();
        if (is_out && arguments[i].isTensor()) {
          derived.emplace_back(at::empty({0}, arguments[i].toTensor().options().device(c10::kMeta)));
        } else {
          derived.push_back(meta_of(arguments[i]));
        }
      }
      if (op.hasKernelForDispatchKey(c10::DispatchKey::Meta)) {
        run_on_meta(op, std::move(derived));
      }
    }
    for (const c10::IValue& result : run_on_meta(form.functional, std::move(stack))) {
      flatten(result, results);
    }
  } catch (const std::exception&) {
    ask_cpu(op, arguments);
    throw;
  }

  if (infers != 0) {
    // What only out= forms need: the sizes of results that the row announces.
    for (size_t k = 0; k < form.out_arguments.size(); ++k) {
      int64_t sizes[64];
      int32_t count = -1;
      check(tp_call_inferred_sizes(&call, k, sizes, &count));
      results.push_back(count < 0 ? at::Tensor() : at::empty(c10::IntArrayRef(sizes, count), at::TensorOptions().device(c10::kMeta)));
    }
  }
  bool resized = false;
  for (size_t k = 0; k < form.out_arguments.size() && k < results.size(); ++k) {
    const c10::IValue& out = arguments[form.out_arguments[k]];
    if (!out.isTensor() || !results[k].defined() || out.toTensor().sizes() == results[k].sizes()) {
      continue;
    }
    at::native::resize_output(out.toTensor(), results[k].sizes());
    resized = true;
  }
  if (resized) {
    return true;
  }
  if (infers != 0) {
    results.clear();
  }

  std::vector<TpView> views;
  views.reserve(results.size());
  for (const at::Tensor& result : results) {
    if (result.defined()) {
      TpView view = view_of(result);
      view.offset = 0;
      views.push_back(view);
    } else {
      views.push_back(TpView{0, -1, nullptr, nullptr, 0});
    }
  }
  check(tp_define(&call, views.data(), views.size()));
  return false;
}

} // namespace torch_pjrt
