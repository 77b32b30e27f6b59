//! The unique family: distinct elements, slices or runs. Sizes depend on data.

use stablehlo::{Dims, ElementType, Value};

use super::compaction::{kept_positions, last_of, meta_of};
use super::gathering::pack;
use super::positions::{Combine, gather_slices, position_element, running_count, scatter_flat};
use crate::lowering::wrap_dim;
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_unique", |cx| unique_elements(cx, true, 2, None)).infer(Infer::Bound(|call| flat_bound(call, 2, None))),
    Row::custom("aten::_unique2", |cx| unique_elements(cx, true, 2, Some(3))).infer(Infer::Bound(|call| flat_bound(call, 2, Some(3)))),
    Row::custom("aten::unique_consecutive", unique_consecutive)
        .infer(Infer::Bound(unique_consecutive_bound))
        .bound_dim(|call, result| if result == 0 { optional_dim(call, 3).unwrap_or(0) } else { 0 }),
    Row::custom("aten::unique_dim", |cx| unique_slices(cx, true, 3, 4))
        .infer(Infer::Bound(|call| slices_bound(call, 3, 4)))
        .bound_dim(|call, result| if result == 0 { optional_dim(call, 1).unwrap_or(0) } else { 0 }),
    Row::custom("aten::unique_dim_consecutive", |cx| unique_slices(cx, false, 2, 3))
        .infer(Infer::Bound(|call| slices_bound(call, 2, 3)))
        .bound_dim(|call, result| if result == 0 { optional_dim(call, 1).unwrap_or(0) } else { 0 }),
];

fn is_set(call: &Call, index: usize) -> bool {
    matches!(call.arguments.get(index), Some(CallArgument::Bool(true)))
}

fn optional_dim(call: &Call, index: usize) -> Option<usize> {
    let rank = meta_of(call, 0).map_or(0, |meta| meta.dims.len());
    match call.arguments.get(index) {
        Some(CallArgument::Int(dim)) => Some(wrap_dim(*dim, rank) as usize),
        _ => None,
    }
}

type Bounds = Result<Vec<Option<TensorMeta>>, LowerError>;

/// Elements, positions of all elements among them if asked for, counts if asked for.
fn flat_bound(call: &Call, inverse: usize, counts: Option<usize>) -> Bounds {
    let x = meta_of(call, 0)?;
    let numel = [x.numel()];
    let positions: &[i64] = if is_set(call, inverse) { &x.dims } else { &[0] };
    let mut bounds = vec![Some(TensorMeta::new(x.element, &numel)), Some(TensorMeta::new(ElementType::I64, positions))];
    if let Some(counts) = counts {
        bounds.push(Some(TensorMeta::new(ElementType::I64, if is_set(call, counts) { &numel } else { &[0] })));
    }
    Ok(bounds)
}

fn slices_bound(call: &Call, inverse: usize, counts: usize) -> Bounds {
    let x = meta_of(call, 0)?;
    let size = optional_dim(call, 1).and_then(|dim| x.dims.get(dim)).copied().unwrap_or(1);
    let asked = |index: usize| Some(TensorMeta::new(ElementType::I64, &[if is_set(call, index) { size } else { 0 }]));
    Ok(vec![Some(x.clone()), asked(inverse), asked(counts)])
}

fn unique_consecutive_bound(call: &Call) -> Bounds {
    if optional_dim(call, 3).is_none() {
        return flat_bound(call, 1, Some(2));
    }
    let x = meta_of(call, 0)?;
    let size = optional_dim(call, 3).and_then(|dim| x.dims.get(dim)).copied().unwrap_or(1);
    let asked = |index: usize| Some(TensorMeta::new(ElementType::I64, &[if is_set(call, index) { size } else { 0 }]));
    Ok(vec![Some(x.clone()), asked(1), asked(2)])
}

/// `a < b` with NaN above everything, as ATen sorts.
pub(super) fn sorts_before<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.element().is_float() { a.lt(b) | (b.ne(b) & a.eq(a)) } else { a.lt(b) }
}

/// Groups of equal neighbours in an order of `size` elements.
struct Groups<'f> {
    /// Where each ordered element was; `None` when the order is the given one.
    order: Option<Value<'f>>,
    /// Number of the group of each ordered element.
    group: Value<'f>,
    /// True for the first of each group.
    first: Value<'f>,
    count: Value<'f>,
}

impl<'f> Groups<'f> {
    /// `differs` says for ordered elements 1.. whether they differ from the one before.
    fn new(order: Option<Value<'f>>, differs: Value<'f>, size: i64) -> Self {
        let func = differs.func();
        let first = func.concatenate(&[func.splat(ElementType::I1, &[size.min(1)], true), differs], 0);
        let running = running_count(first);
        Self { order, group: running - running.like(1i64), first, count: last_of(running) }
    }

    /// Group of each element in the given order, as i64.
    fn inverse(&self) -> Value<'f> {
        let group = self.group.convert(ElementType::I64);
        match self.order {
            None => group,
            Some(order) => scatter_flat(group.like(0i64), order, group, Combine::Set),
        }
    }

    fn counts(&self) -> Value<'f> {
        let zeros = self.group.func().splat(ElementType::I64, &self.group.dims(), 0i64);
        scatter_flat(zeros, self.group, zeros.like(1i64), Combine::Add)
    }

    /// The results after the elements, and then the counts of all results.
    fn finish(&self, cx: &Lowering<'f, '_>, elements: Value<'f>, inverse: usize, counts: Option<usize>) -> Lowered<'f> {
        let keep = cx.func.constant_i64(ElementType::I64, -1);
        let count = self.count.convert(ElementType::I64);
        let nothing = cx.func.splat(ElementType::I64, &[0], 0i64);
        let (mut results, mut sizes) = (vec![Some(elements)], vec![Some(count)]);
        results.push(Some(if is_set(cx.call(), inverse) { self.inverse().reshape(&cx.output(1)?.dims) } else { nothing }));
        sizes.push(Some(keep));
        if let Some(counts) = counts {
            let asked = is_set(cx.call(), counts);
            results.push(Some(if asked { self.counts() } else { nothing }));
            sizes.push(Some(if asked { count } else { keep }));
        }
        results.append(&mut sizes);
        Ok(results)
    }
}

fn unique_elements<'f>(cx: &Lowering<'f, '_>, sort: bool, inverse: usize, counts: Option<usize>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let size = x.numel();
    let mut flat = x.reshape(&[size]);
    let mut order = None;
    if sort {
        // Booleans have no order of their own in every plugin.
        let keys = if flat.element().is_bool() { flat.convert(ElementType::I32) } else { flat };
        let places = cx.func.iota(position_element(size), &[size], 0);
        let wants_order = is_set(cx.call(), inverse);
        let operands = if wants_order { vec![keys, places] } else { vec![keys] };
        let sorted = cx.func.sort(&operands, 0, true, |pairs| sorts_before(pairs[0].0, pairs[0].1));
        flat = sorted.first().copied().unwrap_or(keys).convert(flat.element());
        order = sorted.get(1).copied();
    }
    let differs =
        if size > 1 { flat.slice_dim(0, 1, size).ne(flat.slice_dim(0, 0, size - 1)) } else { cx.func.splat(ElementType::I1, &[0], false) };
    let groups = Groups::new(order, differs, size);
    let (kept, _) = super::compaction::kept_rows(flat, groups.first);
    groups.finish(cx, kept, inverse, counts)
}

fn unique_consecutive<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    match optional_dim(cx.call(), 3) {
        None => unique_elements(cx, false, 1, Some(2)),
        Some(dim) => distinct_slices(cx, dim, false, 1, 2),
    }
}

fn unique_slices<'f>(cx: &Lowering<'f, '_>, sort: bool, inverse: usize, counts: usize) -> Lowered<'f> {
    let dim = optional_dim(cx.call(), 1).unwrap_or(0);
    distinct_slices(cx, dim, sort, inverse, counts)
}

/// Slices along `dim` as rows of a matrix, in lexicographic order if `sort`, and the first of each run of equal rows.
fn distinct_slices<'f>(cx: &Lowering<'f, '_>, dim: usize, sort: bool, inverse: usize, counts: usize) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let x = if x.rank() == 0 { x.reshape(&[1]) } else { x };
    let (dims, rank) = (x.dims(), x.rank());
    let size = dims[dim];
    let mut forward: Dims = (0..rank as i64).filter(|d| *d != dim as i64).collect();
    forward.insert(0, dim as i64);
    let moved = x.transpose(&forward);
    let width: i64 = dims.iter().enumerate().filter(|(d, _)| *d != dim).map(|(_, size)| *size).product();
    let rows = moved.reshape(&[size, width]);

    let mut order = None;
    let mut ordered = rows;
    if sort && size > 0 && width > 0 {
        let found = lexicographic_order(rows);
        ordered = gather_slices(rows, found, 0);
        order = Some(found);
    }
    let differs = if size > 1 {
        ordered.slice_dim(0, 1, size).ne(ordered.slice_dim(0, 0, size - 1)).reduce_or(&[1])
    } else {
        cx.func.splat(ElementType::I1, &[0], false)
    };
    let groups = Groups::new(order, differs, size);
    let (firsts, _) = kept_positions(groups.first);
    let kept = gather_slices(ordered, firsts, 0).reshape(&moved.dims());
    let mut back: Dims = (1..=dim as i64).collect();
    back.push(0);
    back.extend(dim as i64 + 1..rank as i64);
    let kept = pack(kept.transpose(&back), dim, groups.count).reshape(cx.out_dims());
    groups.finish(cx, kept, inverse, Some(counts))
}

/// The permutation that sorts the rows: stable sorts by each column, from the last to the first.
fn lexicographic_order(rows: Value<'_>) -> Value<'_> {
    let func = rows.func();
    let (size, width) = (rows.dims()[0], rows.dims()[1]);
    let keys = if rows.element().is_bool() { rows.convert(ElementType::I32) } else { rows };
    let places = func.iota(position_element(size), &[size], 0);
    let last = func.constant_i64(ElementType::I32, width - 1);
    let zero = func.constant_i64(ElementType::I32, 0);
    let sorted = func.while_loop(
        &[last, places],
        |state| state[0].ge(zero),
        |state| {
            let (column, order) = (state[0], state[1]);
            let column_keys = keys.dynamic_slice(&[zero, column], &[size, 1]).reshape(&[size]);
            let operands = [gather_slices(column_keys, order, 0), order];
            let sorted = func.sort(&operands, 0, true, |pairs| sorts_before(pairs[0].0, pairs[0].1));
            vec![column - func.constant_i64(ElementType::I32, 1), sorted.get(1).copied().unwrap_or(order)]
        },
    );
    sorted.get(1).copied().unwrap_or(places)
}
