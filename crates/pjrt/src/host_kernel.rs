//! Functions of this process that programs call, where the device is the host: XLA's FFI, seen from the called side.

use std::ffi::{c_char, c_int, c_void};
use std::panic::AssertUnwindSafe;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::plugin::Plugin;

/// A function that programs call. It runs on the thread that executes the program, must not panic, and must not call
/// the plugin. Its error becomes the execution's.
pub type HostKernel = fn(&HostCall<'_>) -> std::result::Result<(), String>;

/// One call of a host kernel.
pub struct HostCall<'a> {
    frame: &'a CallFrame,
}

/// An operand or a result: a dense row-major array in host memory.
#[derive(Clone, Copy, Debug)]
pub struct HostArray<'a> {
    /// XLA's number of the element type (`xla.PrimitiveType`).
    pub primitive_type: i32,
    /// Sizes of the dimensions.
    pub dims: &'a [i64],
    /// First element. Results may be written while the call lasts.
    pub data: *mut c_void,
}

impl HostCall<'_> {
    /// What the kernel reads.
    pub fn operands(&self) -> impl ExactSizeIterator<Item = HostArray<'_>> {
        // SAFETY: the frame is valid over the call.
        unsafe { arrays(self.frame.arguments.size, self.frame.arguments.items) }
    }

    /// What the kernel fills.
    pub fn results(&self) -> impl ExactSizeIterator<Item = HostArray<'_>> {
        // SAFETY: as above.
        unsafe { arrays(self.frame.results.size, self.frame.results.items) }
    }

    /// Runs `part` for 0..`parts` on this thread and up to `helpers` of those that compute for the plugin, and returns when
    /// all are done. Parts must not depend on one another, because they may run in turn.
    pub fn in_parts(&self, parts: usize, helpers: usize, part: &(dyn Fn(usize) + Sync)) {
        // SAFETY: the API lives as long as the plugin.
        let schedule = unsafe { (*self.frame.api).schedule() };
        let (Some(schedule), true) = (schedule, parts > 1) else { return (0..parts).for_each(part) };
        // SAFETY: only the lifetime changes. No part is begun after the last one was taken, and this call returns after
        // those that were begun have ended.
        let part: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(part) };
        let work =
            Arc::new(Parts { part, count: parts, taken: AtomicUsize::new(0), done: AtomicUsize::new(0), panicked: AtomicBool::new(false) });
        for _ in 0..helpers.min(parts - 1) {
            let data = Arc::into_raw(Arc::clone(&work));
            let mut arguments = ScheduleArgs {
                struct_size: size_of::<ScheduleArgs>(),
                extension_start: std::ptr::null_mut(),
                context: self.frame.context,
                task: run_parts,
                data: data.cast_mut().cast(),
            };
            // SAFETY: the context is this call's, and the task takes its own reference to the data.
            let refused = unsafe { schedule(&mut arguments) };
            if !refused.is_null() {
                // The error is lost, and so is its memory; the parts run here.
                // SAFETY: the task that should have taken the reference will not run.
                drop(unsafe { Arc::from_raw(data) });
                break;
            }
        }
        work.run();
        let mut looks = 0u32;
        while work.done.load(Ordering::Acquire) < parts {
            looks += 1;
            if looks.is_multiple_of(LOOKS) {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        assert!(!work.panicked.load(Ordering::Acquire), "a part of a host kernel panicked");
    }

    /// The text attribute `name` of the call.
    pub fn text(&self, name: &str) -> Option<&str> {
        const STRING: c_int = 4;
        let attributes = &self.frame.attributes;
        // SAFETY: the frame's lists have `size` entries, and a string attribute is a span.
        unsafe {
            let names = list(attributes.names, attributes.size);
            let index = names.iter().position(|span| span.as_ref().is_some_and(|span| span.bytes() == name.as_bytes()))?;
            if *list(attributes.types, attributes.size).get(index)? != STRING {
                return None;
            }
            let text = list(attributes.items, attributes.size).get(index)?.cast::<ByteSpan>().as_ref()?;
            std::str::from_utf8(text.bytes()).ok()
        }
    }
}

/// Looks for the end of other threads' parts before this thread offers its core.
const LOOKS: u32 = 256;

/// Parts of a call that several threads take one after another.
struct Parts {
    part: &'static (dyn Fn(usize) + Sync),
    count: usize,
    taken: AtomicUsize,
    done: AtomicUsize,
    panicked: AtomicBool,
}

impl Parts {
    fn run(&self) {
        loop {
            let index = self.taken.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return;
            }
            // A part that unwound would leave the others waiting, or the plugin's thread without an end.
            if std::panic::catch_unwind(AssertUnwindSafe(|| (self.part)(index))).is_err() {
                self.panicked.store(true, Ordering::Release);
            }
            self.done.fetch_add(1, Ordering::Release);
        }
    }
}

unsafe extern "C" fn run_parts(data: *mut c_void) {
    // SAFETY: the reference that `in_parts` made for this task.
    unsafe { Arc::from_raw(data.cast::<Parts>()) }.run();
}

impl Plugin {
    /// Makes `kernel` the target of `stablehlo.custom_call @target` with `api_version = 4` on the host's platform. The
    /// process has one such kernel; a second one is refused.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] without the FFI extension, [`Error::Plugin`] if the plugin refuses.
    pub fn register_host_kernel(&self, target: &str, kernel: HostKernel) -> Result<()> {
        if *KERNEL.get_or_init(|| kernel) as usize != kernel as usize {
            return Err(Error::InvalidArgument {
                entry: "PJRT_FFI_Register_Handler",
                message: "another host kernel was registered in this process".to_owned(),
            });
        }
        // SAFETY: the handler answers the metadata call, does not unwind and is static.
        unsafe { self.register_ffi_handler(target, self.quirks().ffi_platform, handle as *const c_void, 0) }
    }
}

static KERNEL: OnceLock<HostKernel> = OnceLock::new();

/// Whether this machine has instructions for products of bfloat16.
pub fn host_has_bfloat16_products() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512bf16")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

// The structs of XLA's FFI (xla/ffi/api/c_api.h, version 0.x), as far as they are used here.

#[repr(C)]
struct CallFrame {
    struct_size: usize,
    extension_start: *mut Extension,
    api: *const Api,
    context: *const c_void,
    stage: c_int,
    arguments: Arrays,
    results: Arrays,
    attributes: Attributes,
}

#[repr(C)]
struct Arrays {
    struct_size: usize,
    extension_start: *mut c_void,
    size: i64,
    types: *const c_int,
    items: *const *const Array,
}

#[repr(C)]
struct Array {
    struct_size: usize,
    extension_start: *mut c_void,
    primitive_type: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension_start: *mut c_void,
    size: i64,
    types: *const c_int,
    names: *const *const ByteSpan,
    items: *const *const c_void,
}

#[repr(C)]
struct ByteSpan {
    data: *const u8,
    len: usize,
}

impl ByteSpan {
    fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: a span of a valid frame.
        unsafe { slice::from_raw_parts(self.data, self.len) }
    }
}

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: c_int,
    next: *mut Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct Version {
    struct_size: usize,
    extension_start: *mut c_void,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Api {
    struct_size: usize,
    extension_start: *mut c_void,
    version: Version,
    internal: *const c_void,
    error_create: Option<unsafe extern "C" fn(*mut ErrorCreateArgs) -> *mut c_void>,
    /// `Error_GetMessage` to `DeviceMemory_Free`.
    others: [*const c_void; 10],
    thread_pool_schedule: Option<Schedule>,
}

type Schedule = unsafe extern "C" fn(*mut ScheduleArgs) -> *mut c_void;

impl Api {
    /// An older plugin's struct ends before it.
    fn schedule(&self) -> Option<Schedule> {
        if self.struct_size >= size_of::<Api>() { self.thread_pool_schedule } else { None }
    }
}

#[repr(C)]
struct ScheduleArgs {
    struct_size: usize,
    extension_start: *mut c_void,
    context: *const c_void,
    task: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

#[repr(C)]
struct ErrorCreateArgs {
    struct_size: usize,
    extension_start: *mut c_void,
    message: *const c_char,
    code: c_int,
}

/// # Safety
/// `items` must have `size` entries that live for `'a`.
unsafe fn list<'a, T>(items: *const T, size: i64) -> &'a [T] {
    match usize::try_from(size) {
        // SAFETY: passed on.
        Ok(size) if size > 0 => unsafe { slice::from_raw_parts(items, size) },
        _ => &[],
    }
}

/// # Safety
/// `items` must have `size` arrays that live for `'a`.
unsafe fn arrays<'a>(size: i64, items: *const *const Array) -> impl ExactSizeIterator<Item = HostArray<'a>> {
    // SAFETY: passed on.
    unsafe { list(items, size) }.iter().map(|&array| {
        // SAFETY: passed on; an array has `rank` dimensions.
        unsafe {
            let array = &*array;
            HostArray { primitive_type: array.primitive_type, dims: list(array.dims, array.rank), data: array.data }
        }
    })
}

/// The handler that the plugin knows.
unsafe extern "C" fn handle(frame: *mut CallFrame) -> *mut c_void {
    const METADATA: c_int = 1;
    const EXECUTE: c_int = 3;
    const INTERNAL: c_int = 13;
    // SAFETY: XLA passes a live frame, with a metadata extension while it asks for metadata.
    let frame = unsafe {
        if let Some(extension) = (*frame).extension_start.as_ref()
            && extension.kind == METADATA
        {
            (*extension.metadata).version.major = 0;
            (*extension.metadata).version.minor = 1;
            (*extension.metadata).traits = 0;
            return std::ptr::null_mut();
        }
        &*frame
    };
    if frame.stage != EXECUTE {
        return std::ptr::null_mut();
    }
    let Some(kernel) = KERNEL.get() else { return std::ptr::null_mut() };
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| kernel(&HostCall { frame })));
    let Err(message) = outcome.unwrap_or_else(|_| Err("the kernel panicked".to_owned())) else { return std::ptr::null_mut() };
    let message = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
    let mut arguments = ErrorCreateArgs {
        struct_size: size_of::<ErrorCreateArgs>(),
        extension_start: std::ptr::null_mut(),
        message: message.as_ptr(),
        code: INTERNAL,
    };
    // SAFETY: the API lives as long as the plugin, and copies the message.
    unsafe { (*frame.api).error_create.map_or(std::ptr::null_mut(), |create| create(&mut arguments)) }
}
