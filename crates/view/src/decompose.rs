//! From strided geometry to array steps, in the value's own dimensions where the geometry allows it.
//! 1. Sort the view's dimensions by stride and see which boundaries between the value's dimensions the view respects;
//!    value dimensions whose boundary it crosses are merged, so only those are flattened.
//! 2. Slice, and where several view dimensions share one value dimension split, each value dimension on its own.
//! 3. Reshape, transpose, broadcast and reverse into the view's order.

use stablehlo::Dims;

use crate::View;
use crate::layout::numel;
use crate::step::Step;

/// A view dimension, or a run of them that is contiguous in stride order. Strides are positive, sizes at least 2.
#[derive(Debug, Clone, Copy)]
struct Axis {
    size: i64,
    stride: i64,
}

/// A dimension of the array under construction.
#[derive(Debug)]
enum Factor {
    /// As the view wants it.
    Done(i64),
    /// `axes`, outermost first, run through a dimension of `size` from `offset`.
    Open { size: i64, offset: i64, axes: Vec<Axis> },
    /// `axes` overlap; sliced to what they cover, it waits for a gather.
    Overlapping { size: i64, axes: Vec<Axis> },
}

impl Factor {
    fn size(&self) -> i64 {
        match self {
            Factor::Done(size) | Factor::Open { size, .. } | Factor::Overlapping { size, .. } => *size,
        }
    }
}

/// Steps from a dense array of `dims` to `view`, of the same element. The view has elements and the caller has checked
/// that they lie inside.
pub(crate) fn decompose(view: &View, dims: &[i64]) -> Vec<Step> {
    let mut path = Path { dims: dims.into(), steps: Vec::new() };
    if view.offset == 0 && view.numel() == numel(dims) && view.is_contiguous() {
        path.reshape(view.sizes.clone());
        return path.steps;
    }

    let (offset, strides) = without_negative_strides(view);
    let order = stride_order(&view.sizes, &strides);
    let axes = merge_runs(order.iter().map(|&dim| Axis { size: view.sizes[dim], stride: strides[dim] }));
    let factors = assign(dims, offset, axes);
    path.extract(factors);
    path.arrange(view, &order);

    let reversed: Dims = (0..view.sizes.len()).filter(|&dim| view.sizes[dim] > 1 && view.strides[dim] < 0).map(|dim| dim as i64).collect();
    if !reversed.is_empty() {
        path.steps.push(Step::Reverse { dims: reversed });
    }
    path.steps
}

fn without_negative_strides(view: &View) -> (i64, Dims) {
    let mut offset = view.offset;
    let mut strides = view.strides.clone();
    for (stride, &size) in strides.iter_mut().zip(&view.sizes) {
        if size > 1 && *stride < 0 {
            offset += (size - 1) * *stride;
            *stride = -*stride;
        }
    }
    (offset, strides)
}

/// The view dimensions that move through memory, outermost first.
fn stride_order(sizes: &[i64], strides: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&dim| sizes[dim] > 1 && strides[dim] != 0).collect();
    order.sort_by_key(|&dim| std::cmp::Reverse(strides[dim]));
    order
}

fn merge_runs(axes: impl Iterator<Item = Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for axis in axes {
        match merged.last_mut() {
            Some(outer) if outer.stride == axis.stride * axis.size => {
                *outer = Axis { size: outer.size * axis.size, stride: axis.stride };
            }
            _ => merged.push(axis),
        }
    }
    merged
}

/// Gives each axis to the value dimension that it runs through, merging value dimensions that an axis runs across.
fn assign(dims: &[i64], offset: i64, mut axes: Vec<Axis>) -> Vec<Factor> {
    let mut factors = Vec::new();
    let mut size = 1;
    let mut low = numel(dims);
    for &dim in dims {
        size *= dim;
        low /= dim;
        let Some(split) = split_at(low, offset % low, &axes) else { continue };
        axes = split;
        let high = low * size;
        let own = axes.iter().filter(|axis| axis.stride >= low && axis.stride < high);
        let own = own.map(|axis| Axis { size: axis.size, stride: axis.stride / low }).collect();
        factors.push(Factor::Open { size, offset: offset / low % size, axes: own });
        size = 1;
    }
    factors
}

/// The axes, one of them split if need be, such that each stays on one side of `boundary` and the lower ones, from
/// `offset`, never reach it. None if that cannot be.
fn split_at(boundary: i64, offset: i64, axes: &[Axis]) -> Option<Vec<Axis>> {
    let mut axes = axes.to_vec();
    let lower = axes.iter().position(|axis| axis.stride < boundary).unwrap_or(axes.len());
    if axes[..lower].iter().any(|axis| axis.stride % boundary != 0) {
        return None;
    }
    if offset + reach(&axes[lower..]) < boundary {
        return Some(axes);
    }
    let across = *axes.get(lower)?;
    let below = boundary / across.stride;
    if boundary % across.stride != 0 || across.size % below != 0 {
        return None;
    }
    axes[lower] = Axis { size: below, stride: across.stride };
    axes.insert(lower, Axis { size: across.size / below, stride: boundary });
    (offset + reach(&axes[lower + 1..]) < boundary).then_some(axes)
}

/// Distance from the first to the last element.
fn reach(axes: &[Axis]) -> i64 {
    axes.iter().map(|axis| (axis.size - 1) * axis.stride).sum()
}

/// The steps so far and the dims that they leave.
struct Path {
    dims: Dims,
    steps: Vec<Step>,
}

impl Path {
    /// Takes from every factor the elements that its axes visit. Leaves the axes in stride order, with ones between.
    fn extract(&mut self, mut factors: Vec<Factor>) {
        loop {
            factors = factors.into_iter().flat_map(split_aligned).collect();
            self.reshape(factors.iter().map(Factor::size).collect());

            let cuts: Vec<Cut> = factors.into_iter().map(cut).collect();
            self.slice(&cuts);
            self.pad(cuts.iter().map(|cut| cut.pad).collect());
            let finished = cuts.iter().all(|cut| cut.next.len() == 1);
            factors = cuts.into_iter().flat_map(|cut| cut.next).collect();
            if finished {
                break;
            }
        }
        for (dim, factor) in factors.iter().enumerate().rev() {
            if let Factor::Overlapping { axes, .. } = factor {
                let sizes: Dims = axes.iter().map(|axis| axis.size).collect();
                let strides = axes.iter().map(|axis| axis.stride).collect();
                self.dims = self.dims[..dim].iter().chain(&sizes).chain(&self.dims[dim + 1..]).copied().collect();
                self.steps.push(Step::Gather { dim: dim as i64, start: 0, sizes, strides });
            }
        }
    }

    /// From the axes in stride order to the view's dimensions: `order` lists the view dimensions of the axes.
    fn arrange(&mut self, view: &View, order: &[usize]) {
        let sizes = &view.sizes;
        let mut core = order.to_vec();
        core.sort_unstable();
        let in_order = core == order;
        if (0..sizes.len()).any(|dim| sizes[dim] > 1 && !order.contains(&dim)) {
            let ones_stand_for_broadcasts = in_order
                && self.dims.len() == sizes.len()
                && self.dims.iter().zip(sizes).enumerate().all(|(dim, (&have, &want))| have == if order.contains(&dim) { want } else { 1 });
            if ones_stand_for_broadcasts {
                self.broadcast(sizes.clone(), (0..sizes.len() as i64).collect());
            } else {
                self.reshape(order.iter().map(|&dim| sizes[dim]).collect());
                self.transpose(core.iter().map(|&dim| position(order, dim)).collect());
                self.broadcast(sizes.clone(), core.iter().map(|&dim| dim as i64).collect());
            }
        } else if in_order {
            self.reshape(sizes.clone());
        } else {
            self.transpose_with_ones(sizes, &core, order);
        }
    }

    /// Reorders without broadcasts. Dimensions of size 1 come from the array if it has as many as the view, else a reshape
    /// puts them where the view has them.
    fn transpose_with_ones(&mut self, sizes: &Dims, core: &[usize], order: &[usize]) {
        let fits =
            self.dims.len() == sizes.len() && self.dims.iter().filter(|&&size| size != 1).copied().eq(order.iter().map(|&dim| sizes[dim]));
        if !fits {
            let mut sorted = sizes.clone();
            for (&place, &dim) in core.iter().zip(order) {
                sorted[place] = sizes[dim];
            }
            self.reshape(sorted);
        }
        let (ones, long): (Vec<i64>, Vec<i64>) = (0..self.dims.len() as i64).partition(|&dim| self.dims[dim as usize] == 1);
        let mut ones = ones.into_iter();
        let mut permutation = Dims::new();
        for (dim, &size) in sizes.iter().enumerate() {
            let source = if size == 1 { ones.next() } else { long.get(position(order, dim) as usize).copied() };
            permutation.extend(source);
        }
        self.transpose(permutation);
    }

    fn reshape(&mut self, dims: Dims) {
        if self.dims == dims {
            return;
        }
        if let Some(Step::Reshape { .. }) = self.steps.last() {
            self.steps.pop();
        }
        self.steps.push(Step::Reshape { dims: dims.clone() });
        self.dims = dims;
    }

    fn slice(&mut self, cuts: &[Cut]) {
        let whole = self.dims.iter().zip(cuts).all(|(&size, cut)| cut.start == 0 && cut.limit == size && cut.stride == 1);
        if whole {
            return;
        }
        self.steps.push(Step::Slice {
            start: cuts.iter().map(|cut| cut.start).collect(),
            limit: cuts.iter().map(|cut| cut.limit).collect(),
            stride: cuts.iter().map(|cut| cut.stride).collect(),
        });
        self.dims = cuts.iter().map(|cut| (cut.limit - cut.start + cut.stride - 1) / cut.stride).collect();
    }

    fn pad(&mut self, high: Dims) {
        if high.iter().any(|&high| high != 0) {
            self.dims.iter_mut().zip(&high).for_each(|(size, &high)| *size += high);
            self.steps.push(Step::Pad { high });
        }
    }

    fn transpose(&mut self, permutation: Dims) {
        if !permutation.iter().copied().eq(0..permutation.len() as i64) {
            self.dims = permutation.iter().map(|&dim| self.dims[dim as usize]).collect();
            self.steps.push(Step::Transpose { permutation });
        }
    }

    fn broadcast(&mut self, dims: Dims, mapping: Dims) {
        self.dims = dims.clone();
        self.steps.push(Step::Broadcast { dims, mapping });
    }
}

fn position(order: &[usize], dim: usize) -> i64 {
    order.iter().take_while(|&&other| other != dim).count() as i64
}

/// Splits a dimension that several axes share where the blocks of the outer axis line up with it; no slice is needed first.
fn split_aligned(factor: Factor) -> Vec<Factor> {
    let Factor::Open { size, offset, axes } = factor else { return vec![factor] };
    let [outer, inner @ ..] = axes.as_slice() else { return vec![Factor::Open { size, offset, axes }] };
    let block = greatest_common_divisor(outer.stride, size);
    if inner.is_empty() || offset % block + reach(inner) >= block {
        return vec![Factor::Open { size, offset, axes }];
    }
    let blocks = Axis { size: outer.size, stride: outer.stride / block };
    let mut factors = vec![Factor::Open { size: size / block, offset: offset / block, axes: vec![blocks] }];
    factors.extend(split_aligned(Factor::Open { size: block, offset: offset % block, axes: inner.to_vec() }));
    factors
}

/// What to keep of a dimension, the zeros to append, and what the dimension is to become.
struct Cut {
    start: i64,
    limit: i64,
    stride: i64,
    pad: i64,
    next: Vec<Factor>,
}

fn cut(factor: Factor) -> Cut {
    let (size, offset, axes) = match factor {
        Factor::Open { size, offset, axes } => (size, offset, axes),
        other => return Cut { start: 0, limit: other.size(), stride: 1, pad: 0, next: vec![other] },
    };
    match axes.as_slice() {
        [] => Cut { start: offset, limit: offset + 1, stride: 1, pad: 0, next: vec![Factor::Done(1)] },
        [axis] => Cut { start: offset, limit: offset + reach(&axes) + 1, stride: axis.stride, pad: 0, next: vec![Factor::Done(axis.size)] },
        [outer, inner @ ..] if reach(inner) < outer.stride => {
            // A run of whole blocks that starts as far before the first element as the end of the dimension asks for, or where
            // the dimension is shorter than the run, at the first element with zeros at the end.
            let run = outer.size * outer.stride;
            let lead = (offset + run - size).max(0);
            let lead = if lead <= offset { lead } else { 0 };
            let start = offset - lead;
            let limit = (start + run).min(size);
            let next = vec![Factor::Done(outer.size), Factor::Open { size: outer.stride, offset: lead, axes: inner.to_vec() }];
            Cut { start, limit, stride: 1, pad: start + run - limit, next }
        }
        _ => {
            let covered = reach(&axes) + 1;
            Cut { start: offset, limit: offset + covered, stride: 1, pad: 0, next: vec![Factor::Overlapping { size: covered, axes }] }
        }
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
