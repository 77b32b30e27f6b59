// The device allocator that PyTorch sees: storages of the current device, and their counters.
#pragma once

#include <c10/core/Allocator.h>

namespace torch_pjrt {

c10::Allocator* device_allocator();

} // namespace torch_pjrt
