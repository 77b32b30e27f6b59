//! One step of a path from a storage's value to a view, and the layout that each step leaves.
//! A step reads both ways: `get` makes the next array from the last, `put` makes the last from the next (see `emit`).

use std::fmt;

use stablehlo::{Dims, ElementType};

use crate::ValueLayout;

/// One array operation. Sizes and bounds count elements; every step starts from a dense row-major array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    Reshape {
        dims: Dims,
    },
    Slice {
        start: Dims,
        limit: Dims,
        stride: Dims,
    },
    /// Zeros appended at the end of each dimension.
    Pad {
        high: Dims,
    },
    Reverse {
        dims: Dims,
    },
    /// Result dimension i is operand dimension `permutation[i]`.
    Transpose {
        permutation: Dims,
    },
    /// Operand dimension i becomes result dimension `mapping[i]`; the mapping ascends.
    Broadcast {
        dims: Dims,
        mapping: Dims,
    },
    /// Replaces `dim` by `sizes`: the element at i comes from index start + sum(i * strides).
    Gather {
        dim: i64,
        start: i64,
        sizes: Dims,
        strides: Dims,
    },
    /// Same bytes as another real element type. A smaller one adds a minor dimension of the ratio, a larger one consumes it.
    Bitcast {
        element: ElementType,
    },
    BoolToByte,
    /// A byte other than 0 is true.
    ByteToBool,
    /// Adds a minor dimension [real, imaginary].
    ComplexToPair,
    /// Consumes a minor dimension [real, imaginary].
    PairToComplex,
    /// An array without elements, whatever the operand.
    Empty {
        dims: Dims,
        element: ElementType,
    },
}

impl Step {
    /// The layout after this step.
    pub fn output(&self, input: &ValueLayout) -> ValueLayout {
        let mut dims = input.dims.clone();
        let mut element = input.element;
        match self {
            Step::Reshape { dims: new } | Step::Broadcast { dims: new, .. } => dims = new.clone(),
            Step::Slice { start, limit, stride } => {
                for (axis, size) in dims.iter_mut().enumerate() {
                    *size = (limit[axis] - start[axis] + stride[axis] - 1) / stride[axis];
                }
            }
            Step::Pad { high } => dims.iter_mut().zip(high).for_each(|(size, &high)| *size += high),
            Step::Reverse { .. } => {}
            Step::Transpose { permutation } => {
                dims = permutation.iter().map(|&axis| input.dims[axis as usize]).collect();
            }
            Step::Gather { dim, sizes, .. } => {
                let dim = *dim as usize;
                dims = input.dims[..dim].iter().chain(sizes).chain(&input.dims[dim + 1..]).copied().collect();
            }
            Step::Bitcast { element: new } => {
                let (old_size, new_size) = (size_of(input.element), size_of(*new));
                if old_size > new_size {
                    dims.push(old_size / new_size);
                } else if old_size < new_size {
                    dims.pop();
                }
                element = *new;
            }
            Step::BoolToByte => element = ElementType::U8,
            Step::ByteToBool => element = ElementType::I1,
            Step::ComplexToPair => {
                dims.push(2);
                element = element.real();
            }
            Step::PairToComplex => {
                dims.pop();
                element = element.complex().unwrap_or(element);
            }
            Step::Empty { dims: new, element: other } => {
                dims = new.clone();
                element = *other;
            }
        }
        ValueLayout { dims, element }
    }

    /// Whether a write through this step keeps elements of the array below it.
    pub fn put_needs_base(&self) -> bool {
        matches!(self, Step::Slice { .. } | Step::Gather { .. } | Step::Empty { .. })
    }
}

/// The dimensions of `below` that a slice takes a part of: the ones in which it can start elsewhere.
pub(crate) fn parted_dims(step: &Step, below: &ValueLayout) -> impl Iterator<Item = usize> {
    let taken: Dims = match step {
        Step::Slice { start, limit, .. } => start.iter().zip(limit).map(|(start, limit)| limit - start).collect(),
        _ => Dims::new(),
    };
    let dims = below.dims.clone();
    taken.into_iter().enumerate().filter(move |&(axis, taken)| taken < dims[axis]).map(|(axis, _)| axis)
}

/// Where the slices of `steps` start, on the dimensions that they take a part of.
pub(crate) fn starts(below: &ValueLayout, steps: &[Step]) -> Dims {
    let below = layouts(below, steps);
    let mut all = Dims::new();
    for (step, below) in steps.iter().zip(&below) {
        if let Step::Slice { start, .. } = step {
            all.extend(parted_dims(step, below).map(|axis| start[axis]));
        }
    }
    all
}

/// Whether two paths differ in where their slices start at most.
pub(crate) fn same_but_for_starts(a: &[Step], b: &[Step]) -> bool {
    let same = |(a, b): (&Step, &Step)| match (a, b) {
        (Step::Slice { start, limit, stride }, Step::Slice { start: other_start, limit: other_limit, stride: other_stride }) => {
            let taken = |start: &Dims, limit: &Dims| -> Dims { start.iter().zip(limit).map(|(start, limit)| limit - start).collect() };
            stride == other_stride && taken(start, limit) == taken(other_start, other_limit)
        }
        _ => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// The layouts before the first step, between the steps and after the last.
pub(crate) fn layouts(start: &ValueLayout, steps: &[Step]) -> Vec<ValueLayout> {
    let mut all = vec![start.clone()];
    for step in steps {
        let next = step.output(&all[all.len() - 1]);
        all.push(next);
    }
    all
}

pub(crate) fn size_of(element: ElementType) -> i64 {
    element.size_in_bytes() as i64
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Reshape { dims } => write!(f, "reshape{:?}", dims.as_slice()),
            Step::Slice { start, limit, stride } => {
                write!(f, "slice[")?;
                for axis in 0..start.len() {
                    let comma = if axis == 0 { "" } else { ", " };
                    write!(f, "{comma}{}:{}", start[axis], limit[axis])?;
                    if stride[axis] != 1 {
                        write!(f, ":{}", stride[axis])?;
                    }
                }
                write!(f, "]")
            }
            Step::Pad { high } => write!(f, "pad{:?}", high.as_slice()),
            Step::Reverse { dims } => write!(f, "reverse{:?}", dims.as_slice()),
            Step::Transpose { permutation } => write!(f, "transpose{:?}", permutation.as_slice()),
            Step::Broadcast { dims, mapping } => write!(f, "broadcast{:?} at {:?}", dims.as_slice(), mapping.as_slice()),
            Step::Gather { dim, start, sizes, strides } => {
                write!(f, "gather dim {dim} at {start} + {:?} x {:?}", sizes.as_slice(), strides.as_slice())
            }
            Step::Bitcast { element } => write!(f, "bitcast {element}"),
            Step::BoolToByte => write!(f, "bool_to_byte"),
            Step::ByteToBool => write!(f, "byte_to_bool"),
            Step::ComplexToPair => write!(f, "complex_to_pair"),
            Step::PairToComplex => write!(f, "pair_to_complex"),
            Step::Empty { dims, element } => write!(f, "empty {element}{:?}", dims.as_slice()),
        }
    }
}
