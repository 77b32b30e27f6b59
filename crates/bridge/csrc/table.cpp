#include "table.h"

#include "copy.h"
#include "form.h"
#include "raise.h"

#include <ATen/native/Resize.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace torch_pjrt {

namespace {

using Schemas = std::unordered_map<std::string, std::vector<c10::OperatorHandle>>;

// Every ATen overload by its base name.
Schemas all_schemas() {
  Schemas schemas;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("aten::", 0) == 0) {
      if (auto op = dispatcher.findSchema(name)) {
        schemas[name.name].push_back(*op);
      }
    }
  }
  return schemas;
}

bool is_tensor_option(const c10::Argument& argument) {
  return argument.name() == "dtype" || argument.name() == "layout" || argument.name() == "device" || argument.name() == "pin_memory";
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool is_out(const c10::Argument& argument) {
  return argument.kwarg_only() && is_written(argument);
}

bool same_argument(const c10::Argument& a, const c10::Argument& b) {
  return a.name() == b.name() && *a.real_type() == *b.real_type();
}

// Which argument of `derived` feeds each argument of `functional`; nullopt when `derived` is not a form of it.
std::optional<std::vector<int32_t>> match_arguments(const c10::FunctionSchema& functional, const c10::FunctionSchema& derived) {
  std::vector<int32_t> map;
  std::unordered_set<size_t> used;
  for (const c10::Argument& wanted : functional.arguments()) {
    int32_t source = -1;
    for (size_t i = 0; i < derived.arguments().size(); ++i) {
      const c10::Argument& offered = derived.arguments()[i];
      if (!used.count(i) && !is_out(offered) && same_argument(wanted, offered)) {
        source = static_cast<int32_t>(i);
        used.insert(i);
        break;
      }
    }
    if (source < 0 && !is_tensor_option(wanted)) {
      return std::nullopt;
    }
    map.push_back(source);
  }
  for (size_t i = 0; i < derived.arguments().size(); ++i) {
    if (!used.count(i) && !is_out(derived.arguments()[i])) {
      return std::nullopt;
    }
  }
  return map;
}

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// An out= overload of a row whose result sizes depend on data: only the results say how large `out` has to be.
class OutOfResults final : public c10::OperatorKernel {
 public:
  explicit OutOfResults(Form form) : form_(std::move(form)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    const size_t n_arguments = form_.kinds.size();
    const std::vector<c10::IValue> arguments(stack->end() - static_cast<std::ptrdiff_t>(n_arguments), stack->end());
    refuse_overlaps(form_, arguments.data(), Shared::Nothing);
    torch::jit::Stack call;
    for (const int32_t source : form_.argument_map) {
      call.push_back(source >= 0 ? arguments[source] : c10::IValue());
    }
    form_.functional.callBoxed(&call);
    torch::jit::drop(*stack, n_arguments);
    for (size_t k = 0; k < form_.out_arguments.size(); ++k) {
      const at::Tensor out = arguments[form_.out_arguments[k]].toTensor();
      const at::Tensor result = call[k].toTensor();
      TORCH_CHECK(
          out.scalar_type() == result.scalar_type(),
          "Expected out tensor to have dtype ", result.dtype(), ", but got ", out.dtype(), " instead");
      at::native::resize_output(out, result.sizes());
      out.copy_(result);
      stack->emplace_back(out);
    }
  }

 private:
  Form form_;
};

class Registrar {
 public:
  explicit Registrar(torch::Library& library) : library_(library), schemas_(all_schemas()) {}

  void add_row(size_t row) {
    size_t length = 0;
    const char* text = tp_row_name(row, &length);
    const std::string name(text, length);
    const auto dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
    const auto functional = c10::Dispatcher::singleton().findSchema({base, overload});
    TORCH_CHECK(functional, "torch-pjrt: the op table names ", name, ", which this PyTorch does not have");
    add_form(row, *functional, *functional);
    // `normal_functional` is the functional overload of `normal_`.
    std::string stem = base;
    const std::string suffix = "_functional";
    if (stem.size() > suffix.size() && stem.compare(stem.size() - suffix.size(), suffix.size(), suffix) == 0) {
      stem.resize(stem.size() - suffix.size());
    }
    for (const std::string& candidate : {stem, stem + "_"}) {
      for (const c10::OperatorHandle& derived : schemas_[candidate]) {
        if (derived.operator_name() != functional->operator_name() && writes_something(derived.schema())) {
          add_form(row, *functional, derived);
        }
      }
    }
  }

 private:
  static bool writes_something(const c10::FunctionSchema& schema) {
    for (const c10::Argument& argument : schema.arguments()) {
      if (is_written(argument)) {
        return true;
      }
    }
    return false;
  }

  void add_form(size_t row, const c10::OperatorHandle& functional, const c10::OperatorHandle& derived) {
    const std::string name = full_name(derived.operator_name());
    const auto& schema = derived.schema();
    const auto map = match_arguments(functional.schema(), schema);
    if (!map || derived.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) || !registered_.insert(name).second) {
      return;
    }
    Form form{.row = row, .functional = functional, .argument_map = *map};
    form.random = tp_row_is_random(row) != 0;
    form.infers = tp_row_infers(row) != 0;
    const auto& arguments = schema.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      form.kinds.push_back(kind_of(arguments[i]));
      bool baked = false;
      for (size_t k = 0; k < map->size(); ++k) {
        baked = baked || ((*map)[k] == static_cast<int32_t>(i) && tp_row_bakes(row, k) != 0);
      }
      form.baked.push_back(baked);
      if (is_out(arguments[i])) {
        form.out_arguments.push_back(static_cast<int32_t>(i));
      }
      if (kind_of(arguments[i]) == ArgumentKind::Tensor && is_written(arguments[i])) {
        form.written_arguments.push_back(static_cast<int32_t>(i));
      }
      if (arguments[i].name() == "device") {
        form.device_argument = static_cast<int>(i);
      }
      if (arguments[i].name() == "generator") {
        form.generator_argument = static_cast<int>(i);
      }
    }
    if (tp_row_is_bounded(row) != 0 && !form.out_arguments.empty()) {
      if (!derived.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) {
        library_.impl(name.substr(6).c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<OutOfResults>(std::move(form))));
      }
      return;
    }
    for (const c10::Argument& result : schema.returns()) {
      form.returned_list.push_back(kind_of(result) == ArgumentKind::Tensors);
      form.returned_number.push_back(kind_of(result) == ArgumentKind::Int);
      form.returned_argument.push_back(is_written(result) ? written_argument(schema, result) : -1);
    }
    // The functional results are those of this overload in order, some through an argument that they alias,
    // and then the written arguments that it does not return.
    std::vector<int32_t> target_outputs;
    std::vector<int32_t> target_arguments;
    if (derived.operator_name() != functional.operator_name()) {
      int32_t output = 0;
      for (const int returned : form.returned_argument) {
        if (returned >= 0) {
          target_outputs.push_back(output);
          target_arguments.push_back(returned);
        }
        ++output;
      }
      for (size_t i = 0; i < arguments.size(); ++i) {
        const bool returned = std::find(target_arguments.begin(), target_arguments.end(), static_cast<int32_t>(i)) != target_arguments.end();
        if (is_written(arguments[i]) && !returned) {
          target_outputs.push_back(output++);
          target_arguments.push_back(static_cast<int32_t>(i));
        }
      }
    }
    form.id = tp_form_new(
        row, name.data(), name.size(), form.argument_map.data(), form.argument_map.size(), target_outputs.data(), target_arguments.data(), target_outputs.size());
    if (name == "aten::copy_") {
      copy_kernel() = std::make_unique<FormKernel>(form);
    }
    if (derived.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) {
      return; // the glue has its own kernel
    }
    library_.impl(name.substr(6).c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<FormKernel>(std::move(form))));
  }

  static int written_argument(const c10::FunctionSchema& schema, const c10::Argument& result) {
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      if (is_written(argument) && argument.alias_info()->beforeSets() == result.alias_info()->beforeSets()) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

 public:
  static std::unique_ptr<FormKernel>& copy_kernel() {
    static std::unique_ptr<FormKernel> kernel;
    return kernel;
  }

 private:
  torch::Library& library_;
  Schemas schemas_;
  std::unordered_set<std::string> registered_;
};

torch::Library& library() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  return library;
}

} // namespace

void register_table() {
  Registrar registrar(library());
  const size_t rows = tp_row_count();
  for (size_t row = 0; row < rows; ++row) {
    registrar.add_row(row);
  }
}

void run_device_copy(const at::Tensor& self, const at::Tensor& src) {
  static const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  torch::jit::Stack stack{self, src, false};
  (*Registrar::copy_kernel())(op, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), &stack);
}

} // namespace torch_pjrt
