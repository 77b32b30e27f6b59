//! Named values: options of clients and topologies on the way in, attributes and cost figures on the way out.

use std::ffi::c_char;

use crate::abi::{self, PJRT_NamedValue, PJRT_NamedValue_Payload};
use crate::api;

/// Value of an option or attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// Text.
    String(String),
    /// Integer.
    I64(i64),
    /// List of integers.
    I64List(Vec<i64>),
    /// 32-bit float.
    F32(f32),
    /// Boolean. Plugins do not take an integer for it.
    Bool(bool),
}

impl OptionValue {
    /// The kind's name, for messages.
    pub fn kind(&self) -> OptionKind {
        match self {
            Self::String(_) => OptionKind::String,
            Self::I64(_) => OptionKind::I64,
            Self::I64List(_) => OptionKind::I64List,
            Self::F32(_) => OptionKind::F32,
            Self::Bool(_) => OptionKind::Bool,
        }
    }

    fn as_named_value(&self, name: &str) -> PJRT_NamedValue {
        let (value_type, value, value_size) = match self {
            Self::String(text) => {
                (abi::NAMED_VALUE_STRING, PJRT_NamedValue_Payload { string_value: text.as_ptr().cast::<c_char>() }, text.len())
            }
            Self::I64(number) => (abi::NAMED_VALUE_INT64, PJRT_NamedValue_Payload { int64_value: *number }, 1),
            Self::I64List(list) => (abi::NAMED_VALUE_INT64_LIST, PJRT_NamedValue_Payload { int64_array_value: list.as_ptr() }, list.len()),
            Self::F32(number) => (abi::NAMED_VALUE_FLOAT, PJRT_NamedValue_Payload { float_value: *number }, 1),
            Self::Bool(flag) => (abi::NAMED_VALUE_BOOL, PJRT_NamedValue_Payload { bool_value: *flag }, 1),
        };
        PJRT_NamedValue { name: name.as_ptr().cast(), name_size: name.len(), value_type, value, value_size, ..Default::default() }
    }
}

/// Kind of an [`OptionValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Text.
    String,
    /// Integer.
    I64,
    /// List of integers.
    I64List,
    /// 32-bit float.
    F32,
    /// Boolean.
    Bool,
}

/// C structs that point into `options`, valid as long as those are.
pub(crate) fn to_named_values(options: &[(&str, OptionValue)]) -> Vec<PJRT_NamedValue> {
    options.iter().map(|(name, value)| value.as_named_value(name)).collect()
}

/// Copies a plugin's named values. Values of unknown kind are left out.
///
/// # Safety
/// `values` must be null or point to `count` live named values.
pub(crate) unsafe fn from_named_values(values: *const PJRT_NamedValue, count: usize) -> Vec<(String, OptionValue)> {
    // SAFETY: passed on.
    let values = unsafe { api::array(values, count) };
    let mut copied = Vec::with_capacity(values.len());
    for value in values {
        // SAFETY: the union member read is the one that `value_type` names; text and list are `value_size` long.
        let (name, content) = unsafe {
            let name = api::text(value.name, value.name_size);
            let content = match value.value_type {
                abi::NAMED_VALUE_STRING => OptionValue::String(api::text(value.value.string_value, value.value_size)),
                abi::NAMED_VALUE_INT64 => OptionValue::I64(value.value.int64_value),
                abi::NAMED_VALUE_INT64_LIST => OptionValue::I64List(api::array(value.value.int64_array_value, value.value_size).to_vec()),
                abi::NAMED_VALUE_FLOAT => OptionValue::F32(value.value.float_value),
                abi::NAMED_VALUE_BOOL => OptionValue::Bool(value.value.bool_value),
                _ => continue,
            };
            (name, content)
        };
        copied.push((name, content));
    }
    copied
}
