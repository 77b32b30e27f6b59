//! Layer, group and batch normalisation with their gradients. Variances are two-pass; statistics and sums are
//! kept in f32 for narrower floats.

use stablehlo::{ElementType, Value};

use super::reductions::{centered, count, mean, stretched};
use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::native_layer_norm", layer_norm).baked(&[4]),
    Row::custom("aten::native_layer_norm_backward", layer_norm_backward).shape_only(&[6]),
    Row::custom("aten::native_group_norm", group_norm).baked(&[7]),
    Row::custom("aten::native_group_norm_backward", group_norm_backward),
    Row::custom("aten::native_batch_norm", |cx| batch_norm(cx, &BatchNorm::new(5))).baked(&[7]).updates(&[3, 4]),
    Row::custom("aten::native_batch_norm_backward", batch_norm_backward).baked(&[8]),
];

/// An argument in the dtype that statistics are computed in.
fn wide<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Value<'f>, LowerError> {
    cx.operand(index, statistics_element(cx)?)
}

fn wide_if_present<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Option<Value<'f>>, LowerError> {
    if cx.is_present(index) { wide(cx, index).map(Some) } else { Ok(None) }
}

fn statistics_element(cx: &Lowering<'_, '_>) -> Result<ElementType, LowerError> {
    Ok(compute_element(cx.meta(0)?.element))
}

/// Argument `index` as [rows, columns], where the columns are the normalised dims (argument `shape`).
fn as_rows<'f>(cx: &Lowering<'f, '_>, index: usize, shape: usize) -> Result<Value<'f>, LowerError> {
    let x = wide(cx, index)?;
    let columns = cx.ints(shape)?.iter().product::<i64>();
    let leading = x.rank() - cx.ints(shape)?.len();
    let rows = x.dims()[..leading].iter().product::<i64>();
    Ok(x.reshape(&[rows, columns]))
}

/// The values that the row has, each in its announced shape; `None` where the result is undefined.
fn announced<'f>(cx: &Lowering<'f, '_>, values: Vec<Option<Value<'f>>>) -> Lowered<'f> {
    let shaped = |(index, value): (usize, Option<Value<'f>>)| match value {
        Some(value) if cx.wants(index) => Ok(Some(value.reshape(&cx.output(index)?.dims))),
        _ => Ok(None),
    };
    values.into_iter().enumerate().map(shaped).collect()
}

/// Deviations, mean and reciprocal standard deviation over `dims`.
fn statistics<'f>(x: Value<'f>, dims: &[i64], eps: f64) -> (Value<'f>, Value<'f>, Value<'f>) {
    let (mean_of_x, deviations) = centered(x, dims);
    let variance = mean(deviations * deviations, dims);
    (deviations, mean_of_x, variance.plus(eps).rsqrt())
}

fn layer_norm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = as_rows(cx, 0, 1)?;
    let dims = x.dims();
    let (deviations, mean, rstd) = statistics(x, &[1], cx.float(4)?);
    let mut y = deviations * stretched(rstd, &dims, &[1]);
    if let Some(weight) = wide_if_present(cx, 2)? {
        y = y * weight.reshape(&dims[1..]).broadcast_to(&dims);
    }
    if let Some(bias) = wide_if_present(cx, 3)? {
        y = y + bias.reshape(&dims[1..]).broadcast_to(&dims);
    }
    announced(cx, vec![Some(y), Some(mean), Some(rstd)])
}

/// With x^ the normalised input: `(g - mean(g) - x^ mean(g x^)) rstd`, where g is already times the weight.
fn normalized_backward<'f>(g: Value<'f>, normalized: Value<'f>, rstd: Value<'f>, dims: &[i64]) -> Value<'f> {
    let over = g.dims();
    let along = mean(g * normalized, dims);
    let (_, g) = centered(g, dims);
    (g - normalized * stretched(along, &over, dims)) * stretched(rstd, &over, dims)
}

fn layer_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (as_rows(cx, 0, 2)?, as_rows(cx, 1, 2)?);
    let dims = x.dims();
    let (mean, rstd) = (wide(cx, 3)?.reshape(&dims[..1]), wide(cx, 4)?.reshape(&dims[..1]));
    let normalized = (x - stretched(mean, &dims, &[1])) * stretched(rstd, &dims, &[1]);
    let weighted = match wide_if_present(cx, 5)? {
        Some(weight) => g * weight.reshape(&dims[1..]).broadcast_to(&dims),
        None => g,
    };
    let of_input = normalized_backward(weighted, normalized, rstd, &[1]);
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&[0])), Some(g.reduce_add(&[0]))])
}

/// The sizes [N, groups, channels of a group, positions] that group norm works on.
fn grouped(cx: &Lowering<'_, '_>, first: usize) -> Result<[i64; 4], LowerError> {
    let (n, c, positions, groups) = (cx.int(first)?, cx.int(first + 1)?, cx.int(first + 2)?, cx.int(first + 3)?);
    Ok([n, groups, c / groups, positions])
}

/// A weight or bias of the channels, stretched over `dims` = [N, groups, channels of a group, positions].
fn of_channels<'f>(cx: &Lowering<'f, '_>, index: usize, dims: &[i64]) -> Result<Option<Value<'f>>, LowerError> {
    let value = wide_if_present(cx, index)?;
    Ok(value.map(|v| v.reshape(&dims[1..3]).broadcast_in_dim(dims, &[1, 2])))
}

fn group_norm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = grouped(cx, 3)?;
    let (deviations, mean, rstd) = statistics(wide(cx, 0)?.reshape(&dims), &[2, 3], cx.float(7)?);
    let mut y = deviations * stretched(rstd, &dims, &[2, 3]);
    if let Some(weight) = of_channels(cx, 1, &dims)? {
        y = y * weight;
    }
    if let Some(bias) = of_channels(cx, 2, &dims)? {
        y = y + bias;
    }
    announced(cx, vec![Some(y), Some(mean), Some(rstd)])
}

fn group_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = grouped(cx, 5)?;
    let (g, x) = (wide(cx, 0)?.reshape(&dims), wide(cx, 1)?.reshape(&dims));
    let (mean, rstd) = (wide(cx, 2)?.reshape(&dims[..2]), wide(cx, 3)?.reshape(&dims[..2]));
    let normalized = (x - stretched(mean, &dims, &[2, 3])) * stretched(rstd, &dims, &[2, 3]);
    let weighted = of_channels(cx, 4, &dims)?.map_or(g, |weight| g * weight);
    let of_input = normalized_backward(weighted, normalized, rstd, &[2, 3]);
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&[0, 3])), Some(g.reduce_add(&[0, 3]))])
}

/// Where an overload of batch norm has its arguments: input, weight, bias, running mean and variance, then these.
struct BatchNorm {
    training: usize,
}

impl BatchNorm {
    const fn new(training: usize) -> Self {
        Self { training }
    }
}

/// Every dim but the channels.
fn batch_dims(x: Value<'_>) -> Vec<i64> {
    (0..x.rank() as i64).filter(|d| *d != 1).collect()
}

fn batch_norm<'f>(cx: &Lowering<'f, '_>, form: &BatchNorm) -> Lowered<'f> {
    let x = wide(cx, 0)?;
    let (over, dims) = (x.dims(), batch_dims(x));
    let (momentum, eps) = (form.training + 1, cx.float(form.training + 2)?);
    let (running_mean, running_var) = (wide_if_present(cx, 3)?, wide_if_present(cx, 4)?);
    let training = cx.bool(form.training)?;
    let (deviations, rstd, saved, updated) = if training {
        let (mean_of_x, deviations) = centered(x, &dims);
        let variance = mean(deviations * deviations, &dims);
        let rstd = variance.plus(eps).rsqrt();
        let n = count(x, &dims) as f64;
        let unbiased = variance.times(n / (n - 1.0));
        let moved = |running: Option<Value<'f>>, now: Value<'f>| match running {
            Some(running) => {
                let momentum = cx.scalar_like(momentum, running)?;
                Ok::<_, LowerError>(Some(momentum * now + (momentum.like(1.0) - momentum) * running))
            }
            None => Ok(None),
        };
        (deviations, rstd, [Some(mean_of_x), Some(rstd)], [moved(running_mean, mean_of_x)?, moved(running_var, unbiased)?])
    } else {
        let (Some(mean), Some(variance)) = (running_mean, running_var) else {
            return Err(LowerError::unsupported("batch norm without training and without running statistics"));
        };
        let rstd = variance.plus(eps).rsqrt();
        (x - stretched(mean, &over, &dims), rstd, [None, None], [running_mean, running_var])
    };
    let mut y = deviations * stretched(rstd, &over, &dims);
    if let Some(weight) = wide_if_present(cx, 1)? {
        y = y * stretched(weight, &over, &dims);
    }
    if let Some(bias) = wide_if_present(cx, 2)? {
        y = y + stretched(bias, &over, &dims);
    }
    let saved_or_empty = |index: usize, saved: Option<Value<'f>>| match saved {
        None if cx.wants(index) => Ok::<_, LowerError>(Some(cx.func.splat(y.element(), &cx.output(index)?.dims, 0.0))),
        saved => Ok(saved),
    };
    Ok(vec![Some(y), saved_or_empty(1, saved[0])?, saved_or_empty(2, saved[1])?, updated[0], updated[1]])
}

fn batch_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (wide(cx, 0)?, wide(cx, 1)?);
    let (over, dims) = (x.dims(), batch_dims(x));
    let training = cx.bool(7)?;
    let (mean, rstd) = if training {
        (wide(cx, 5)?, wide(cx, 6)?)
    } else {
        (wide(cx, 3)?, wide(cx, 4)?.plus(cx.float(8)?).rsqrt())
    };
    let stretched_rstd = stretched(rstd, &over, &dims);
    let normalized = (x - stretched(mean, &over, &dims)) * stretched_rstd;
    let weighted = wide_if_present(cx, 2)?.map_or(g, |weight| g * stretched(weight, &over, &dims));
    let of_input = if training { normalized_backward(weighted, normalized, rstd, &dims) } else { weighted * stretched_rstd };
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&dims)), Some(g.reduce_add(&dims))])
}
