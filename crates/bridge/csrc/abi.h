// The C functions that the Rust side exports to this glue, and the plain structs they share.
// src/abi.rs holds the Rust half; both change together.
//
// A function that can fail returns TpStatus. On TP_ERROR the error of this thread is taken with
// tp_error_take(); raise.h turns it into the matching c10 exception.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

enum TpStatus : int32_t {
  TP_OK = 0,
  TP_ERROR = 1,
  // tp_call only: this signature is new; infer the results and call tp_define, then tp_call again.
  TP_UNKNOWN_SIGNATURE = 2,
};

enum TpErrorKind : int32_t {
  TP_ERROR_RUNTIME = 0,
  TP_ERROR_NOT_IMPLEMENTED = 1,
  TP_ERROR_OUT_OF_MEMORY = 2,
  TP_ERROR_VALUE = 3,
  TP_ERROR_INDEX = 4,
  TP_ERROR_TYPE = 5,
};

// One reference to a Rust Storage; it is the context of a tensor's DataPtr.
struct TpStorage;

// A number that lives on the host. kind: 0 bool, 1 int, 2 double, 3 complex.
struct TpScalar {
  int32_t kind;
  int64_t integer;
  double real;
  double imag;
};

// Strided metadata. dtype is a c10::ScalarType; offset counts elements.
struct TpView {
  int32_t dtype;
  int32_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
  int64_t offset;
};

// A result of tp_call. storage is null for an undefined result, and owned by the caller otherwise.
// sizes and strides stay valid until the next tp_call of this thread.
struct TpOutput {
  TpStorage* storage;
  uint64_t address;
  uint64_t nbytes;
  int32_t dtype;
  int32_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
};

// One call, as encode.cpp wrote it: `words` are the signature (static arguments, tensor metadata),
// `storages` the device tensors in the order of the words, `scalars` the numbers that vary.
struct TpCall {
  uint32_t form;
  int32_t device;
  const uint64_t* words;
  size_t n_words;
  TpStorage* const* storages;
  size_t n_storages;
  const TpScalar* scalars;
  size_t n_scalars;
  uint64_t seed;         // of the generator, for a random row
  uint64_t offset;       // number of draws made before this one
};

// ---- errors -------------------------------------------------------------------------------------
// The error of this thread: its kind; message and length are valid until the thread's next call.
TpErrorKind tp_error_take(const char** message, size_t* length);

// ---- the op table -------------------------------------------------------------------------------
size_t tp_row_count(void);
const char* tp_row_name(size_t row, size_t* length);          // "aten::add.Tensor"
int32_t tp_row_is_random(size_t row);
int32_t tp_row_infers(size_t row);                             // 1: results come from the row, not from a meta kernel
// Whether the sizes of the row's results depend on data.
int32_t tp_row_is_bounded(size_t row);
int32_t tp_row_bakes(size_t row, size_t argument);             // number argument that is part of the signature
// A way to call a row. argument_map[i] is the schema argument of the derived overload that feeds
// functional argument i; target_outputs/target_arguments say which result is written through which
// schema argument. Returns the form's id.
uint32_t tp_form_new(size_t row, const char* name, size_t name_length,
                     const int32_t* argument_map, size_t n_arguments,
                     const int32_t* target_outputs, const int32_t* target_arguments, size_t n_targets);

// ---- calls --------------------------------------------------------------------------------------
TpStatus tp_call(const TpCall* call, TpOutput* outputs, size_t* n_outputs /* in: capacity */);
// Whether the row announces the results of this call itself (only where tp_row_infers).
TpStatus tp_call_infers(const TpCall* call, int32_t* infers);
// Number of sizes of result `index` where the row announces it, with the sizes in `sizes` (room for 64);
// -1 if it is undefined or depends on data.
TpStatus tp_call_inferred_sizes(const TpCall* call, size_t index, int64_t* sizes, int32_t* count);
// Describes a new signature. metas has one TpView per functional result (ndim -1: undefined);
// ignored where tp_call_infers.
TpStatus tp_define(const TpCall* call, const TpView* metas, size_t n_metas);
// Calls made by this thread between begin and end are recorded and run as one program; groups that join and
// follow each other may share one. No group was begun where begin fails.
TpStatus tp_group_begin(int32_t device, bool joins);
TpStatus tp_group_end(int32_t device, bool joins);

// ---- graphs: a function recorded once for each kind of arguments, and run as one program ---------
struct TpGraph;
struct TpCapture; // lives as long as its graph

// Tensor arguments by their storages and offsets; `numbers` are whatever else the function depends on.
struct TpGraphArguments {
  int32_t device;
  const int64_t* numbers;
  size_t n_numbers;
  TpStorage* const* storages;
  const int64_t* offsets; // elements
  size_t n_storages;
};

TpGraph* tp_graph_new(void);
void tp_graph_release(TpGraph*);
int32_t tp_graph_has_room(const TpGraph*);
// The capture for these arguments; null if it has not been recorded.
TpStatus tp_graph_find(const TpGraph*, const TpGraphArguments*, const TpCapture** capture);
// From begin on this thread's calls are recorded; end runs them and keeps the capture, abort drops them.
TpStatus tp_capture_begin(const TpGraphArguments*);
// memory[k] says whose memory output k is a view of: i >= 0 argument i's, -(j + 1) that of the j-th storage made.
TpStatus tp_capture_end(const TpGraph*, const TpGraphArguments*, TpStorage* const* outputs, size_t n_outputs,
                        const TpCapture** capture, int64_t* memory);
void tp_capture_abort(void);
size_t tp_capture_draws(const TpCapture*);
size_t tp_capture_fresh(const TpCapture*);
// draws: seed and number of each random draw. `release(context)` is called when the arguments' values have been
// taken. fresh and addresses: room for tp_capture_fresh storages, owned by the caller.
TpStatus tp_graph_run(const TpCapture*, const TpGraphArguments*, const uint64_t* draws,
                      void (*release)(void*), void* context, TpStorage** fresh, uint64_t* addresses);
// Counts a CPU fallback of this overload.
void tp_count_fallback(const char* overload, size_t length);

// ---- storage ------------------------------------------------------------------------------------
// Null on failure (tp_error_take). A storage of 0 bytes has one too; its address may be 0.
TpStorage* tp_storage_new(int32_t device, uint64_t nbytes, uint64_t* address);
void tp_storage_release(TpStorage*);
// The live storage of this address, borrowed; null if there is none. May be slow: it is asked only for a
// pointer that PyTorch hands back (its older serialization makes a tensor from data_ptr()).
TpStorage* tp_storage_at(uint64_t address);
// Keeps the first min(old, new) bytes. `address` gets the storage's address from here on: it changes
// where the old one names too short a range, and is 0 while nbytes is 0.
TpStatus tp_storage_resize(TpStorage*, uint64_t nbytes, uint64_t* address);
// dst: the whole storage, contiguous. `data` is dense host memory of dtype/sizes; it may be reused on return.
TpStatus tp_upload(TpStorage*, const TpView* dst, const void* data, uint64_t nbytes);
// src: contiguous from offset 0. Copies its first nbytes to `data`; waits for them.
TpStatus tp_download(TpStorage*, const TpView* src, void* data, uint64_t nbytes);
// The same without waiting: `done(context)` is called once, on any thread, when the bytes are there
// or will never be; not when TP_ERROR is returned.
TpStatus tp_download_async(TpStorage*, const TpView* src, void* data, uint64_t nbytes,
                           void (*done)(void*), void* context);
// dst takes the value of src (both whole, contiguous, same size); no copy when on one device.
TpStatus tp_share_value(TpStorage* dst, TpStorage* src, const TpView* view);
// 1 when both are contiguous whole-storage tensors that tp_share_value accepts.
int32_t tp_can_share(TpStorage* dst, TpStorage* src, const TpView* dst_view, const TpView* src_view);

// ---- device -------------------------------------------------------------------------------------
int32_t tp_device_count(void);                // does not open a client if it can be known without; 0 when none
TpStatus tp_ensure_client(void);              // opens the client; fails with a clear error after fork
int32_t tp_is_initialized(void);
int32_t tp_in_bad_fork(void);
TpStatus tp_synchronize(int32_t device);      // all work of the device is done; raises what failed

// ---- streams and events: one queue per device, so streams are names for it ------------------------
struct TpEvent;
TpEvent* tp_event_new(int32_t device, int32_t timing);
void tp_event_release(TpEvent*);
TpStatus tp_event_record(TpEvent*);            // completes when all launches so far are done
int32_t tp_event_query(TpEvent*);              // 1 done (or never recorded), 0 not yet
TpStatus tp_event_synchronize(TpEvent*);
TpStatus tp_event_elapsed(TpEvent* start, TpEvent* end, double* milliseconds);

// ---- memory -------------------------------------------------------------------------------------
struct TpMemory { uint64_t live_bytes, peak_bytes, total_allocated_bytes, total_freed_bytes, live_buffers, limit_bytes; };
void tp_memory(int32_t device, TpMemory* out); // zeros when no client is open
void tp_reset_peak(int32_t device);
void tp_reset_accumulated(int32_t device);     // the totals start at 0 again
void tp_empty_cache(int32_t device);

} // extern "C"
