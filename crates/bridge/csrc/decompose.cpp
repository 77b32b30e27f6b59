// torch_pjrt._decompositions registers the Python decomposition of an operator under the unused key
// PrivateUse2, so that PyTorch converts arguments and results; this file asks for it and calls it.
#include "decompose.h"

#include "device.h"
#include "fallback.h"
#include "group.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace torch_pjrt {

namespace {

constexpr auto kKey = c10::DispatchKey::PrivateUse2;

// Operators whose decomposition this thread is in, outermost first.
thread_local std::vector<c10::OperatorName> running;

// What is known of each operator: it has a usable decomposition, or not.
class Known {
 public:
  bool has(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = usable_.find(name);
      if (found != usable_.end()) {
        return found->second;
      }
    }
    const bool usable = install(name); // takes the GIL, so not under the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    return usable_.emplace(name, usable).first->second;
  }

  void forbid(const c10::OperatorName& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    usable_[name] = false;
  }

 private:
  static bool install(const c10::OperatorName& name) {
    if (Py_IsInitialized() == 0) {
      return false;
    }
    const py::gil_scoped_acquire gil;
    try {
      return py::module_::import("torch_pjrt._decompositions")
          .attr("install")(name.name, name.overload_name)
          .cast<bool>();
    } catch (py::error_already_set& error) {
      error.restore();
      python_error raised;
      raised.persist();
      throw raised;
    }
  }

  std::mutex mutex_;
  std::unordered_map<c10::OperatorName, bool> usable_;
};

Known& known() {
  static auto* instance = new Known();
  return *instance;
}

int device_of(const torch::jit::Stack& stack, size_t n_arguments) {
  for (const c10::IValue& value : torch::jit::last(stack, n_arguments)) {
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_privateuseone()) {
      return value.toTensor().device().index();
    }
  }
  return current_device();
}

bool is_not_implemented(const python_error& error) {
  const py::gil_scoped_acquire gil;
  return PyErr_GivenExceptionMatches(error.type, PyExc_NotImplementedError) != 0;
}

struct Running {
  explicit Running(const c10::OperatorName& name) {
    running.push_back(name);
  }
  ~Running() {
    running.pop_back();
  }
};

} // namespace

bool try_decomposition(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::OperatorName& name = op.operator_name();
  if (std::find(running.begin(), running.end(), name) != running.end()) {
    known().forbid(name);
    return false;
  }
  if (!known().has(op)) {
    return false;
  }
  const size_t n_arguments = op.schema().arguments().size();
  const torch::jit::Stack before = *stack;
  const Running guard(name);
  try {
    Group group(device_of(*stack, n_arguments));
    op.redispatchBoxed(c10::DispatchKeySet(kKey), stack);
    group.end();
    return true;
  } catch (const python_error& error) {
    // A step that is not implemented: the CPU may still run the whole, if nothing was written yet.
    if (!is_not_implemented(error) || op.schema().is_mutable() || fallback_mode() == FallbackMode::Error) {
      throw;
    }
  }
  *stack = before;
  return false;
}

} // namespace torch_pjrt
