//! Plans into StableHLO. `get` walks a step up from the value to the view, `put` walks it back down with an update.
//! Indices are i32 unless a dimension is too long, and are computed by iota in the program, never baked in.

use smallvec::SmallVec;
use stablehlo::{Dims, ElementType, GatherDims, ScatterDims, TensorType, Value};

use crate::step::{Step, layouts, parted_dims};
use crate::{ReadPlan, ValueLayout, Write, WritePlan};

impl ReadPlan {
    /// The view's array, made from `value` of the plan's layout.
    pub fn emit<'f>(&self, value: Value<'f>) -> Value<'f> {
        run(&self.steps, expect("view.read", value, &self.value))
    }

    /// The same for a view that moves: `starts` are 0-dim integers in the order of `starts()`.
    pub fn emit_at<'f>(&self, value: Value<'f>, starts: &[Value<'f>]) -> Value<'f> {
        run_at(&self.steps, expect("view.read", value, &self.value), &mut starts.iter().copied())
    }
}

impl WritePlan {
    /// The storage's next value, of `result_layout()`. Without a base, what the view does not touch is zero.
    pub fn emit<'f>(&self, base: Option<Value<'f>>, update: Value<'f>) -> Value<'f> {
        self.emit_with(base, update, None)
    }

    /// The same for a view that moves: `starts` are 0-dim integers in the order of `starts()`.
    pub fn emit_at<'f>(&self, base: Option<Value<'f>>, update: Value<'f>, starts: &[Value<'f>]) -> Value<'f> {
        self.emit_with(base, update, Some(starts))
    }

    fn emit_with<'f>(&self, base: Option<Value<'f>>, update: Value<'f>, starts: Option<&[Value<'f>]>) -> Value<'f> {
        let update = expect("view.write", update, &self.update);
        match &self.write {
            Write::Replace { steps } => run(steps, update),
            Write::Through { base: layout, prepare, path } => {
                let base = match base {
                    Some(base) => run(prepare, expect("view.write", base, layout)),
                    None => update.func().zero(tensor_type(&self.result)),
                };
                put_all(path, &self.result, base, update, starts)
            }
        }
    }
}

fn tensor_type(layout: &ValueLayout) -> TensorType {
    TensorType::new(layout.element, &layout.dims)
}

/// A caller that brings another type than it planned for hears of it as of any other type error in the function.
fn expect<'f>(op: &'static str, value: Value<'f>, layout: &ValueLayout) -> Value<'f> {
    let ty = tensor_type(layout);
    if value.ty() == ty {
        return value;
    }
    value.func().reject(op, &[value], format!("the {ty} that the plan was made for"));
    value.func().poisoned(ty)
}

fn run<'f>(steps: &[Step], value: Value<'f>) -> Value<'f> {
    steps.iter().fold(value, |value, step| get(step, value))
}

/// As `run`, with slices that start where `starts` says.
fn run_at<'f>(steps: &[Step], value: Value<'f>, starts: &mut impl Iterator<Item = Value<'f>>) -> Value<'f> {
    steps.iter().fold(value, |value, step| {
        let start = Start::of(step, value, Some(starts));
        get_at(step, value, &start)
    })
}

/// Where a slice starts in each dimension.
enum Start<'f> {
    /// Where its step says.
    Fixed,
    Moving(SmallVec<[Value<'f>; 6]>),
}

impl<'f> Start<'f> {
    /// Takes the starts of `step` on `below` from what is left of them.
    fn of(step: &Step, below: Value<'f>, starts: Option<&mut dyn Iterator<Item = Value<'f>>>) -> Self {
        let (Step::Slice { .. }, Some(starts)) = (step, starts) else { return Start::Fixed };
        let layout = ValueLayout { dims: below.dims(), element: below.element() };
        let index = index_element(layout.dims.iter().copied().max().unwrap_or(0));
        let mut all: SmallVec<[Value<'f>; 6]> = layout.dims.iter().map(|_| below.func().constant_i64(index, 0)).collect();
        for axis in parted_dims(step, &layout) {
            if let Some(start) = starts.next() {
                all[axis] = start.convert(index);
            }
        }
        Start::Moving(all)
    }
}

/// Reads the path as far down as some put still needs, then puts the update back up.
fn put_all<'f>(path: &[Step], layout: &ValueLayout, base: Value<'f>, update: Value<'f>, starts: Option<&[Value<'f>]>) -> Value<'f> {
    let mut starts = starts.map(|starts| starts.iter().copied());
    let mut places: SmallVec<[Start<'f>; 8]> = SmallVec::new();
    let needed = path.iter().rposition(Step::put_needs_base).map_or(0, |last| last + 1);
    let mut bases: SmallVec<[Value<'f>; 8]> = SmallVec::new();
    let mut level = base;
    for (place, step) in path.iter().enumerate().take(needed) {
        bases.push(level);
        places.push(Start::of(step, level, starts.as_mut().map(|starts| starts as &mut dyn Iterator<Item = Value<'f>>)));
        if place + 1 < needed {
            level = get_at(step, level, &places[place]);
        }
    }
    let below = layouts(layout, path);
    let mut update = update;
    for (place, step) in path.iter().enumerate().rev() {
        update = match bases.get(place) {
            Some(&base) if step.put_needs_base() => put_over(step, base, update, &places[place]),
            _ => put(step, &below[place], update),
        };
    }
    update
}

fn get_at<'f>(step: &Step, value: Value<'f>, start: &Start<'f>) -> Value<'f> {
    match (step, start) {
        (Step::Slice { start: first, limit, stride }, Start::Moving(starts)) => {
            let sizes: Dims = first.iter().zip(limit).map(|(first, limit)| limit - first).collect();
            let window = value.dynamic_slice(starts, &sizes);
            if stride.iter().all(|&stride| stride == 1) { window } else { window.slice(&zeros(sizes.len()), &sizes, stride) }
        }
        _ => get(step, value),
    }
}

fn get<'f>(step: &Step, value: Value<'f>) -> Value<'f> {
    match step {
        Step::Reshape { dims } => value.reshape(dims),
        Step::Slice { start, limit, stride } => value.slice(start, limit, stride),
        Step::Pad { high } => {
            let none = zeros(high.len());
            value.pad(value.func().zero(value.element()), &none, high, &none)
        }
        Step::Reverse { dims } => value.reverse(dims),
        Step::Transpose { permutation } => value.transpose(permutation),
        Step::Broadcast { dims, mapping } => value.broadcast_in_dim(dims, mapping),
        Step::Gather { dim, start, sizes, strides } => {
            let indices = strided_indices(value, *dim, *start, sizes, strides);
            let (outer, inner) = axes_around(value.rank(), *dim, sizes.len());
            let mut slice_sizes = value.dims().to_vec();
            slice_sizes[*dim as usize] = 1;
            let numbers = GatherDims {
                offset_dims: outer.chain(inner).collect(),
                collapsed_slice_dims: vec![*dim],
                start_index_map: vec![*dim],
                index_vector_dim: sizes.len() as i64,
                slice_sizes,
                ..GatherDims::default()
            };
            value.gather(indices, &numbers)
        }
        Step::Bitcast { element } => bitcast(value, *element),
        Step::BoolToByte => value.convert(ElementType::U8),
        Step::ByteToBool => value.convert(ElementType::I1),
        Step::ComplexToPair => complex_to_pair(value),
        Step::PairToComplex => pair_to_complex(value),
        Step::Empty { dims, element } => value.func().zero(TensorType::new(*element, dims)),
    }
}

/// The array of layout `below` whose `step` is `update`; for steps that lose nothing.
fn put<'f>(step: &Step, below: &ValueLayout, update: Value<'f>) -> Value<'f> {
    match step {
        Step::Reshape { .. } => update.reshape(&below.dims),
        Step::Pad { .. } => update.slice(&zeros(below.dims.len()), &below.dims, &ones(below.dims.len())),
        Step::Reverse { dims } => update.reverse(dims),
        Step::Transpose { permutation } => {
            let mut inverse = permutation.clone();
            (0i64..).zip(permutation).for_each(|(axis, &from)| inverse[from as usize] = axis);
            update.transpose(&inverse)
        }
        Step::Broadcast { dims, mapping } => {
            // Many elements land on one: the last one stays.
            let mut start: Dims = dims.iter().map(|&size| size - 1).collect();
            for (&size, &axis) in below.dims.iter().zip(mapping) {
                if size != 1 {
                    start[axis as usize] = 0;
                }
            }
            update.slice(&start, dims, &ones(dims.len())).reshape(&below.dims)
        }
        Step::Bitcast { .. } => bitcast(update, below.element),
        Step::BoolToByte => update.convert(ElementType::I1),
        Step::ByteToBool => update.convert(ElementType::U8),
        Step::ComplexToPair => pair_to_complex(update),
        Step::PairToComplex => complex_to_pair(update),
        // The steps of `put_over`, which `put_all` sends there.
        Step::Slice { .. } | Step::Gather { .. } | Step::Empty { .. } => update,
    }
}

/// `base` with `update` in place of what `step` reads of it.
fn put_over<'f>(step: &Step, base: Value<'f>, update: Value<'f>, place: &Start<'f>) -> Value<'f> {
    match step {
        Step::Slice { start, stride, .. } => put_slice(base, update, start, stride, place),
        Step::Gather { dim, start, sizes, strides } => {
            let func = base.func();
            let indices = strided_indices(base, *dim, *start, sizes, strides);
            let (outer, inner) = axes_around(base.rank(), *dim, sizes.len());
            let numbers = ScatterDims {
                update_window_dims: outer.chain(inner).collect(),
                inserted_window_dims: vec![*dim],
                scatter_dims_to_operand_dims: vec![*dim],
                index_vector_dim: sizes.len() as i64,
                ..ScatterDims::default()
            };
            let results = func.scatter(&[base], indices, &[update], &numbers, |_, new| new.to_vec());
            results.first().copied().unwrap_or(base)
        }
        _ => base,
    }
}

/// Writes the window from the first to the last element; where it has strides, the elements between come from the base.
fn put_slice<'f>(base: Value<'f>, update: Value<'f>, start: &[i64], stride: &[i64], place: &Start<'f>) -> Value<'f> {
    let func = base.func();
    let counts = update.dims();
    let mut window = update;
    if stride.iter().any(|&stride| stride != 1) {
        let none = zeros(stride.len());
        let between: Dims = stride.iter().map(|&stride| stride - 1).collect();
        let spread = update.pad(func.zero(update.element()), &none, &none, &between);
        let kept = match place {
            Start::Moving(starts) => base.dynamic_slice(starts, &spread.dims()),
            Start::Fixed => {
                let limit: Dims = start.iter().zip(&spread.dims()).map(|(&start, &size)| start + size).collect();
                base.slice(start, &limit, &ones(stride.len()))
            }
        };
        let mut mask: Option<Value<'f>> = None;
        for (axis, &gap) in between.iter().enumerate().filter(|&(_, &gap)| gap > 0) {
            let hits = func.splat(ElementType::I1, &[counts[axis]], true);
            let hits = hits.pad(func.constant(ElementType::I1, false), &[0], &[0], &[gap]);
            let hits = hits.broadcast_in_dim(&spread.dims(), &[axis as i64]);
            mask = Some(mask.map_or(hits, |mask| mask.and(hits)));
        }
        window = mask.map_or(spread, |mask| mask.select(spread, kept));
    }
    let dims = base.dims();
    if window.dims() == dims {
        return window;
    }
    match place {
        Start::Moving(starts) => base.dynamic_update_slice(window, starts),
        Start::Fixed => {
            let index = index_element(dims.iter().copied().max().unwrap_or(0));
            let starts: SmallVec<[Value<'f>; 6]> = start.iter().map(|&start| func.constant_i64(index, start)).collect();
            base.dynamic_update_slice(window, &starts)
        }
    }
}

/// `start + sum(i * strides)` for every i below `sizes`, as indices into dimension `dim` of `operand`.
fn strided_indices<'f>(operand: Value<'f>, dim: i64, start: i64, sizes: &[i64], strides: &[i64]) -> Value<'f> {
    let func = operand.func();
    let element = index_element(operand.dims().get(dim as usize).copied().unwrap_or(0));
    let mut sum = func.splat(element, sizes, start);
    for (axis, &stride) in strides.iter().enumerate() {
        let steps = func.iota(element, sizes, axis as i64);
        sum = sum.add(steps.multiply(func.splat(element, sizes, stride)));
    }
    sum
}

fn index_element(longest: i64) -> ElementType {
    if longest <= i64::from(i32::MAX) { ElementType::I32 } else { ElementType::I64 }
}

/// The dimensions before and after those that stand for `dim` once it became `count` dimensions.
fn axes_around(rank: usize, dim: i64, count: usize) -> (std::ops::Range<i64>, std::ops::Range<i64>) {
    let (rank, count) = (rank as i64, count as i64);
    (0..dim, dim + count..rank + count - 1)
}

fn bitcast<'f>(value: Value<'f>, element: ElementType) -> Value<'f> {
    let layout = ValueLayout { dims: value.dims(), element: value.element() };
    value.bitcast_convert(element, &Step::Bitcast { element }.output(&layout).dims)
}

fn complex_to_pair<'f>(value: Value<'f>) -> Value<'f> {
    let mut dims = value.dims();
    dims.push(1);
    let parts = [value.real().reshape(&dims), value.imag().reshape(&dims)];
    value.func().concatenate(&parts, dims.len() as i64 - 1)
}

fn pair_to_complex<'f>(value: Value<'f>) -> Value<'f> {
    let mut dims = value.dims();
    let minor = dims.len() as i64 - 1;
    dims.pop();
    let part = |place| value.slice_dim(minor, place, place + 1).reshape(&dims);
    part(0).complex(part(1))
}

fn zeros(rank: usize) -> Dims {
    Dims::from_elem(0, rank)
}

fn ones(rank: usize) -> Dims {
    Dims::from_elem(1, rank)
}
