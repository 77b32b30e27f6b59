//! Registration of custom-call handlers through the FFI extension.

use std::ffi::c_void;

use crate::abi::{self, PJRT_FFI_Extension, PJRT_FFI_Register_Handler_Args};
use crate::api::Api;
use crate::error::Result;

/// See [`crate::Plugin::register_ffi_handler`].
///
/// # Safety
/// `handler` must be a valid handler for the life of the process.
pub(crate) unsafe fn register_handler(api: &Api, target_name: &str, platform: &str, handler: *const c_void, traits: u32) -> Result<()> {
    let missing = || api.unimplemented("PJRT_FFI_Register_Handler");
    let extension = api
        .extensions()
        .into_iter()
        // SAFETY: the heads are static data of the plugin.
        .map(|head| (head, unsafe { head.as_ref() }))
        .find(|(_, base)| base.extension_type == abi::EXTENSION_TYPE_FFI)
        .filter(|(_, base)| base.struct_size >= size_of::<PJRT_FFI_Extension>())
        .map(|(head, _)| head.cast::<PJRT_FFI_Extension>())
        .ok_or_else(missing)?;
    // SAFETY: type and size were checked.
    let register = unsafe { extension.as_ref() }.register_handler.ok_or_else(missing)?;
    let mut args = PJRT_FFI_Register_Handler_Args {
        struct_size: PJRT_FFI_Register_Handler_Args::STRUCT_SIZE,
        target_name: target_name.as_ptr().cast(),
        target_name_size: target_name.len(),
        handler: handler.cast_mut(),
        platform_name: platform.as_ptr().cast(),
        platform_name_size: platform.len(),
        traits,
    };
    // SAFETY: the texts live over the call, and the caller vouches for the handler.
    let error = unsafe { register(&mut args) };
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: a returned error is ours.
    Err(unsafe { api.take_error("PJRT_FFI_Register_Handler", error) })
}
