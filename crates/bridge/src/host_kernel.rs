//! ATen's CPU kernels, called by programs.

use std::ffi::c_char;
use std::sync::LazyLock;

use parking_lot::Mutex;
use pjrt::HostCall;
use smallvec::SmallVec;

/// As `TpHostArray` in `csrc/host_kernel.cpp`.
#[repr(C)]
struct Array {
    primitive_type: i32,
    rank: i32,
    dims: *const i64,
    data: *mut std::ffi::c_void,
}

unsafe extern "C" {
    fn torch_pjrt_host_kernel(
        text: *const c_char,
        text_length: usize,
        operands: *const Array,
        n_operands: usize,
        results: *const Array,
        n_results: usize,
        part: usize,
        parts: usize,
        message: *mut c_char,
        message_room: usize,
    ) -> usize;
}

/// Room for an error message.
const MESSAGE_BYTES: usize = 1024;

/// Runs the kernel that the call's text names.
pub(crate) fn run(call: &HostCall<'_>) -> Result<(), String> {
    let text = call.text(aten::HOST_KERNEL_CALL).ok_or("a call of a host kernel does not say which")?;
    let array = |array: pjrt::HostArray<'_>| Array {
        primitive_type: array.primitive_type,
        rank: array.dims.len() as i32,
        dims: array.dims.as_ptr(),
        data: array.data,
    };
    let operands: SmallVec<[Array; 8]> = call.operands().map(array).collect();
    let results: SmallVec<[Array; 4]> = call.results().map(array).collect();
    let failure = Mutex::new(None);
    let arrays = (Shared(operands), Shared(results));
    // Twice as many parts as threads, so that a thread that comes late finds some left; each part of a product packs an
    // operand anew.
    let parts = aten::host_kernel_parts(text).min(2 * threads());
    call.in_parts(parts, threads() - 1, &|part| {
        let (Shared(operands), Shared(results)) = (&arrays.0, &arrays.1);
        let mut message = [0u8; MESSAGE_BYTES];
        // SAFETY: text, arrays and message live over the call, with the lengths given; parts write apart.
        let length = unsafe {
            torch_pjrt_host_kernel(
                text.as_ptr().cast(),
                text.len(),
                operands.as_ptr(),
                operands.len(),
                results.as_ptr(),
                results.len(),
                part,
                parts,
                message.as_mut_ptr().cast(),
                message.len(),
            )
        };
        if length > 0 {
            failure.lock().get_or_insert_with(|| String::from_utf8_lossy(&message[..length.min(MESSAGE_BYTES)]).into_owned());
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// Arrays that the threads of one call read.
struct Shared<T>(T);

// SAFETY: the arrays are only read; their elements are read by all and written by one part each.
unsafe impl<T> Sync for Shared<T> {}

fn threads() -> usize {
    static THREADS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *THREADS
}
