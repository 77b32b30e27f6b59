//! The C functions of `csrc/abi.h` for graphs. Pointers are valid for the call, as the header says.

use std::ffi::c_void;
use std::sync::Arc;

use engine::{Capture, Graph, GraphArguments, OutputMemory, Result, Storage};
use smallvec::SmallVec;

use crate::abi::{Borrowed, borrow, slice_of};
use crate::failure::{self, OK, status};
use crate::runtime::session;

#[repr(C)]
pub struct TpGraphArguments {
    device: i32,
    numbers: *const i64,
    n_numbers: usize,
    storages: *const *const Storage,
    offsets: *const i64,
    n_storages: usize,
}

/// # Safety
/// `arguments` is as `graph.cpp` fills it, and its storages are alive over the call.
unsafe fn with_arguments<R>(arguments: *const TpGraphArguments, with: impl FnOnce(GraphArguments<'_, Borrowed>) -> Result<R>) -> Result<R> {
    // SAFETY: by the contract.
    let arguments = unsafe { &*arguments };
    // SAFETY: arrays of the given lengths.
    let (numbers, storages, offsets) = unsafe {
        (
            slice_of(arguments.numbers, arguments.n_numbers),
            slice_of(arguments.storages, arguments.n_storages),
            slice_of(arguments.offsets, arguments.n_storages),
        )
    };
    // SAFETY: by the contract.
    let storages: SmallVec<[Borrowed; 32]> = storages.iter().map(|storage| unsafe { borrow(*storage) }).collect();
    with(GraphArguments { device: arguments.device as u32, numbers, storages: &storages, offsets })
}

#[unsafe(no_mangle)]
extern "C" fn tp_graph_new() -> *const Graph {
    Arc::into_raw(Arc::new(Graph::default()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_graph_release(graph: *const Graph) {
    if !graph.is_null() {
        // SAFETY: gives back the reference that `tp_graph_new` made.
        drop(unsafe { Arc::from_raw(graph) });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_graph_has_room(graph: *const Graph) -> i32 {
    // SAFETY: alive over the call.
    i32::from(unsafe { &*graph }.has_room())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_graph_find(graph: *const Graph, arguments: *const TpGraphArguments, capture: *mut *const Capture) -> i32 {
    status(|| {
        // SAFETY: alive over the call, as the header says; the graph keeps its captures.
        let found = unsafe { with_arguments(arguments, |arguments| session()?.graph_find(&*graph, arguments)) }?;
        // SAFETY: an out parameter of the caller.
        unsafe { *capture = found.map_or(std::ptr::null(), |capture| Arc::as_ptr(&capture)) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_capture_begin(arguments: *const TpGraphArguments) -> i32 {
    status(|| {
        // SAFETY: as the header says.
        unsafe { with_arguments(arguments, |arguments| session()?.capture_begin(arguments)) }?;
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_capture_end(
    graph: *const Graph,
    arguments: *const TpGraphArguments,
    outputs: *const *const Storage,
    n_outputs: usize,
    capture: *mut *const Capture,
    memory: *mut i64,
) -> i32 {
    status(|| {
        // SAFETY: alive over the call; the clones are references of our own.
        let outputs: Vec<Arc<Storage>> =
            unsafe { slice_of(outputs, n_outputs) }.iter().map(|output| Arc::clone(&*unsafe { borrow(*output) })).collect();
        // SAFETY: as the header says.
        let kept = unsafe { with_arguments(arguments, |arguments| session()?.capture_end(&*graph, arguments.storages, &outputs)) }?;
        for (index, output) in kept.outputs().iter().enumerate() {
            let code = match *output {
                OutputMemory::Argument(argument) => argument as i64,
                OutputMemory::Fresh(fresh) => -(fresh as i64) - 1,
            };
            // SAFETY: room for `n_outputs`.
            unsafe { memory.add(index).write(code) };
        }
        // SAFETY: an out parameter of the caller; the graph keeps the capture.
        unsafe { *capture = Arc::as_ptr(&kept) };
        Ok(OK)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tp_capture_abort() {
    failure::value((), || {
        session()?.capture_abort();
        Ok(())
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_capture_draws(capture: *const Capture) -> usize {
    // SAFETY: alive over the call.
    unsafe { &*capture }.draws()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_capture_fresh(capture: *const Capture) -> usize {
    // SAFETY: alive over the call.
    unsafe { &*capture }.fresh()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tp_graph_run(
    capture: *const Capture,
    arguments: *const TpGraphArguments,
    draws: *const u64,
    release: extern "C" fn(*mut c_void),
    context: *mut c_void,
    fresh: *mut *const Storage,
    addresses: *mut u64,
) -> i32 {
    status(|| {
        // SAFETY: alive over the call.
        let capture = unsafe { &*capture };
        // SAFETY: two words for each draw.
        let draws: SmallVec<[(u64, u64); 8]> =
            unsafe { slice_of(draws, 2 * capture.draws()) }.chunks_exact(2).map(|draw| (draw[0], draw[1])).collect();
        // SAFETY: as the header says. `release` may drop the storages, so references of our own are taken.
        let made = unsafe { with_arguments(arguments, |arguments| session()?.graph_run(capture, arguments, &draws, || release(context))) }?;
        for (index, storage) in made.into_iter().enumerate() {
            // SAFETY: room for `tp_capture_fresh` entries.
            unsafe {
                addresses.add(index).write(storage.address());
                fresh.add(index).write(Arc::into_raw(storage));
            }
        }
        Ok(OK)
    })
}
