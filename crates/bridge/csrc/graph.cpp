// Graph: a Python function of tensors that runs as one program. Its first call with arguments of a kind records what the
// function calls; later calls go straight to the program.
#include "device.h"
#include "generator.h"
#include "group.h"
#include "tensors.h"

#include <ATen/ops/_conj.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/as_strided.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace torch_pjrt {

namespace {

// How a result is made when the program has run.
struct Result {
  enum class Kind { Object, Argument, View, Fresh };
  Kind kind = Kind::Object;
  py::object object;          // Object: what the function returned that is no tensor of ours
  size_t argument = 0;        // Argument: that tensor itself; View: of its memory
  size_t storage = 0;         // Fresh: number of the storage
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool conjugate = false;
  bool negative = false;
};

// What is known of a capture on this side.
struct Plan {
  size_t draws = 0;
  std::vector<uint64_t> bytes; // of each storage that is made
  std::vector<Result> results;
};

// A strided tensor over a storage of ours; a tensor of known zeros has none.
bool is_own(const at::Tensor& tensor) {
  return tensor.is_privateuseone() && tensor.layout() == at::kStrided && !tensor._is_zerotensor();
}

bool is_own(PyObject* object) {
  return THPVariable_Check(object) && is_own(THPVariable_Unpack(object));
}

// The arguments of a call, taken apart.
struct Arguments {
  std::vector<at::Tensor> tensors;
  std::vector<TpStorage*> storages;
  std::vector<int64_t> offsets;
  std::vector<int64_t> numbers;
  int device = -1;
  // Why the call cannot be captured; empty if it can.
  std::string obstacle;

  void add(PyObject* object) {
    if (THPVariable_Check(object)) {
      add(THPVariable_Unpack(object));
    } else if (PyBool_Check(object) || PyLong_Check(object)) {
      numbers.push_back(PyLong_AsLongLong(object));
      if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
      }
    } else if (PyFloat_Check(object)) {
      const double number = PyFloat_AS_DOUBLE(object);
      int64_t bits = 0;
      std::memcpy(&bits, &number, sizeof(bits));
      numbers.push_back(bits);
    } else if (object != Py_None) {
      obstacle = std::string("an argument is a ") + Py_TYPE(object)->tp_name;
    }
  }

  TpGraphArguments view() const {
    return {device, numbers.data(), numbers.size(), storages.data(), offsets.data(), storages.size()};
  }

 private:
  void add(const at::Tensor& tensor) {
    if (!is_own(tensor)) {
      obstacle = "an argument is a " + tensor.toString() + " on " + tensor.device().str();
      return;
    }
    if (device < 0) {
      device = tensor.device().index();
    } else if (device != tensor.device().index()) {
      obstacle = "arguments are on several devices";
    }
    storages.push_back(storage_of(tensor));
    offsets.push_back(tensor.storage_offset());
    tensors.push_back(tensor);
  }
};

void drop_tensors(void* tensors) {
  static_cast<std::vector<at::Tensor>*>(tensors)->clear();
}

class Graph {
 public:
  Graph(py::object function, std::string obstacle)
      : function_(std::move(function)), graph_(tp_graph_new()), obstacle_(std::move(obstacle)) {}
  ~Graph() {
    tp_graph_release(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Takes the arguments out of the list, so that their memory can be used again.
  py::list operator()(const py::list& list) {
    Arguments arguments;
    for (const py::handle argument : list) {
      arguments.add(argument.ptr());
    }
    if (arguments.device < 0) {
      arguments.device = current_device();
    }
    if (!obstacle_.empty() || !arguments.obstacle.empty()) {
      return run_as_group(taken(list), arguments);
    }
    const TpCapture* capture = nullptr;
    const TpGraphArguments view = arguments.view();
    check(tp_graph_find(graph_, &view, &capture));
    if (capture != nullptr) {
      const py::tuple dropped = taken(list);
      return run(plans_.at(capture), capture, std::move(arguments), dropped);
    }
    const py::tuple tuple = taken(list);
    if (tp_graph_has_room(graph_) == 0) {
      return run_as_group(tuple, arguments);
    }
    return this->capture(tuple, arguments);
  }

  // Why calls are recorded anew each time; empty if they are not.
  const std::string& obstacle() const {
    return obstacle_;
  }

  size_t captures() const {
    return plans_.size();
  }

 private:
  static py::tuple taken(const py::list& list) {
    py::tuple tuple(list);
    list.attr("clear")();
    return tuple;
  }

  py::list run_as_group(const py::tuple& tuple, const Arguments& arguments) {
    Group group(arguments.device);
    py::object results = function_(*tuple);
    group.end();
    return py::list(results);
  }

  py::list capture(const py::tuple& tuple, const Arguments& arguments) {
    const TpGraphArguments view = arguments.view();
    check(tp_capture_begin(&view));
    try {
      py::list results(function_(*tuple));
      Plan plan;
      const TpCapture* capture = keep(results, arguments, view, plan);
      plans_.emplace(capture, std::move(plan));
      return results;
    } catch (py::error_already_set& error) {
      tp_capture_abort();
      if (!error.matches(PyExc_NotImplementedError)) {
        throw;
      }
      obstacle_ = py::str(error.value());
    } catch (const c10::NotImplementedError& error) {
      tp_capture_abort();
      obstacle_ = error.what_without_backtrace();
    } catch (...) {
      tp_capture_abort();
      throw;
    }
    // One of the calls has to run by itself: the function runs in as many programs as it takes.
    return run_as_group(tuple, arguments);
  }

  const TpCapture* keep(const py::list& results, const Arguments& arguments, const TpGraphArguments& view, Plan& plan) {
    std::vector<TpStorage*> storages;
    for (const py::handle result : results) {
      if (is_own(result.ptr())) {
        storages.push_back(storage_of(THPVariable_Unpack(result.ptr())));
      }
    }
    std::vector<int64_t> memory(storages.size());
    const TpCapture* capture = nullptr;
    TpStatus status = TP_OK;
    {
      const py::gil_scoped_release released;
      status = tp_capture_end(graph_, &view, storages.data(), storages.size(), &capture, memory.data());
    }
    check(status);
    plan.draws = tp_capture_draws(capture);
    plan.bytes.resize(tp_capture_fresh(capture));
    size_t next = 0;
    for (const py::handle result : results) {
      plan.results.push_back(
          is_own(result.ptr()) ? planned(THPVariable_Unpack(result.ptr()), memory[next++], arguments, plan.bytes)
                               : Result{.object = py::reinterpret_borrow<py::object>(result)});
    }
    return capture;
  }

  static Result planned(const at::Tensor& tensor, int64_t memory, const Arguments& arguments, std::vector<uint64_t>& bytes) {
    Result result{
        .dtype = tensor.scalar_type(),
        .sizes = tensor.sizes().vec(),
        .strides = tensor.strides().vec(),
        .offset = tensor.storage_offset(),
        .conjugate = tensor.is_conj(),
        .negative = tensor.is_neg()};
    if (memory < 0) {
      result.kind = Result::Kind::Fresh;
      result.storage = static_cast<size_t>(-memory - 1);
      bytes[result.storage] = tensor.storage().nbytes();
      return result;
    }
    result.kind = Result::Kind::View;
    result.argument = static_cast<size_t>(memory);
    for (size_t i = 0; i < arguments.tensors.size(); ++i) {
      if (arguments.tensors[i].is_same(tensor)) {
        result.kind = Result::Kind::Argument;
        result.argument = i;
      }
    }
    return result;
  }

  static py::list run(const Plan& plan, const TpCapture* capture, Arguments arguments, py::tuple dropped) {
    std::vector<uint64_t> draws;
    for (size_t i = 0; i < plan.draws; ++i) {
      const auto [seed, number] = next_draw(std::nullopt, arguments.device);
      draws.push_back(seed);
      draws.push_back(number);
    }
    std::vector<at::Tensor> kept(plan.results.size());
    for (size_t k = 0; k < plan.results.size(); ++k) {
      const Result& result = plan.results[k];
      if (result.kind == Result::Kind::Argument || result.kind == Result::Kind::View) {
        kept[k] = arguments.tensors[result.argument];
      }
    }
    dropped = py::tuple();
    std::vector<TpStorage*> storages(plan.bytes.size());
    std::vector<uint64_t> addresses(plan.bytes.size());
    const TpGraphArguments view = arguments.view();
    TpStatus status = TP_OK;
    {
      const py::gil_scoped_release released;
      status = tp_graph_run(
          capture, &view, draws.data(), &drop_tensors, &arguments.tensors, storages.data(), addresses.data());
    }
    check(status);
    std::vector<c10::Storage> fresh;
    fresh.reserve(storages.size());
    for (size_t j = 0; j < storages.size(); ++j) {
      fresh.push_back(storage_over(data_ptr_of(storages[j], addresses[j], arguments.device), plan.bytes[j]));
    }
    py::list results(plan.results.size());
    for (size_t k = 0; k < plan.results.size(); ++k) {
      PyObject* object = made(plan.results[k], kept[k], fresh);
      PyList_SET_ITEM(results.ptr(), static_cast<Py_ssize_t>(k), object);
    }
    return results;
  }

  // A new reference.
  static PyObject* made(const Result& result, const at::Tensor& argument, const std::vector<c10::Storage>& fresh) {
    if (result.kind == Result::Kind::Object) {
      return result.object.inc_ref().ptr();
    }
    if (result.kind == Result::Kind::Argument) {
      return THPVariable_Wrap(argument);
    }
    at::Tensor tensor;
    if (result.kind == Result::Kind::View && result.dtype == argument.scalar_type()) {
      // A view that PyTorch knows to be one shares the argument's version.
      tensor = at::as_strided(argument, result.sizes, result.strides, result.offset);
    } else {
      const c10::Storage& storage = result.kind == Result::Kind::View ? argument.storage() : fresh[result.storage];
      tensor = tensor_over(storage, result.dtype, result.sizes, result.strides, result.offset);
    }
    tensor = result.conjugate != tensor.is_conj() ? at::_conj(tensor) : tensor;
    tensor = result.negative != tensor.is_neg() ? at::_neg_view(tensor) : tensor;
    return THPVariable_Wrap(tensor);
  }

  py::object function_;
  TpGraph* graph_;
  std::string obstacle_;
  std::unordered_map<const TpCapture*, Plan> plans_;
};

} // namespace

} // namespace torch_pjrt

extern "C" {

// 0; -1 with a Python error set.
int32_t torch_pjrt_add_types(PyObject* module) {
  HANDLE_TH_ERRORS
  auto m = py::reinterpret_borrow<py::module_>(module);
  py::class_<torch_pjrt::Graph>(m, "Graph")
      .def(py::init<py::object, std::string>(), py::arg("function"), py::arg("obstacle") = "")
      .def("__call__", &torch_pjrt::Graph::operator())
      .def_property_readonly("obstacle", &torch_pjrt::Graph::obstacle)
      .def_property_readonly("captures", &torch_pjrt::Graph::captures);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}
}
