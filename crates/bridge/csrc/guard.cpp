// Device, stream and event switching for PyTorch. A device has one ordered queue, so streams are
// names for it: waiting between streams of one device is free, and between devices the host waits.
#include "device.h"
#include "raise.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <atomic>

namespace torch_pjrt {

namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;
constexpr size_t kMaxDevices = 128; // of a c10::DeviceIndex

thread_local std::array<c10::StreamId, kMaxDevices> current_streams{};

// What PyTorch's opaque event pointer points to.
struct Event {
  TpEvent* handle;
  c10::DeviceIndex device;
};

Event* event_of(void* event) {
  return static_cast<Event*>(event);
}

c10::StreamId& current_stream(c10::Device device) {
  const int index = with_index(device).index();
  TORCH_CHECK(
      index >= 0 && static_cast<size_t>(index) < kMaxDevices, "invalid device index ", index);
  return current_streams[static_cast<size_t>(index)];
}

c10::Stream stream(c10::Device device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, with_index(device), id);
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override {
    return kType;
  }

  // ---- devices ----------------------------------------------------------------------------------
  c10::Device exchangeDevice(c10::Device device) const override {
    TORCH_CHECK(device.is_privateuseone(), "expected a ", kType, " device, but got ", device);
    const int index = device.has_index() ? device.index() : current_device();
    return c10::Device(kType, static_cast<c10::DeviceIndex>(exchange_device(index)));
  }

  c10::Device getDevice() const override {
    return c10::Device(kType, static_cast<c10::DeviceIndex>(current_device()));
  }

  void setDevice(c10::Device device) const override {
    exchangeDevice(device);
  }

  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) {
      set_device_unchecked(device.index());
    }
  }

  c10::DeviceIndex deviceCount() const noexcept override {
    return static_cast<c10::DeviceIndex>(device_count());
  }

  void synchronizeDevice(c10::DeviceIndex device) const override {
    check(tp_synchronize(device >= 0 ? device : current_device()));
  }

  // ---- streams ----------------------------------------------------------------------------------
  c10::Stream getStream(c10::Device device) const override {
    return stream(device, current_stream(device));
  }

  c10::Stream getDefaultStream(c10::Device device) const override {
    return stream(device, 0);
  }

  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }

  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<c10::StreamId> next{1};
    return stream(device, next.fetch_add(1, std::memory_order_relaxed));
  }

  c10::Stream exchangeStream(c10::Stream next) const override {
    c10::StreamId& current = current_stream(next.device());
    const c10::Stream previous = stream(next.device(), current);
    current = next.id();
    return previous;
  }

  void* getStreamNativeHandle(const c10::Stream named) const override {
    return reinterpret_cast<void*>(named.id());
  }

  bool queryStream(const c10::Stream& queried) const override {
    Event event{check(tp_event_new(queried.device_index(), /*timing=*/0)), queried.device_index()};
    const TpStatus status = tp_event_record(event.handle);
    const bool done = status == TP_OK && tp_event_query(event.handle) != 0;
    tp_event_release(event.handle);
    check(status);
    return done;
  }

  void synchronizeStream(const c10::Stream& awaited) const override {
    check(tp_synchronize(awaited.device_index()));
  }

  // ---- events -----------------------------------------------------------------------------------
  void record(
      void** event, const c10::Stream& on, c10::DeviceIndex device, c10::EventFlag flag) const override {
    TORCH_CHECK(
        device < 0 || device == on.device_index(),
        "an event of device ", static_cast<int>(device), " cannot be recorded on a stream of device ",
        static_cast<int>(on.device_index()));
    if (*event == nullptr) {
      const int timing = flag == c10::EventFlag::BACKEND_DEFAULT;
      *event = new Event{check(tp_event_new(on.device_index(), timing)), on.device_index()};
    }
    check(tp_event_record(event_of(*event)->handle));
  }

  void block(void* event, const c10::Stream& waiting) const override {
    if (event != nullptr && event_of(event)->device != waiting.device_index()) {
      synchronizeEvent(event);
    }
  }

  bool queryEvent(void* event) const override {
    return event == nullptr || tp_event_query(event_of(event)->handle) != 0;
  }

  void synchronizeEvent(void* event) const override {
    if (event != nullptr) {
      check(tp_event_synchronize(event_of(event)->handle));
    }
  }

  double elapsedTime(void* start, void* end, c10::DeviceIndex) const override {
    TORCH_CHECK_VALUE(
        start != nullptr && end != nullptr,
        "Both events must be recorded before calculating elapsed time.");
    double milliseconds = 0;
    check(tp_event_elapsed(event_of(start)->handle, event_of(end)->handle, &milliseconds));
    return milliseconds;
  }

  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    if (event != nullptr) {
      tp_event_release(event_of(event)->handle);
      delete event_of(event);
    }
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

} // namespace

} // namespace torch_pjrt
