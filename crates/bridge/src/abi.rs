//! The C functions of `csrc/abi.h`, where each is described. Pointers are valid for the call, as the header says.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::slice;
use std::sync::Arc;

use aten::HostScalar;
use engine::{CallFrame, CallStatus, Error, Event, Form, OutputRef, Result, Storage, element_of_scalar_type, scalar_type_of_element};
use smallvec::SmallVec;
use view::View;

use crate::failure::{self, OK, UNKNOWN_SIGNATURE, status};
use crate::runtime::{FORMS, current, device_count, in_bad_fork, session};

#[repr(C)]
pub struct TpScalar {
    kind: i32,
    integer: i64,
    real: f64,
    imag: f64,
}

#[repr(C)]
pub struct TpView {
    dtype: i32,
    ndim: i32,
    sizes: *const i64,
    strides: *const i64,
    offset: i64,
}

#[repr(C)]
pub struct TpOutput {
    storage: *const Storage,
    address: u64,
    nbytes: u64,
    dtype: i32,
    ndim: i32,
    sizes: *const i64,
    strides: *const i64,
}

#[repr(C)]
pub struct TpCall {
    form: u32,
    device: i32,
    words: *const u64,
    n_words: usize,
    storages: *const *const Storage,
    n_storages: usize,
    scalars: *const TpScalar,
    n_scalars: usize,
    seed: u64,
    offset: u64,
}

#[repr(C)]
pub struct TpMemory {
    live_bytes: u64,
    peak_bytes: u64,
    total_allocated_bytes: u64,
    total_freed_bytes: u64,
    live_buffers: u64,
    limit_bytes: u64,
}

/// A device event and the device that it belongs to.
pub struct TpEvent {
    device: u32,
    event: Event,
}

/// A borrowed reference: the glue keeps its own.
pub(crate) type Borrowed = ManuallyDrop<Arc<Storage>>;

/// # Safety
/// `storage` came from `Arc::into_raw` and is alive over the borrow.
pub(crate) unsafe fn borrow(storage: *const Storage) -> Borrowed {
    // SAFETY: by the contract; ManuallyDrop leaves the count as it is.
    ManuallyDrop::new(unsafe { Arc::from_raw(storage) })
}

/// # Safety
/// `data` points to `len` values, or `len` is 0.
pub(crate) unsafe fn slice_of<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: by the contract.
    unsafe { slice::from_raw_parts(data, len) }
}

/// # Safety
/// `view` is valid with `ndim` sizes and strides.
unsafe fn view_of(view: &TpView) -> Result<View> {
    let element = element_of_scalar_type(view.dtype).ok_or_else(|| Error::Dtype { dtype: format!("torch dtype {}", view.dtype) })?;
    let rank = view.ndim.max(0) as usize;
    // SAFETY: by the contract.
    let (sizes, strides) = unsafe { (slice_of(view.sizes, rank), slice_of(view.strides, rank)) };
    Ok(View { sizes: sizes.into(), strides: strides.into(), offset: view.offset, element })
}

/// # Safety
/// `call` is as `encode.cpp` fills it.
unsafe fn with_frame<R>(call: &TpCall, with: impl FnOnce(CallFrame<'_, Borrowed>) -> R) -> R {
    // SAFETY: by the contract.
    let (words, storages, scalars) =
        unsafe { (slice_of(call.words, call.n_words), slice_of(call.storages, call.n_storages), slice_of(call.scalars, call.n_scalars)) };
    // SAFETY: the tensors of the call hold their storages over the call.
    let storages: SmallVec<[Borrowed; 8]> = storages.iter().map(|storage| unsafe { borrow(*storage) }).collect();
    let scalars: SmallVec<[HostScalar; 4]> = scalars
        .iter()
        .map(|scalar| match scalar.kind {
            0 => HostScalar::Bool(scalar.integer != 0),
            1 => HostScalar::Int(scalar.integer),
            2 => HostScalar::Float(scalar.real),
            _ => HostScalar::Complex(scalar.real, scalar.imag),
        })
        .collect();
    with(CallFrame {
        form: call.form,
        device: call.device as u32,
        words,
        storages: &storages,
        scalars: &scalars,
        random: (call.seed, call.offset),
    })
}

thread_local! {
    /// Geometry of data-dependent outputs, which no signature holds. Boxed: the glue reads it by address.
    #[allow(clippy::vec_box)]
    static COUNTED_VIEWS: RefCell<Vec<Box<View>>> = const { RefCell::new(Vec::new()) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_error_take(message: *mut *const u8, length: *mut usize) -> i32 {
    let (kind, text, len) = failure::last();
    // SAFETY: both are out parameters of the caller.
    unsafe {
        *message = text;
        *length = len;
    }
    kind
}

#[unsafe(no_mangle)]
extern "C" fn tp_row_count() -> usize {
    aten::table().count()
}

fn row(index: usize) -> Option<&'static aten::Row> {
    aten::table().nth(index)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_row_name(index: usize, length: *mut usize) -> *const c_char {
    let name = row(index).map_or("", |row| row.name);
    // SAFETY: an out parameter of the caller.
    unsafe { *length = name.len() };
    name.as_ptr().cast()
}

#[unsafe(no_mangle)]
extern "C" fn tp_row_is_random(index: usize) -> i32 {
    i32::from(row(index).is_some_and(|row| row.random))
}

#[unsafe(no_mangle)]
extern "C" fn tp_row_infers(index: usize) -> i32 {
    i32::from(row(index).is_some_and(|row| !matches!(row.infer, aten::Infer::Meta)))
}

#[unsafe(no_mangle)]
extern "C" fn tp_row_is_bounded(index: usize) -> i32 {
    i32::from(row(index).is_some_and(|row| matches!(row.infer, aten::Infer::Bound(_))))
}

#[unsafe(no_mangle)]
extern "C" fn tp_row_bakes(index: usize, argument: usize) -> i32 {
    i32::from(row(index).is_some_and(|row| row.baked.contains(&argument)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_form_new(
    index: usize,
    name: *const u8,
    name_length: usize,
    argument_map: *const i32,
    n_arguments: usize,
    target_outputs: *const i32,
    target_arguments: *const i32,
    n_targets: usize,
) -> u32 {
    // SAFETY: arrays of the given lengths.
    let (name, map, outputs, arguments) = unsafe {
        (
            slice_of(name, name_length),
            slice_of(argument_map, n_arguments),
            slice_of(target_outputs, n_targets),
            slice_of(target_arguments, n_targets),
        )
    };
    let Some(row) = row(index) else { return u32::MAX };
    FORMS.register(Form {
        row,
        name: String::from_utf8_lossy(name).into_owned(),
        argument_map: map.iter().map(|source| usize::try_from(*source).ok()).collect(),
        targets: outputs.iter().zip(arguments).map(|(output, argument)| (*output as usize, *argument as usize)).collect(),
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_call(call: *const TpCall, outputs: *mut TpOutput, n_outputs: *mut usize) -> i32 {
    status(|| {
        // SAFETY: valid over the call; `outputs` has room for `*n_outputs` entries.
        let (call, capacity) = unsafe { (&*call, *n_outputs) };
        let mut filled = 0;
        COUNTED_VIEWS.with_borrow_mut(Vec::clear);
        let emit = |output: Option<OutputRef<'_>>| {
            if filled < capacity {
                // SAFETY: within the capacity.
                unsafe { outputs.add(filled).write(c_output(output)) };
            }
            filled += 1;
        };
        // SAFETY: as the header says.
        let done = unsafe { with_frame(call, |frame| session()?.call(frame, emit)) }?;
        // SAFETY: an out parameter of the caller.
        unsafe { *n_outputs = filled.min(capacity) };
        if filled > capacity {
            return Err(Error::Internal(format!("a call has {filled} results, the caller has room for {capacity}")));
        }
        Ok(if done == CallStatus::Done { OK } else { UNKNOWN_SIGNATURE })
    })
}

fn c_output(output: Option<OutputRef<'_>>) -> TpOutput {
    let Some(OutputRef { storage, view, bytes, count }) = output else {
        return TpOutput {
            storage: std::ptr::null(),
            address: 0,
            nbytes: 0,
            dtype: 0,
            ndim: 0,
            sizes: std::ptr::null(),
            strides: std::ptr::null(),
        };
    };
    // Signatures are kept for the life of the session, so their views stay where they are.
    let (mut sizes, mut strides) = (view.sizes.as_ptr(), view.strides.as_ptr());
    if let Some((dim, count)) = count {
        let mut counted = View::contiguous(&view.sizes, view.element);
        if let Some(size) = counted.sizes.get_mut(dim) {
            *size = count;
        }
        let counted: Box<View> = Box::new(View::contiguous(&counted.sizes, view.element));
        (sizes, strides) = (counted.sizes.as_ptr(), counted.strides.as_ptr());
        COUNTED_VIEWS.with_borrow_mut(|kept| kept.push(counted));
    }
    TpOutput {
        address: storage.address(),
        nbytes: bytes,
        dtype: scalar_type_of_element(view.element).unwrap_or(0),
        ndim: view.sizes.len() as i32,
        sizes,
        strides,
        storage: Arc::into_raw(storage),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_call_inferred_sizes(call: *const TpCall, index: usize, sizes: *mut i64, count: *mut i32) -> i32 {
    status(|| {
        // SAFETY: valid over the call.
        let call = unsafe { &*call };
        // SAFETY: as the header says.
        let inferred = unsafe { with_frame(call, |frame| session()?.inferred_sizes(&frame, index)) }?;
        let inferred = inferred.filter(|inferred| inferred.len() <= 64);
        if let Some(inferred) = &inferred {
            // SAFETY: room for 64.
            unsafe { std::ptr::copy_nonoverlapping(inferred.as_ptr(), sizes, inferred.len()) };
        }
        // SAFETY: an out parameter of the caller.
        unsafe { *count = inferred.map_or(-1, |inferred| inferred.len() as i32) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_call_infers(call: *const TpCall, infers: *mut i32) -> i32 {
    status(|| {
        // SAFETY: valid over the call.
        let call = unsafe { &*call };
        // SAFETY: as the header says; `infers` is an out parameter of the caller.
        unsafe { *infers = with_frame(call, |frame| session()?.infers(&frame)).map(i32::from)? };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_define(call: *const TpCall, metas: *const TpView, n_metas: usize) -> i32 {
    status(|| {
        // SAFETY: valid over the call.
        let (call, metas) = unsafe { (&*call, slice_of(metas, n_metas)) };
        let metas = metas
            .iter()
            // SAFETY: as the header says.
            .map(|meta| if meta.ndim < 0 { Ok(None) } else { unsafe { view_of(meta) }.map(Some) })
            .collect::<Result<Vec<_>>>()?;
        // SAFETY: as the header says.
        unsafe { with_frame(call, |frame| session()?.define(frame, &metas)) }?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_group_begin(device: i32, joins: bool) -> i32 {
    status(|| {
        if let Some(session) = current() {
            session.group_begin(device as u32, joins)?;
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_group_end(device: i32, joins: bool) -> i32 {
    status(|| {
        if let Some(session) = current() {
            session.group_end(device as u32, joins)?;
        }
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_count_fallback(overload: *const u8, length: usize) {
    status(|| {
        // SAFETY: a string of that length.
        let overload = String::from_utf8_lossy(unsafe { slice_of(overload, length) });
        session()?.counters().count_fallback(&overload);
        Ok(OK)
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_storage_new(device: i32, nbytes: u64, address: *mut u64) -> *const Storage {
    failure::value(std::ptr::null(), || {
        let session = session()?;
        if in_bad_fork() {
            return Err(Error::Forked);
        }
        if device as usize >= session.device_count() {
            return Err(Error::DeviceIndex { index: i64::from(device), count: session.device_count() });
        }
        let storage = Storage::new(device as u32, nbytes);
        // SAFETY: an out parameter of the caller.
        unsafe { *address = storage.address() };
        Ok(Arc::into_raw(storage))
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_storage_at(address: u64) -> *const Storage {
    // Borrowed: the tensor that gave the address keeps the storage alive.
    Storage::at(address).map_or(std::ptr::null(), |storage| Arc::as_ptr(&storage))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_storage_release(storage: *const Storage) {
    if !storage.is_null() {
        // SAFETY: gives back the reference that `Arc::into_raw` made.
        drop(unsafe { Arc::from_raw(storage) });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_storage_resize(storage: *const Storage, nbytes: u64, address: *mut u64) -> i32 {
    status(|| {
        // SAFETY: alive over the call.
        let storage = unsafe { borrow(storage) };
        session()?.resize(&storage, nbytes)?;
        // SAFETY: an out parameter of the caller.
        unsafe { *address = if nbytes == 0 { 0 } else { storage.address() } };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_upload(storage: *const Storage, destination: *const TpView, data: *const u8, nbytes: u64) -> i32 {
    status(|| {
        // SAFETY: alive and valid over the call.
        let (storage, view, bytes) = unsafe { (borrow(storage), view_of(&*destination)?, slice_of(data, nbytes as usize)) };
        session()?.upload(&storage, &view, bytes)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_download(storage: *const Storage, _source: *const TpView, data: *mut u8, nbytes: u64) -> i32 {
    status(|| {
        if nbytes == 0 {
            return Ok(OK);
        }
        // SAFETY: alive over the call; `data` has room for `nbytes`.
        let (storage, bytes) = unsafe { (borrow(storage), slice::from_raw_parts_mut(data, nbytes as usize)) };
        session()?.download(&storage, bytes)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_download_async(
    storage: *const Storage,
    _source: *const TpView,
    data: *mut u8,
    nbytes: u64,
    done: extern "C" fn(*mut c_void),
    context: *mut c_void,
) -> i32 {
    status(|| {
        let session = session()?;
        // SAFETY: alive over the call.
        let storage = unsafe { borrow(storage) };
        if storage.bytes() != nbytes {
            return Err(Error::Internal(format!("an asynchronous copy of {nbytes} bytes of a storage of {}", storage.bytes())));
        }
        let context = context as usize;
        // SAFETY: the caller keeps the memory until `done`.
        let destination = unsafe { pjrt::HostDestination::new(data, nbytes as usize, Box::new(move || done(context as *mut c_void))) };
        session.download_async(&storage, destination)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_can_share(destination: *const Storage, source: *const Storage, to: *const TpView, from: *const TpView) -> i32 {
    failure::value(0, || {
        // SAFETY: alive and valid over the call.
        let (destination, source, to, from) = unsafe { (borrow(destination), borrow(source), view_of(&*to)?, view_of(&*from)?) };
        let whole = |view: &View, storage: &Storage| {
            view.offset == 0 && view.is_contiguous() && view.numel() as u64 * view.element.size_in_bytes() as u64 == storage.bytes()
        };
        let same = to.element == from.element && to.sizes == from.sizes && destination.device() == source.device();
        Ok(i32::from(same && !std::ptr::eq(&**destination, &**source) && whole(&to, &destination) && whole(&from, &source)))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_share_value(destination: *const Storage, source: *const Storage, _view: *const TpView) -> i32 {
    status(|| {
        // SAFETY: alive over the call.
        let (destination, source) = unsafe { (borrow(destination), borrow(source)) };
        session()?.share_value(&destination, &source)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_device_count() -> i32 {
    failure::value(0, || Ok(device_count() as i32))
}

#[unsafe(no_mangle)]
extern "C" fn tp_ensure_client() -> i32 {
    status(|| {
        session()?;
        if in_bad_fork() { Err(Error::Forked) } else { Ok(OK) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_is_initialized() -> i32 {
    i32::from(current().is_some())
}

#[unsafe(no_mangle)]
extern "C" fn tp_in_bad_fork() -> i32 {
    i32::from(in_bad_fork())
}

#[unsafe(no_mangle)]
extern "C" fn tp_synchronize(device: i32) -> i32 {
    status(|| {
        session()?.synchronize(device as u32)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_event_new(device: i32, _timing: i32) -> *mut TpEvent {
    Box::into_raw(Box::new(TpEvent { device: device as u32, event: Event::new() }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_event_release(event: *mut TpEvent) {
    if !event.is_null() {
        // SAFETY: made by `tp_event_new`, given back once.
        drop(unsafe { Box::from_raw(event) });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_event_record(event: *const TpEvent) -> i32 {
    status(|| {
        // SAFETY: alive over the call.
        let event = unsafe { &*event };
        session()?.record_event(event.device, &event.event)?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_event_query(event: *const TpEvent) -> i32 {
    // SAFETY: alive over the call.
    i32::from(unsafe { &*event }.event.is_done())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_event_synchronize(event: *const TpEvent) -> i32 {
    status(|| {
        // SAFETY: alive over the call.
        unsafe { &*event }.event.wait();
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_event_elapsed(start: *const TpEvent, end: *const TpEvent, milliseconds: *mut f64) -> i32 {
    status(|| {
        // SAFETY: alive over the call; an out parameter.
        unsafe { *milliseconds = (*start).event.elapsed_milliseconds(&(*end).event)? };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_memory(device: i32, out: *mut TpMemory) {
    let memory = failure::value(None, || {
        let Some(session) = current() else { return Ok(None) };
        let account = session.memory(device as u32)?;
        Ok(Some(TpMemory {
            live_bytes: account.live_bytes(),
            peak_bytes: account.peak_bytes(),
            total_allocated_bytes: account.allocated_bytes(),
            total_freed_bytes: account.freed_bytes(),
            live_buffers: account.live_buffers(),
            limit_bytes: session.memory_limit(device as u32)?,
        }))
    });
    let none = TpMemory { live_bytes: 0, peak_bytes: 0, total_allocated_bytes: 0, total_freed_bytes: 0, live_buffers: 0, limit_bytes: 0 };
    // SAFETY: an out parameter of the caller.
    unsafe { out.write(memory.unwrap_or(none)) };
}

#[unsafe(no_mangle)]
extern "C" fn tp_reset_peak(device: i32) {
    if let Some(Ok(memory)) = current().map(|session| session.memory(device as u32)) {
        memory.reset_peak();
    }
}

#[unsafe(no_mangle)]
extern "C" fn tp_reset_accumulated(device: i32) {
    if let Some(Ok(memory)) = current().map(|session| session.memory(device as u32)) {
        memory.reset_accumulated();
    }
}

#[unsafe(no_mangle)]
extern "C" fn tp_empty_cache(_device: i32) {
    if let Some(session) = current() {
        session.empty_cache();
    }
}
