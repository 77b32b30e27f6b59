// The at::HostAllocator of the device: 64-byte aligned memory, and a registry of the live ranges so
// that is_pinned() is right for every pointer into them. Opens no client.
#include "host_allocator.h"

#include <ATen/core/CachingHostAllocator.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace torch_pjrt {

namespace {

constexpr size_t kAlignment = 64;

class HostAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t nbytes) override {
    void* data = nullptr;
    if (nbytes > 0) {
      const size_t rounded = (nbytes + kAlignment - 1) / kAlignment * kAlignment;
      data = rounded < nbytes ? nullptr : std::aligned_alloc(kAlignment, rounded);
      TORCH_CHECK_WITH(
          OutOfMemoryError, data != nullptr, "could not allocate ", nbytes, " bytes of pinned host memory");
      const std::unique_lock<std::shared_mutex> lock(mutex_);
      sizes_.emplace(reinterpret_cast<uintptr_t>(data), nbytes);
      count(nbytes);
    }
    return {data, data, &free_memory, c10::Device(c10::kCPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &free_memory;
  }

  void copy_data(void* destination, const void* source, std::size_t nbytes) const override {
    default_copy_data(destination, source, nbytes);
  }

  bool owns(const void* data) const {
    const auto address = reinterpret_cast<uintptr_t>(data);
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    auto after = sizes_.upper_bound(address);
    if (after == sizes_.begin()) {
      return false;
    }
    const auto& [start, nbytes] = *--after;
    return address - start < nbytes;
  }

  // A copy that is under way holds the storage itself, so there is nothing to remember here.
  bool record_event(void*, void*, c10::Stream) override {
    return true;
  }

  void empty_cache() override {}

  at::HostStats get_stats() override {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    return stats_;
  }

  void reset_accumulated_stats() override {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    for (auto* stat : {&stats_.active_requests, &stats_.active_bytes, &stats_.allocations, &stats_.allocated_bytes}) {
      stat->reset_accumulated();
    }
    stats_.num_host_alloc = stats_.num_host_free = 0;
  }

  void reset_peak_stats() override {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    for (auto* stat : {&stats_.active_requests, &stats_.active_bytes, &stats_.allocations, &stats_.allocated_bytes}) {
      stat->reset_peak();
    }
  }

 private:
  static void free_memory(void* data);

  void forget(void* data) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const auto found = sizes_.find(reinterpret_cast<uintptr_t>(data));
    if (found == sizes_.end()) {
      return;
    }
    stats_.active_requests.decrease(1);
    stats_.allocations.decrease(1);
    stats_.active_bytes.decrease(found->second);
    stats_.allocated_bytes.decrease(found->second);
    ++stats_.num_host_free;
    sizes_.erase(found);
  }

  void count(size_t nbytes) {
    stats_.active_requests.increase(1);
    stats_.allocations.increase(1);
    stats_.active_bytes.increase(nbytes);
    stats_.allocated_bytes.increase(nbytes);
    ++stats_.num_host_alloc;
  }

  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, size_t> sizes_; // start of each live range -> its bytes
  at::HostStats stats_;
};

HostAllocator& instance() {
  static HostAllocator* allocator = new HostAllocator();
  return *allocator;
}

void HostAllocator::free_memory(void* data) {
  if (data != nullptr) {
    instance().forget(data);
    std::free(data);
  }
}

REGISTER_HOST_ALLOCATOR(at::kPrivateUse1, &instance())

} // namespace

c10::Allocator* host_allocator() {
  return &instance();
}

bool is_pinned(const void* data) {
  return instance().owns(data);
}

} // namespace torch_pjrt
