// The current device of each thread.
#include "device.h"

#include "abi.h"

#include <c10/util/Exception.h>

namespace torch_pjrt {

namespace {
thread_local int current = 0;
} // namespace

int current_device() {
  return current;
}

int device_count() noexcept {
  return tp_device_count();
}

int exchange_device(int device) {
  const int previous = current;
  if (device != previous) {
    const int count = device_count();
    TORCH_CHECK(
        device >= 0 && device < count,
        "device index ", device, " does not exist: this process has ", count,
        " device(s) of type ", c10::Device(c10::kPrivateUse1).str());
    current = device;
  }
  return previous;
}

void set_device_unchecked(int device) noexcept {
  current = device;
}

c10::Device with_index(c10::Device device) {
  return device.has_index() ? device : c10::Device(device.type(), static_cast<c10::DeviceIndex>(current));
}

} // namespace torch_pjrt
