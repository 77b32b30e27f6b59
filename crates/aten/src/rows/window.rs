//! Fixed selections along one dimension, from which the spatial rows are built: index lists, sliding
//! windows and weighted taps, each with its adjoint. Slices, pads and reshapes where the pattern
//! allows it, a gather with constant indices otherwise.

use stablehlo::{Dims, ElementType, GatherDims, ReduceWindow, Value};

/// More segments than this and an index list becomes a gather.
const MOST_SEGMENTS: usize = 8;
/// More taps than this and a weighted sum becomes a gather and a reduction.
const MOST_TAPS: usize = 8;

/// `start, start + step, ...` (`count` values), each repeated `repeat` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    start: i64,
    step: i64,
    count: i64,
    repeat: i64,
}

impl Segment {
    fn last(self) -> i64 {
        self.start + self.step * (self.count - 1)
    }

    fn len(self) -> i64 {
        self.count * self.repeat
    }
}

/// The fewest segments, found from the left, that spell `indices`.
fn segments(indices: &[i64]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for chunk in indices.chunk_by(|a, b| a == b) {
        let (value, repeat) = (chunk[0], chunk.len() as i64);
        match segments.last_mut() {
            Some(s) if s.repeat == repeat && s.count == 1 => {
                s.step = value - s.start;
                s.count = 2;
            }
            Some(s) if s.repeat == repeat && value - s.last() == s.step => s.count += 1,
            _ => segments.push(Segment { start: value, step: 1, count: 1, repeat }),
        }
    }
    segments
}

/// `dims` with dimension `axis` replaced by `sizes`.
pub(super) fn splice(dims: &[i64], axis: usize, sizes: &[i64]) -> Dims {
    dims[..axis].iter().chain(sizes).chain(&dims[axis + 1..]).copied().collect()
}

/// A constant along `axis`, broadcast to `dims`.
pub(super) fn along<'f>(like: Value<'f>, dims: &[i64], axis: usize, values: &[f64]) -> Value<'f> {
    like.func().constant_f64s(like.element(), &[values.len() as i64], values).broadcast_in_dim(dims, &[axis as i64])
}

/// Booleans along `axis`, broadcast to `dims`.
fn mask_along<'f>(like: Value<'f>, dims: &[i64], axis: usize, values: &[bool]) -> Value<'f> {
    let values: Vec<i64> = values.iter().map(|&v| i64::from(v)).collect();
    like.func().constant_i64s(ElementType::I1, &[values.len() as i64], &values).broadcast_in_dim(dims, &[axis as i64])
}

/// `start..limit` of dimension `axis` in steps of `stride`.
pub(super) fn strided<'f>(x: Value<'f>, axis: usize, start: i64, limit: i64, stride: i64) -> Value<'f> {
    let mut limits = x.dims();
    let mut starts: Dims = limits.iter().map(|_| 0).collect();
    let mut strides: Dims = limits.iter().map(|_| 1).collect();
    (starts[axis], limits[axis], strides[axis]) = (start, limit, stride);
    x.slice(&starts, &limits, &strides)
}

/// Pads dimension `axis` with `value`; negative counts cut.
pub(super) fn pad_axis<'f>(x: Value<'f>, axis: usize, value: Value<'f>, low: i64, high: i64, interior: i64) -> Value<'f> {
    let zeros: Dims = x.dims().iter().map(|_| 0).collect();
    let at = |count: i64| {
        let mut counts = zeros.clone();
        counts[axis] = count;
        counts
    };
    x.pad(value, &at(low), &at(high), &at(interior))
}

/// Elements `indices` of dimension `axis`; every index is in range.
pub(super) fn take<'f>(x: Value<'f>, axis: usize, indices: &[i64]) -> Value<'f> {
    let segments = segments(indices);
    if segments.len() > MOST_SEGMENTS {
        return gather(x, axis, indices);
    }
    let pieces: Vec<Value<'f>> = segments.into_iter().map(|segment| take_segment(x, axis, segment)).collect();
    if pieces.is_empty() { strided(x, axis, 0, 0, 1) } else { x.func().concatenate(&pieces, axis as i64) }
}

fn take_segment<'f>(x: Value<'f>, axis: usize, segment: Segment) -> Value<'f> {
    let Segment { start, step, count, repeat } = segment;
    let taken = if step < 0 {
        strided(x, axis, segment.last(), start + 1, -step).reverse(&[axis as i64])
    } else {
        strided(x, axis, start, segment.last() + 1, step.max(1))
    };
    if repeat == 1 {
        return taken;
    }
    let dims = taken.dims();
    let split = splice(&dims, axis, &[count, repeat]);
    let kept: Dims = (0..split.len() as i64).filter(|d| *d != axis as i64 + 1).collect();
    taken.broadcast_in_dim(&split, &kept).reshape(&splice(&dims, axis, &[count * repeat]))
}

fn gather<'f>(x: Value<'f>, axis: usize, indices: &[i64]) -> Value<'f> {
    let axis_number = axis as i64;
    let dims = x.dims();
    let positions = x.func().constant_i64s(ElementType::I32, &[indices.len() as i64], indices);
    x.gather(
        positions,
        &GatherDims {
            offset_dims: (0..dims.len() as i64).filter(|d| *d != axis_number).collect(),
            collapsed_slice_dims: vec![axis_number],
            start_index_map: vec![axis_number],
            index_vector_dim: 1,
            slice_sizes: splice(&dims, axis, &[1]).to_vec(),
            indices_are_sorted: indices.is_sorted(),
            ..GatherDims::default()
        },
    )
}

/// Adjoint of [`take`]: a dimension of `size` in which element `indices[i]` is the sum of all such elements `i` of `g`.
pub(super) fn put<'f>(g: Value<'f>, axis: usize, indices: &[i64], size: i64) -> Value<'f> {
    let segments = segments(indices);
    if segments.len() > MOST_SEGMENTS {
        let taps = indices.iter().map(|&source| vec![(source, 1.0)]).collect();
        return Taps { source: size, taps }.transposed().apply(g, axis);
    }
    let zero = g.func().zero(g.element());
    let mut offset = 0;
    let pieces = segments.into_iter().map(|segment| {
        let mut piece = g.slice_dim(axis as i64, offset, offset + segment.len());
        offset += segment.len();
        if segment.repeat > 1 {
            let split = splice(&piece.dims(), axis, &[segment.count, segment.repeat]);
            piece = piece.reshape(&split).reduce_add(&[axis as i64 + 1]);
        }
        if segment.step < 0 {
            piece = piece.reverse(&[axis as i64]);
        }
        let (low, high) = (segment.start.min(segment.last()), segment.start.max(segment.last()));
        pad_axis(piece, axis, zero, low, size - 1 - high, segment.step.abs().max(1) - 1)
    });
    pieces.reduce(|a, b| a + b).unwrap_or_else(|| g.func().zero(stablehlo::TensorType::new(g.element(), &splice(&g.dims(), axis, &[size]))))
}

/// For each position of a result dimension, the source positions that it sums and their weights.
#[derive(Debug, Clone)]
pub(super) struct Taps {
    /// Size of the source dimension.
    pub source: i64,
    pub taps: Vec<Vec<(i64, f64)>>,
}

impl Taps {
    /// The adjoint: what each source position receives from the result positions.
    pub fn transposed(&self) -> Taps {
        let mut taps = vec![Vec::new(); self.source.max(0) as usize];
        for (position, list) in self.taps.iter().enumerate() {
            for &(source, weight) in list {
                if let Some(slot) = taps.get_mut(source as usize) {
                    slot.push((position as i64, weight));
                }
            }
        }
        Taps { source: self.taps.len() as i64, taps }
    }

    /// Replaces dimension `axis` of `x` by the weighted sums. A position without taps gives 0.
    pub fn apply<'f>(&self, x: Value<'f>, axis: usize) -> Value<'f> {
        let count = self.taps.iter().map(Vec::len).max().unwrap_or(0);
        let length = self.taps.len() as i64;
        let dims = splice(&x.dims(), axis, &[length]);
        if count == 0 || self.source == 0 {
            return x.func().zero(stablehlo::TensorType::new(x.element(), &dims));
        }
        if count > MOST_TAPS {
            return self.apply_many(x, axis, count);
        }
        let terms = (0..count).map(|t| {
            // Where a list is shorter, its last index stands in and the mask drops it.
            let entry = |list: &Vec<(i64, f64)>| list.get(t).or(list.last()).copied().unwrap_or((0, 0.0));
            let indices: Vec<i64> = self.taps.iter().map(|list| entry(list).0).collect();
            let weights: Vec<f64> = self.taps.iter().map(|list| entry(list).1).collect();
            let present: Vec<bool> = self.taps.iter().map(|list| t < list.len()).collect();
            let taken = take(x, axis, &indices);
            weigh(taken, axis, &weights, &present)
        });
        terms.reduce(|a, b| a + b).unwrap_or(x)
    }

    fn apply_many<'f>(&self, x: Value<'f>, axis: usize, count: usize) -> Value<'f> {
        let filled = |list: &Vec<(i64, f64)>, t: usize| list.get(t).copied().unwrap_or((0, 0.0));
        let all: Vec<(i64, f64)> = self.taps.iter().flat_map(|list| (0..count).map(move |t| filled(list, t))).collect();
        let present: Vec<bool> = self.taps.iter().flat_map(|list| (0..count).map(move |t| t < list.len())).collect();
        let (indices, weights): (Vec<i64>, Vec<f64>) = all.into_iter().unzip();
        let weighed = weigh(gather(x, axis, &indices), axis, &weights, &present);
        let split = splice(&x.dims(), axis, &[self.taps.len() as i64, count as i64]);
        weighed.reshape(&split).reduce_add(&[axis as i64 + 1])
    }
}

/// `x` times the weights along `axis`, and 0 where nothing is present.
fn weigh<'f>(x: Value<'f>, axis: usize, weights: &[f64], present: &[bool]) -> Value<'f> {
    let dims = x.dims();
    let plain = weights.iter().zip(present).all(|(&w, &p)| w == 1.0 || !p);
    let product = if plain { x } else { x * along(x, &dims, axis, weights) };
    if present.iter().all(|&p| p) { product } else { mask_along(x, &dims, axis, present).select(product, product.like(0.0)) }
}

/// A window that slides along one dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slide {
    pub axis: usize,
    /// Size of the dimension under the window.
    pub size: i64,
    pub kernel: i64,
    pub stride: i64,
    pub padding: i64,
    pub dilation: i64,
    /// Number of window positions.
    pub positions: i64,
}

impl Slide {
    /// Where tap 0 of window `position` lies; negative inside the padding.
    pub fn start(&self, position: i64) -> i64 {
        position * self.stride - self.padding
    }

    /// What each tap of the window sees at all positions; `outside` (rank 0) beyond the edges.
    pub fn taps<'f>(&self, x: Value<'f>, outside: Value<'f>) -> Vec<Value<'f>> {
        let needed = self.start(self.positions - 1) + (self.kernel - 1) * self.dilation + 1;
        let padded = pad_axis(x, self.axis, outside, self.padding, (needed - self.size).max(0), 0);
        (0..self.kernel)
            .map(|tap| {
                let start = tap * self.dilation;
                strided(padded, self.axis, start, start + (self.positions - 1) * self.stride + 1, self.stride)
            })
            .collect()
    }

    /// Adjoint of [`Slide::taps`]: adds up, at each element under the window, what the taps hold for it.
    pub fn put<'f>(&self, taps: &[Value<'f>]) -> Option<Value<'f>> {
        let pieces = (0i64..).zip(taps).map(|(tap, &value)| {
            let zero = value.func().zero(value.element());
            let low = self.start(0) + tap * self.dilation;
            let high = self.size - low - ((self.positions - 1) * self.stride + 1);
            pad_axis(value, self.axis, zero, low, high, self.stride - 1)
        });
        pieces.reduce(|a, b| a + b)
    }

    /// Sums of the windows.
    pub fn sum<'f>(&self, x: Value<'f>) -> Value<'f> {
        let zero = x.func().zero(x.element());
        if self.kernel as usize <= MOST_TAPS {
            return self.taps(x, zero).into_iter().reduce(|a, b| a + b).unwrap_or(x);
        }
        let needed = self.start(self.positions - 1) + (self.kernel - 1) * self.dilation + 1;
        let high = needed - self.size;
        // A window that ends before the last element leaves a rest, which the padding cuts.
        let x = pad_axis(x, self.axis, zero, self.padding, high, 0);
        window_sum(x, self.axis, self.kernel, self.stride, self.dilation)
    }

    /// Adjoint of [`Slide::sum`]: every element under the window gets the sum over the windows that contain it.
    pub fn spread<'f>(&self, g: Value<'f>) -> Value<'f> {
        if self.kernel as usize <= MOST_TAPS {
            return self.put(&vec![g; self.kernel as usize]).unwrap_or(g);
        }
        let reach = (self.kernel - 1) * self.dilation;
        let low = reach - self.padding;
        let high = self.size - 1 - self.start(self.positions - 1);
        let zero = g.func().zero(g.element());
        let g = pad_axis(g, self.axis, zero, low, high, self.stride - 1);
        window_sum(g, self.axis, self.kernel, 1, self.dilation)
    }
}

fn window_sum<'f>(x: Value<'f>, axis: usize, kernel: i64, stride: i64, dilation: i64) -> Value<'f> {
    let ones = vec![1; x.rank()];
    let mut window = ReduceWindow { dimensions: ones.clone(), strides: ones.clone(), window_dilations: ones, ..ReduceWindow::default() };
    (window.dimensions[axis], window.strides[axis], window.window_dilations[axis]) = (kernel, stride, dilation);
    let zero = x.func().zero(x.element());
    let sums = x.func().reduce_window(&[x], &[zero], &window, |a, b| vec![a[0] + b[0]]);
    sums.first().copied().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_lists_become_few_segments() {
        let reflection = [2, 1, 0, 1, 2, 3, 2, 1];
        assert_eq!(segments(&reflection).len(), 3);
        let doubled = [0, 0, 1, 1, 2, 2];
        assert_eq!(segments(&doubled), [Segment { start: 0, step: 1, count: 3, repeat: 2 }]);
        let border = [0, 0, 0, 1, 2, 3, 3, 3];
        assert_eq!(segments(&border).len(), 3);
        for list in [&reflection[..], &doubled, &border] {
            let spelled: Vec<i64> = segments(list)
                .into_iter()
                .flat_map(|s| (0..s.count).flat_map(move |i| (0..s.repeat).map(move |_| s.start + i * s.step)))
                .collect();
            assert_eq!(spelled, list);
        }
    }

    #[test]
    fn the_adjoint_of_taps_swaps_source_and_result() {
        let taps = Taps { source: 3, taps: vec![vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)]] };
        let adjoint = taps.transposed();
        assert_eq!(adjoint.taps, [vec![(0, 0.5)], vec![(0, 0.5), (1, 1.0)], vec![]]);
    }
}
