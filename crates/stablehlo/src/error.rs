//! The one error enum of the crate: each variant says which op, on which operands, recorded where.

use std::fmt;

use crate::TensorType;

/// Where a call was recorded: the ATen overload and, when known, the Python line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    pub op: String,
    pub python: Option<(String, u32)>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.op)?;
        match &self.python {
            Some((file, line)) => write!(f, " at {file}:{line}"),
            None => Ok(()),
        }
    }
}

/// Why a function could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Operand types or attributes break the op's rules.
    #[error("{op}({}): expected {expected}{}", list(operands), from(location))]
    Type { op: &'static str, operands: Vec<TensorType>, expected: String, location: Option<Box<Location>> },
    /// The body of a reduce, sort, scatter or the like used a value defined outside of it.
    #[error("{op} uses a {value} from outside the enclosing isolated region{}", from(location))]
    Captured { op: &'static str, value: TensorType, location: Option<Box<Location>> },
    /// A value of another function, or of a region that has ended.
    #[error("{op} uses a {value} that is not in scope{}", from(location))]
    OutOfScope { op: &'static str, value: TensorType, location: Option<Box<Location>> },
    /// An op was appended after `finish`.
    #[error("{op} was appended after the function was finished{}", from(location))]
    Finished { op: &'static str, location: Option<Box<Location>> },
}

fn list(types: &[TensorType]) -> String {
    types.iter().map(TensorType::to_string).collect::<Vec<_>>().join(", ")
}

fn from(location: &Option<Box<Location>>) -> String {
    location.as_ref().map(|location| format!(" (from {location})")).unwrap_or_default()
}
