//! Batch normalisation of channels (dim 1), its gradients, and the pieces of it that SyncBatchNorm calls.

use stablehlo::Value;

use super::normalization::{announced, normalized_backward, statistics, wide, wide_if_present};
use super::reductions::{count, like_first, stretched};
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::native_batch_norm", |cx| batch_norm(cx, &Form { training: Training::Argument(5), ..Form::RUNNING }))
        .baked(&[7])
        .updates(&[3, 4]),
    Row::custom("aten::_native_batch_norm_legit_functional", |cx| {
        batch_norm(cx, &Form { training: Training::Argument(5), ..Form::RUNNING })
    })
    .baked(&[7]),
    Row::custom("aten::_native_batch_norm_legit.no_stats", |cx| {
        batch_norm(cx, &Form { running: None, training: Training::Argument(3), momentum: 4, reserve: false })
    })
    .baked(&[5]),
    Row::custom("aten::_native_batch_norm_legit_no_training", |cx| {
        batch_norm(cx, &Form { training: Training::Never, momentum: 5, ..Form::RUNNING })
    })
    .baked(&[6]),
    Row::custom("aten::_batch_norm_with_update_functional", |cx| {
        batch_norm(cx, &Form { training: Training::Always, momentum: 5, reserve: true, ..Form::RUNNING })
    })
    .baked(&[6]),
    Row::custom("aten::native_batch_norm_backward", batch_norm_backward).baked(&[8]),
    Row::custom("aten::batch_norm_backward", batch_norm_backward).baked(&[8]),
    Row::custom("aten::batch_norm_stats", channel_statistics).baked(&[1]).infer(Infer::Rule(two_of_channels)),
    Row::custom("aten::batch_norm_elemt", normalize).infer(Infer::Rule(like_first)),
    Row::custom("aten::batch_norm_gather_stats", gather_statistics).baked(&[6, 7]).updates(&[3, 4]).infer(Infer::Rule(two_of_channels)),
    Row::custom("aten::batch_norm_gather_stats_with_counts", gather_statistics)
        .baked(&[6])
        .updates(&[3, 4])
        .infer(Infer::Rule(two_of_channels)),
    Row::custom("aten::batch_norm_backward_reduce", backward_sums).infer(Infer::Rule(backward_sum_shapes)),
    Row::custom("aten::batch_norm_backward_elemt", backward_from_sums).infer(Infer::Rule(like_first)),
];

/// How an overload of batch norm is called: input, weight and bias first, momentum and eps last.
struct Form {
    /// Where the running mean is; the running variance follows.
    running: Option<usize>,
    training: Training,
    momentum: usize,
    /// Has a fourth result that only cuDNN fills.
    reserve: bool,
}

enum Training {
    Argument(usize),
    Always,
    Never,
}

impl Form {
    const RUNNING: Form = Form { running: Some(3), training: Training::Never, momentum: 6, reserve: false };
}

/// Every dim but the channels.
fn batch_dims(x: Value<'_>) -> Vec<i64> {
    (0..x.rank() as i64).filter(|d| *d != 1).collect()
}

/// `x` times the weight plus the bias, where there are such.
fn scaled<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, weight: usize, bias: usize) -> Result<Value<'f>, LowerError> {
    let (over, dims) = (x.dims(), batch_dims(x));
    let x = wide_if_present(cx, weight)?.map_or(x, |weight| x * stretched(weight, &over, &dims));
    Ok(wide_if_present(cx, bias)?.map_or(x, |bias| x + stretched(bias, &over, &dims)))
}

/// The running statistic moved towards the one of this batch by the momentum.
fn moved<'f>(cx: &Lowering<'f, '_>, momentum: usize, running: Option<Value<'f>>, now: Value<'f>) -> Result<Option<Value<'f>>, LowerError> {
    let Some(running) = running else { return Ok(None) };
    let momentum = cx.scalar_like(momentum, running)?;
    Ok(Some(momentum * now + (momentum.like(1.0) - momentum) * running))
}

fn batch_norm<'f>(cx: &Lowering<'f, '_>, form: &Form) -> Lowered<'f> {
    let x = wide(cx, 0)?;
    let (over, dims) = (x.dims(), batch_dims(x));
    let eps = cx.float(form.momentum + 1)?;
    let training = match form.training {
        Training::Argument(index) => cx.bool(index)?,
        Training::Always => true,
        Training::Never => false,
    };
    let (running_mean, running_var) = match form.running {
        Some(index) => (wide_if_present(cx, index)?, wide_if_present(cx, index + 1)?),
        None => (None, None),
    };
    let empty = |index: usize| -> Result<Value<'f>, LowerError> {
        let dims: &[i64] = if cx.wants(index) { &cx.output(index)?.dims } else { &[0] };
        Ok(cx.func.splat(x.element(), dims, 0.0))
    };
    let mut results;
    if training {
        let (deviations, mean, variance) = moments(x, &dims);
        let rstd = variance.plus(eps).rsqrt();
        let n = count(x, &dims) as f64;
        let y = scaled(cx, deviations * stretched(rstd, &over, &dims), 1, 2)?;
        let unbiased = variance.times(n / (n - 1.0));
        let updates = [moved(cx, form.momentum, running_mean, mean)?, moved(cx, form.momentum, running_var, unbiased)?];
        results = vec![Some(y), Some(mean), Some(rstd)];
        if form.reserve {
            results.push(Some(empty(3)?));
        }
        results.extend(updates);
    } else {
        let (Some(mean), Some(variance)) = (running_mean, running_var) else {
            return Err(LowerError::unsupported("batch norm that neither trains nor has running statistics"));
        };
        let rstd = stretched(variance.plus(eps).rsqrt(), &over, &dims);
        let y = scaled(cx, (x - stretched(mean, &over, &dims)) * rstd, 1, 2)?;
        results = vec![Some(y), Some(empty(1)?), Some(empty(2)?), running_mean, running_var];
    }
    Ok(results)
}

/// Deviations from the mean, the mean and the variance over `dims`.
fn moments<'f>(x: Value<'f>, dims: &[i64]) -> (Value<'f>, Value<'f>, Value<'f>) {
    let (mean, deviations) = super::reductions::centered(x, dims);
    (deviations, mean, super::reductions::mean(deviations * deviations, dims))
}

fn batch_norm_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (wide(cx, 0)?, wide(cx, 1)?);
    let (over, dims) = (x.dims(), batch_dims(x));
    let training = cx.bool(7)?;
    let (mean, rstd) = if training { (wide(cx, 5)?, wide(cx, 6)?) } else { (wide(cx, 3)?, wide(cx, 4)?.plus(cx.float(8)?).rsqrt()) };
    let wide_rstd = stretched(rstd, &over, &dims);
    let normalized = (x - stretched(mean, &over, &dims)) * wide_rstd;
    let weighted = wide_if_present(cx, 2)?.map_or(g, |weight| g * stretched(weight, &over, &dims));
    let of_input = if training { normalized_backward(weighted, normalized, rstd, &dims) } else { weighted * wide_rstd };
    announced(cx, vec![Some(of_input), Some((g * normalized).reduce_add(&dims)), Some(g.reduce_add(&dims))])
}

/// The channels of argument 0, in the dtype of their statistics.
fn channels(call: &Call) -> Result<TensorMeta, LowerError> {
    match call.arguments.first() {
        Some(CallArgument::Tensor(x)) if x.meta.dims.len() > 1 => Ok(TensorMeta::new(compute_element(x.meta.element), &x.meta.dims[1..2])),
        _ => Err(LowerError::unsupported("batch norm of less than two dims")),
    }
}

fn two_of_channels(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let channels = channels(call)?;
    Ok(vec![Some(channels.clone()), Some(channels)])
}

fn channel_statistics<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = wide(cx, 0)?;
    let (_, mean, rstd) = statistics(x, &batch_dims(x), cx.float(1)?);
    Ok(vec![Some(mean), Some(rstd)])
}

fn normalize<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = wide(cx, 0)?;
    let (over, dims) = (x.dims(), batch_dims(x));
    let (mean, rstd) = (stretched(wide(cx, 3)?, &over, &dims), stretched(wide(cx, 4)?, &over, &dims));
    Ok(vec![Some(scaled(cx, (x - mean) * rstd, 1, 2)?)])
}

/// The statistics of all processes as one: `mean` and `invstd` are \[processes, channels\], counts \[processes\] or
/// one number for all.
fn gather_statistics<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (means, rstds, eps) = (wide(cx, 1)?, wide(cx, 2)?, cx.float(6)?);
    let over = means.dims();
    let counts = match cx.argument(7) {
        CallArgument::Tensor(_) => wide(cx, 7)?.reshape(&over[..1]),
        _ => cx.scalar(7, means.element())?.broadcast_to(&over[..1]),
    };
    let total = counts.reduce_add(&[0]).broadcast_to(&over[1..]);
    let weights = counts.broadcast_in_dim(&over, &[0]);
    let mean = (means * weights).reduce_add(&[0]) / total;
    let apart = means - stretched(mean, &over, &[0]);
    let variances = (rstds * rstds).like(1.0) / (rstds * rstds) - rstds.like(eps);
    let squares = (weights * (variances + apart * apart)).reduce_add(&[0]);
    let rstd = (squares / total).plus(eps).rsqrt();
    let unbiased = squares / total.minus(1.0);
    let updated_mean = moved(cx, 5, wide_if_present(cx, 3)?, mean)?;
    let updated_var = moved(cx, 5, wide_if_present(cx, 4)?, unbiased)?;
    Ok(vec![Some(mean), Some(rstd), updated_mean, updated_var])
}

/// The sums for the input's gradient when argument 5 asks for them, the weight's (6) and the bias's (7) gradients.
fn backward_sum_shapes(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let channels = channels(call)?;
    let asked = |index: usize| matches!(call.arguments.get(index), Some(CallArgument::Bool(true)));
    let weight = match call.arguments.get(4) {
        Some(CallArgument::Tensor(weight)) => Some(TensorMeta::new(weight.meta.element, &channels.dims)),
        _ => None,
    };
    let sums = asked(5).then_some(channels);
    Ok(vec![sums.clone(), sums, weight.clone().filter(|_| asked(6)), weight.filter(|_| asked(7))])
}

fn backward_sums<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x) = (wide(cx, 0)?, wide(cx, 1)?);
    let (over, dims) = (x.dims(), batch_dims(x));
    let sum = g.reduce_add(&dims);
    let along = (g * (x - stretched(wide(cx, 2)?, &over, &dims))).reduce_add(&dims);
    announced(cx, vec![Some(sum), Some(along), Some(along * wide(cx, 3)?), Some(sum)])
}

fn backward_from_sums<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, x, rstd) = (wide(cx, 0)?, wide(cx, 1)?, wide(cx, 3)?);
    let (over, dims) = (x.dims(), batch_dims(x));
    let counts = wide(cx, 7)?;
    let total = counts.reduce_add(&(0..counts.rank() as i64).collect::<Vec<i64>>()).broadcast_to(&rstd.dims());
    let deviations = x - stretched(wide(cx, 2)?, &over, &dims);
    let mean_of_g = stretched(wide(cx, 5)? / total, &over, &dims);
    let along = stretched(wide(cx, 6)? / total * rstd * rstd, &over, &dims);
    let scale = wide_if_present(cx, 4)?.map_or(rstd, |weight| weight * rstd);
    Ok(vec![Some((g - mean_of_g - deviations * along) * stretched(scale, &over, &dims))])
}
