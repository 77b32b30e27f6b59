//! Runs calls: storage, views, window, programs, cache, queue, random numbers, memory, counters.
//!
//! `session.rs` is the page to read first: it takes a call from torch to its launch.

#![forbid(unsafe_code)]

mod call_site;
mod check;
mod counters;
mod dtype;
mod encoding;
mod error;
mod event;
mod explain;
mod form;
mod graph;
mod launcher;
mod layout;
mod mapping_limit;
mod memory;
mod open;
mod program;
mod queue;
mod random;
mod session;
mod settings;
mod signature;
mod storage;
mod transfer;
mod window;

pub use call_site::{CallSite, FindCallSite};
pub use counters::{Counters, Statistics};
pub use dtype::{element_of_scalar_type, scalar_type_of_element};
pub use error::{Error, ErrorKind, Result};
pub use event::Event;
pub use explain::CompileRecord;
pub use form::{Form, Forms};
pub use graph::{Capture, Graph, GraphArguments, OutputMemory};
pub use memory::MemoryAccount;
pub use session::{CallFrame, CallStatus, MetaView, OutputRef, Session};
pub use settings::{Mode, Precision, Settings};
pub use storage::Storage;
