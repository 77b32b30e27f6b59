//! Every way a PJRT call can fail, as one enum. Plugin errors keep the entry point, the status code and the message.

use std::path::PathBuf;

/// Result of this crate's calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Status codes of the PJRT C API (the absl status codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// 1
    Cancelled,
    /// 2
    Unknown,
    /// 3
    InvalidArgument,
    /// 4
    DeadlineExceeded,
    /// 5
    NotFound,
    /// 6
    AlreadyExists,
    /// 7
    PermissionDenied,
    /// 8: out of device or host memory
    ResourceExhausted,
    /// 9
    FailedPrecondition,
    /// 10
    Aborted,
    /// 11
    OutOfRange,
    /// 12
    Unimplemented,
    /// 13
    Internal,
    /// 14
    Unavailable,
    /// 15
    DataLoss,
    /// 16
    Unauthenticated,
    /// A number that the C API does not define.
    Other(u32),
}

impl ErrorCode {
    /// The code for a number of the C API.
    pub fn from_raw(code: u32) -> Self {
        match code {
            1 => Self::Cancelled,
            2 => Self::Unknown,
            3 => Self::InvalidArgument,
            4 => Self::DeadlineExceeded,
            5 => Self::NotFound,
            6 => Self::AlreadyExists,
            7 => Self::PermissionDenied,
            8 => Self::ResourceExhausted,
            9 => Self::FailedPrecondition,
            10 => Self::Aborted,
            11 => Self::OutOfRange,
            12 => Self::Unimplemented,
            13 => Self::Internal,
            14 => Self::Unavailable,
            15 => Self::DataLoss,
            16 => Self::Unauthenticated,
            other => Self::Other(other),
        }
    }
}

/// What went wrong in this crate or in the plugin.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plugin answered a call with an error status.
    #[error("{entry} failed ({code:?}): {message}")]
    Plugin {
        /// C name of the entry point, or of the event's origin.
        entry: &'static str,
        /// Status code.
        code: ErrorCode,
        /// The plugin's own words.
        message: String,
    },

    /// The plugin has no such entry point: its table is too short or the pointer is null.
    #[error("the PJRT plugin {} (API {}.{}) does not provide {entry}", .path.display(), .version.0, .version.1)]
    Unimplemented {
        /// C name of the entry point or extension.
        entry: &'static str,
        /// The plugin's API version.
        version: (i32, i32),
        /// The plugin's file.
        path: PathBuf,
    },

    /// The call was refused before it reached the plugin, because it is wrong or is known to end the process.
    #[error("{entry} refused: {message}")]
    InvalidArgument {
        /// C name of the entry point that would have been called.
        entry: &'static str,
        /// What is wrong, with the values.
        message: String,
    },

    /// The file could not be loaded as a shared library.
    #[error("cannot load the PJRT plugin {}: {message}", .path.display())]
    Load {
        /// The plugin's file.
        path: PathBuf,
        /// The dynamic linker's words.
        message: String,
    },

    /// A shared library without a usable `GetPjrtApi`.
    #[error("{} is not a PJRT plugin: {message}", .path.display())]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// What is missing.
        message: String,
    },

    /// The plugin's API version cannot be used by this build.
    #[error(
        "the PJRT plugin {} speaks API {}.{}, this build speaks {}.{} and accepts minor versions from {oldest_minor}",
        .path.display(), .found.0, .found.1, .supported.0, .supported.1
    )]
    Version {
        /// The plugin's file.
        path: PathBuf,
        /// The plugin's API version.
        found: (i32, i32),
        /// The API version of this build.
        supported: (i32, i32),
        /// The oldest accepted minor version.
        oldest_minor: i32,
    },

    /// No plugin was found.
    #[error("no PJRT plugin for TORCH_PJRT_PLUGIN={request}: {message}")]
    Discovery {
        /// What was asked for.
        request: String,
        /// What was looked for, and what to install.
        message: String,
    },

    /// A client made before `fork` was used in the child process, where the plugin's threads do not exist.
    #[error(
        "the PJRT client was created in process {created_in} and cannot be used in its forked child; \
         start worker processes with the 'spawn' method, or fork before the device is first used"
    )]
    ForkedProcess {
        /// Process id of the client's creator.
        created_in: u32,
    },
}

impl Error {
    /// The PJRT status code; [`ErrorCode::Unimplemented`] and [`ErrorCode::InvalidArgument`] also for calls that this
    /// crate refused itself. `None` for loading, discovery and fork errors.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Plugin { code, .. } => Some(*code),
            Self::Unimplemented { .. } => Some(ErrorCode::Unimplemented),
            Self::InvalidArgument { .. } => Some(ErrorCode::InvalidArgument),
            _ => None,
        }
    }

    /// Out of memory, on the device or on the host.
    pub fn is_resource_exhausted(&self) -> bool {
        self.code() == Some(ErrorCode::ResourceExhausted)
    }

    /// The plugin lacks the entry point or says that it does not implement the request.
    pub fn is_unimplemented(&self) -> bool {
        self.code() == Some(ErrorCode::Unimplemented)
    }

    pub(crate) fn invalid(entry: crate::abi::Entry, message: impl Into<String>) -> Self {
        Self::InvalidArgument { entry: entry.name(), message: message.into() }
    }
}
