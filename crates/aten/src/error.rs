//! Why a row could not be lowered for a call.

use thiserror::Error;

/// A lowering error. The engine adds the op, shapes and dtypes of the call.
#[derive(Debug, Clone, Error)]
pub enum LowerError {
    /// The row does not cover this combination of arguments.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// ATen refuses the call too; the text is ATen's.
    #[error("{0}")]
    Refused(String),
    /// An argument is missing or of another kind than the row's rule reads.
    #[error("argument {index} is {found}, the row expects {expected}")]
    Argument { index: usize, expected: &'static str, found: String },
    /// The StableHLO that the rule appended is ill-typed.
    #[error(transparent)]
    Program(#[from] stablehlo::Error),
}

impl LowerError {
    /// A call that ATen's kernel refuses, with ATen's text.
    pub fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }

    /// A call that this row does not cover; `why` names the argument and its value.
    pub fn unsupported(why: impl Into<String>) -> Self {
        Self::Unsupported(why.into())
    }
}
