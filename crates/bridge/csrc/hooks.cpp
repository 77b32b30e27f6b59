// Answers of the device to ATen's generic code: how many devices, which generator, which allocator,
// how a storage is resized. The client opens with the first real use, not here.
#include "device.h"
#include "generator.h"
#include "host_allocator.h"
#include "raise.h"
#include "tensors.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace torch_pjrt {

namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }

  bool isAvailable() const override {
    return device_count() > 0;
  }

  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return tp_is_initialized() != 0;
  }

  void init() const override {}

  c10::DeviceIndex deviceCount() const override {
    return static_cast<c10::DeviceIndex>(device_count());
  }

  c10::DeviceIndex getCurrentDevice() const override {
    return static_cast<c10::DeviceIndex>(current_device());
  }

  void setCurrentDevice(c10::DeviceIndex device) const override {
    exchange_device(device);
  }

  // A negative index changes nothing, as for the other accelerators.
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? -1 : static_cast<c10::DeviceIndex>(exchange_device(device));
  }

  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return exchangeDevice(device);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device);
  }

  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    return at::make_generator<Generator>(
        static_cast<c10::DeviceIndex>(device >= 0 ? device : current_device()));
  }

  c10::Allocator* getPinnedMemoryAllocator() const override {
    return host_allocator();
  }

  bool isPinnedPtr(const void* data) const override {
    return is_pinned(data);
  }

  c10::Device getDeviceFromPtr(void*) const override {
    TORCH_CHECK(
        false,
        "data_ptr() of this device is a name, not memory of this process, so a tensor cannot be made "
        "from a pointer; copy from a host tensor instead");
  }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t nbytes) const override {
    resize_storage(*storage.unsafeGetStorageImpl(), nbytes);
  }
};

[[maybe_unused]] const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks());
  return true;
}();

} // namespace

} // namespace torch_pjrt
