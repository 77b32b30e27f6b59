// The path of one call: arguments -> words -> the core -> tensors.
#include "form.h"

#include "device.h"
#include "generator.h"
#include "raise.h"
#include "tensors.h"

#include <ATen/Context.h>
#include <ATen/MemoryOverlap.h>

#include <memory>

namespace torch_pjrt {

namespace {

constexpr size_t kMostOutputs = 4096;

// Encoders of this thread, one per nesting level: a meta kernel in Python may call us again.
class EncoderLease {
 public:
  EncoderLease() {
    if (depth_ == pool_.size()) {
      pool_.push_back(std::make_unique<Encoder>());
    }
    encoder_ = pool_[depth_++].get();
  }
  ~EncoderLease() {
    --depth_;
  }
  EncoderLease(const EncoderLease&) = delete;
  EncoderLease& operator=(const EncoderLease&) = delete;
  Encoder* operator->() const {
    return encoder_;
  }

 private:
  static thread_local std::vector<std::unique_ptr<Encoder>> pool_;
  static thread_local size_t depth_;
  Encoder* encoder_;
};

thread_local std::vector<std::unique_ptr<Encoder>> EncoderLease::pool_;
thread_local size_t EncoderLease::depth_ = 0;

void refuse_overlap(const at::Tensor& written, const at::Tensor& read, Shared allowed) {
  if (!read.defined() || !read.has_storage() || !read.storage().is_alias_of(written.storage())) {
    return;
  }
  if (allowed == Shared::Nothing) {
    at::assert_no_overlap(written, read);
  } else {
    at::assert_no_partial_overlap(written, read);
  }
}

} // namespace

void refuse_overlaps(const Form& form, const c10::IValue* arguments, Shared allowed) {
  for (const int32_t position : form.written_arguments) {
    const c10::IValue& target = arguments[position];
    if (!target.isTensor() || !target.toTensor().defined()) {
      continue;
    }
    for (size_t i = 0; i < form.kinds.size(); ++i) {
      if (static_cast<int32_t>(i) == position) {
        continue;
      }
      if (arguments[i].isTensor()) {
        refuse_overlap(target.toTensor(), arguments[i].toTensor(), allowed);
      } else if (arguments[i].isTensorList()) {
        for (const at::Tensor& read : arguments[i].toTensorVector()) {
          refuse_overlap(target.toTensor(), read, allowed);
        }
      }
    }
  }
}

void FormKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const size_t n_arguments = form_.kinds.size();
  const c10::IValue* arguments = stack->data() + (stack->size() - n_arguments);
  refuse_overlaps(form_, arguments, Shared::AllOrNothing);
  EncoderLease encoder;
  TpCall call{};
  call.form = form_.id;
  TpOutput few[16];
  std::unique_ptr<TpOutput[]> many;
  TpOutput* outputs = few;
  size_t capacity = sizeof(few) / sizeof(few[0]);
  for (const bool list : form_.returned_list) {
    if (list) {
      many = std::make_unique<TpOutput[]>(kMostOutputs);
      outputs = many.get();
      capacity = kMostOutputs;
      break;
    }
  }
  size_t n_outputs = 0;
  bool drawn = false;
  const at::ScalarType default_dtype = at::typeMetaToScalarType(at::get_default_dtype());
  const at::Float32MatmulPrecision precision = at::globalContext().float32MatmulPrecision();
  for (bool again = true; again;) {
    again = false;
    encoder->begin(default_dtype, precision);
    for (size_t i = 0; i < n_arguments; ++i) {
      encoder->argument(form_.kinds[i], arguments[i], form_.baked[i]);
    }
    encoder->fill(call);
    if (call.device < 0) {
      call.device = current_device();
      if (form_.device_argument >= 0 && !arguments[form_.device_argument].isNone()) {
        call.device = with_index(arguments[form_.device_argument].toDevice()).index();
      }
    }
    if (form_.random && !drawn) {
      std::optional<at::Generator> generator;
      if (form_.generator_argument >= 0 && !arguments[form_.generator_argument].isNone()) {
        generator = arguments[form_.generator_argument].toGenerator();
      }
      std::tie(call.seed, call.offset) = next_draw(generator, call.device);
      drawn = true;
    }
    n_outputs = capacity;
    const TpStatus status = tp_call(&call, outputs, &n_outputs);
    if (status == TP_UNKNOWN_SIGNATURE) [[unlikely]] {
      define_signature(form_, op, call, c10::ArrayRef<c10::IValue>(arguments, n_arguments));
      again = true;
    } else {
      check(status);
    }
  }

  const size_t n_results = form_.returned_argument.size();
  if (n_results == 1 && form_.returned_argument[0] < 0 && !form_.returned_list[0]) {
    at::Tensor result = tensor_from_output(outputs[0], call.device);
    torch::jit::drop(*stack, n_arguments);
    stack->emplace_back(std::move(result));
    return;
  }
  std::vector<c10::IValue> results;
  results.reserve(n_results);
  size_t lists = 0;
  size_t singles = 0;
  for (size_t i = 0; i < n_results; ++i) {
    if (form_.returned_argument[i] < 0) {
      ++(form_.returned_list[i] ? lists : singles);
    }
  }
  size_t next = 0;
  for (size_t i = 0; i < n_results; ++i) {
    if (form_.returned_argument[i] >= 0) {
      results.push_back(arguments[form_.returned_argument[i]]);
    } else if (form_.returned_list[i]) {
      // Lists of one overload have one length.
      const size_t length = (n_outputs - singles) / lists;
      std::vector<at::Tensor> list;
      list.reserve(length);
      for (size_t k = 0; k < length; ++k) {
        list.push_back(tensor_from_output(outputs[next++], call.device));
      }
      results.emplace_back(std::move(list));
    } else if (form_.returned_number[i]) {
      results.emplace_back(static_cast<int64_t>(0));
      ++next;
    } else {
      results.emplace_back(next < n_outputs ? tensor_from_output(outputs[next], call.device) : at::Tensor());
      ++next;
    }
  }
  torch::jit::drop(*stack, n_arguments);
  for (c10::IValue& result : results) {
    stack->push_back(std::move(result));
  }
}

} // namespace torch_pjrt
