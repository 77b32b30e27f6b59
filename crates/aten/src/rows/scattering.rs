//! Writes at index tensors: scatter, index_add, index_put and their relatives.

use stablehlo::{Dims, ElementType, Value};

use super::advanced::{Advanced, SoleMask};
use super::compaction::meta_of;
use super::gathering::{at_least_1d, outside_of_elements};
use super::positions::{Combine, Complaint, Negative, positions, scatter, scatter_along, scatter_flat, scatter_slices_dims};
use crate::{CallArgument, Infer, LowerError, Lowered, Lowering, Row, Target, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::scatter.src", |cx| scatter_elements(cx, Reduce::Set)),
    Row::custom("aten::scatter.value", |cx| scatter_elements(cx, Reduce::Set)),
    Row::custom("aten::scatter.reduce", |cx| scatter_elements(cx, Reduce::named(cx.text(4)?)?)),
    Row::custom("aten::scatter.value_reduce", |cx| scatter_elements(cx, Reduce::named(cx.text(4)?)?)),
    Row::custom("aten::scatter_add", |cx| scatter_elements(cx, Reduce::Sum)),
    Row::custom("aten::scatter_reduce.two", scatter_reduce),
    Row::custom("aten::index_add", index_add),
    Row::custom("aten::index_copy", index_copy),
    Row::custom("aten::index_fill.int_Scalar", index_fill),
    Row::custom("aten::index_fill.int_Tensor", index_fill),
    Row::custom("aten::index_reduce", index_reduce),
    Row::custom("aten::put", put),
    Row::custom("aten::index_put", index_put),
    Row::custom("aten::_unsafe_index_put", index_put),
    Row::custom("aten::_index_put_impl", index_put).infer(Infer::Rule(|call| Ok(vec![Some(meta_of(call, 0)?.clone())]))),
];

/// The reductions of scatter_reduce and index_reduce, under all the names that ATen has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduce {
    Set,
    Sum,
    Product,
    Mean,
    Maximum,
    Minimum,
}

impl Reduce {
    fn named(name: &str) -> Result<Self, LowerError> {
        Ok(match name {
            "add" | "sum" => Self::Sum,
            "multiply" | "prod" => Self::Product,
            "mean" => Self::Mean,
            "amax" => Self::Maximum,
            "amin" => Self::Minimum,
            other => return Err(LowerError::unsupported(format!("reduce {other:?}"))),
        })
    }

    fn combine(self) -> Combine {
        match self {
            Self::Set => Combine::Set,
            Self::Sum | Self::Mean => Combine::Add,
            Self::Product => Combine::Multiply,
            Self::Maximum => Combine::Maximum,
            Self::Minimum => Combine::Minimum,
        }
    }

    /// What an element that is left out of its own reduction starts from.
    fn identity(self, x: Value<'_>) -> Value<'_> {
        let ty = x.ty();
        match self {
            Self::Set | Self::Sum | Self::Mean => x.func().zero(&ty),
            Self::Product => x.func().one(&ty),
            Self::Maximum => x.func().lowest(&ty),
            Self::Minimum => x.func().highest(&ty),
        }
    }

    /// The dtype to accumulate in.
    fn element(self, element: ElementType) -> ElementType {
        match self {
            Self::Sum | Self::Mean | Self::Product => compute_element(element),
            _ => element,
        }
    }
}

/// Self, positions and updates of an op with arguments `self, dim, index, source`, one update per index.
struct Elements<'f> {
    x: Value<'f>,
    positions: Value<'f>,
    updates: Value<'f>,
    dim: i64,
    target: Target,
}

impl<'f> Elements<'f> {
    fn read(cx: &Lowering<'f, '_>, element: ElementType) -> Result<Self, LowerError> {
        let x = cx.tensor(0)?.convert(element);
        let index = at_least_1d(cx.tensor(2)?);
        let dim = cx.dim(1, x.rank())?;
        let x = at_least_1d(x);
        let size = x.dims()[dim as usize];
        let updates = match cx.argument(3) {
            CallArgument::Tensor(_) if index.numel() == 0 => cx.func.splat(element, &index.dims(), 0i64),
            CallArgument::Tensor(_) => {
                let source = at_least_1d(cx.operand(3, element)?);
                let (zeros, ones): (Dims, Dims) = source.dims().iter().map(|_| (0, 1)).unzip();
                source.slice(&zeros, &index.dims(), &ones)
            }
            _ => cx.scalar(3, element)?.broadcast_to(&index.dims()),
        };
        let positions = positions(cx, index, size, Negative::Fails, Complaint::out_of_bounds_at_run(dim, size));
        Ok(Self { x, positions, updates, dim, target: cx.environment.target })
    }

    fn scatter_into(&self, x: Value<'f>, updates: Value<'f>, combine: Combine) -> Value<'f> {
        scatter_along(self.target, x, self.positions, updates, self.dim, combine)
    }
}

fn scatter_elements<'f>(cx: &Lowering<'f, '_>, reduce: Reduce) -> Lowered<'f> {
    let elements = Elements::read(cx, reduce.element(cx.out_element()))?;
    let written = elements.scatter_into(elements.x, elements.updates, reduce.combine());
    Ok(vec![Some(written.reshape(cx.out_dims()))])
}

fn scatter_reduce<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let reduce = Reduce::named(cx.text(4)?)?;
    let include_self = cx.bool(5)?;
    let elements = Elements::read(cx, reduce.element(cx.out_element()))?;
    if elements.positions.numel() == 0 {
        return Ok(vec![Some(elements.x.reshape(cx.out_dims()))]);
    }
    let scatter_into = |x, updates, combine| elements.scatter_into(x, updates, combine);
    let reduced = reduce_scattered(reduce, include_self, elements.x, elements.updates, scatter_into);
    Ok(vec![Some(reduced.reshape(cx.out_dims()))])
}

/// The reductions that need more than one scatter: without self, and the mean.
fn reduce_scattered<'f>(
    reduce: Reduce,
    include_self: bool,
    x: Value<'f>,
    updates: Value<'f>,
    scatter_into: impl Fn(Value<'f>, Value<'f>, Combine) -> Value<'f>,
) -> Value<'f> {
    let start = if include_self { x } else { scatter_into(x, reduce.identity(updates), Combine::Set) };
    let reduced = scatter_into(start, updates, reduce.combine());
    if reduce != Reduce::Mean {
        return reduced;
    }
    let ones = updates.like(1i64);
    let counts = scatter_into(x.like(i64::from(include_self)), ones, Combine::Add);
    let counts = if x.element().is_complex() {
        counts.real().maximum(counts.real().like(1i64)).convert(x.element())
    } else {
        counts.maximum(counts.like(1i64))
    };
    if x.element().is_integer() { floor_divide(reduced, counts) } else { reduced / counts }
}

/// Integer division by a positive divisor, rounded down.
fn floor_divide<'f>(x: Value<'f>, divisor: Value<'f>) -> Value<'f> {
    let quotient = x / divisor;
    if x.element().is_unsigned() {
        return quotient;
    }
    let remainder = x - quotient * divisor;
    remainder.lt(remainder.like(0i64)).select(quotient - quotient.like(1i64), quotient)
}

/// Self, positions and updates of an op that writes whole slices: `self, dim, index, source`.
struct Slices<'f> {
    x: Value<'f>,
    positions: Value<'f>,
    dim: i64,
}

impl<'f> Slices<'f> {
    fn read(
        cx: &Lowering<'f, '_>,
        element: ElementType,
        negative: Negative,
        complaint: impl Fn(i64, i64) -> Complaint,
    ) -> Result<Self, LowerError> {
        let x = cx.tensor(0)?.convert(element);
        let dim = cx.dim(1, x.rank())?;
        let x = at_least_1d(x);
        let size = x.dims()[dim as usize];
        let index = at_least_1d(cx.tensor(2)?);
        Ok(Self { x, positions: positions(cx, index, size, negative, complaint(dim, size)), dim })
    }

    /// `updates` in the shape of self with one slice for each position.
    fn shaped(&self, updates: Value<'f>) -> Value<'f> {
        let mut dims = self.x.dims();
        dims[self.dim as usize] = self.positions.numel();
        updates.reshape(&dims)
    }

    fn scatter_into(&self, x: Value<'f>, updates: Value<'f>, combine: Combine) -> Value<'f> {
        scatter(x, self.positions, updates, &scatter_slices_dims(x.rank() as i64, self.dim), combine)
    }
}

fn index_add<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let slices = Slices::read(cx, element, Negative::Fails, Complaint::out_of_bounds_at_run)?;
    let mut updates = slices.shaped(cx.operand(3, element)?);
    if !cx.known_scalar(4).is_some_and(|alpha| alpha.as_f64() == 1.0) {
        updates = updates * cx.scalar(4, element)?.broadcast_to(&updates.dims());
    }
    Ok(vec![Some(slices.scatter_into(slices.x, updates, Combine::Add).reshape(cx.out_dims()))])
}

fn index_copy<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let slices = Slices::read(cx, cx.out_element(), Negative::Fails, Complaint::out_of_bounds)?;
    let updates = slices.shaped(cx.operand(3, cx.out_element())?);
    Ok(vec![Some(slices.scatter_into(slices.x, updates, Combine::Set).reshape(cx.out_dims()))])
}

/// Marks the indexed slices and selects, so that only one flag per index is scattered.
fn index_fill<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.out_element();
    let slices = Slices::read(cx, element, Negative::Wraps, Complaint::out_of_bounds)?;
    let dims = slices.x.dims();
    let hit = cx.func.splat(ElementType::I1, &[dims[slices.dim as usize]], false);
    let marks = cx.func.splat(ElementType::I1, &[slices.positions.numel()], true);
    let hit = scatter_flat(hit, slices.positions, marks, Combine::Set).broadcast_in_dim(&dims, &[slices.dim]);
    let value = cx.operand(3, element)?.reshape(&[]).broadcast_to(&dims);
    Ok(vec![Some(hit.select(value, slices.x).reshape(cx.out_dims()))])
}

fn index_reduce<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let reduce = Reduce::named(cx.text(4)?)?;
    let include_self = cx.bool(5)?;
    let element = reduce.element(cx.out_element());
    let slices = Slices::read(cx, element, Negative::Fails, |_, _| Complaint::out_of_range_in_self())?;
    let updates = slices.shaped(cx.operand(3, element)?);
    let scatter_into = |x, updates, combine| slices.scatter_into(x, updates, combine);
    let reduced = reduce_scattered(reduce, include_self, slices.x, updates, scatter_into);
    Ok(vec![Some(reduced.reshape(cx.out_dims()))])
}

fn put<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let accumulate = cx.bool(3)?;
    let element = if accumulate { cx.compute_element() } else { cx.out_element() };
    let x = cx.tensor(0)?.convert(element);
    let size = x.numel();
    let index = cx.tensor(1)?;
    let index = positions(cx, index.reshape(&[index.numel()]), size, Negative::Wraps, outside_of_elements(size));
    let updates = cx.operand(2, element)?.reshape(&[index.numel()]);
    let combine = if accumulate { Combine::Add } else { Combine::Set };
    Ok(vec![Some(scatter_flat(x.reshape(&[size]), index, updates, combine).reshape(cx.out_dims()))])
}

/// A lone mask needs no positions: the values meet the elements by a select.
fn index_put<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let accumulate = cx.bool(3)?;
    let element = if accumulate { cx.compute_element() } else { cx.out_element() };
    let combine = if accumulate { Combine::Add } else { Combine::Set };
    let x = cx.tensor(0)?.convert(element);
    let values = cx.operand(2, element)?;
    if let Some(mask) = SoleMask::read(cx, 1)? {
        return Ok(vec![Some(mask.put(cx, x, values, combine))]);
    }
    let result = match Advanced::read(cx, x, 1)? {
        Some(advanced) => advanced.put(cx, x, values, combine),
        None => combine.apply(x, values.broadcast_to(&x.dims())),
    };
    Ok(vec![Some(result)])
}
