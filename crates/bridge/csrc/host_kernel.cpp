// Calls ATen's own CPU kernels for programs that run on the host. A call is a line of text: the overload, then one word per
// argument of its schema (aten/src/host_kernel.rs writes it). Operands and results are the program's memory.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Of the OpenMP and the MKL that torch brings; the latter is not everywhere.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int threads);
extern "C" __attribute__((weak)) int MKL_Set_Num_Threads_Local(int threads);

namespace {

struct TpHostArray {
  int32_t primitive_type;
  int32_t rank;
  const int64_t* dims;
  void* data;
};

// xla.PrimitiveType
std::optional<c10::ScalarType> scalar_type(int32_t primitive_type) {
  switch (primitive_type) {
    case 1: return c10::ScalarType::Bool;
    case 2: return c10::ScalarType::Char;
    case 3: return c10::ScalarType::Short;
    case 4: return c10::ScalarType::Int;
    case 5: return c10::ScalarType::Long;
    case 6: return c10::ScalarType::Byte;
    case 10: return c10::ScalarType::Half;
    case 11: return c10::ScalarType::Float;
    case 12: return c10::ScalarType::Double;
    case 15: return c10::ScalarType::ComplexFloat;
    case 16: return c10::ScalarType::BFloat16;
    case 18: return c10::ScalarType::ComplexDouble;
    default: return std::nullopt;
  }
}

at::Tensor tensor_of(const TpHostArray& array) {
  const auto type = scalar_type(array.primitive_type);
  TORCH_CHECK(type, "no dtype of PyTorch for XLA's element type ", array.primitive_type);
  return at::from_blob(array.data, at::IntArrayRef(array.dims, array.rank), at::TensorOptions(*type));
}

// An argument: a number or a list, or the next operand or result, permuted if the list is not empty and cut along `split` into the
// parts of the call if that is a dimension.
struct Word {
  bool is_operand = false;
  c10::IValue value;
  std::vector<int64_t> permutation;
  int64_t split = -1;
};

struct Call {
  c10::OperatorHandle op;
  std::vector<Word> words;
  std::vector<Word> results;
  // Results are its last arguments, not what it returns.
  bool fills = false;
};

std::vector<int64_t> numbers(std::string_view text) {
  std::vector<int64_t> list;
  while (!text.empty()) {
    int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.begin(), text.end(), number);
    TORCH_CHECK(error == std::errc(), "not a list of numbers: ", text);
    list.push_back(number);
    text.remove_prefix(std::min<size_t>(rest - text.begin() + 1, text.size()));
  }
  return list;
}

Word word(std::string_view text) {
  const std::string_view rest = text.substr(1);
  switch (text.front()) {
    case 'r':
    case 't': {
      const size_t slash = std::min(rest.find('/'), rest.size());
      const auto split = numbers(rest.substr(std::min(slash + 1, rest.size())));
      return {true, {}, numbers(rest.substr(0, slash)), split.empty() ? -1 : split[0]};
    }
    case 'n': return {};
    case 'b': return {false, rest == "1", {}};
    case 'i': return {false, numbers(rest).at(0), {}};
    case 'f': return {false, std::strtod(std::string(rest).c_str(), nullptr), {}};
    case 'l': return {false, numbers(rest), {}};
    case 'm': {
      c10::List<bool> list;
      for (const int64_t number : numbers(rest)) list.push_back(number != 0);
      return {false, list, {}};
    }
    default: TORCH_CHECK(false, "unknown argument ", text, " of a host kernel");
  }
}

Call parsed(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string name(parts.at(0));
  const size_t dot = name.rfind('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  Call call{c10::Dispatcher::singleton().findSchemaOrThrow(name.substr(0, dot).c_str(), overload.c_str()), {}, {}};
  for (size_t i = 1; i < parts.size(); ++i) {
    switch (parts[i].front()) {
      case 'r': call.results.push_back(word(parts[i])); break;
      case 'p': break;
      default: call.words.push_back(word(parts[i]));
    }
  }
  const auto& arguments = call.op.schema().arguments();
  call.fills = !arguments.empty() && arguments.back().is_out();
  return call;
}

// Calls are parsed once a thread.
const Call& call_of(std::string_view text) {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view t) const { return std::hash<std::string_view>()(t); }
  };
  thread_local std::unordered_map<std::string, Call, Hash, std::equal_to<>> known;
  const auto found = known.find(text);
  return found != known.end() ? found->second : known.emplace(std::string(text), parsed(text)).first->second;
}

// The threads of the program share the work, so a kernel gets one.
class OneThread {
 public:
  OneThread() : openmp_(omp_get_max_threads()) {
    omp_set_num_threads(1);
    if (MKL_Set_Num_Threads_Local) mkl_ = MKL_Set_Num_Threads_Local(1);
  }
  ~OneThread() {
    omp_set_num_threads(openmp_);
    if (MKL_Set_Num_Threads_Local) MKL_Set_Num_Threads_Local(mkl_);
  }

 private:
  int openmp_;
  int mkl_ = 0;
};

// What part `part` of `parts` of the call sees of an array.
at::Tensor view(const TpHostArray& array, const Word& word, size_t part, size_t parts) {
  at::Tensor tensor = tensor_of(array);
  if (!word.permutation.empty()) tensor = tensor.permute(word.permutation);
  if (parts == 1 || word.split < 0) return tensor;
  const int64_t size = tensor.size(word.split);
  const int64_t begin = size * part / parts;
  return tensor.narrow(word.split, begin, size * (part + 1) / parts - begin);
}

void run(
    std::string_view text,
    const TpHostArray* operands,
    size_t n_operands,
    const TpHostArray* results,
    size_t n_results,
    size_t part,
    size_t parts) {
  const OneThread one_thread;
  // Whatever modes the thread is in (a waiting thread may run launches) are not meant for this call.
  c10::impl::ForceDispatchKeyGuard plain(
      c10::DispatchKeySet(c10::DispatchKey::BackendSelect), c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset);
  const Call& call = call_of(text);
  torch::jit::Stack stack;
  stack.reserve(call.words.size() + n_results);
  size_t next = 0;
  for (const Word& argument : call.words) {
    if (!argument.is_operand) {
      stack.push_back(argument.value);
      continue;
    }
    TORCH_CHECK(next < n_operands, "a host kernel lacks operands");
    stack.emplace_back(view(operands[next++], argument, part, parts));
  }
  std::vector<at::Tensor> outs;
  outs.reserve(n_results);
  for (size_t i = 0; i < n_results; ++i) {
    outs.push_back(view(results[i], call.results.at(i), part, parts));
    if (call.fills) stack.emplace_back(outs.back());
  }
  std::vector<void*> places;
  for (const at::Tensor& out : outs) places.push_back(out.data_ptr());
  call.op.callBoxed(&stack);
  for (size_t i = 0; i < n_results; ++i) {
    if (!call.fills) {
      const at::Tensor& made = stack.at(i).toTensor();
      if (made.defined()) outs[i].copy_(made);
    }
    TORCH_CHECK(outs[i].data_ptr() == places[i], "a kernel of the host resized its result ", i);
  }
}

}  // namespace

// Returns the length of an error message that it wrote, 0 when all went well.
extern "C" size_t torch_pjrt_host_kernel(
    const char* text,
    size_t text_length,
    const TpHostArray* operands,
    size_t n_operands,
    const TpHostArray* results,
    size_t n_results,
    size_t part,
    size_t parts,
    char* message,
    size_t message_room) {
  std::string why;
  try {
    run(std::string_view(text, text_length), operands, n_operands, results, n_results, part, parts);
    return 0;
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an unknown C++ exception";
  }
  why = std::string(text, text_length) + ": " + why;
  const size_t length = std::min(why.size(), message_room);
  std::memcpy(message, why.data(), length);
  return length;
}
