// Random numbers are a function of (seed, offset): the offset counts the draws made so far, and the
// core computes the numbers on the device.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/GeneratorImpl.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace torch_pjrt {

class Generator final : public c10::GeneratorImpl {
 public:
  explicit Generator(c10::DeviceIndex device);

  static c10::DeviceType device_type() {
    return c10::kPrivateUse1;
  }

  void set_current_seed(uint64_t seed) override; // the offset starts at 0 again
  uint64_t current_seed() const override;
  uint64_t seed() override; // a seed from the system
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override;
  // 16 bytes of a CPU uint8 tensor: seed, then offset, as native 64-bit integers.
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  // (seed, offset) of the next draw. The caller holds mutex_.
  std::pair<uint64_t, uint64_t> draw();

 private:
  Generator* clone_impl() const override;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

// The generator that draws use when none is given; -1 is the current device.
const at::Generator& default_generator(int device);

// (seed, offset) of one draw on `device`, from `generator` or the device's default one.
std::pair<uint64_t, uint64_t> next_draw(const std::optional<at::Generator>& generator, int device);

} // namespace torch_pjrt
