//! For tests only. `session`: the CPU plugin with one call. `compare`: numbers against a reference. `faults`: what can
//! go wrong in a plugin, as data. `plugin`: the shared library that makes it go wrong, around a real plugin.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod compare;
pub mod faults;
mod plugin;
pub mod session;

pub use compare::{Tolerance, assert_close_bf16, assert_close_f32, bf16_to_f32, f32_to_bf16};
pub use faults::{Fault, Faults, FaultyPlugin};
pub use session::{cpu_client, cpu_plugin_path};
