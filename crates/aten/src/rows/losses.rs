//! Loss functions and their derivatives, with the reductions none, mean and sum.

use stablehlo::{ElementType, Value};

use super::compaction::{broadcast_dims, meta_of};
use super::positions::{gather_along, position_element};
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    Row::custom("aten::mse_loss", |cx| pair_loss(cx, 2, |x, target| Ok((x - target) * (x - target)))),
    Row::custom("aten::mse_loss_backward", mse_loss_backward),
    Row::custom("aten::smooth_l1_loss", smooth_l1_loss),
    Row::custom("aten::smooth_l1_loss_backward", smooth_l1_loss_backward),
    Row::custom("aten::huber_loss", huber_loss),
    Row::custom("aten::huber_loss_backward", huber_loss_backward),
    Row::custom("aten::soft_margin_loss", |cx| pair_loss(cx, 2, |x, target| Ok((target * x).neg().exp().log_plus_one()))),
    Row::custom("aten::soft_margin_loss_backward", soft_margin_loss_backward),
    Row::custom("aten::binary_cross_entropy", binary_cross_entropy),
    Row::custom("aten::binary_cross_entropy_backward", binary_cross_entropy_backward),
    Row::custom("aten::binary_cross_entropy_with_logits", binary_cross_entropy_with_logits),
    Row::custom("aten::nll_loss_forward", nll_loss),
    Row::custom("aten::nll_loss_backward", nll_loss_backward).shape_only(&[1]),
    Row::custom("aten::nll_loss2d_forward", nll_loss),
    Row::custom("aten::nll_loss2d_backward", nll_loss_backward).shape_only(&[1]),
    Row::custom("aten::multi_margin_loss", multi_margin_loss).baked(&[2]).infer(Infer::Rule(|call| Ok(vec![margin_loss(call, 5)?]))),
    Row::custom("aten::multi_margin_loss_backward", multi_margin_loss_backward).baked(&[3]).infer(Infer::Rule(like_input)),
    Row::custom("aten::multilabel_margin_loss_forward", multilabel_margin_loss).infer(Infer::Rule(loss_and_targets)),
    Row::custom("aten::multilabel_margin_loss_backward", multilabel_margin_loss_backward).infer(Infer::Rule(like_input)),
];

const MEAN: i64 = 1;
const SUM: i64 = 2;

fn one<'f>(value: Value<'f>) -> Lowered<'f> {
    Ok(vec![Some(value)])
}

/// A loss has the dtype and shape of its input's gradient: argument 1 of the backward call.
fn like_input(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    Ok(vec![Some(meta_of(call, 1)?.clone())])
}

/// One loss for each sample of a batch without a reduction, else one; the meta kernel has `[1]` without a batch,
/// where the CPU has a 0-dim tensor.
fn margin_loss(call: &Call, reduction: usize) -> Result<Option<TensorMeta>, LowerError> {
    let input = meta_of(call, 0)?;
    let each = matches!(call.arguments.get(reduction), Some(CallArgument::Int(0))) && input.dims.len() > 1;
    Ok(Some(TensorMeta::new(input.element, if each { &input.dims[..1] } else { &[] })))
}

fn loss_and_targets(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let target = TensorMeta::new(meta_of(call, 0)?.element, &meta_of(call, 1)?.dims);
    Ok(vec![margin_loss(call, 2)?, Some(target)])
}

/// Input and target in the compute dtype, broadcast against each other.
fn input_and_target<'f>(cx: &Lowering<'f, '_>, input: usize) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let element = cx.compute_element();
    let (x, target) = (cx.operand(input, element)?, cx.operand(input + 1, element)?);
    let dims = broadcast_dims(&x.dims(), &target.dims());
    Ok((x.broadcast_to(&dims), target.broadcast_to(&dims)))
}

/// The losses as they are, their mean or their sum, by the int argument at `index`.
fn reduced<'f>(cx: &Lowering<'f, '_>, losses: Value<'f>, index: usize) -> Result<Value<'f>, LowerError> {
    let all: Vec<i64> = (0..losses.rank() as i64).collect();
    Ok(match cx.int(index)? {
        MEAN => losses.reduce_add(&all).over(losses.numel() as f64),
        SUM => losses.reduce_add(&all),
        _ => losses,
    })
}

/// The incoming gradient in the shape of the input, divided by the number of losses for a mean.
fn spread_gradient<'f>(cx: &Lowering<'f, '_>, like: Value<'f>, reduction: usize) -> Result<Value<'f>, LowerError> {
    let grad = cx.operand(0, like.element())?.broadcast_to(&like.dims());
    Ok(if cx.int(reduction)? == MEAN { grad.over(like.numel() as f64) } else { grad })
}

fn pair_loss<'f>(
    cx: &Lowering<'f, '_>,
    reduction: usize,
    loss: impl Fn(Value<'f>, Value<'f>) -> Result<Value<'f>, LowerError>,
) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 0)?;
    one(reduced(cx, loss(x, target)?, reduction)?)
}

fn mse_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 1)?;
    one((x - target).times(2.0) * spread_gradient(cx, x, 3)?)
}

/// Quadratic below `beta`, linear above.
fn smooth_l1_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    pair_loss(cx, 2, |x, target| {
        let (distance, beta) = ((x - target).abs(), cx.scalar_like(3, x)?);
        let quadratic = distance.times(0.5) * distance / beta;
        Ok(distance.lt(beta).select(quadratic, distance - beta.times(0.5)))
    })
}

fn smooth_l1_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 1)?;
    let (grad, beta) = (spread_gradient(cx, x, 3)?, cx.scalar_like(4, x)?);
    one(limited(x - target, beta, grad, (x - target) * grad / beta))
}

/// `inside` where `|difference| < limit`, else the gradient with the sign of the difference.
fn limited<'f>(difference: Value<'f>, limit: Value<'f>, grad: Value<'f>, inside: Value<'f>) -> Value<'f> {
    let above = difference.ge(limit).select(grad, inside);
    difference.le(limit.neg()).select(grad.neg(), above)
}

fn huber_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    pair_loss(cx, 2, |x, target| {
        let (distance, delta) = ((x - target).abs(), cx.scalar_like(3, x)?);
        let linear = delta * (distance - delta.times(0.5));
        Ok(distance.le(delta).select(distance.times(0.5) * distance, linear))
    })
}

fn huber_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 1)?;
    let (grad, delta) = (spread_gradient(cx, x, 3)?, cx.scalar_like(4, x)?);
    one(limited(x - target, delta, grad * delta, (x - target) * grad))
}

fn soft_margin_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 1)?;
    one(target.neg() * (target * x).neg().logistic() * spread_gradient(cx, x, 3)?)
}

/// Logarithms are held above -100, as ATen does.
fn binary_cross_entropy<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 0)?;
    let (zero, one_like) = (x.like(0.0), x.like(1.0));
    let inside = x.ge(zero).and(x.le(one_like));
    cx.check_data(inside.not(), x, "all elements of input should be between 0 and 1");
    let held = |log: Value<'f>| log.maximum(log.like(-100.0));
    let loss = (target - one_like) * held(x.neg().log_plus_one()) - target * held(x.log());
    one(reduced(cx, weighted(cx, loss, 2)?, 3)?)
}

/// Times the optional weights at `index`.
fn weighted<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, index: usize) -> Result<Value<'f>, LowerError> {
    if !cx.is_present(index) {
        return Ok(x);
    }
    Ok(x * cx.operand(index, x.element())?.broadcast_to(&x.dims()))
}

fn binary_cross_entropy_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 1)?;
    let variance = (x.like(1.0) - x) * x;
    let slope = (x - target) / variance.maximum(x.like(1e-12));
    one(weighted(cx, slope * spread_gradient(cx, x, 4)?, 3)?)
}

/// `(1 - t) x + (1 + (pos_weight - 1) t) (log1p(exp(-|x|)) + max(-x, 0))`.
fn binary_cross_entropy_with_logits<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, target) = input_and_target(cx, 0)?;
    let softplus = x.abs().neg().exp().log_plus_one() + x.neg().maximum(x.like(0.0));
    let scaled = if cx.is_present(3) {
        let positive = cx.operand(3, x.element())?.broadcast_to(&x.dims());
        (positive.minus(1.0) * target).plus(1.0) * softplus
    } else {
        softplus
    };
    let loss = (x.like(1.0) - target) * x + scaled;
    one(reduced(cx, weighted(cx, loss, 2)?, 4)?)
}

/// What the negative log likelihood needs of its class indices.
struct Classes<'f> {
    /// The class of each element, in the shape of the targets; 0 where ignored.
    index: Value<'f>,
    kept: Value<'f>,
    /// Weight of each element's class; 0 where ignored.
    weight: Value<'f>,
    /// The dimension of the classes in the input.
    dim: i64,
}

/// Reads targets, weights and ignore_index from the arguments that follow the input. The check is for
/// forward: backward sees the same targets.
fn classes<'f>(cx: &Lowering<'f, '_>, input: usize, element: ElementType, checked: bool) -> Result<Classes<'f>, LowerError> {
    let dims = &cx.meta(input)?.dims;
    let dim = i64::from(dims.len() > 1);
    let count = dims[dim as usize];
    let batch: Vec<i64> = (0i64..).zip(dims).filter(|(axis, _)| *axis != dim).map(|(_, size)| *size).collect();
    let target = cx.tensor(input + 1)?.reshape(&batch);
    let kept = if target.element().is_unsigned() { target.eq(target) } else { target.ne(target.like(cx.int(input + 4)?)) };
    if checked {
        let outside = target.lt(target.like(0)).or(target.ge(target.like(count)));
        cx.check(kept.and(outside), target, "Target {} is out of bounds.");
    }
    let index = kept.select(target, target.like(0)).convert(position_element(count));
    let ones = cx.func.splat(element, &batch, 1.0);
    let weight = match cx.optional_tensor(input + 2)? {
        Some(weight) if !batch.contains(&0) => {
            let weight = weight.convert(element);
            let per_class = weight.broadcast_in_dim(dims, &[dim]);
            taken(per_class, index, dim)
        }
        _ => ones,
    };
    Ok(Classes { index, kept, weight: kept.select(weight, ones.like(0.0)), dim })
}

/// The entries of `x` at `index` along `dim`, in the shape of `index`.
fn taken<'f>(x: Value<'f>, index: Value<'f>, dim: i64) -> Value<'f> {
    let dims = index.dims();
    if index.numel() == 0 || x.numel() == 0 {
        return x.func().splat(x.element(), &dims, 0.0);
    }
    let mut positions = dims.clone();
    positions.insert(dim as usize, 1);
    gather_along(x, index.reshape(&positions), dim).reshape(&dims)
}

fn nll_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.operand(0, cx.compute_element())?;
    let classes = classes(cx, 0, x.element(), true)?;
    let picked = taken(x, classes.index, classes.dim).neg() * classes.weight;
    let losses = classes.kept.select(picked, picked.like(0.0));
    let all: Vec<i64> = (0..losses.rank() as i64).collect();
    let reduction = cx.int(3)?;
    if reduction != MEAN && reduction != SUM {
        let total = cx.func.zero(x.element()).broadcast_to(&cx.output(1)?.dims);
        return Ok(vec![Some(losses.reshape(cx.out_dims())), Some(total)]);
    }
    let (sum, total) = (losses.reduce_add(&all), classes.weight.reduce_add(&all));
    let result = if reduction == MEAN { sum / total } else { sum };
    Ok(vec![Some(result.reshape(cx.out_dims())), Some(total)])
}

/// `-weight * grad` at each element's class, 0 elsewhere.
fn nll_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let classes = classes(cx, 1, element, false)?;
    let mut grad = cx.operand(0, element)?.broadcast_to(&classes.weight.dims());
    if cx.int(4)? == MEAN {
        grad = grad / cx.operand(6, element)?.broadcast_to(&grad.dims());
    }
    let slope = classes.kept.select((classes.weight * grad).neg(), grad.like(0.0));
    let dims = cx.out_dims();
    let others: Vec<i64> = (0..dims.len() as i64).filter(|axis| *axis != classes.dim).collect();
    let hit = cx.func.iota(classes.index.element(), dims, classes.dim).eq(classes.index.broadcast_in_dim(dims, &others));
    let slope = slope.broadcast_in_dim(dims, &others);
    one(hit.select(slope, slope.like(0.0)))
}

/// An input with classes last and a batch first, and its class indices.
fn batched<'f>(cx: &Lowering<'f, '_>, input: usize) -> Result<(Value<'f>, Value<'f>), LowerError> {
    let x = cx.operand(input, cx.compute_element())?;
    let dims = x.dims();
    let count = dims.last().copied().unwrap_or(1);
    let samples = if dims.len() > 1 { dims[0] } else { 1 };
    let target = cx.tensor(input + 1)?;
    let per_sample = if samples == 0 { 1 } else { target.numel() / samples };
    Ok((x.reshape(&[samples, count]), target.reshape(&[samples, per_sample])))
}

/// Sums and means of the margin losses run over samples, and each loss is a mean over classes.
fn margin_result<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, losses: Value<'f>, reduction: usize) -> Result<Value<'f>, LowerError> {
    let classes = x.dims()[1].max(1) as f64;
    let result = reduced(cx, losses.over(classes), reduction)?;
    Ok(result.reshape(cx.out_dims()))
}

/// The incoming gradient of each sample, with the divisors of the mean losses.
fn margin_gradient<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, reduction: usize) -> Result<Value<'f>, LowerError> {
    let [samples, classes] = [x.dims()[0], x.dims()[1].max(1)];
    let grad = cx.operand(0, x.element())?;
    let grad = if grad.numel() == 1 { grad.reshape(&[]).broadcast_to(&[samples]) } else { grad.reshape(&[samples]) };
    let divisor = if cx.int(reduction)? == MEAN { samples * classes } else { classes };
    Ok(grad.over(divisor as f64).broadcast_in_dim(&x.dims(), &[0]))
}

/// How far each other class exceeds the target's score less the margin; 0 where it does not.
struct Excess<'f> {
    x: Value<'f>,
    is_target: Value<'f>,
    excess: Value<'f>,
    /// The target class's weight, in the shape of `x`.
    weight: Value<'f>,
}

fn excess<'f>(cx: &Lowering<'f, '_>, input: usize, checked: bool) -> Result<Excess<'f>, LowerError> {
    let (x, target) = batched(cx, input)?;
    let dims = x.dims();
    if checked {
        let outside = target.lt(target.like(0)).or(target.ge(target.like(dims[1])));
        cx.check_data(outside, target, "target out of range");
    }
    let index = target.convert(position_element(dims[1]));
    let is_target = cx.func.iota(index.element(), &dims, 1).eq(index.broadcast_to(&dims));
    let at_target = |values: Value<'f>| {
        let picked = is_target.select(values, values.like(0.0)).reduce_add(&[1]);
        picked.broadcast_in_dim(&dims, &[0])
    };
    let weight = match cx.optional_tensor(input + 4)? {
        Some(weight) => at_target(weight.convert(x.element()).broadcast_to(&dims)),
        None => x.like(1.0),
    };
    let distance = cx.scalar_like(input + 3, x)? - at_target(x) + x;
    let counts = is_target.not().and(distance.gt(x.like(0.0)));
    Ok(Excess { x, is_target, excess: counts.select(distance, x.like(0.0)), weight })
}

fn multi_margin_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let Excess { x, excess, weight, .. } = excess(cx, 0, true)?;
    let powered = if cx.float(2)? == 1.0 { excess } else { excess * excess };
    one(margin_result(cx, x, (powered * weight).reduce_add(&[1]), 5)?)
}

fn multi_margin_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let Excess { x, is_target, excess, weight } = excess(cx, 1, false)?;
    let slope = if cx.float(3)? == 1.0 { excess.gt(x.like(0.0)).convert(x.element()) } else { excess.times(2.0) };
    let slope = slope * weight * margin_gradient(cx, x, 6)?;
    let opposite = slope.reduce_add(&[1]).neg().broadcast_in_dim(&x.dims(), &[0]);
    one(is_target.select(opposite, slope).reshape(cx.out_dims()))
}

/// The label lists of the multilabel loss: each ends at its first negative entry.
struct Labels<'f> {
    x: Value<'f>,
    /// Whether entry `j` of a sample's list is class `c`: samples, entries, classes.
    names: Value<'f>,
    /// Whether class `c` is in the list.
    is_target: Value<'f>,
    /// By how much class `c` violates the margin of entry `j`; 0 where it does not.
    excess: Value<'f>,
}

fn labels<'f>(cx: &Lowering<'f, '_>, input: usize, checked: bool) -> Result<Labels<'f>, LowerError> {
    let (x, target) = batched(cx, input)?;
    let [samples, classes] = [x.dims()[0], x.dims()[1]];
    if checked {
        let outside = target.lt(target.like(-1)).or(target.ge(target.like(classes)));
        cx.check_data(outside, target, "argument #2 'target' is out of range");
    }
    let index = target.convert(position_element(classes));
    let place = cx.func.iota(index.element(), &index.dims(), 1);
    let end = index.lt(index.like(0)).select(place, place.like(classes)).reduce_min(&[1]);
    let listed = place.lt(end.broadcast_in_dim(&index.dims(), &[0]));
    let cube = [samples, classes, classes];
    let spread = |value: Value<'f>, dims: &[i64]| value.broadcast_in_dim(&cube, dims);
    let same = cx.func.iota(index.element(), &cube, 2).eq(spread(index, &[0, 1]));
    let names = same.and(spread(listed, &[0, 1]));
    let is_target = names.reduce_or(&[1]);
    let scores = spread(x, &[0, 2]);
    let target_score = spread(names.select(scores, scores.like(0.0)).reduce_add(&[2]), &[0, 1]);
    let distance = scores.like(1.0) - target_score + scores;
    let counts = spread(listed, &[0, 1]).and(spread(is_target.not(), &[0, 2])).and(distance.gt(scores.like(0.0)));
    Ok(Labels { x, names, is_target, excess: counts.select(distance, scores.like(0.0)) })
}

fn multilabel_margin_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let Labels { x, is_target, excess, .. } = labels(cx, 0, true)?;
    let losses = margin_result(cx, x, excess.reduce_add(&[1, 2]), 2)?;
    Ok(vec![Some(losses), Some(is_target.reshape(&cx.output(1)?.dims))])
}

fn multilabel_margin_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let Labels { x, names, excess, .. } = labels(cx, 1, false)?;
    let violated = excess.gt(excess.like(0.0)).convert(x.element());
    let upward = violated.reduce_add(&[1]);
    let each = violated.reduce_add(&[2]).broadcast_in_dim(&names.dims(), &[0, 1]);
    let downward = names.select(each, each.like(0.0)).reduce_add(&[1]);
    one(((upward - downward) * margin_gradient(cx, x, 3)?).reshape(cx.out_dims()))
}
