// The at::Generator of the device and the default one of each device index.
#include "generator.h"

#include "device.h"

#include <ATen/EmptyTensor.h>

#include <cstring>
#include <map>
#include <mutex>

namespace torch_pjrt {

namespace {
constexpr int64_t kStateBytes = 2 * sizeof(uint64_t);
} // namespace

Generator::Generator(c10::DeviceIndex device)
    : c10::GeneratorImpl(
          c10::Device(device_type(), device), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

void Generator::set_current_seed(uint64_t seed) {
  seed_ = seed;
  offset_ = 0;
}

uint64_t Generator::current_seed() const {
  return seed_;
}

uint64_t Generator::seed() {
  set_current_seed(c10::detail::getNonDeterministicRandom());
  return seed_;
}

void Generator::set_offset(uint64_t offset) {
  offset_ = offset;
}

uint64_t Generator::get_offset() const {
  return offset_;
}

void Generator::set_state(const c10::TensorImpl& state) {
  at::detail::check_rng_state(state);
  TORCH_CHECK_VALUE(
      state.numel() == kStateBytes,
      "the state of a generator on ", device(), " has ", kStateBytes, " bytes, but got ",
      state.numel());
  uint64_t words[2];
  std::memcpy(words, state.data(), sizeof(words));
  seed_ = words[0];
  offset_ = words[1];
}

c10::intrusive_ptr<c10::TensorImpl> Generator::get_state() const {
  const at::TensorBase state = at::detail::empty_cpu({kStateBytes}, at::kByte);
  const uint64_t words[2] = {seed_, offset_};
  std::memcpy(state.mutable_data_ptr(), words, sizeof(words));
  return state.getIntrusivePtr();
}

std::pair<uint64_t, uint64_t> Generator::draw() {
  return {seed_, offset_++};
}

Generator* Generator::clone_impl() const {
  auto* copy = new Generator(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy;
}

const at::Generator& default_generator(int device) {
  static std::mutex mutex;
  static auto* generators = new std::map<int, at::Generator>();
  const int index = device >= 0 ? device : current_device();
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = generators->find(index);
  if (found == generators->end()) {
    const int count = device_count();
    TORCH_CHECK(
        index < count, "there is no device ", index, " to draw random numbers on: this process has ", count);
    found = generators->emplace(index, at::make_generator<Generator>(static_cast<c10::DeviceIndex>(index))).first;
  }
  return found->second;
}

std::pair<uint64_t, uint64_t> next_draw(const std::optional<at::Generator>& generator, int device) {
  auto* chosen = at::get_generator_or_default<Generator>(generator, default_generator(device));
  const std::lock_guard<std::mutex> lock(chosen->mutex_);
  return chosen->draw();
}

} // namespace torch_pjrt
