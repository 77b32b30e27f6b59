//! One error enum for the engine; each variant maps to one kind of Python exception.

use thiserror::Error as ThisError;

use crate::memory::{MemoryAccount, readable_size};

pub type Result<T> = std::result::Result<T, Error>;

/// Which Python exception an error becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    Runtime,
    NotImplemented,
    OutOfMemory,
    Value,
    Index,
    Type,
}

#[derive(Debug, Clone, ThisError)]
pub enum Error {
    /// No plugin, or it could not be opened.
    #[error("{0}")]
    Client(String),
    #[error(
        "cannot re-initialize the device in a forked subprocess: the parent process has used it. \
             Use the 'spawn' start method of torch.multiprocessing, or start the workers before the first use of the device"
    )]
    Forked,
    #[error("invalid device index {index}: this process has {count} device(s)")]
    DeviceIndex { index: i64, count: usize },
    #[error("{dtype} tensors are not supported on this device")]
    Dtype { dtype: String },
    /// A row that does not cover this call.
    #[error("{call}: {why}")]
    Unsupported { call: String, why: String },
    /// A call that PyTorch refuses on every device, in its words.
    #[error("{0}")]
    Refused(String),
    /// Something that has to run by itself was met while a graph was recorded.
    #[error("{what} cannot be part of one program")]
    NotInGraph { what: String },
    /// A view that the algebra refuses.
    #[error("{call}: {why}")]
    View { call: String, why: String },
    /// The compiler refused the program.
    #[error("compiling {what} failed: {why}")]
    Compile { what: String, why: String },
    /// The plugin refused or failed a launch.
    #[error("{what} failed on the device: {why}")]
    Launch { what: String, why: String },
    #[error("out of memory on the device: tried to allocate {bytes} for {what}: {why}\n{report}")]
    OutOfMemory { bytes: String, what: String, why: String, report: String },
    /// A check of a row failed on the device.
    #[error("{op}: {message}")]
    OutOfRange { op: String, message: String },
    /// A check of a row that is not about indices failed on the device.
    #[error("{op}: {message}")]
    BadData { op: String, message: String },
    #[error("copying {bytes} bytes {direction} the device failed: {why}")]
    Transfer { direction: &'static str, bytes: u64, why: String },
    /// A broken promise between the glue and the engine.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unsupported { .. } | Self::NotInGraph { .. } => ErrorKind::NotImplemented,
            Self::Dtype { .. } => ErrorKind::Type,
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            Self::OutOfRange { .. } => ErrorKind::Index,
            _ => ErrorKind::Runtime,
        }
    }

    /// `bytes` were needed for `what`; the error lists what holds the memory.
    pub(crate) fn out_of_memory(bytes: u64, what: &str, why: impl ToString, memory: &MemoryAccount) -> Self {
        Self::OutOfMemory { bytes: readable_size(bytes), what: what.to_owned(), why: why.to_string(), report: memory.report() }
    }

    pub(crate) fn internal(what: impl Into<String>) -> Self {
        Self::Internal(what.into())
    }
}
