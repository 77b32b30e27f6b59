//! Fourier transforms. StableHLO transforms the innermost dimensions and divides inverse transforms by their length;
//! ATen names any dimensions and says how to scale.

use stablehlo::{FftKind, Value};

use crate::lowering::wrap_dim;
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_fft_c2c", complex_to_complex),
    Row::custom("aten::_fft_r2c", real_to_complex),
    Row::custom("aten::_fft_c2r", complex_to_real),
];

/// Argument 1: the transformed dimensions.
fn dims(cx: &Lowering<'_, '_>) -> Result<Vec<i64>, LowerError> {
    let rank = cx.meta(0)?.dims.len();
    Ok(cx.ints(1)?.iter().map(|&dim| wrap_dim(dim, rank)).collect())
}

/// Argument 2 for transforms of `count` elements: 0 leaves the sums, 1 divides by the root of their number, 2 by it.
fn scale(cx: &Lowering<'_, '_>, count: i64) -> Result<f64, LowerError> {
    let count = count.max(1) as f64;
    match cx.int(2)? {
        0 => Ok(1.0),
        1 => Ok(1.0 / count.sqrt()),
        2 => Ok(1.0 / count),
        other => Err(LowerError::unsupported(format!("normalization {other}"))),
    }
}

fn sizes(x: Value<'_>, dims: &[i64]) -> i64 {
    dims.iter().map(|&dim| x.dims()[dim as usize]).product()
}

fn scaled(x: Value<'_>, factor: f64) -> Value<'_> {
    if factor == 1.0 { x } else { x.times(factor) }
}

/// One transform along `dim`, brought to the innermost place and back.
fn along<'f>(x: Value<'f>, dim: i64, kind: FftKind, length: i64) -> Value<'f> {
    let last = x.rank() as i64 - 1;
    let mut swap: Vec<i64> = (0..=last).collect();
    swap.swap(dim as usize, last as usize);
    x.transpose(&swap).fft(kind, &[length]).transpose(&swap)
}

/// Unscaled transforms along `dims`, forward or backward.
fn sums<'f>(x: Value<'f>, dims: &[i64], forward: bool) -> Value<'f> {
    let kind = if forward { FftKind::Fft } else { FftKind::Ifft };
    let transformed = dims.iter().fold(x, |x, &dim| along(x, dim, kind, x.dims()[dim as usize]));
    if forward { transformed } else { scaled(transformed, sizes(x, dims) as f64) }
}

fn complex_to_complex<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims) = (cx.tensor(0)?, dims(cx)?);
    Ok(vec![Some(scaled(sums(x, &dims, cx.bool(3)?), scale(cx, sizes(x, &dims))?))])
}

/// The last of the dimensions keeps its first half, as the rest mirrors it, unless argument 3 says otherwise.
fn real_to_complex<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims) = (cx.tensor(0)?, dims(cx)?);
    let factor = scale(cx, sizes(x, &dims))?;
    let Some((&halved, others)) = dims.split_last() else { return Ok(vec![Some(x.complex(x.like(0.0)))]) };
    let transformed = if cx.bool(3)? {
        sums(along(x, halved, FftKind::Rfft, x.dims()[halved as usize]), others, true)
    } else {
        sums(x.complex(x.like(0.0)), &dims, true)
    };
    Ok(vec![Some(scaled(transformed, factor))])
}

/// The last of the dimensions is given by its first half and has argument 3 elements in the result.
fn complex_to_real<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, dims, length) = (cx.tensor(0)?, dims(cx)?, cx.int(3)?);
    let Some((&halved, others)) = dims.split_last() else { return Ok(vec![Some(x.real())]) };
    let factor = scale(cx, sizes(x, others) * length)? * length as f64;
    let x = sums(x, others, false);
    // Of a longer half only the beginning counts.
    let half = x.slice_dim(halved, 0, (length / 2 + 1).min(x.dims()[halved as usize]));
    Ok(vec![Some(scaled(along(half, halved, FftKind::Irfft, length), factor))])
}
