//! Advanced indexing: a list of index tensors and masks over the dimensions of one tensor.
//!
//! A mask stands for the positions where it is true. The dimensions that it covers are merged, so that every
//! entry indexes one dimension; what is not known before the program runs is how many of its positions count.

use stablehlo::{Dims, ElementType, GatherDims, ScatterDims, Value};

use super::compaction::kept_positions;
use super::positions::{Combine, Complaint, Negative, position_element, positions, scatter};
use crate::{Call, CallArgument, LowerError, Lowering, TensorMeta};

/// What shapes alone tell about an advanced index.
#[derive(Debug)]
struct Plan {
    /// Sizes of the indexed tensor with the dimensions under a mask merged.
    merged: Dims,
    entries: Vec<Entry>,
    /// Broadcast shape of the entries; the last size is an upper bound when `counted`.
    batch: Dims,
    /// Where the batch stands in the result.
    place: usize,
    /// The last size of the batch is the number of true elements of a mask.
    counted: bool,
}

#[derive(Debug)]
struct Entry {
    /// Position in the list of index tensors.
    position: usize,
    /// The merged dimension that is indexed.
    axis: usize,
    /// That dimension's number before merging, for messages.
    dim: i64,
    mask: bool,
}

fn is_mask(meta: &TensorMeta) -> bool {
    matches!(meta.element, ElementType::I1 | ElementType::U8)
}

fn index_metas(call: &Call) -> Vec<Option<&TensorMeta>> {
    match call.arguments.get(1) {
        Some(CallArgument::Tensors(list)) => list.iter().map(|t| t.as_ref().map(|t| &t.meta)).collect(),
        _ => Vec::new(),
    }
}

/// Whether the call's argument 1 holds a mask.
pub(super) fn has_mask(call: &Call) -> bool {
    index_metas(call).into_iter().flatten().any(is_mask)
}

fn indexed_dims(call: &Call) -> &[i64] {
    match call.arguments.first() {
        Some(CallArgument::Tensor(t)) => &t.meta.dims,
        _ => &[],
    }
}

impl Plan {
    /// For a call whose argument 0 is indexed by the list in argument 1; `None` when nothing is indexed.
    fn of(call: &Call) -> Result<Option<Plan>, LowerError> {
        let dims = indexed_dims(call);
        let metas = index_metas(call);
        let mut merged = Dims::new();
        let mut entries = Vec::new();
        let mut dim = 0;
        for (position, meta) in metas.iter().enumerate() {
            let Some(meta) = meta else {
                merged.extend(dims.get(dim).copied());
                dim += 1;
                continue;
            };
            let mask = is_mask(meta);
            let covered = if mask { meta.dims.len() } else { 1 };
            if covered == 0 {
                continue;
            }
            if dims.len() < dim + covered || mask && dims[dim..dim + covered] != meta.dims[..] {
                return Err(LowerError::unsupported(format!("the mask {:?} over the dimensions {:?} at index {dim}", meta.dims, dims)));
            }
            entries.push(Entry { position, axis: merged.len(), dim: dim as i64, mask });
            merged.push(dims[dim..dim + covered].iter().product());
            dim += covered;
        }
        merged.extend(dims.iter().skip(dim).copied());
        let Some(first) = entries.first() else { return Ok(None) };
        let adjacent = entries.windows(2).all(|pair| pair[0].axis + 1 == pair[1].axis);
        let place = if adjacent { first.axis } else { 0 };

        let mut batch = Dims::new();
        for entry in entries.iter().filter(|e| !e.mask) {
            if let Some(meta) = metas[entry.position] {
                batch = broadcast(&batch, &meta.dims)?;
            }
        }
        let bound = entries.iter().filter(|e| e.mask).map(|e| merged[e.axis]).max();
        let counted = match (bound, batch.last_mut()) {
            (Some(bound), Some(last)) if *last == 1 => {
                *last = bound;
                true
            }
            (Some(bound), None) => {
                batch.push(bound);
                true
            }
            _ => false,
        };
        Ok(Some(Plan { merged, entries, batch, place, counted }))
    }

    /// Sizes of the indexing result.
    fn result(&self) -> Dims {
        let mut rest: Dims =
            (0..self.merged.len()).filter(|axis| self.entries.iter().all(|e| e.axis != *axis)).map(|axis| self.merged[axis]).collect();
        rest.insert_from_slice(self.place, &self.batch);
        rest
    }

    /// The data-dependent dimension of the result.
    fn counted_dim(&self) -> usize {
        self.place + self.batch.len().saturating_sub(1)
    }
}

fn broadcast(a: &[i64], b: &[i64]) -> Result<Dims, LowerError> {
    let rank = a.len().max(b.len());
    let at = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |k| dims[k]);
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y || y == 1 => Ok(x),
            (1, y) => Ok(y),
            _ => Err(LowerError::unsupported(format!("index tensors of shapes {a:?} and {b:?}"))),
        })
        .collect()
}

/// Upper bounds of an indexing result; an empty list without a mask.
pub(super) fn bounded_dims(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    if !has_mask(call) {
        return Ok(Vec::new());
    }
    let Some(CallArgument::Tensor(x)) = call.arguments.first() else { return Ok(Vec::new()) };
    Ok(match Plan::of(call)? {
        Some(plan) => vec![Some(TensorMeta { element: x.meta.element, dims: plan.result() })],
        None => vec![Some(x.meta.clone())],
    })
}

/// The dimension of the indexing result that depends on data.
pub(super) fn masks_cut_dim(call: &Call) -> usize {
    Plan::of(call).ok().flatten().map_or(0, |plan| plan.counted_dim())
}

/// An advanced index whose entries have become positions.
pub(super) struct Advanced<'f> {
    plan: Plan,
    /// The batch's shape and one position for each entry.
    positions: Value<'f>,
    /// How many positions of the last batch dimension count, where that depends on data; i32 or i64, 0-dim.
    pub count: Option<Value<'f>>,
}

impl<'f> Advanced<'f> {
    /// The index of `x` in list argument `list` (argument 1 of `call`); `None` when nothing is indexed.
    pub fn read(cx: &Lowering<'f, '_>, x: Value<'f>, list: usize) -> Result<Option<Self>, LowerError> {
        let Some(plan) = Plan::of(cx.call())? else { return Ok(None) };
        let tensors = cx.optional_tensors(list)?;
        let tensor = |entry: &Entry| tensors.get(entry.position).copied().flatten();
        let element = position_element(plan.entries.iter().map(|e| plan.merged[e.axis]).max().unwrap_or(0));

        let mut count: Option<Value<'f>> = None;
        let mut counts = Vec::new();
        for entry in plan.entries.iter().filter(|e| e.mask) {
            let Some(mask) = tensor(entry) else { continue };
            let (positions, own) = kept_positions(mask.convert(ElementType::I1).reshape(&[mask.numel()]));
            let (positions, own) = (positions.convert(element), own.convert(element));
            count = Some(count.map_or(own, |count| count.eq(count.like(1i64)).select(own, count)));
            counts.push((entry.axis, positions, own));
        }
        let last = plan.batch.last().copied().unwrap_or(1);
        if !plan.counted && count.is_some() {
            count = Some(cx.func.constant_i64(element, last));
        }

        let mut components = Vec::with_capacity(plan.entries.len());
        for entry in &plan.entries {
            let Some(index) = tensor(entry) else { continue };
            let size = plan.merged[entry.axis];
            let component = match counts.iter().find(|(axis, ..)| *axis == entry.axis) {
                Some((_, positions, own)) => {
                    if let (Some(count), true) = (count, counts.len() > 1 || !plan.counted) {
                        let bad = own.ne(count) & own.ne(own.like(1i64));
                        cx.check(
                            bad,
                            *own,
                            "shape mismatch: indexing tensors could not be broadcast together, a mask has {} true elements",
                        );
                        let (fitted, first) = (fit(*positions, 0, last, size), fit(*positions, 0, 1, size));
                        own.eq(own.like(1i64)).select(first.broadcast_to(&[last]), fitted)
                    } else {
                        *positions
                    }
                }
                None => positions(cx, index, size, Negative::Wraps, Complaint::out_of_bounds(entry.dim, x.dims()[entry.dim as usize]))
                    .convert(element),
            };
            let mut dims = plan.batch.clone();
            let component = component.broadcast_to(&dims);
            dims.push(1);
            components.push(component.reshape(&dims));
        }
        let positions = cx.func.concatenate(&components, plan.batch.len() as i64);
        let count = count.filter(|_| plan.counted);
        Ok(Some(Self { plan, positions, count }))
    }

    /// Axes of the result that are not of the batch.
    fn window_dims(&self) -> Vec<i64> {
        let (place, end) = (self.plan.place as i64, (self.plan.place + self.plan.batch.len()) as i64);
        (0..self.plan.result().len() as i64).filter(|axis| *axis < place || *axis >= end).collect()
    }

    fn indexed_axes(&self) -> Vec<i64> {
        self.plan.entries.iter().map(|e| e.axis as i64).collect()
    }

    pub fn gather(&self, x: Value<'f>) -> Value<'f> {
        let result = self.plan.result();
        if result.contains(&0) || x.numel() == 0 {
            return x.func().splat(x.element(), &result, 0i64);
        }
        let axes = self.indexed_axes();
        let mut slice_sizes = self.plan.merged.to_vec();
        for axis in &axes {
            slice_sizes[*axis as usize] = 1;
        }
        x.reshape(&self.plan.merged).gather(
            self.positions,
            &GatherDims {
                offset_dims: self.window_dims(),
                collapsed_slice_dims: axes.clone(),
                start_index_map: axes,
                index_vector_dim: self.plan.batch.len() as i64,
                slice_sizes,
                ..GatherDims::default()
            },
        )
    }

    /// `x` with `values` set or added at the index.
    pub fn put(&self, cx: &Lowering<'f, '_>, x: Value<'f>, values: Value<'f>, combine: Combine) -> Value<'f> {
        let result = self.plan.result();
        let mut values = without_leading_ones(values, result.len());
        if let Some(count) = self.count {
            let from_end = result.len() - self.plan.counted_dim();
            if let Some(axis) = values.rank().checked_sub(from_end) {
                let given = values.dims()[axis];
                if given != 1 {
                    self.check_value_count(cx, count, given);
                    values = fit(values, axis as i64, result[self.plan.counted_dim()], 0);
                }
            }
        }
        let updates = values.broadcast_to(&result);
        let dims = ScatterDims {
            update_window_dims: self.window_dims(),
            inserted_window_dims: self.indexed_axes(),
            scatter_dims_to_operand_dims: self.indexed_axes(),
            index_vector_dim: self.plan.batch.len() as i64,
            ..ScatterDims::default()
        };
        scatter(x.reshape(&self.plan.merged), self.positions, updates, &dims, combine).reshape(&x.dims())
    }

    fn check_value_count(&self, cx: &Lowering<'f, '_>, count: Value<'f>, given: i64) {
        let message = format!("shape mismatch: {given} values cannot be broadcast to the {{}} true elements of the mask");
        cx.check_data(count.ne(count.like(given)), count, message);
    }
}

/// A single mask and nothing else: its flags over the merged dimension and that dimension.
pub(super) struct SoleMask<'f> {
    plan: Plan,
    flags: Value<'f>,
}

impl<'f> SoleMask<'f> {
    pub fn read(cx: &Lowering<'f, '_>, list: usize) -> Result<Option<Self>, LowerError> {
        let Some(plan) = Plan::of(cx.call())? else { return Ok(None) };
        let ([entry], true) = (plan.entries.as_slice(), plan.counted) else { return Ok(None) };
        let Some(mask) = cx.optional_tensors(list)?.get(entry.position).copied().flatten() else { return Ok(None) };
        let flags = mask.convert(ElementType::I1).reshape(&[mask.numel()]);
        Ok(Some(Self { plan, flags }))
    }

    /// `x` with `values`, one for all true elements or one for each, set or added; needs no position.
    pub fn put(&self, cx: &Lowering<'f, '_>, x: Value<'f>, values: Value<'f>, combine: Combine) -> Value<'f> {
        let merged = &self.plan.merged;
        let axis = self.plan.place;
        let mut values = without_leading_ones(values, merged.len());
        if let Some(own) = values.rank().checked_sub(merged.len() - axis)
            && values.dims()[own] != 1
        {
            let given = values.dims()[own];
            let running = super::positions::running_count(self.flags);
            let total = super::compaction::last_of(running);
            let message = format!("shape mismatch: {given} values cannot be broadcast to the {{}} true elements of the mask");
            cx.check_data(total.ne(total.like(given)), total, message);
            if given == 0 || x.numel() == 0 {
                return x;
            }
            values = super::positions::gather_slices(values, running - running.like(1i64), own as i64);
        }
        let base = x.reshape(merged);
        let values = values.broadcast_to(merged);
        let chosen = self.flags.broadcast_in_dim(merged, &[axis as i64]);
        chosen.select(combine.apply(base, values), base).reshape(&x.dims())
    }
}

/// ATen lets values have more dimensions than the result if they are of size 1.
fn without_leading_ones(values: Value<'_>, rank: usize) -> Value<'_> {
    let dims = values.dims();
    let extra = dims.len().saturating_sub(rank);
    values.reshape(&dims[extra..])
}

/// Dimension `axis` cut to `size`, or extended to it with `fill`.
fn fit(x: Value<'_>, axis: i64, size: i64, fill: i64) -> Value<'_> {
    let dims = x.dims();
    let own = dims[axis as usize];
    if own >= size {
        return x.slice_dim(axis, 0, size);
    }
    let zeros: Dims = dims.iter().map(|_| 0).collect();
    let mut high = zeros.clone();
    high[axis as usize] = size - own;
    x.pad(x.func().constant_i64(x.element(), fill), &zeros, &high, &zeros)
}
