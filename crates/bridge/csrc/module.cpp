// What the Rust side of the extension module calls at import and for Python.
#include "device.h"
#include "generator.h"
#include "table.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Generator.h>

extern "C" {

void torch_pjrt_register() {
  torch_pjrt::register_table();
  torch_pjrt::register_foreach();
}

int32_t torch_pjrt_current_device() {
  return torch_pjrt::current_device();
}

void torch_pjrt_set_device(int32_t device) {
  torch_pjrt::set_device_unchecked(device);
}

// A new reference; null with a Python error set.
PyObject* torch_pjrt_default_generator(int32_t device) {
  HANDLE_TH_ERRORS
  return THPGenerator_Wrap(torch_pjrt::default_generator(device));
  END_HANDLE_TH_ERRORS
}
}
