#include "encode.h"

#include "copy.h"
#include "tensors.h"

#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/zeros.h>

#include <cstring>

namespace torch_pjrt {

namespace {

enum Kind : uint64_t {
  kAbsent = 0,
  kTensor = 1,
  kHostTensor = 2,
  kScalar = 3,
  kInt = 4,
  kBool = 5,
  kInts = 6,
  kFloats = 7,
  kBools = 8,
  kTensors = 9,
  kScalars = 10,
  kText = 11,
  kDtype = 12,
};

constexpr uint64_t kContiguous = 1ull << 24;
constexpr uint64_t kWrapped = 1ull << 16;
constexpr uint64_t kKnown = 1ull << 17;

uint64_t bits_of(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// 0 bool, 1 int, 2 double, 3 complex.
uint64_t category(const at::Scalar& number) {
  if (number.isBoolean()) {
    return 0;
  }
  if (number.isIntegral(false)) {
    return 1;
  }
  return number.isComplex() ? 3 : 2;
}

// Numbers that are worth a program of their own because they simplify it.
bool is_common_constant(const at::Scalar& number) {
  if (number.isBoolean()) {
    return true;
  }
  if (number.isIntegral(false)) {
    const int64_t value = number.toLong();
    return value >= -1 && value <= 1;
  }
  if (number.isComplex()) {
    return false;
  }
  const double value = number.toDouble();
  return value == 0.0 || value == 1.0 || value == -1.0;
}

} // namespace

ArgumentKind kind_of(const c10::Argument& argument) {
  // The declared type: in the runtime type dtypes, layouts and devices are plain ints.
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) {
    type = optional->getElementType();
  }
  if (const auto list = type->cast<c10::ListType>()) {
    c10::TypePtr element = list->getElementType();
    if (const auto optional = element->cast<c10::OptionalType>()) {
      if (optional->getElementType()->kind() == c10::TypeKind::TensorType) {
        return ArgumentKind::Indices;
      }
      element = optional->getElementType();
    }
    switch (element->kind()) {
      case c10::TypeKind::TensorType:
        return ArgumentKind::Tensors;
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return ArgumentKind::Ints;
      case c10::TypeKind::FloatType:
        return ArgumentKind::Floats;
      case c10::TypeKind::BoolType:
        return ArgumentKind::Bools;
      case c10::TypeKind::NumberType:
        return ArgumentKind::Numbers;
      default:
        return ArgumentKind::Ignored;
    }
  }
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return ArgumentKind::Tensor;
    case c10::TypeKind::NumberType:
    case c10::TypeKind::FloatType:
      return ArgumentKind::Number;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::MemoryFormatType:
      return ArgumentKind::Int;
    case c10::TypeKind::BoolType:
      return ArgumentKind::Bool;
    case c10::TypeKind::StringType:
      return ArgumentKind::Text;
    case c10::TypeKind::ScalarTypeType:
      return ArgumentKind::Dtype;
    default:
      return ArgumentKind::Ignored;
  }
}

void Encoder::begin(at::ScalarType default_dtype, at::Float32MatmulPrecision precision) {
  words_.clear();
  storages_.clear();
  scalars_.clear();
  substitutes_.clear();
  device_ = -1;
  host_tensor_seen_ = false;
  words_.push_back(static_cast<uint64_t>(default_dtype) | (static_cast<uint64_t>(precision) << 8));
}

void Encoder::argument(ArgumentKind kind, const c10::IValue& value, bool baked) {
  if (value.isNone()) {
    words_.push_back(kAbsent);
    return;
  }
  switch (kind) {
    case ArgumentKind::Tensor:
      tensor(value.toTensor(), baked);
      break;
    case ArgumentKind::Tensors:
    case ArgumentKind::Indices: {
      const auto list = value.toListRef();
      words_.push_back(kTensors | (static_cast<uint64_t>(list.size()) << 8));
      for (const c10::IValue& entry : list) {
        if (entry.isNone()) {
          words_.push_back(kAbsent);
          continue;
        }
        const at::Tensor& listed = entry.toTensor();
        if (kind == ArgumentKind::Indices && listed.defined() && listed.dim() > 0 && listed.device().is_cpu() && device_ >= 0) {
          // As CUDA allows.
          substitutes_.push_back(listed.to(c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device_))));
          tensor(substitutes_.back(), baked);
        } else {
          tensor(listed, baked);
        }
      }
      break;
    }
    case ArgumentKind::Number:
      number(value.toScalar(), baked);
      break;
    case ArgumentKind::Numbers: {
      const auto list = value.toListRef();
      words_.push_back(kScalars | (static_cast<uint64_t>(list.size()) << 8));
      for (const c10::IValue& entry : list) {
        number(entry.toScalar(), baked);
      }
      break;
    }
    case ArgumentKind::Int:
      words_.push_back(kInt);
      words_.push_back(static_cast<uint64_t>(value.toInt()));
      break;
    case ArgumentKind::Ints: {
      const auto list = value.toIntVector();
      words_.push_back(kInts | (static_cast<uint64_t>(list.size()) << 8));
      for (const int64_t entry : list) {
        words_.push_back(static_cast<uint64_t>(entry));
      }
      break;
    }
    case ArgumentKind::Floats: {
      const auto list = value.toDoubleVector();
      words_.push_back(kFloats | (static_cast<uint64_t>(list.size()) << 8));
      for (const double entry : list) {
        words_.push_back(bits_of(entry));
      }
      break;
    }
    case ArgumentKind::Bool:
      words_.push_back(kBool | (value.toBool() ? 1ull << 8 : 0));
      break;
    case ArgumentKind::Bools: {
      const auto list = value.toBoolList();
      words_.push_back(kBools | (static_cast<uint64_t>(list.size()) << 8));
      for (const bool entry : list) {
        words_.push_back(entry ? 1 : 0);
      }
      break;
    }
    case ArgumentKind::Text: {
      const std::string& text = value.toStringRef();
      words_.push_back(kText | (static_cast<uint64_t>(text.size()) << 8));
      for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
        words_.push_back(word);
      }
      break;
    }
    case ArgumentKind::Dtype:
      words_.push_back(kDtype | (static_cast<uint64_t>(value.toInt()) << 8));
      break;
    case ArgumentKind::Ignored:
      words_.push_back(kAbsent);
      break;
  }
}

void Encoder::tensor(const at::Tensor& tensor, bool baked) {
  if (!tensor.defined()) {
    words_.push_back(kAbsent);
    return;
  }
  if (tensor.is_conj() || tensor.is_neg()) [[unlikely]] {
    // A few overloads take such tensors as they are; rows know values only.
    substitutes_.push_back(resolve_bits(tensor));
    return this->tensor(at::Tensor(substitutes_.back()), baked);
  }
  if (tensor._is_zerotensor()) [[unlikely]] {
    substitutes_.push_back(at::zeros(tensor.sizes(), tensor.options()));
    return this->tensor(at::Tensor(substitutes_.back()), baked);
  }
  const auto dtype = static_cast<uint64_t>(tensor.scalar_type());
  const c10::Device device = tensor.device();
  if (!device.is_privateuseone()) {
    TORCH_CHECK(
        device.is_cpu() && tensor.dim() == 0,
        "Expected all tensors to be on the same device, but found at least two devices, ",
        device_ >= 0 ? c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device_)) : c10::Device(c10::kPrivateUse1, 0),
        " and ",
        device,
        "!");
    const at::Scalar number = at::_local_scalar_dense(tensor);
    const bool is_known = baked || is_common_constant(number);
    uint64_t word = kHostTensor | (dtype << 8);
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
      word |= kWrapped;
    }
    if (is_known) {
      words_.push_back(word | kKnown);
      known(number);
    } else {
      words_.push_back(word);
      vary(number);
    }
    return;
  }
  if (device_ < 0) {
    device_ = device.index();
  } else {
    TORCH_CHECK(
        device_ == device.index(),
        "Expected all tensors to be on the same device, but found at least two devices, ",
        c10::Device(c10::kPrivateUse1, static_cast<c10::DeviceIndex>(device_)),
        " and ",
        device,
        "!");
  }
  const auto sizes = tensor.sizes();
  uint64_t word = kTensor | (dtype << 8) | (static_cast<uint64_t>(sizes.size()) << 16);
  const bool contiguous = tensor.is_contiguous() && tensor.numel() > 0;
  if (contiguous) {
    // Strides of size-1 dimensions do not matter then.
    word |= kContiguous;
  }
  words_.push_back(word);
  words_.push_back(static_cast<uint64_t>(tensor.storage_offset()));
  for (const int64_t size : sizes) {
    words_.push_back(static_cast<uint64_t>(size));
  }
  if (!contiguous) {
    for (const int64_t stride : tensor.strides()) {
      words_.push_back(static_cast<uint64_t>(stride));
    }
  }
  storages_.push_back(storage_of(tensor));
}

void Encoder::number(const at::Scalar& number, bool baked) {
  const uint64_t word = kScalar | (category(number) << 8);
  if (baked || is_common_constant(number)) {
    words_.push_back(word | kKnown);
    known(number);
  } else {
    words_.push_back(word);
    vary(number);
  }
}

void Encoder::known(const at::Scalar& number) {
  switch (category(number)) {
    case 0:
      words_.push_back(number.toBool() ? 1 : 0);
      break;
    case 1:
      words_.push_back(static_cast<uint64_t>(number.toLong()));
      break;
    case 2:
      words_.push_back(bits_of(number.toDouble()));
      break;
    default: {
      const auto value = number.toComplexDouble();
      words_.push_back(bits_of(value.real()));
      words_.push_back(bits_of(value.imag()));
    }
  }
}

void Encoder::vary(const at::Scalar& number) {
  TpScalar scalar{static_cast<int32_t>(category(number)), 0, 0.0, 0.0};
  switch (scalar.kind) {
    case 0:
      scalar.integer = number.toBool() ? 1 : 0;
      break;
    case 1:
      scalar.integer = number.toLong();
      break;
    case 2:
      scalar.real = number.toDouble();
      break;
    default: {
      const auto value = number.toComplexDouble();
      scalar.real = value.real();
      scalar.imag = value.imag();
    }
  }
  scalars_.push_back(scalar);
}

void Encoder::fill(TpCall& call) const {
  call.device = device_;
  call.words = words_.data();
  call.n_words = words_.size();
  call.storages = storages_.data();
  call.n_storages = storages_.size();
  call.scalars = scalars_.data();
  call.n_scalars = scalars_.size();
}

} // namespace torch_pjrt
