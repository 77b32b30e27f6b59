//! Resizing of 1 to 3 spatial dimensions. Every mode is a weighted sum of a few fixed source positions, one
//! dimension at a time; the gradient is the adjoint of the same sums.

use stablehlo::{ElementType, Value};

use super::window::{Taps, put, take};
use crate::{LowerError, Lowered, Lowering, Row};

macro_rules! rows {
    ($($mode:ident, $spatial:literal, $forward:literal, $backward:literal;)*) => {
        &[$(
            Row::custom($forward, |cx| resize(cx, Mode::$mode, $spatial)).baked(&[2, 3, 4, 5]),
            Row::custom($backward, |cx| resize_backward(cx, Mode::$mode, $spatial)).baked(&[3, 4, 5, 6]),
        )*]
    };
}

pub const ROWS: &[Row] = rows! {
    Nearest, 1, "aten::upsample_nearest1d", "aten::upsample_nearest1d_backward";
    Nearest, 2, "aten::upsample_nearest2d", "aten::upsample_nearest2d_backward";
    Nearest, 3, "aten::upsample_nearest3d", "aten::upsample_nearest3d_backward";
    NearestExact, 1, "aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact1d_backward";
    NearestExact, 2, "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact2d_backward";
    NearestExact, 3, "aten::_upsample_nearest_exact3d", "aten::_upsample_nearest_exact3d_backward";
    Linear, 1, "aten::upsample_linear1d", "aten::upsample_linear1d_backward";
    Linear, 2, "aten::upsample_bilinear2d", "aten::upsample_bilinear2d_backward";
    Linear, 3, "aten::upsample_trilinear3d", "aten::upsample_trilinear3d_backward";
    Cubic, 2, "aten::upsample_bicubic2d", "aten::upsample_bicubic2d_backward";
    SmoothLinear, 2, "aten::_upsample_bilinear2d_aa", "aten::_upsample_bilinear2d_aa_backward";
    SmoothCubic, 2, "aten::_upsample_bicubic2d_aa", "aten::_upsample_bicubic2d_aa_backward";
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nearest,
    NearestExact,
    Linear,
    Cubic,
    /// Antialiased: the filter widens with the scale.
    SmoothLinear,
    SmoothCubic,
}

impl Mode {
    fn is_nearest(self) -> bool {
        matches!(self, Mode::Nearest | Mode::NearestExact)
    }
}

/// How one dimension is resized. Positions and weights are computed as ATen does: in f32 unless the data are f64 or
/// 8-bit pixels.
struct Resizing {
    mode: Mode,
    align_corners: bool,
    scale: Option<f64>,
    wide: bool,
    /// 8-bit pixels, whose weights are 16-bit integers over a power of two.
    pixels: bool,
}

impl Resizing {
    fn round(&self, x: f64) -> f64 {
        if self.wide { x } else { f64::from(x as f32) }
    }

    /// Source positions per result position.
    fn ratio(&self, input: i64, output: i64) -> f64 {
        if self.align_corners {
            let steps = self.round((input - 1) as f64 / (output - 1).max(1) as f64);
            return if output > 1 { steps } else { 0.0 };
        }
        match self.scale {
            Some(scale) if scale > 0.0 => self.round(1.0 / scale),
            _ => self.round(input as f64 / output as f64),
        }
    }

    /// The source position of each result position, for the nearest modes.
    fn nearest(&self, input: i64, output: i64) -> Vec<i64> {
        let ratio = self.ratio(input, output);
        let half = if self.mode == Mode::NearestExact { 0.5 } else { 0.0 };
        let source = |position: i64| (self.round((position as f64 + half) * ratio).floor() as i64).min(input - 1);
        (0..output).map(source).collect()
    }

    fn taps(&self, input: i64, output: i64) -> Taps {
        let ratio = self.ratio(input, output);
        let taps = (0..output).map(|position| match self.mode {
            Mode::Nearest | Mode::NearestExact => Vec::new(),
            Mode::Linear => self.linear(position, ratio, input, output),
            Mode::Cubic => self.cubic(position, ratio, input),
            Mode::SmoothLinear => self.smooth(position, ratio, input, 1.0, |x| (1.0 - x.abs()).max(0.0)),
            Mode::SmoothCubic => self.smooth(position, ratio, input, 2.0, |x| cubic_filter(x, -0.5)),
        });
        let mut taps: Vec<Vec<(i64, f64)>> = taps.collect();
        if self.pixels {
            taps.iter_mut().for_each(merge_equal);
            let largest = taps.iter().flatten().map(|tap| tap.1).fold(0.0, f64::max);
            let fits = |digits: &i32| (0.5 + largest * 2f64.powi(digits + 1)) as i64 >= 1 << 15;
            let unit = 2f64.powi((0..22).find(fits).unwrap_or(22));
            taps.iter_mut().flatten().for_each(|tap| tap.1 = (tap.1 * unit).round() / unit);
        }
        Taps { source: input, taps }
    }

    fn source(&self, position: i64, ratio: f64) -> f64 {
        if self.align_corners { self.round(ratio * position as f64) } else { self.round(self.round(ratio * (position as f64 + 0.5)) - 0.5) }
    }

    fn linear(&self, position: i64, ratio: f64, input: i64, output: i64) -> Vec<(i64, f64)> {
        if input == output {
            return vec![(position, 1.0)];
        }
        let source = self.source(position, ratio).max(0.0);
        let low = (source as i64).min(input - 1);
        let high = (low + 1).min(input - 1);
        let weight = self.round(source - low as f64).clamp(0.0, 1.0);
        vec![(low, self.round(1.0 - weight)), (high, weight)]
    }

    fn cubic(&self, position: i64, ratio: f64, input: i64) -> Vec<(i64, f64)> {
        let source = self.source(position, ratio);
        let low = (source.floor() as i64).min(input - 1);
        let offset = self.round(source - low as f64).clamp(0.0, 1.0);
        (-1..=2).map(|tap| ((low + tap).clamp(0, input - 1), self.round(cubic_filter(tap as f64 - offset, -0.75)))).collect()
    }

    fn smooth(&self, position: i64, ratio: f64, input: i64, reach: f64, filter: fn(f64) -> f64) -> Vec<(i64, f64)> {
        let support = if ratio >= 1.0 { self.round(reach * ratio) } else { reach };
        let inverse = if ratio >= 1.0 { self.round(1.0 / ratio) } else { 1.0 };
        let center = self.round(ratio * (position as f64 + 0.5));
        let first = (self.round(center - support + 0.5) as i64).max(0);
        let end = (self.round(center + support + 0.5) as i64).min(input);
        let weights: Vec<f64> = (first..end).map(|source| filter(self.round((source as f64 - center + 0.5) * inverse))).collect();
        let total: f64 = weights.iter().sum();
        let divisor = if total == 0.0 { 1.0 } else { total };
        (first..end).zip(weights).map(|(source, weight)| (source, self.round(weight / divisor))).collect()
    }
}

/// Adds up the weights of equal positions, which stand next to each other.
fn merge_equal(taps: &mut Vec<(i64, f64)>) {
    taps.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        if equal {
            kept.1 += next.1;
        }
        equal
    });
}

/// Keys' cubic convolution filter with parameter `a`.
fn cubic_filter(x: f64, a: f64) -> f64 {
    let x = x.abs();
    if x < 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * a
    } else {
        0.0
    }
}

/// `first` is the position of align_corners, or of the first scale for the nearest modes.
fn resizing(cx: &Lowering<'_, '_>, mode: Mode, first: usize, dimension: usize) -> Result<Resizing, LowerError> {
    let (align_corners, scales) = if mode.is_nearest() { (false, first) } else { (cx.bool(first)?, first + 1) };
    let scale = if cx.is_present(scales + dimension) { Some(cx.float(scales + dimension)?) } else { None };
    let pixels = cx.out_element().is_integer() && !mode.is_nearest();
    Ok(Resizing { mode, align_corners, scale, wide: pixels || cx.out_element() == ElementType::F64, pixels })
}

/// The dtype in which weighted sums are kept; integer images go through f32.
fn sum_element(cx: &Lowering<'_, '_>, mode: Mode) -> ElementType {
    if mode.is_nearest() {
        cx.out_element()
    } else if cx.out_element().is_integer() {
        ElementType::F32
    } else {
        cx.compute_element()
    }
}

fn resize<'f>(cx: &Lowering<'f, '_>, mode: Mode, spatial: usize) -> Lowered<'f> {
    let mut x = cx.operand(0, sum_element(cx, mode))?;
    for dimension in (0..spatial).rev() {
        let axis = 2 + dimension;
        let (input, output) = (x.dims()[axis], cx.out_dims()[axis]);
        let resizing = resizing(cx, mode, 2, dimension)?;
        x = if mode.is_nearest() { take(x, axis, &resizing.nearest(input, output)) } else { resizing.taps(input, output).apply(x, axis) };
        // ATen keeps 8-bit pixels between the dimensions.
        if resizing.pixels {
            x = to_pixels(x);
        }
    }
    Ok(vec![Some(x)])
}

/// Rounds to the nearest 8-bit value.
fn to_pixels<'f>(x: Value<'f>) -> Value<'f> {
    let (black, white) = (x.func().constant_f64(x.element(), 0.0), x.func().constant_f64(x.element(), 255.0));
    x.plus(0.5).floor().clamp(black, white)
}

fn resize_backward<'f>(cx: &Lowering<'f, '_>, mode: Mode, spatial: usize) -> Lowered<'f> {
    let mut g = cx.operand(0, cx.compute_element())?;
    for dimension in 0..spatial {
        let axis = 2 + dimension;
        let (input, output) = (cx.out_dims()[axis], g.dims()[axis]);
        let resizing = resizing(cx, mode, 3, dimension)?;
        g = if mode.is_nearest() {
            put(g, axis, &resizing.nearest(input, output), input)
        } else {
            resizing.taps(input, output).transposed().apply(g, axis)
        };
    }
    Ok(vec![Some(g)])
}
