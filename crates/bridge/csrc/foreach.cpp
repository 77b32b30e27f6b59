// _foreach_ overloads: the element op for each entry, recorded together and run as one program, which consecutive
// foreach calls share: an optimizer's step then reads and writes each tensor once.
#include "table.h"

#include "form.h"
#include "group.h"

#include <torch/library.h>

#include <memory>
#include <optional>

namespace torch_pjrt {

namespace {

bool is_list_type(const c10::Argument& argument, c10::TypeKind element) {
  const auto list = argument.real_type()->cast<c10::ListType>();
  return list && list->getElementType()->kind() == element;
}

// How the element op takes one argument of the foreach op.
enum class Passing { Entry, Whole };

struct Element {
  c10::OperatorHandle op;
  std::vector<Passing> passing;
};

// The overload of the element op whose arguments are the foreach op's, entry by entry; further ones must have defaults.
std::optional<Element> element_of(const c10::FunctionSchema& foreach, const std::string& base) {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.name != base) {
      continue;
    }
    const c10::OperatorHandle op = *dispatcher.findSchema(name);
    const auto& wanted = foreach.arguments();
    const auto& offered = op.schema().arguments();
    if (offered.size() < wanted.size()) {
      continue;
    }
    Element element{op, {}};
    bool fits = true;
    for (size_t i = 0; i < offered.size() && fits; ++i) {
      if (i >= wanted.size()) {
        fits = offered[i].default_value().has_value() || offered[i].real_type()->kind() == c10::TypeKind::OptionalType;
        continue;
      }
      const auto kind = offered[i].real_type()->kind();
      if (is_list_type(wanted[i], c10::TypeKind::TensorType)) {
        fits = kind == c10::TypeKind::TensorType;
        element.passing.push_back(Passing::Entry);
      } else if (is_list_type(wanted[i], c10::TypeKind::NumberType)) {
        fits = kind == c10::TypeKind::NumberType;
        element.passing.push_back(Passing::Entry);
      } else {
        fits = *offered[i].real_type() == *wanted[i].real_type();
        element.passing.push_back(Passing::Whole);
      }
    }
    const bool runs_here = op.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1) ||
        op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
    if (fits && runs_here && op.schema().returns().size() == 1) {
      return element;
    }
  }
  return std::nullopt;
}

int device_of(const std::vector<std::vector<c10::IValue>>& lists) {
  for (const auto& list : lists) {
    for (const c10::IValue& entry : list) {
      if (entry.isTensor() && entry.toTensor().is_privateuseone()) {
        return entry.toTensor().device().index();
      }
    }
  }
  return 0;
}

class ForeachKernel final : public c10::OperatorKernel {
 public:
  explicit ForeachKernel(Element element, bool returns_list) : element_(std::move(element)), returns_list_(returns_list) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    const size_t n_arguments = element_.passing.size();
    const std::vector<c10::IValue> arguments(stack->end() - static_cast<std::ptrdiff_t>(n_arguments), stack->end());
    std::vector<std::vector<c10::IValue>> lists(n_arguments);
    size_t entries = 0;
    for (size_t i = 0; i < n_arguments; ++i) {
      if (element_.passing[i] == Passing::Entry) {
        const auto list = arguments[i].toListRef();
        lists[i].assign(list.begin(), list.end());
        TORCH_CHECK(
            entries == 0 || lists[i].size() == entries || i == 0,
            "Tensor lists must have the same number of tensors, got ",
            entries,
            " and ",
            lists[i].size());
        entries = lists[i].size();
      }
    }
    const auto& offered = element_.op.schema().arguments();
    std::vector<at::Tensor> results;
    Group group(device_of(lists), Group::Joins::Yes);
    for (size_t k = 0; k < entries; ++k) {
      torch::jit::Stack call;
      for (size_t i = 0; i < offered.size(); ++i) {
        if (i >= n_arguments) {
          call.push_back(offered[i].default_value().value_or(c10::IValue()));
        } else {
          call.push_back(element_.passing[i] == Passing::Entry ? lists[i][k] : arguments[i]);
        }
      }
      element_.op.callBoxedForDispatchKey(c10::DispatchKey::PrivateUse1, call);
      if (returns_list_) {
        results.push_back(call.back().toTensor());
      }
    }
    group.end();
    torch::jit::drop(*stack, n_arguments);
    if (returns_list_) {
      stack->emplace_back(std::move(results));
    }
  }

 private:
  Element element_;
  bool returns_list_;
};

// Element ops whose name is not the foreach op's.
std::string element_name(const std::string& foreach_name, const std::string& overload) {
  const std::string prefix = "aten::_foreach_";
  const bool in_place = foreach_name.back() == '_';
  std::string stem = foreach_name.substr(prefix.size());
  if (in_place) {
    stem.pop_back();
  }
  const bool with_number = overload == "Scalar" || overload == "ScalarList";
  if (stem == "maximum" && with_number) {
    stem = "clamp_min";
  } else if (stem == "minimum" && with_number) {
    stem = "clamp_max";
  }
  return "aten::" + stem + (in_place ? "_" : "");
}

} // namespace

void register_foreach() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("aten::_foreach_", 0) != 0) {
      continue;
    }
    const c10::OperatorHandle op = *dispatcher.findSchema(name);
    const auto& schema = op.schema();
    bool has_out = false;
    for (const c10::Argument& argument : schema.arguments()) {
      has_out = has_out || argument.kwarg_only() && argument.alias_info() != nullptr;
    }
    if (has_out || schema.returns().size() > 1 || op.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) {
      continue;
    }
    if (const auto element = element_of(schema, element_name(name.name, name.overload_name))) {
      const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
      library.impl(
          full.substr(6).c_str(),
          torch::CppFunction::makeFromBoxedFunctor(std::make_unique<ForeachKernel>(*element, schema.returns().size() == 1)));
    }
  }
}

} // namespace torch_pjrt
