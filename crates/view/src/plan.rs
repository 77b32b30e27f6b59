//! Plans: the path from a storage's value to a view, walked forward by a read and back by a write.

use std::fmt;

use stablehlo::Dims;

use crate::bytes::{Meeting, meet, prepare};
use crate::decompose::decompose;
use crate::layout::{check_dims, numel};
use crate::step::{Step, layouts, same_but_for_starts, size_of, starts};
use crate::{ValueLayout, View, ViewError};

/// How to make a view's row-major array from the storage's value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReadPlan {
    pub value: ValueLayout,
    pub steps: Vec<Step>,
}

/// How to make a storage's next value from its base value and the row-major array written through a view.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WritePlan {
    pub update: ValueLayout,
    pub write: Write,
    pub result: ValueLayout,
}

/// The two kinds of write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Write {
    /// The view is a permutation of the whole storage: `steps` turn the update into the next value.
    Replace { steps: Vec<Step> },
    /// Read `path` from the base after `prepare`, put the update in place of the end, and undo `path` (not `prepare`).
    Through { base: ValueLayout, prepare: Vec<Step>, path: Vec<Step> },
}

/// Steps from a value of layout `value` to the row-major array of `view`.
pub fn plan_read(view: &View, value: &ValueLayout) -> Result<ReadPlan, ViewError> {
    check(view, value)?;
    Ok(ReadPlan { value: value.clone(), steps: path(view, value)? })
}

/// Steps from a base of layout `value` and an update of `view`'s sizes and element to the storage's next value.
/// The result has the base's dims and element, or carries its bytes in integers where `view` writes other elements into it.
/// Where a view overlaps itself, each element that it touches takes one of the values written to it.
pub fn plan_write(view: &View, value: &ValueLayout) -> Result<WritePlan, ViewError> {
    check(view, value)?;
    let bytes = value.numel() * size_of(value.element);
    let whole = view.numel() > 0 && bytes == view.numel() * size_of(view.element);
    if whole && view.covers_densely(view.numel()) {
        return Ok(replace(view));
    }
    let (prepare, base) = if view.numel() == 0 {
        (Vec::new(), value.clone())
    } else {
        let prepare = prepare(view.element, value.element);
        let base = layouts(value, &prepare).swap_remove(prepare.len());
        (prepare, base)
    };
    let write = Write::Through { base: value.clone(), prepare, path: path(view, &base)? };
    Ok(WritePlan { update: natural(view), write, result: base })
}

/// The first write of a fresh storage that `view` describes: an op's result of `view.sizes` becomes the storage's value in
/// physical order. A view with gaps gets a flat value that ends at its last element; the gaps are zero.
pub fn plan_fresh(view: &View) -> Result<WritePlan, ViewError> {
    view.check()?;
    if view.covers_densely(view.numel()) {
        return Ok(replace(view));
    }
    let elements = view.extent().map_or(0, |(_, last)| last + 1);
    let elements = i64::try_from(elements).map_err(|_| ViewError::Overflow { dims: view.sizes.clone() })?;
    plan_write(view, &ValueLayout { dims: Dims::from_slice(&[elements]), element: view.element })
}

impl ReadPlan {
    /// The value as it is.
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// Where the plan's slices start: what changes from plan to plan when a view moves over its storage.
    pub fn starts(&self) -> Dims {
        starts(&self.value, &self.steps)
    }

    /// Whether the plans differ in their `starts` at most.
    pub fn moves_like(&self, other: &Self) -> bool {
        self.value == other.value && same_but_for_starts(&self.steps, &other.steps)
    }

    /// The layout of the array read: the view's sizes and element.
    pub fn result_layout(&self) -> ValueLayout {
        self.steps.iter().fold(self.value.clone(), |layout, step| step.output(&layout))
    }
}

impl WritePlan {
    /// Whether the next value keeps anything of the last one.
    pub fn needs_base(&self) -> bool {
        match &self.write {
            Write::Replace { .. } => false,
            Write::Through { path, .. } => path.iter().any(Step::put_needs_base),
        }
    }

    /// The update as it is becomes the next value.
    pub fn is_identity(&self) -> bool {
        match &self.write {
            Write::Replace { steps } => steps.is_empty(),
            Write::Through { path, .. } => path.is_empty(),
        }
    }

    /// Where the plan's slices start: what changes from plan to plan when a view moves over its storage.
    pub fn starts(&self) -> Dims {
        match &self.write {
            Write::Replace { .. } => Dims::new(),
            Write::Through { path, .. } => starts(&self.result, path),
        }
    }

    /// Whether the plans differ in their `starts` at most.
    pub fn moves_like(&self, other: &Self) -> bool {
        let same = match (&self.write, &other.write) {
            (Write::Through { base, prepare, path }, Write::Through { base: other_base, prepare: other_prepare, path: other_path }) => {
                base == other_base && prepare == other_prepare && same_but_for_starts(path, other_path)
            }
            (a, b) => a == b,
        };
        same && self.update == other.update && self.result == other.result
    }

    /// The layout of the storage's next value.
    pub fn result_layout(&self) -> &ValueLayout {
        &self.result
    }
}

/// The plan that forgets the base and takes over the update's physical order.
fn replace(view: &View) -> WritePlan {
    let update = natural(view);
    let mut steps = Vec::new();
    if let Some(permutation) = view.physical_permutation()
        && !permutation.iter().copied().eq(0..permutation.len())
    {
        steps.push(Step::Transpose { permutation: permutation.iter().map(|&dim| dim as i64).collect() });
    }
    let result = layouts(&update, &steps).swap_remove(steps.len());
    WritePlan { update, write: Write::Replace { steps }, result }
}

fn natural(view: &View) -> ValueLayout {
    ValueLayout { dims: view.sizes.clone(), element: view.element }
}

fn path(view: &View, value: &ValueLayout) -> Result<Vec<Step>, ViewError> {
    if view.numel() == 0 {
        let steps =
            if natural(view) == *value { Vec::new() } else { vec![Step::Empty { dims: view.sizes.clone(), element: view.element }] };
        return Ok(steps);
    }
    let Meeting { before, geometry, after } = meet(view, value.element)?;
    let dense = layouts(value, &before).swap_remove(before.len());
    let mut steps = before;
    steps.extend(decompose(&geometry, &dense.dims));
    steps.extend(after);
    Ok(steps)
}

fn check(view: &View, value: &ValueLayout) -> Result<(), ViewError> {
    view.check()?;
    check_dims(&value.dims)?;
    let Some((first, last)) = view.extent() else { return Ok(()) };
    let size = i128::from(size_of(view.element));
    let value_bytes = i128::from(numel(&value.dims)) * i128::from(size_of(value.element));
    let (first_byte, end_byte) = (first * size, (last + 1) * size);
    if first_byte < 0 || end_byte > value_bytes {
        return Err(ViewError::OutOfRange { first_byte, end_byte, value_bytes });
    }
    Ok(())
}

impl fmt::Display for ReadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, Chain(&self.steps))
    }
}

impl fmt::Display for WritePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.write {
            Write::Replace { steps } => write!(f, "{}{}", self.update, Chain(steps)),
            Write::Through { base, prepare, path } => {
                write!(f, "{base}{}{} := {}", Chain(prepare), Chain(path), self.update)
            }
        }
    }
}

struct Chain<'a>(&'a [Step]);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| write!(f, " > {step}"))
    }
}
