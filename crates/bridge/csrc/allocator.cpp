// The c10::DeviceAllocator of the device. Memory is counted by the core; nothing is cached here.
#include "allocator.h"

#include "device.h"
#include "raise.h"
#include "tensors.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <pybind11/pybind11.h>

#include <optional>

namespace torch_pjrt {

namespace {

using c10::CachingDeviceAllocator::DeviceStats;

int index_or_current(c10::DeviceIndex device) {
  return device >= 0 ? device : current_device();
}

// Memory is read when the device has run what was launched, and letting go of a tensor there may need the GIL.
template <typename Read>
void without_gil(Read read) {
  std::optional<pybind11::gil_scoped_release> released;
  if (Py_IsInitialized() && PyGILState_Check()) released.emplace();
  read();
}

void fill(
    c10::CachingAllocator::StatArray& stats, uint64_t current, uint64_t peak, uint64_t allocated, uint64_t freed) {
  auto& stat = stats[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  stat.current = static_cast<int64_t>(current);
  stat.peak = static_cast<int64_t>(peak);
  stat.allocated = static_cast<int64_t>(allocated);
  stat.freed = static_cast<int64_t>(freed);
}

class DeviceAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    const int device = current_device();
    uint64_t address = 0;
    TpStorage* storage = check(tp_storage_new(device, nbytes, &address));
    return data_ptr_of(storage, address, device);
  }

  // Addresses are names, so there is no memory to copy between; tensors copy with copy_().
  void copy_data(void*, const void*, std::size_t) const override {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "raw bytes of this device cannot be copied by address; use Tensor.copy_() or clone()");
  }

  bool initialized() override {
    return tp_is_initialized() != 0;
  }

  void emptyCache(c10::MempoolId_t) override {
    for (int device = 0; initialized() && device < device_count(); ++device) {
      tp_empty_cache(device);
    }
  }

  // One ordered queue a device: memory is never reused ahead of its readers.
  void recordStream(const c10::DataPtr&, c10::Stream) override {}

  DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    TpMemory memory{};
    without_gil([&] { tp_memory(index_or_current(device), &memory); });
    DeviceStats stats;
    for (auto* bytes : {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes}) {
      fill(*bytes, memory.live_bytes, memory.peak_bytes, memory.total_allocated_bytes, memory.total_freed_bytes);
    }
    for (auto* buffers : {&stats.allocation, &stats.segment, &stats.active}) {
      fill(*buffers, memory.live_buffers, memory.live_buffers, memory.live_buffers, 0);
    }
    return stats;
  }

  void resetAccumulatedStats(c10::DeviceIndex device) override {
    without_gil([&] { tp_reset_accumulated(index_or_current(device)); });
  }

  void resetPeakStats(c10::DeviceIndex device) override {
    without_gil([&] { tp_reset_peak(index_or_current(device)); });
  }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    check(tp_ensure_client());
    TpMemory memory{};
    without_gil([&] { tp_memory(index_or_current(device), &memory); });
    const uint64_t free =
        memory.limit_bytes > memory.live_bytes ? memory.limit_bytes - memory.live_bytes : 0;
    return {free, memory.limit_bytes};
  }
};

DeviceAllocator& instance() {
  static DeviceAllocator* allocator = new DeviceAllocator();
  return *allocator;
}

REGISTER_ALLOCATOR(c10::kPrivateUse1, &instance())

} // namespace

c10::Allocator* device_allocator() {
  static c10::Allocator* allocator = &instance();
  return allocator;
}

} // namespace torch_pjrt
