//! The ops, one file a family; the rules of an op stand beside the method that appends it.

pub(crate) mod constant;
pub(crate) mod control;
pub(crate) mod elementwise;
pub(crate) mod indexing;
pub(crate) mod linear;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod shape;

/// `Err(expected)` unless the condition holds; the message is only built when it does not.
macro_rules! check {
    ($condition:expr, $($expected:tt)+) => {
        if !$condition {
            return Err(format!($($expected)+));
        }
    };
}
pub(crate) use check;

/// True when `axes` are distinct and each is in `0..rank`.
pub(crate) fn distinct_axes(axes: &[i64], rank: usize) -> bool {
    axes.iter().enumerate().all(|(index, &axis)| is_axis(axis, rank) && !axes[..index].contains(&axis))
}

pub(crate) fn is_axis(axis: i64, rank: usize) -> bool {
    usize::try_from(axis).is_ok_and(|axis| axis < rank)
}

/// Size of dimension `axis`; 1 when there is none, so that a wrong axis is reported by its own check.
pub(crate) fn size(dims: &[i64], axis: i64) -> i64 {
    usize::try_from(axis).ok().and_then(|axis| dims.get(axis)).copied().unwrap_or(1)
}

/// The dimensions whose axis is not in `axes`.
pub(crate) fn without(dims: &[i64], axes: &[i64]) -> crate::Dims {
    (0i64..).zip(dims).filter(|(axis, _)| !axes.contains(axis)).map(|(_, &dim)| dim).collect()
}
