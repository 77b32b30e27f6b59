//! A plain index model to hold plans against: torch-like views of bytes, and an interpreter of steps over bytes.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::{BTreeMap, BTreeSet};

use stablehlo::{Dims, ElementType};
use view::{ReadPlan, Step, ValueLayout, View, Write, WritePlan};

/// A dense row-major array.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub layout: ValueLayout,
    pub bytes: Vec<u8>,
}

pub fn size_of(element: ElementType) -> usize {
    element.size_in_bytes()
}

/// Every multi-index of `dims` in row-major order.
pub fn indices(dims: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for &size in dims {
        all = all.into_iter().flat_map(|head: Vec<i64>| (0..size).map(move |i| [&head[..], &[i]].concat())).collect();
    }
    all
}

fn flat(dims: &[i64], index: &[i64]) -> i64 {
    dims.iter().zip(index).fold(0, |flat, (&size, &i)| {
        assert!(0 <= i && i < size, "index {index:?} outside {dims:?}");
        flat * size + i
    })
}

// ---- the model: strides over bytes ----

pub fn element_places(view: &View) -> Vec<i64> {
    let place = |index: Vec<i64>| view.offset + index.iter().zip(&view.strides).map(|(i, s)| i * s).sum::<i64>();
    indices(&view.sizes).into_iter().map(place).collect()
}

pub fn model_read(storage: &[u8], view: &View) -> Vec<u8> {
    let size = size_of(view.element);
    let mut read = Vec::new();
    for place in element_places(view) {
        let bytes = &storage[place as usize * size..(place as usize + 1) * size];
        if view.element == ElementType::I1 { read.push(u8::from(bytes[0] != 0)) } else { read.extend(bytes) }
    }
    read
}

/// For every element that the view touches, the values written to it.
pub fn model_write(view: &View, update: &[u8]) -> BTreeMap<i64, BTreeSet<Vec<u8>>> {
    let size = size_of(view.element);
    let mut written: BTreeMap<i64, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for (place, bytes) in element_places(view).into_iter().zip(update.chunks(size)) {
        written.entry(place).or_default().insert(bytes.to_vec());
    }
    written
}

// ---- the interpreter ----

/// Result element i is operand element `source(i)`; None is zero.
fn pick(input: &Array, step: &Step, source: impl Fn(&[i64]) -> Option<Vec<i64>>) -> Array {
    let layout = step.output(&input.layout);
    assert_eq!(layout.element, input.layout.element);
    let size = size_of(layout.element);
    let mut bytes = Vec::new();
    for index in indices(&layout.dims) {
        match source(&index) {
            Some(from) => {
                let from = flat(&input.layout.dims, &from) as usize * size;
                bytes.extend(&input.bytes[from..from + size]);
            }
            None => bytes.resize(bytes.len() + size, 0),
        }
    }
    Array { layout, bytes }
}

/// Where element `index` of a step's result comes from in `input`; None for padding.
fn source(step: &Step, input: &[i64], index: &[i64]) -> Option<Vec<i64>> {
    match step {
        Step::Slice { start, stride, .. } => Some(index.iter().enumerate().map(|(axis, i)| start[axis] + i * stride[axis]).collect()),
        Step::Pad { .. } => index.iter().zip(input).all(|(i, size)| i < size).then(|| index.to_vec()),
        Step::Reverse { dims } => {
            Some(index.iter().enumerate().map(|(a, &i)| if dims.contains(&(a as i64)) { input[a] - 1 - i } else { i }).collect())
        }
        Step::Transpose { permutation } => {
            let mut from = vec![0; index.len()];
            permutation.iter().zip(index).for_each(|(&p, &i)| from[p as usize] = i);
            Some(from)
        }
        Step::Broadcast { mapping, .. } => {
            assert!(mapping.windows(2).all(|pair| pair[0] < pair[1]), "mapping ascends");
            Some(mapping.iter().zip(input).map(|(&m, &size)| if size == 1 { 0 } else { index[m as usize] }).collect())
        }
        Step::Gather { dim, start, sizes, strides } => {
            let dim = *dim as usize;
            let inside = &index[dim..dim + sizes.len()];
            let at = start + inside.iter().zip(strides).map(|(i, s)| i * s).sum::<i64>();
            Some([&index[..dim], &[at], &index[dim + sizes.len()..]].concat())
        }
        _ => unreachable!("not an index step"),
    }
}

fn check_well_formed(step: &Step, input: &ValueLayout) {
    let rank = input.dims.len();
    match step {
        Step::Reshape { dims } => assert_eq!(dims.iter().product::<i64>(), input.numel(), "{step} of {input}"),
        Step::Slice { start, limit, stride } => {
            assert!(start.len() == rank && limit.len() == rank && stride.len() == rank);
            for axis in 0..rank {
                assert!(0 <= start[axis] && start[axis] < limit[axis] && limit[axis] <= input.dims[axis]);
                assert!(stride[axis] >= 1, "{step} of {input}");
            }
        }
        Step::Pad { high } => assert!(high.len() == rank && high.iter().all(|&high| high >= 0)),
        Step::Bitcast { element } => {
            let (from, to) = (size_of(input.element), size_of(*element));
            assert!(from >= to || input.dims.last() == Some(&((to / from) as i64)), "{step} of {input}");
            assert!(!input.element.is_bool() && !input.element.is_complex());
            assert!(!element.is_bool() && !element.is_complex());
        }
        Step::BoolToByte => assert_eq!(input.element, ElementType::I1),
        Step::ByteToBool => assert_eq!(input.element, ElementType::U8),
        Step::ComplexToPair => assert!(input.element.is_complex()),
        Step::PairToComplex => assert_eq!(input.dims.last(), Some(&2)),
        _ => {}
    }
}

pub fn get(step: &Step, input: &Array) -> Array {
    check_well_formed(step, &input.layout);
    match step {
        Step::Reshape { .. } | Step::Bitcast { .. } | Step::BoolToByte | Step::ComplexToPair | Step::PairToComplex => {
            Array { layout: step.output(&input.layout), bytes: input.bytes.clone() }
        }
        Step::ByteToBool => {
            Array { layout: step.output(&input.layout), bytes: input.bytes.iter().map(|&byte| u8::from(byte != 0)).collect() }
        }
        Step::Empty { .. } => Array { layout: step.output(&input.layout), bytes: vec![] },
        _ => pick(input, step, |index| source(step, &input.layout.dims, index)),
    }
}

/// The array below `step` after `update` replaced the array above it.
pub fn put(step: &Step, below: &ValueLayout, base: Option<&Array>, update: &Array) -> Array {
    assert_eq!(step.output(below), update.layout, "{step}");
    let size = size_of(below.element);
    match step {
        Step::Reshape { .. } | Step::Bitcast { .. } | Step::BoolToByte | Step::ByteToBool | Step::ComplexToPair | Step::PairToComplex => {
            Array { layout: below.clone(), bytes: update.bytes.clone() }
        }
        Step::Empty { .. } => base.expect("put needs base").clone(),
        _ => {
            let mut bytes =
                if step.put_needs_base() { base.expect("put needs base").bytes.clone() } else { vec![0xee; below.numel() as usize * size] };
            for (index, element) in indices(&update.layout.dims).iter().zip(update.bytes.chunks(size)) {
                if let Some(to) = source(step, &below.dims, index) {
                    let to = flat(&below.dims, &to) as usize * size;
                    bytes[to..to + size].copy_from_slice(element);
                }
            }
            Array { layout: below.clone(), bytes }
        }
    }
}

pub fn run_read(plan: &ReadPlan, value: &Array) -> Array {
    assert_eq!(plan.value, value.layout);
    let result = plan.steps.iter().fold(value.clone(), |array, step| get(step, &array));
    assert_eq!(plan.result_layout(), result.layout);
    result
}

pub fn run_write(plan: &WritePlan, base: Option<&Array>, update: &Array) -> Array {
    assert_eq!(plan.update, update.layout);
    let result = match &plan.write {
        Write::Replace { steps } => steps.iter().fold(update.clone(), |array, step| get(step, &array)),
        Write::Through { base: base_layout, prepare, path } => {
            let base = base.map(|base| prepare.iter().fold(base.clone(), |array, step| get(step, &array)));
            let mut layout = prepare.iter().fold(base_layout.clone(), |layout, step| step.output(&layout));
            let mut levels = Vec::new();
            let mut level = base;
            for step in path {
                levels.push((step, layout.clone(), level.clone()));
                level = level.map(|array| get(step, &array));
                layout = step.output(&layout);
            }
            let put_back =
                |update: Array, (step, layout, base): &(&Step, ValueLayout, Option<Array>)| put(step, layout, base.as_ref(), &update);
            levels.iter().rev().fold(update.clone(), put_back)
        }
    };
    assert_eq!(*plan.result_layout(), result.layout);
    result
}

// ---- torch's view operations ----

pub fn contiguous(sizes: &[i64], element: ElementType) -> View {
    View::contiguous(sizes, element)
}

/// The view operations of torch, each None where torch would refuse.
pub trait Torch: Sized {
    fn slice(&self, dim: usize, start: i64, stop: i64, step: i64) -> View;
    fn select(&self, dim: usize, index: i64) -> View;
    fn permute(&self, order: &[usize]) -> View;
    fn unsqueeze(&self, dim: usize) -> View;
    fn expand(&self, dim: usize, size: i64) -> Option<View>;
    fn unfold(&self, dim: usize, size: i64, step: i64) -> Option<View>;
    fn diagonal(&self, offset: i64, dim1: usize, dim2: usize) -> Option<View>;
    fn unflatten(&self, dim: usize, sizes: &[i64]) -> Option<View>;
    fn flatten(&self, dim: usize) -> Option<View>;
    fn flip(&self, dim: usize) -> View;
    fn view_dtype(&self, element: ElementType) -> Option<View>;
    fn view_as_real(&self) -> Option<View>;
    fn view_as_complex(&self) -> Option<View>;
}

impl Torch for View {
    fn slice(&self, dim: usize, start: i64, stop: i64, step: i64) -> View {
        let mut view = self.clone();
        let start = start.clamp(0, view.sizes[dim]);
        let stop = stop.clamp(start, view.sizes[dim]);
        view.offset += start * view.strides[dim];
        view.sizes[dim] = (stop - start + step - 1) / step;
        view.strides[dim] *= step;
        view
    }

    fn select(&self, dim: usize, index: i64) -> View {
        let mut view = self.clone();
        view.offset += index * view.strides[dim];
        view.sizes.remove(dim);
        view.strides.remove(dim);
        view
    }

    fn permute(&self, order: &[usize]) -> View {
        let mut view = self.clone();
        view.sizes = order.iter().map(|&dim| self.sizes[dim]).collect();
        view.strides = order.iter().map(|&dim| self.strides[dim]).collect();
        view
    }

    fn unsqueeze(&self, dim: usize) -> View {
        let mut view = self.clone();
        let stride = if dim < view.sizes.len() { view.sizes[dim] * view.strides[dim] } else { 1 };
        view.sizes.insert(dim, 1);
        view.strides.insert(dim, stride);
        view
    }

    fn expand(&self, dim: usize, size: i64) -> Option<View> {
        let mut view = self.clone();
        if view.sizes[dim] != 1 {
            return None;
        }
        view.sizes[dim] = size;
        view.strides[dim] = 0;
        Some(view)
    }

    fn unfold(&self, dim: usize, size: i64, step: i64) -> Option<View> {
        let mut view = self.clone();
        if size > view.sizes[dim] {
            return None;
        }
        view.sizes.push(size);
        view.strides.push(view.strides[dim]);
        view.sizes[dim] = (view.sizes[dim] - size) / step + 1;
        view.strides[dim] *= step;
        Some(view)
    }

    fn diagonal(&self, offset: i64, dim1: usize, dim2: usize) -> Option<View> {
        if dim1 == dim2 {
            return None;
        }
        let mut view = self.clone();
        let (rows, columns) = (view.sizes[dim1], view.sizes[dim2]);
        let length = if offset >= 0 { rows.min(columns - offset) } else { (rows + offset).min(columns) };
        if length <= 0 {
            return None;
        }
        view.offset += if offset >= 0 { offset * view.strides[dim2] } else { -offset * view.strides[dim1] };
        let stride = view.strides[dim1] + view.strides[dim2];
        for dim in [dim1.max(dim2), dim1.min(dim2)] {
            view.sizes.remove(dim);
            view.strides.remove(dim);
        }
        view.sizes.push(length);
        view.strides.push(stride);
        Some(view)
    }

    fn unflatten(&self, dim: usize, sizes: &[i64]) -> Option<View> {
        let mut view = self.clone();
        if sizes.iter().product::<i64>() != view.sizes[dim] {
            return None;
        }
        let stride = view.strides[dim];
        view.sizes.remove(dim);
        view.strides.remove(dim);
        for (place, &size) in sizes.iter().enumerate() {
            view.sizes.insert(dim + place, size);
            view.strides.insert(dim + place, stride * sizes[place + 1..].iter().product::<i64>());
        }
        Some(view)
    }

    /// Flattens `dim` with the one after it.
    fn flatten(&self, dim: usize) -> Option<View> {
        let mut view = self.clone();
        if dim + 1 >= view.sizes.len() || view.strides[dim] != view.strides[dim + 1] * view.sizes[dim + 1] {
            return None;
        }
        view.sizes[dim] *= view.sizes.remove(dim + 1);
        view.strides.remove(dim);
        Some(view)
    }

    fn flip(&self, dim: usize) -> View {
        let mut view = self.clone();
        view.offset += (view.sizes[dim] - 1).max(0) * view.strides[dim];
        view.strides[dim] = -view.strides[dim];
        view
    }

    fn view_dtype(&self, element: ElementType) -> Option<View> {
        let (from, to) = (size_of(self.element) as i64, size_of(element) as i64);
        let mut view = self.clone();
        view.element = element;
        if from == to {
            return Some(view);
        }
        let last = view.sizes.len().checked_sub(1)?;
        if view.strides[last] != 1 {
            return None;
        }
        if from > to {
            let ratio = from / to;
            view.offset *= ratio;
            view.strides[..last].iter_mut().for_each(|stride| *stride *= ratio);
            view.sizes[last] *= ratio;
            return Some(view);
        }
        let ratio = to / from;
        let divides = |n: &i64| n % ratio == 0;
        if !divides(&view.offset) || !divides(&view.sizes[last]) || !view.strides[..last].iter().all(divides) {
            return None;
        }
        view.offset /= ratio;
        view.strides[..last].iter_mut().for_each(|stride| *stride /= ratio);
        view.sizes[last] /= ratio;
        Some(view)
    }

    fn view_as_real(&self) -> Option<View> {
        let mut view = self.clone();
        if !view.element.is_complex() {
            return None;
        }
        view.element = view.element.real();
        view.offset *= 2;
        view.strides.iter_mut().for_each(|stride| *stride *= 2);
        view.sizes.push(2);
        view.strides.push(1);
        Some(view)
    }

    fn view_as_complex(&self) -> Option<View> {
        let mut view = self.clone();
        let complex = view.element.complex().filter(|_| !view.element.is_complex())?;
        let last = view.sizes.len().checked_sub(1)?;
        let even = view.offset % 2 == 0 && view.strides[..last].iter().all(|stride| stride % 2 == 0);
        if view.sizes[last] != 2 || view.strides[last] != 1 || !even {
            return None;
        }
        view.element = complex;
        view.sizes.pop();
        view.strides.pop();
        view.offset /= 2;
        view.strides.iter_mut().for_each(|stride| *stride /= 2);
        Some(view)
    }
}

pub fn dims(sizes: &[i64]) -> Dims {
    Dims::from_slice(sizes)
}
