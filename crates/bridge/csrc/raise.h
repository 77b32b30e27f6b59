// Errors of the C ABI become the c10 exceptions that PyTorch shows under Python's own names.
#pragma once

#include "abi.h"

namespace torch_pjrt {

// Takes this thread's error and throws it with its message as it is.
[[noreturn]] void raise_last_error();

inline void check(TpStatus status) {
  if (status != TP_OK) [[unlikely]] {
    raise_last_error();
  }
}

// For functions that return a handle and null on failure.
template <typename Handle>
Handle* check(Handle* handle) {
  if (handle == nullptr) [[unlikely]] {
    raise_last_error();
  }
  return handle;
}

} // namespace torch_pjrt
