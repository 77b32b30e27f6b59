// Pinned host memory: aligned pages that copies may read while the program goes on.
#pragma once

#include <c10/core/Allocator.h>

namespace torch_pjrt {

c10::Allocator* host_allocator();

// Whether `data` points into memory of host_allocator().
bool is_pinned(const void* data);

} // namespace torch_pjrt
