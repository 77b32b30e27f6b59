//! A custom-call handler written here, called from a compiled program.
#![allow(clippy::unwrap_used)]

mod support;

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::*;

/// Start of `XLA_FFI_CallFrame`, as far as this handler reads it.
#[repr(C)]
struct CallFrame {
    struct_size: usize,
    extension_start: *mut Extension,
    api: *const c_void,
    context: *const c_void,
    stage: u32,
}

#[repr(C)]
struct Extension {
    struct_size: usize,
    kind: u32,
    next: *mut Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version_struct_size: usize,
    version_extension_start: *mut c_void,
    major: i32,
    minor: i32,
    traits: u32,
}

static EXECUTED: AtomicUsize = AtomicUsize::new(0);

/// Does nothing but count: the output aliases the input.
unsafe extern "C" fn count(frame: *mut CallFrame) -> *mut c_void {
    const METADATA: u32 = 1;
    const EXECUTE: u32 = 3;
    // SAFETY: XLA passes a live call frame, and a metadata extension while it asks for metadata.
    unsafe {
        if let Some(extension) = (*frame).extension_start.as_ref()
            && extension.kind == METADATA
        {
            (*extension.metadata).major = 0;
            (*extension.metadata).minor = 1;
            (*extension.metadata).traits = 0;
        } else if (*frame).stage == EXECUTE {
            EXECUTED.fetch_add(1, Ordering::Relaxed);
        }
    }
    std::ptr::null_mut()
}

#[test]
fn a_registered_handler_is_called_by_the_program() {
    let plugin = plugin();
    // SAFETY: the handler answers the metadata call, does not unwind and is static.
    unsafe { plugin.register_ffi_handler("test_count", plugin.quirks().ffi_platform, count as *const c_void, 0) }.unwrap();
    let executable = compile(
        "module { func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
           %0 = stablehlo.custom_call @test_count(%a) {
             api_version = 4 : i32,
             has_side_effect = true,
             output_operand_aliases = [#stablehlo.output_operand_alias<
               output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
           } : (tensor<8xf32>) -> tensor<8xf32>
           return %0 : tensor<8xf32> } }",
    );
    let a = send(&[3.0; 8]);
    for _ in 0..2 {
        assert_eq!(read(&run(&executable, &[&a])[0]), [3.0; 8]);
    }
    assert_eq!(EXECUTED.load(Ordering::Relaxed), 2);
}
