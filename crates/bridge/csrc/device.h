// Which device this thread works on. No client is opened here.
#pragma once

#include <c10/core/Device.h>

namespace torch_pjrt {

// The thread's device; 0 until it chooses one.
int current_device();

// The number of devices; never raises.
int device_count() noexcept;

// Makes `device` current and returns the one before. Raises for an index that does not exist.
int exchange_device(int device);

// The same without a check, for destructors.
void set_device_unchecked(int device) noexcept;

// `device` with an index: the current one where it has none.
c10::Device with_index(c10::Device device);

} // namespace torch_pjrt
