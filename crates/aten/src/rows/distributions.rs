//! Samplers that reject: gamma, Dirichlet, Poisson, binomial. Each is a loop that runs until every element
//! has accepted a candidate.

use stablehlo::{ElementType, Value};

use super::compaction::{broadcast_dims, meta_of};
use super::random::{bits_element, open_uniform};
use crate::lowering::draw_bits;
use crate::{Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_standard_gamma", |cx| Ok(vec![Some(standard_gamma(cx)?)])).random(),
    Row::custom("aten::_sample_dirichlet", |cx| {
        let gamma = standard_gamma(cx)?;
        let last = gamma.rank() as i64 - 1;
        let axes: Vec<i64> = (0..last).collect();
        Ok(vec![Some(gamma / gamma.reduce_add(&[last]).broadcast_in_dim(&gamma.dims(), &axes))])
    })
    .random()
    .infer(Infer::Rule(|call| Ok(vec![Some(meta_of(call, 0)?.clone())]))),
    Row::custom("aten::poisson", poisson).random(),
    Row::custom("aten::binomial", binomial).random().infer(Infer::Rule(|call| {
        let (count, probability) = (meta_of(call, 0)?, meta_of(call, 1)?);
        Ok(vec![Some(TensorMeta::new(count.element, &broadcast_dims(&count.dims, &probability.dims)))])
    })),
];

/// Random numbers inside a loop: the state goes round with the loop's other values.
struct Stream<'f> {
    state: Value<'f>,
    element: ElementType,
    dims: Vec<i64>,
}

impl<'f> Stream<'f> {
    /// Two independent uniform numbers for each element, of one draw: a generator is much code to compile.
    fn uniforms(&mut self) -> (Value<'f>, Value<'f>) {
        let mut both = vec![2];
        both.extend_from_slice(&self.dims);
        let (state, bits) = draw_bits(self.state, bits_element(self.element), &both);
        self.state = state;
        let drawn = open_uniform(bits);
        (drawn.slice_dim(0, 0, 1).reshape(&self.dims), drawn.slice_dim(0, 1, 2).reshape(&self.dims))
    }

    fn uniform(&mut self) -> Value<'f> {
        let (state, bits) = draw_bits(self.state, bits_element(self.element), &self.dims);
        self.state = state;
        open_uniform(bits)
    }
}

/// Loops until `done` (booleans of the results' shape) holds everywhere. `step` gets random numbers and the current
/// values, of which the first is `done`, and returns the next ones.
fn until_done<'f>(
    cx: &Lowering<'f, '_>,
    element: ElementType,
    start: &[Value<'f>],
    step: impl Fn(&mut Stream<'f>, &[Value<'f>]) -> Vec<Value<'f>>,
) -> Result<Vec<Value<'f>>, LowerError> {
    let dims = cx.out_dims();
    let all: Vec<i64> = (0..dims.len() as i64).collect();
    let mut values = vec![cx.random_bits(ElementType::U64, &[2])?];
    values.extend_from_slice(start);
    let mut results = cx.func.while_loop(
        &values,
        |values| (!values[1]).reduce_or(&all),
        |values| {
            let mut stream = Stream { state: values[0], element, dims: dims.to_vec() };
            let next = step(&mut stream, &values[1..]);
            let mut all = vec![stream.state];
            all.extend(next);
            all
        },
    );
    results.remove(0);
    Ok(results)
}

fn splat<'f>(cx: &Lowering<'f, '_>, element: ElementType, value: f64) -> Value<'f> {
    cx.func.splat(element, cx.out_dims(), value)
}

/// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", 2000. Shapes below 1 are drawn at
/// `shape + 1` and scaled by a power of a uniform number.
fn standard_gamma<'f>(cx: &Lowering<'f, '_>) -> Result<Value<'f>, LowerError> {
    let element = cx.compute_element();
    let shape = cx.tensor(0)?.convert(element);
    let small = shape.lt(shape.like(1.0));
    let d = small.select(shape.plus(1.0), shape).minus(1.0 / 3.0);
    let c = d.times(9.0).rsqrt();
    let start = [splat(cx, ElementType::I1, 0.0), splat(cx, element, 1.0)];
    let accepted = until_done(cx, element, &start, |stream, values| {
        let (done, kept) = (values[0], values[1]);
        let (first, second) = stream.uniforms();
        let x = first.times(2.0).minus(1.0).erf_inv().times(std::f64::consts::SQRT_2);
        let root = (c * x).plus(1.0);
        let v = root * root * root;
        let positive = v.gt(v.like(0.0));
        let v = positive.select(v, v.like(1.0));
        let limit = (x * x).times(0.5) + d - d * v + d * v.log();
        let good = positive & second.log().lt(limit);
        // A shape that is not a number is never accepted.
        let good = good | d.ne(d);
        vec![done | good, (good & !done).select(v, kept)]
    })?;
    let v = accepted.get(1).copied().ok_or_else(|| LowerError::unsupported("a loop without results"))?;
    let unit = open_uniform(cx.random_bits(bits_element(element), cx.out_dims())?);
    let scale = small.select((unit.log() / shape).exp(), unit.like(1.0));
    let drawn = d * v * scale;
    let smallest = if element == ElementType::F64 { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) };
    Ok(drawn.maximum(drawn.like(smallest)))
}

/// Rates below this are drawn by multiplying uniform numbers.
const SMALL_RATE: f64 = 10.0;

/// D. E. Knuth's product of uniforms for small rates, else W. Hörmann, "The transformed rejection method for generating
/// Poisson random variables", 1993 (algorithm PTRS).
fn poisson<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let rate = cx.tensor(0)?.convert(element);
    cx.check_data(rate.lt(rate.like(0.0)), rate.convert(ElementType::I64), "invalid Poisson rate, expected rate to be non-negative");
    let small = rate.lt(rate.like(SMALL_RATE));
    // A rate that is not a number is never accepted by either loop.
    let other = rate.ne(rate);

    let start = [!small, splat(cx, element, 0.0), splat(cx, element, 0.0)];
    let counted = until_done(cx, element, &start, |stream, values| {
        let (done, logarithm, count) = (values[0], values[1], values[2]);
        let next = logarithm + stream.uniform().log();
        let finished = next.le(-rate);
        vec![done | finished, next, (done | finished).select(count, count.plus(1.0))]
    })?;

    let safe = small.select(rate.like(SMALL_RATE), rate);
    let log_rate = safe.log();
    let b = safe.sqrt().times(2.53).plus(0.931);
    let a = b.times(0.02483).minus(0.059);
    let inverse_alpha = b.like(1.1328) / b.minus(3.4);
    let inverse_alpha = inverse_alpha.plus(1.1239);
    let squeeze = -(b.like(3.6224) / b.minus(2.0)).minus(0.9277);
    let start = [small | other, splat(cx, element, 0.0)];
    let rejected = until_done(cx, element, &start, |stream, values| {
        let (done, kept) = (values[0], values[1]);
        let (u, v) = stream.uniforms();
        let u = u.minus(0.5);
        let margin = -u.abs().minus(0.5);
        let k = ((a.times(2.0) / margin + b) * u + safe).plus(0.43).floor();
        let quick = margin.ge(margin.like(0.07)) & v.le(squeeze);
        let hopeless = k.lt(k.like(0.0)) | (margin.lt(margin.like(0.013)) & v.gt(margin));
        let left = (v * inverse_alpha / (a / (margin * margin) + b)).log();
        let right = k * log_rate - safe - k.plus(1.0).lgamma();
        let good = quick | (!hopeless & left.le(right));
        vec![done | good, (good & !done).select(k, kept)]
    })?;
    let (Some(counted), Some(rejected)) = (counted.get(2), rejected.get(1)) else {
        return Err(LowerError::unsupported("a loop without results"));
    };
    let drawn = small.select(*counted, *rejected);
    Ok(vec![Some(other.select(rate, drawn))])
}

/// Expected successes below this are counted by geometric waiting times.
const SMALL_MEAN: f64 = 10.0;

/// Waiting times for a small mean, else W. Hörmann, "The generation of binomial random variates", 1993 (algorithm
/// BTRS). Probabilities above one half are drawn as failures.
fn binomial<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = compute_element(cx.out_element());
    let dims = cx.out_dims();
    let count = cx.tensor(0)?.convert(element).broadcast_to(dims);
    let probability = cx.tensor(1)?.convert(element).broadcast_to(dims);
    let invalid = !(count.ge(count.like(0.0)) & probability.ge(probability.like(0.0)) & probability.le(probability.like(1.0)));
    cx.check_data(count.lt(count.like(0.0)), count.convert(ElementType::I64), "binomial: count must be non-negative, got {}");
    let flipped = probability.gt(probability.like(0.5));
    let p = flipped.select(-probability.minus(1.0), probability);
    let small = (count * p).lt(count.like(SMALL_MEAN));

    let failure = (-p).log_plus_one();
    let nothing = p.le(p.like(0.0)) | invalid;
    let start = [!small | nothing, splat(cx, element, 0.0), splat(cx, element, 0.0)];
    let waited = until_done(cx, element, &start, |stream, values| {
        let (done, elapsed, successes) = (values[0], values[1], values[2]);
        let next = elapsed + (stream.uniform().log() / failure).ceil();
        let finished = next.gt(count);
        vec![done | finished, next, (done | finished).select(successes, successes.plus(1.0))]
    })?;

    let (n, p_safe) = (small.select(count.like(40.0), count), small.select(p.like(0.5), p));
    let q = -p_safe.minus(1.0);
    let spread = (n * p_safe * q).sqrt();
    let b = spread.times(2.53).plus(1.15);
    let a = (b.times(0.0248) + p_safe.times(0.01)).minus(0.0873);
    let centre = (n * p_safe).plus(0.5);
    let squeeze = -(b.like(4.2) / b).minus(0.92);
    let alpha = (b.like(5.1) / b).plus(2.83) * spread;
    let odds = p_safe / q;
    let mode = (n.plus(1.0) * p_safe).floor();
    let at_mode = stirling_tail(mode) + stirling_tail(n - mode);
    let start = [small | invalid, splat(cx, element, 0.0)];
    let rejected = until_done(cx, element, &start, |stream, values| {
        let (done, kept) = (values[0], values[1]);
        let (u, v) = stream.uniforms();
        let u = u.minus(0.5);
        let margin = -u.abs().minus(0.5);
        let k = ((a.times(2.0) / margin + b) * u + centre).floor();
        let quick = margin.ge(margin.like(0.07)) & v.le(squeeze);
        let outside = k.lt(k.like(0.0)) | k.gt(n);
        let k = outside.select(mode, k);
        let left = (v * alpha / (a / (margin * margin) + b)).log();
        let rest = n - k;
        let right = mode.plus(0.5) * (mode.plus(1.0) / (odds * (n - mode).plus(1.0))).log()
            + n.plus(1.0) * ((n - mode).plus(1.0) / rest.plus(1.0)).log()
            + k.plus(0.5) * (odds * rest.plus(1.0) / k.plus(1.0)).log()
            + at_mode
            - stirling_tail(k)
            - stirling_tail(rest);
        let good = !outside & (quick | left.le(right));
        vec![done | good, (good & !done).select(k, kept)]
    })?;
    let (Some(waited), Some(rejected)) = (waited.get(2), rejected.get(1)) else {
        return Err(LowerError::unsupported("a loop without results"));
    };
    let drawn = small.select(*waited, *rejected);
    let drawn = flipped.select(count - drawn, drawn);
    Ok(vec![Some(invalid.select(drawn.like(f64::NAN), drawn))])
}

/// `ln k! - ((k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2)`: by its series, or directly where that is short.
fn stirling_tail(k: Value<'_>) -> Value<'_> {
    let next = k.plus(1.0);
    let square = next * next;
    let series = (square.like(1.0 / 12.0) - (square.like(1.0 / 360.0) - square.like(1.0 / 1260.0) / square) / square) / next;
    let direct = next.lgamma() - (k.plus(0.5) * next.log() - next).plus(0.5 * (2.0 * std::f64::consts::PI).ln());
    k.lt(k.like(10.0)).select(direct, series)
}
