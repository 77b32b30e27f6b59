//! Random fills, dropout and draws without rejection. Rejection samplers are in `distributions`.

use stablehlo::{ElementType, Value};

use super::positions::position_element;
use super::searching::search;
use crate::{CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::uniform", uniform).random().shape_only(&[0]),
    Row::custom("aten::normal_functional", |cx| normal(cx, Some(1), Some(2))).random().shape_only(&[0]),
    Row::custom("aten::normal.Tensor_float", |cx| normal(cx, Some(0), Some(1))).random(),
    Row::custom("aten::normal.float_Tensor", |cx| normal(cx, Some(0), Some(1))).random(),
    Row::custom("aten::normal.Tensor_Tensor", |cx| normal(cx, Some(0), Some(1))).random(),
    Row::custom("aten::log_normal", |cx| {
        let element = inexact(cx.compute_element());
        let normal = affine(cx, cx.random_normal(element, cx.out_dims())?, Some(1), Some(2))?;
        Ok(vec![Some(normal.exp())])
    })
    .random()
    .shape_only(&[0]),
    Row::custom("aten::cauchy", cauchy).random().shape_only(&[0]),
    Row::custom("aten::exponential", |cx| {
        let rate = cx.scalar(1, inexact(cx.compute_element()))?;
        Ok(vec![Some(exponential(cx, rate.element(), cx.out_dims())? / rate.broadcast_to(cx.out_dims()))])
    })
    .random()
    .shape_only(&[0]),
    Row::custom("aten::geometric", geometric).random().shape_only(&[0]),
    Row::custom("aten::bernoulli", |cx| bernoulli(cx, 0)).random(),
    Row::custom("aten::bernoulli.p", |cx| bernoulli(cx, 1)).random().shape_only(&[0]),
    Row::custom("aten::bernoulli.Tensor", |cx| bernoulli(cx, 1)).random().shape_only(&[0]),
    Row::custom("aten::random", |cx| integers(cx, 0, natural_span(cx.out_element()))).random().shape_only(&[0]),
    Row::custom("aten::random.to", |cx| integers(cx, 0, cx.int(1)? as u64)).random().shape_only(&[0]),
    Row::custom("aten::random.from", random_from).random().shape_only(&[0]),
    Row::custom("aten::randperm.generator", randperm).random().infer(Infer::Rule(|call| {
        let CallArgument::Int(size) = call.arguments[0] else {
            return Err(LowerError::unsupported("a size that is not an int"));
        };
        let element = match call.arguments.get(2) {
            Some(CallArgument::Element(element)) => *element,
            _ => ElementType::I64,
        };
        Ok(vec![Some(TensorMeta::new(element, &[size]))])
    })),
    Row::custom("aten::multinomial", multinomial).random(),
    Row::custom("aten::native_dropout", native_dropout).random(),
    Row::custom("aten::native_dropout_backward", scale_masked),
    Row::custom("aten::_fused_dropout", fused_dropout).random(),
    Row::custom("aten::_masked_scale", scale_masked),
    Row::custom("aten::rrelu_with_noise_functional", rrelu_with_noise).random(),
];

/// The dtype to draw floats in for a result that may be an integer.
fn inexact(element: ElementType) -> ElementType {
    if element.is_float() || element.is_complex() { element } else { ElementType::F32 }
}

/// `location + scale * x`; a missing argument leaves its part out.
fn affine<'f>(cx: &Lowering<'f, '_>, x: Value<'f>, location: Option<usize>, scale: Option<usize>) -> Result<Value<'f>, LowerError> {
    let known = |index: usize, value: f64| cx.known_scalar(index).is_some_and(|known| known.as_f64() == value);
    let dims = x.dims();
    let mut x = x;
    if let Some(scale) = scale.filter(|index| !known(*index, 1.0)) {
        x = x * cx.operand(scale, x.element())?.broadcast_to(&dims);
    }
    if let Some(location) = location.filter(|index| !known(*index, 0.0)) {
        x = x + cx.operand(location, x.element())?.broadcast_to(&dims);
    }
    Ok(x)
}

fn uniform<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (element, dims) = (cx.out_element(), cx.out_dims());
    let unit = cx.random_uniform(element, dims)?.convert(cx.compute_element());
    let is = |index: usize, value: f64| cx.known_scalar(index).is_some_and(|known| known.as_f64() == value);
    if is(1, 0.0) && is(2, 1.0) {
        return Ok(vec![Some(unit)]);
    }
    let (from, to) = (cx.scalar(1, unit.element())?, cx.scalar(2, unit.element())?);
    Ok(vec![Some(unit * (to - from).broadcast_to(dims) + from.broadcast_to(dims))])
}

/// Complex numbers have independent parts, each with half of the variance.
fn normal<'f>(cx: &Lowering<'f, '_>, mean: Option<usize>, deviation: Option<usize>) -> Lowered<'f> {
    let (element, dims) = (cx.compute_element(), cx.out_dims());
    if let Some(index) = deviation
        && let CallArgument::Tensor(t) = cx.argument(index)
        && !t.meta.element.is_complex()
    {
        let deviation = cx.tensor(index)?;
        let failed = deviation.lt(deviation.like(0i64));
        cx.check_data(failed, deviation.convert(ElementType::I64), "normal expects all elements of std >= 0.0");
    }
    let drawn = if element.is_complex() {
        let part = element.real();
        let parts = [cx.random_normal(part, dims)?, cx.random_normal(part, dims)?].map(|x| x.times(std::f64::consts::FRAC_1_SQRT_2));
        parts[0].complex(parts[1])
    } else {
        cx.random_normal(inexact(element), dims)?
    };
    Ok(vec![Some(affine(cx, drawn, mean, deviation)?)])
}

/// Uniform numbers strictly between 0 and 1.
pub(super) fn open_uniform<'f>(bits: Value<'f>) -> Value<'f> {
    let (element, digits) = if bits.element() == ElementType::U64 { (ElementType::F64, 52) } else { (ElementType::F32, 23) };
    let drop = i64::from(bits.element().bit_width()) - digits;
    let index = bits.shift_right_logical(bits.like(drop)).convert(element);
    index.plus(0.5).times((-digits as f64).exp2())
}

/// Random bits from which `open_uniform` makes numbers of `element`.
pub(super) fn bits_element(element: ElementType) -> ElementType {
    if element == ElementType::F64 { ElementType::U64 } else { ElementType::U32 }
}

fn drawn_open_uniform<'f>(cx: &Lowering<'f, '_>, element: ElementType, dims: &[i64]) -> Result<Value<'f>, LowerError> {
    Ok(open_uniform(cx.random_bits(bits_element(element), dims)?))
}

/// Exponential numbers of rate 1.
fn exponential<'f>(cx: &Lowering<'f, '_>, element: ElementType, dims: &[i64]) -> Result<Value<'f>, LowerError> {
    Ok(-drawn_open_uniform(cx, element, dims)?.log())
}

fn cauchy<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let unit = drawn_open_uniform(cx, inexact(cx.compute_element()), cx.out_dims())?;
    let drawn = unit.minus(0.5).times(std::f64::consts::PI).tan();
    Ok(vec![Some(affine(cx, drawn, Some(1), Some(2))?)])
}

/// Number of trials up to the first success.
fn geometric<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let unit = drawn_open_uniform(cx, inexact(cx.compute_element()), cx.out_dims())?;
    let failure = (-cx.scalar(1, unit.element())?).log_plus_one();
    Ok(vec![Some((unit.log() / failure.broadcast_to(cx.out_dims())).ceil())])
}

/// True with the probability in argument `probability`, a number or a tensor.
fn bernoulli<'f>(cx: &Lowering<'f, '_>, probability: usize) -> Lowered<'f> {
    let dims = cx.out_dims();
    let element = match cx.argument(probability) {
        CallArgument::Tensor(t) => inexact(compute_element(t.meta.element)),
        _ => ElementType::F32,
    };
    let p = cx.operand(probability, element)?;
    if matches!(cx.argument(probability), CallArgument::Tensor(_)) {
        let valid = p.ge(p.like(0.0)) & p.le(p.like(1.0));
        cx.check_data(!valid, p.convert(ElementType::I64), "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
    }
    Ok(vec![Some(cx.random_uniform(element, dims)?.lt(p.broadcast_to(dims)))])
}

/// How many integers `random_()` draws from: up to the largest that the dtype holds exactly.
fn natural_span(element: ElementType) -> u64 {
    match element {
        ElementType::F64 => (1 << 53) + 1,
        ElementType::F32 => (1 << 24) + 1,
        ElementType::F16 => (1 << 11) + 1,
        ElementType::BF16 => (1 << 8) + 1,
        ElementType::I1 => 2,
        ElementType::U64 => 0,
        e if e.is_unsigned() => 1 << e.bit_width(),
        e => 1 << (e.bit_width() - 1),
    }
}

fn random_from<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let from = cx.int(1)?;
    let span = match cx.optional_int(2)? {
        Some(to) => to.wrapping_sub(from) as u64,
        None => natural_span(cx.out_element()).wrapping_sub(from as u64),
    };
    integers(cx, from, span)
}

/// Integers from `low`, `span` of them; a span of 0 stands for 2^64.
fn integers<'f>(cx: &Lowering<'f, '_>, low: i64, span: u64) -> Lowered<'f> {
    let dims = cx.out_dims();
    let small = 0 < span && span <= 1 << 31;
    let bits_element = if small { ElementType::U32 } else { ElementType::U64 };
    let bits = cx.random_bits(bits_element, dims)?;
    let drawn = if span == 0 {
        bits
    } else if span.is_power_of_two() {
        bits & bits.like(span - 1)
    } else {
        bits % bits.like(span)
    };
    let fits = small && i32::try_from(low).is_ok() && i32::try_from(low + (span as i64 - 1)).is_ok();
    let element = if fits { ElementType::I32 } else { ElementType::I64 };
    let drawn =
        if drawn.element().bit_width() == element.bit_width() { drawn.bitcast_convert(element, dims) } else { drawn.convert(element) };
    let shifted = if low == 0 { drawn } else { drawn + drawn.like(low) };
    Ok(vec![Some(if cx.out_element().is_bool() { shifted.ne(shifted.like(0i64)) } else { shifted })])
}

/// Sorts 0..n by random keys; keys are wide enough that equal ones do not show.
fn randperm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let size = dims[0];
    let keys = cx.random_bits(if size <= 2048 { ElementType::U32 } else { ElementType::U64 }, dims)?;
    let places = cx.func.iota(position_element(size), dims, 0);
    let sorted = cx.func.sort(&[keys, places], 0, true, |pairs| pairs[0].0.lt(pairs[0].1));
    Ok(vec![sorted.get(1).copied()])
}

/// Without replacement: the largest of weight over exponential noise. With it: uniform numbers looked up in the
/// running sum of the weights.
fn multinomial<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.meta(0)?.element);
    let weights = cx.tensor(0)?.convert(element);
    let samples = cx.int(1)?;
    let dims = weights.dims();
    let categories = dims.last().copied().unwrap_or(1);
    let rows = weights.numel() / categories.max(1);
    let weights = weights.reshape(&[rows, categories]);
    let invalid = weights.lt(weights.like(0.0)) | !weights.is_finite();
    cx.check_data(invalid, invalid.convert(ElementType::I64), "probability tensor contains either `inf`, `nan` or element < 0");
    let total = weights.reduce_add(&[1]);
    cx.check_data(
        total.le(total.like(0.0)),
        total.convert(ElementType::I64),
        "invalid multinomial distribution (sum of probabilities <= 0)",
    );

    if !cx.bool(2)? || samples == 1 {
        let race = weights / exponential(cx, element, &[rows, categories])?;
        let places = cx.func.iota(ElementType::I32, &[rows, categories], 1);
        if samples == 1 {
            return Ok(vec![Some(first_of_largest(race, places).reshape(cx.out_dims()))]);
        }
        if samples > 1 {
            let positive = weights.gt(weights.like(0.0)).convert(ElementType::I32).reduce_add(&[1]);
            cx.check_data(
                positive.lt(positive.like(samples)),
                positive,
                "invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)",
            );
        }
        let sorted = cx.func.sort(&[race, places], 1, true, |pairs| pairs[0].0.gt(pairs[0].1));
        let order = sorted.get(1).copied().unwrap_or(places);
        return Ok(vec![Some(order.slice_dim(1, 0, samples).reshape(cx.out_dims()))]);
    }
    let window = stablehlo::ReduceWindow {
        dimensions: vec![1, categories],
        padding: vec![(0, 0), (categories - 1, 0)],
        ..stablehlo::ReduceWindow::default()
    };
    let sums = cx.func.reduce_window(&[weights], &[cx.func.zero(element)], &window, |a, b| vec![a[0] + b[0]]);
    let running = sums.first().copied().unwrap_or(weights);
    let total = running.slice_dim(1, categories - 1, categories).broadcast_to(&[rows, samples]);
    let wanted = cx.random_uniform(element, &[rows, samples])? * total;
    let found = search(running, wanted, true);
    // Rounding may carry a number up to the total: it falls to the last category that has a weight.
    let places = cx.func.iota(ElementType::I32, &[rows, categories], 1);
    let last = weights.gt(weights.like(0.0)).select(places, places.like(0i64)).reduce_max(&[1]);
    let found = found.convert(ElementType::I32).minimum(last.broadcast_in_dim(&[rows, samples], &[0]));
    Ok(vec![Some(found.reshape(cx.out_dims()))])
}

/// The place of the largest number of each row.
fn first_of_largest<'f>(x: Value<'f>, places: Value<'f>) -> Value<'f> {
    let inits = [x.func().lowest(x.element()), x.func().zero(places.element())];
    let found = x.func().reduce(&[x, places], &inits, &[1], |a, b| {
        let keep = a[0].gt(b[0]) | (a[0].eq(b[0]) & a[1].le(b[1]));
        vec![keep.select(a[0], b[0]), keep.select(a[1], b[1])]
    });
    found.get(1).copied().unwrap_or(places)
}

/// Keeps each element with probability `1 - p` and scales what is kept to the same mean.
fn native_dropout<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let x = cx.tensor(0)?;
    if cx.is_present(2) && !cx.bool(2)? {
        return Ok(vec![Some(x), Some(cx.func.splat(ElementType::I1, dims, true))]);
    }
    let element = cx.compute_element();
    let keep = -cx.scalar(1, element)?.minus(1.0);
    let draw = cx.random_uniform(if element == ElementType::F64 { element } else { ElementType::F32 }, dims)?;
    let mask = draw.lt(keep.convert(draw.element()).broadcast_to(dims));
    Ok(vec![Some(kept(x.convert(element), mask, keep)), Some(mask)])
}

/// The masked elements divided by the probability of keeping them; zeros when nothing is kept.
fn kept<'f>(x: Value<'f>, mask: Value<'f>, keep: Value<'f>) -> Value<'f> {
    let zero = keep.like(0.0);
    let scale = keep.eq(zero).select(zero, keep.like(1.0) / keep);
    x * mask.convert(x.element()) * scale.broadcast_to(&x.dims())
}

/// Here `p` is the probability of keeping an element, and the mask is of bytes.
fn fused_dropout<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?.convert(cx.compute_element());
    let keep = cx.scalar(1, x.element())?;
    let mask = cx.random_uniform(x.element(), &x.dims())?.lt(keep.broadcast_to(&x.dims()));
    Ok(vec![Some(kept(x, mask, keep)), Some(mask)])
}

/// `x * mask * scale`.
fn scale_masked<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let (x, mask) = (cx.operand(0, element)?, cx.operand(1, element)?);
    Ok(vec![Some(x * mask * cx.scalar(2, element)?.broadcast_to(cx.out_dims()))])
}

/// Elements at or below 0 are scaled by a random slope, which is the noise; the mean slope when not training.
fn rrelu_with_noise<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (element, dims) = (cx.compute_element(), cx.out_dims());
    let x = cx.tensor(0)?.convert(element);
    let (lower, upper) = (cx.scalar(2, element)?, cx.scalar(3, element)?);
    let negative = x.le(x.like(0.0));
    if !cx.bool(4)? {
        let slope = (lower + upper).times(0.5).broadcast_to(dims);
        return Ok(vec![Some(negative.select(x * slope, x)), Some(cx.tensor(1)?)]);
    }
    let slope = cx.random_uniform(element, dims)? * (upper - lower).broadcast_to(dims) + lower.broadcast_to(dims);
    let noise = negative.select(slope, slope.like(1.0));
    Ok(vec![Some(x * noise), Some(noise)])
}
