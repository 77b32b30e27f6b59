//! Views whose element is not the value's: both sides meet in an element as small as the smaller, so any alignment works.
//! In: view and value layout. Out: steps from the value to the meeting element, the view in that element, steps back up.

use stablehlo::{Dims, ElementType};

use crate::step::{Step, size_of};
use crate::{View, ViewError};

/// The geometry of a view over the dense array that `before` makes of the value.
pub(crate) struct Meeting {
    pub before: Vec<Step>,
    pub geometry: View,
    pub after: Vec<Step>,
}

/// A view of the value's own element needs no cast; bool goes by way of bytes, complex by way of pairs. Other elements
/// meet in an integer, because a float that only carries bits may lose them: XLA:CPU quiets bf16 NaNs that it moves.
pub(crate) fn meet(view: &View, value: ElementType) -> Result<Meeting, ViewError> {
    if view.element == value {
        return Ok(Meeting { before: Vec::new(), geometry: view.clone(), after: Vec::new() });
    }
    let (value_atom, view_atom) = (atom(value), atom(view.element));
    if value_atom.bit_width() % 8 != 0 || view_atom.bit_width() % 8 != 0 {
        return Err(ViewError::Element { value, view: view.element });
    }
    let (value_size, view_size) = (size_of(value_atom), size_of(view_atom));
    let meeting = if value_atom == view_atom {
        value_atom
    } else if value_size < view_size || (value_size == view_size && value_atom.is_integer()) {
        carrier(value_atom)
    } else {
        carrier(view_atom)
    };

    let mut before = to_atom(value);
    if meeting != value_atom {
        before.push(Step::Bitcast { element: meeting });
    }

    let mut minor = Dims::new();
    let mut after = Vec::new();
    if view.element.is_complex() {
        minor.push(2);
    }
    if view_size > value_size {
        minor.push(view_size / value_size);
    }
    if meeting != view_atom {
        after.push(Step::Bitcast { element: view_atom });
    }
    if view.element.is_complex() {
        after.push(Step::PairToComplex);
    }
    if view.element == ElementType::I1 {
        after.push(Step::ByteToBool);
    }
    Ok(Meeting { before, geometry: append_minor(view, &minor, meeting), after })
}

/// Steps that make a value able to hold any bits of `view`, which a bool or a float of another type may not survive.
pub(crate) fn prepare(view: ElementType, value: ElementType) -> Vec<Step> {
    let (value_atom, view_atom) = (atom(value), atom(view));
    if view == value || (value_atom == view_atom && value != ElementType::I1) {
        return Vec::new();
    }
    let mut steps = to_atom(value);
    if value_atom != view_atom && carrier(value_atom) != value_atom {
        steps.push(Step::Bitcast { element: carrier(value_atom) });
    }
    steps
}

/// The real element whose bytes a bitcast may reinterpret.
fn atom(element: ElementType) -> ElementType {
    if element == ElementType::I1 { ElementType::U8 } else { element.real() }
}

fn to_atom(element: ElementType) -> Vec<Step> {
    match element {
        ElementType::I1 => vec![Step::BoolToByte],
        complex if complex.is_complex() => vec![Step::ComplexToPair],
        _ => Vec::new(),
    }
}

/// The integer as wide as an atom; integers are their own.
fn carrier(atom: ElementType) -> ElementType {
    match size_of(atom) {
        _ if atom.is_integer() => atom,
        1 => ElementType::U8,
        2 => ElementType::U16,
        4 => ElementType::U32,
        _ => ElementType::U64,
    }
}

/// The same bytes as `view`, each element spelled out as a row-major block of `minor` smaller ones.
fn append_minor(view: &View, minor: &[i64], element: ElementType) -> View {
    let block: i64 = minor.iter().product();
    let inner = View::contiguous(minor, element);
    // Strides of dimensions that have one element may be anything, hence saturating.
    let strides = view.strides.iter().map(|&stride| stride.saturating_mul(block));
    View {
        sizes: view.sizes.iter().copied().chain(inner.sizes).collect(),
        strides: strides.chain(inner.strides).collect(),
        offset: view.offset.saturating_mul(block),
        element,
    }
}
