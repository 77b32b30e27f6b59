// Writes a call's arguments as words, storages and varying numbers: the signature that the core looks up.
// The words are described in crates/engine/src/encoding.rs.
#pragma once

#include "abi.h"

#include <ATen/Context.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/function_schema.h>

#include <vector>

namespace torch_pjrt {

// How an argument of a schema is written.
enum class ArgumentKind : uint8_t {
  Tensor,
  Tensors,
  Indices,  // Tensor?[]: index tensors, which may be on the host
  Number,   // Scalar, float
  Numbers,  // Scalar[]
  Int,
  Ints,
  Floats,
  Bool,
  Bools,
  Text,
  Dtype,
  Ignored,  // Device, Layout, Generator
};

ArgumentKind kind_of(const c10::Argument& argument);

class Encoder {
 public:
  // Starts a new call; keeps its memory.
  void begin(at::ScalarType default_dtype, at::Float32MatmulPrecision precision);
  // `baked`: the value of a number is part of the signature.
  void argument(ArgumentKind kind, const c10::IValue& value, bool baked);

  // The device that the tensors share; -1 when there was none.
  int device() const {
    return device_;
  }

  void fill(TpCall& call) const;

 private:
  void tensor(const at::Tensor& tensor, bool baked);
  void number(const at::Scalar& number, bool baked);
  void known(const at::Scalar& number);
  void vary(const at::Scalar& number);

  std::vector<uint64_t> words_;
  std::vector<TpStorage*> storages_;
  std::vector<TpScalar> scalars_;
  // Tensors that stand in for arguments (index tensors from the host, resolved conjugates), kept until the call is made.
  std::vector<at::Tensor> substitutes_;
  int device_ = -1;
  bool host_tensor_seen_ = false;
};

} // namespace torch_pjrt
