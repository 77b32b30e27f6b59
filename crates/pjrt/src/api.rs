//! The plugin's function table: looks an entry point up, calls it, and turns its error object into [`Error`].
//! The table stays where the plugin put it. Reading a pointer from it costs about a nanosecond, so nothing is cached.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};

use crate::abi::{self, CallArgs, Entry, PJRT_Api_Header, PJRT_Error, PJRT_Extension_Base};
use crate::error::{Error, ErrorCode, Result};

/// Calls one entry point: fills an argument struct (the unnamed fields are zero), calls through [`Api::call`], and
/// returns the struct with the plugin's answers. Must stand in an `unsafe` block: the pointers given must be live.
macro_rules! call {
    ($api:expr, $args:ident { $($field:ident: $value:expr),* $(,)? }) => {{
        #[allow(clippy::needless_update)]
        let mut args = $crate::abi::$args { $($field: $value,)* ..Default::default() };
        $api.call(&mut args).map(|()| args)
    }};
}
pub(crate) use call;

/// Room for the text of a C++ exception, in bytes.
const THROWN_CAPACITY: usize = 1024;

unsafe extern "C" {
    /// `guarded_call.cpp`: calls `entry(arguments)` and returns what it returns; where it throws, writes the exception's
    /// text to `message` and returns `message`.
    fn pjrt_guarded_call(entry: *const c_void, arguments: *mut c_void, message: *mut c_char, capacity: usize) -> *mut c_void;
}

/// Handle of the API table.
///
/// Send + Sync: the table is immutable after `GetPjrtApi`, and PJRT entry points may be called from any thread.
#[derive(Debug)]
pub struct Api {
    table: NonNull<PJRT_Api_Header>,
    table_size: usize,
    version: (i32, i32),
    path: PathBuf,
}

// SAFETY: the table is read only, and PJRT requires its entry points to be thread safe.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    /// Checks version and size of a table.
    ///
    /// # Safety
    /// `table` must come from `GetPjrtApi` of a library that is never unloaded.
    pub(crate) unsafe fn new(table: NonNull<PJRT_Api_Header>, path: &Path) -> Result<Self> {
        // SAFETY: GetPjrtApi returns a table that starts with this header, in all versions of the API.
        let header = unsafe { table.as_ref() };
        if header.struct_size < Entry::PJRT_Plugin_Initialize.offset() {
            return Err(Error::NotAPlugin {
                path: path.to_owned(),
                message: format!("its API table is only {} bytes long", header.struct_size),
            });
        }
        let version = (header.version.major_version, header.version.minor_version);
        if version.0 != abi::API_VERSION.0 || version.1 < abi::OLDEST_MINOR {
            return Err(Error::Version {
                path: path.to_owned(),
                found: version,
                supported: abi::API_VERSION,
                oldest_minor: abi::OLDEST_MINOR,
            });
        }
        let api = Self { table, table_size: header.struct_size, version, path: path.to_owned() };
        for entry in REQUIRED {
            if !api.provides(*entry) {
                return Err(api.unimplemented(entry.name()));
            }
        }
        Ok(api)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Whether the table holds a function for this entry point.
    pub(crate) fn provides(&self, entry: Entry) -> bool {
        !self.pointer(entry).is_null()
    }

    /// The extensions' heads, in list order.
    pub(crate) fn extensions(&self) -> Vec<NonNull<PJRT_Extension_Base>> {
        // Bounded, in case a plugin's list bites its tail.
        const MOST: usize = 256;
        // SAFETY: `table` points to a live header (see `new`).
        let mut next = unsafe { self.table.as_ref() }.extension_start;
        let mut found = Vec::new();
        while let Some(head) = NonNull::new(next)
            && found.len() < MOST
        {
            found.push(head);
            // SAFETY: the list is part of the plugin's static data; each element starts with this head.
            next = unsafe { head.as_ref() }.next;
        }
        found
    }

    fn pointer(&self, entry: Entry) -> *const () {
        let offset = entry.offset();
        if offset + size_of::<usize>() > self.table_size {
            return std::ptr::null();
        }
        // SAFETY: the table is `table_size` bytes long, and past its header it consists of function pointers.
        unsafe { self.table.as_ptr().byte_add(offset).cast::<*const ()>().read() }
    }

    /// Calls the entry point that `args` belongs to.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin lacks it, [`Error::Plugin`] if it fails.
    ///
    /// # Safety
    /// Pointers in `args` must be null where the C API allows it, or live and of the right kind.
    #[inline]
    pub(crate) unsafe fn call<Args: CallArgs>(&self, args: &mut Args) -> Result<()> {
        let pointer = self.pointer(Args::ENTRY);
        if pointer.is_null() {
            return Err(self.unimplemented(Args::ENTRY.name()));
        }
        args.set_struct_size(Args::struct_size_for(self.version.1));
        let mut thrown = MaybeUninit::<[c_char; THROWN_CAPACITY]>::uninit();
        let thrown = thrown.as_mut_ptr().cast::<c_char>();
        // SAFETY: the entry point at this place of the table takes a pointer to these arguments and returns an error or
        // null; the pair is tied by `CallArgs`. The caller vouches for the pointers in `args`.
        let error = unsafe { pjrt_guarded_call(pointer.cast(), ptr::from_mut(args).cast(), thrown, THROWN_CAPACITY) };
        if error.is_null() {
            return Ok(());
        }
        if error == thrown.cast() {
            // SAFETY: a text that ends in 0 stands there now.
            let message = unsafe { CStr::from_ptr(thrown) }.to_string_lossy().into_owned();
            return Err(Error::Plugin { entry: Args::ENTRY.name(), code: ErrorCode::Internal, message });
        }
        let error = error.cast::<PJRT_Error>();
        // SAFETY: a non-null return is an error object that now belongs to us.
        Err(unsafe { self.take_error(Args::ENTRY.name(), error) })
    }

    /// Reads and destroys an error object.
    ///
    /// # Safety
    /// `error` must be a live error object of this plugin that nothing else will destroy.
    #[cold]
    pub(crate) unsafe fn take_error(&self, entry: &'static str, error: *mut PJRT_Error) -> Error {
        let code = {
            let mut args = abi::PJRT_Error_GetCode_Args { error, ..Default::default() };
            // SAFETY: `error` is live. An error of this call itself is dropped: there is nothing to ask further.
            unsafe { self.raw_call(&mut args) };
            ErrorCode::from_raw(args.code)
        };
        let message = {
            let mut args = abi::PJRT_Error_Message_Args { error, ..Default::default() };
            // SAFETY: `error` is live. PJRT_Error_Message returns nothing, so its return value is not looked at.
            unsafe { self.raw_call(&mut args) };
            // SAFETY: the message lives as long as `error`.
            unsafe { text(args.message, args.message_size) }
        };
        let mut args = abi::PJRT_Error_Destroy_Args { error, ..Default::default() };
        // SAFETY: `error` is live and not used again. PJRT_Error_Destroy returns nothing.
        unsafe { self.raw_call(&mut args) };
        Error::Plugin { entry, code, message }
    }

    /// Calls an entry point and ignores what it returns (two of the error entry points return nothing).
    ///
    /// # Safety
    /// As for [`Api::call`].
    unsafe fn raw_call<Args: CallArgs>(&self, args: &mut Args) {
        let pointer = self.pointer(Args::ENTRY);
        if !pointer.is_null() {
            args.set_struct_size(Args::struct_size_for(self.version.1));
            // SAFETY: see `call`. Reading no return value is sound for functions with and without one.
            unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn(*mut Args)>(pointer)(args) };
        }
    }

    #[cold]
    pub(crate) fn unimplemented(&self, entry: &'static str) -> Error {
        Error::Unimplemented { entry, version: self.version, path: self.path.clone() }
    }
}

/// Without these nothing works, so a plugin that lacks one is refused when it is loaded.
const REQUIRED: &[Entry] = &[
    Entry::PJRT_Error_Destroy,
    Entry::PJRT_Error_Message,
    Entry::PJRT_Error_GetCode,
    Entry::PJRT_Event_Destroy,
    Entry::PJRT_Event_Await,
    Entry::PJRT_Client_Create,
    Entry::PJRT_Client_Destroy,
    Entry::PJRT_Client_Devices,
    Entry::PJRT_Client_AddressableDevices,
    Entry::PJRT_Client_Compile,
    Entry::PJRT_Client_BufferFromHostBuffer,
    Entry::PJRT_Device_GetDescription,
    Entry::PJRT_DeviceDescription_Id,
    Entry::PJRT_Executable_Destroy,
    Entry::PJRT_Executable_NumOutputs,
    Entry::PJRT_LoadedExecutable_Destroy,
    Entry::PJRT_LoadedExecutable_GetExecutable,
    Entry::PJRT_LoadedExecutable_Execute,
    Entry::PJRT_Buffer_Destroy,
    Entry::PJRT_Buffer_ElementType,
    Entry::PJRT_Buffer_Dimensions,
    Entry::PJRT_Buffer_ToHostBuffer,
    Entry::PJRT_Buffer_ReadyEvent,
];

/// Copies text that the plugin owns. Null is the empty text; bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `data` must be null or point to `size` readable bytes.
pub(crate) unsafe fn text(data: *const c_char, size: usize) -> String {
    // SAFETY: passed on.
    String::from_utf8_lossy(unsafe { bytes(data, size) }).into_owned()
}

/// Borrows bytes that the plugin owns. Null is empty.
///
/// # Safety
/// `data` must be null or point to `size` readable bytes that outlive `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const c_char, size: usize) -> &'a [u8] {
    // SAFETY: passed on.
    unsafe { array(data.cast(), size) }
}

/// Borrows an array that the plugin owns. Null is empty.
///
/// # Safety
/// `data` must be null or point to `count` readable values that outlive `'a`.
pub(crate) unsafe fn array<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: not null, and the caller vouches for length and lifetime.
    unsafe { std::slice::from_raw_parts(data, count) }
}
