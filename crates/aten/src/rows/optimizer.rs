//! Fused optimizer steps and loss scaling. A step is one program over all parameters of a group.
//!
//! Results are lists, flattened in schema order. What a step leaves as it was (gradients that are not unscaled)
//! is announced as undefined, so that nothing is written.

use stablehlo::{ElementType, Value};

use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_fused_adam", |cx| adam(cx, WeightDecay::InGradient)).infer(Infer::Rule(adam_results)),
    Row::custom("aten::_fused_adam.tensor_lr", |cx| adam(cx, WeightDecay::InGradient)).infer(Infer::Rule(adam_results)),
    Row::custom("aten::_fused_adamw", |cx| adam(cx, WeightDecay::Decoupled)).infer(Infer::Rule(adam_results)),
    Row::custom("aten::_fused_adamw.tensor_lr", |cx| adam(cx, WeightDecay::Decoupled)).infer(Infer::Rule(adam_results)),
    Row::custom("aten::_fused_sgd", sgd).infer(Infer::Rule(|call| results(call, &[(0, None), (1, Some(10)), (2, None)]))),
    Row::custom("aten::_fused_sgd.tensor_lr", sgd).infer(Infer::Rule(|call| results(call, &[(0, None), (1, Some(10)), (2, None)]))),
    Row::custom("aten::_fused_adagrad", adagrad).infer(Infer::Rule(|call| {
        let mut announced = results(call, &[(0, None), (1, Some(9)), (2, None)])?;
        announced.extend(list(call, 3)?.iter().map(|_| None));
        Ok(announced)
    })),
    Row::custom("aten::_fused_adagrad.tensor_lr", adagrad).infer(Infer::Rule(|call| results(call, &[(0, None), (1, Some(9)), (2, None)]))),
    Row::custom("aten::_amp_foreach_non_finite_check_and_unscale", check_and_unscale).infer(Infer::Rule(|call| {
        let mut announced = results(call, &[(0, None)])?;
        announced.push(tensor(call, 1));
        Ok(announced)
    })),
    Row::custom("aten::_amp_update_scale", update_scale).infer(Infer::Rule(|call| Ok(vec![tensor(call, 0), tensor(call, 1)]))),
];

type Announced = Result<Vec<Option<TensorMeta>>, LowerError>;

fn list(call: &Call, index: usize) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensors(list)) => Ok(list.iter().map(|t| t.as_ref().map(|t| t.meta.clone())).collect()),
        _ => Err(LowerError::unsupported(format!("argument {index} is not a list of tensors"))),
    }
}

fn tensor(call: &Call, index: usize) -> Option<TensorMeta> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(t)) => Some(t.meta.clone()),
        _ => None,
    }
}

/// The metas of list arguments; a list with a condition is undefined when the argument it names is absent.
fn results(call: &Call, lists: &[(usize, Option<usize>)]) -> Announced {
    let mut announced = Vec::new();
    for (index, condition) in lists {
        let kept = condition.is_none_or(|condition| tensor(call, condition).is_some());
        announced.extend(list(call, *index)?.into_iter().map(|meta| meta.filter(|_| kept)));
    }
    Ok(announced)
}

fn adam_results(call: &Call) -> Announced {
    let mut announced = results(call, &[(0, None), (1, Some(13)), (2, None), (3, None)])?;
    let amsgrad = matches!(call.arguments.get(11), Some(CallArgument::Bool(true)));
    announced.extend(list(call, 4)?.into_iter().map(|meta| meta.filter(|_| amsgrad)));
    Ok(announced)
}

/// What all steps share: the loss scale, whether an overflow was found, and the direction.
struct Step<'f> {
    grad_scale: Option<Value<'f>>,
    found_inf: Option<Value<'f>>,
    maximize: bool,
}

/// One parameter's gradient: as it is stored, and as the step uses it.
struct Gradient<'f> {
    unscaled: Value<'f>,
    used: Value<'f>,
}

impl<'f> Step<'f> {
    /// `grad_scale` and `found_inf` follow one another from argument `first`.
    fn read(cx: &Lowering<'f, '_>, maximize: usize, first: usize) -> Result<Self, LowerError> {
        let scalar = |index: usize| -> Result<Option<Value<'f>>, LowerError> {
            Ok(if cx.is_present(index) { Some(cx.operand(index, ElementType::F32)?.reshape(&[])) } else { None })
        };
        Ok(Self { grad_scale: scalar(first)?, found_inf: scalar(first + 1)?, maximize: cx.bool(maximize)? })
    }

    fn gradient(&self, gradient: Value<'f>) -> Gradient<'f> {
        let unscaled = match self.grad_scale {
            Some(scale) => gradient / like(scale, gradient),
            None => gradient,
        };
        Gradient { unscaled, used: if self.maximize { -unscaled } else { unscaled } }
    }

    /// `new`, or `old` after an overflow.
    fn keep(&self, old: Value<'f>, new: Value<'f>) -> Value<'f> {
        match self.found_inf {
            Some(found) => found.eq(found.like(1.0)).select(old, new),
            None => new,
        }
    }
}

/// A 0-dim number in the type of `x`.
fn like<'f>(number: Value<'f>, x: Value<'f>) -> Value<'f> {
    number.convert(x.element()).broadcast_to(&x.dims())
}

/// A number argument or the 0-dim tensor in its place, as f32 or wider.
fn number<'f>(cx: &Lowering<'f, '_>, index: usize, element: ElementType) -> Result<Value<'f>, LowerError> {
    Ok(cx.operand(index, element)?.reshape(&[]))
}

/// `1 - number`, exact to the result's precision: near 1, as a beta is, most digits cancel.
fn one_minus<'f>(cx: &Lowering<'f, '_>, index: usize, element: ElementType) -> Result<Value<'f>, LowerError> {
    let number = cx.scalar(index, ElementType::F64)?;
    Ok((number.like(1.0) - number).convert(element))
}

fn is_zero(cx: &Lowering<'_, '_>, index: usize) -> bool {
    cx.known_scalar(index).is_some_and(|known| known.as_f64() == 0.0)
}

/// The entries of list argument `index` in their compute dtypes.
fn computed<'f>(cx: &Lowering<'f, '_>, index: usize) -> Result<Vec<Value<'f>>, LowerError> {
    Ok(cx.tensors(index)?.into_iter().map(|t| t.convert(compute_element(t.element()))).collect())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WeightDecay {
    InGradient,
    Decoupled,
}

/// D. P. Kingma and J. Ba, "Adam", 2015; I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019.
/// Arguments: parameters, gradients, first and second moments, largest second moments, steps, lr, beta1, beta2,
/// weight decay, eps, amsgrad, maximize, grad_scale, found_inf.
fn adam<'f>(cx: &Lowering<'f, '_>, decay: WeightDecay) -> Lowered<'f> {
    let step = Step::read(cx, 12, 13)?;
    let amsgrad = cx.bool(11)?;
    let (parameters, gradients, firsts, seconds) = (computed(cx, 0)?, computed(cx, 1)?, computed(cx, 2)?, computed(cx, 3)?);
    let (largest, steps) = (computed(cx, 4)?, cx.tensors(5)?);
    let mut results: [Vec<Option<Value<'f>>>; 5] = Default::default();
    for (i, &parameter) in parameters.iter().enumerate() {
        let element = parameter.element();
        let entry = |list: &[Value<'f>]| list.get(i).copied().ok_or_else(|| LowerError::unsupported("lists of different lengths"));
        let lr = number(cx, 6, element)?;
        let (forget1, forget2) = (one_minus(cx, 7, element)?, one_minus(cx, 8, element)?);
        let gradient = step.gradient(entry(&gradients)?.convert(element));
        let (mut used, mut updated) = (gradient.used, parameter);
        if !is_zero(cx, 9) {
            let rate = number(cx, 9, element)?;
            match decay {
                WeightDecay::InGradient => used = used + parameter * like(rate, used),
                WeightDecay::Decoupled => updated = updated - updated * like(lr * rate, updated),
            }
        }
        let (old_first, old_second) = (entry(&firsts)?.convert(element), entry(&seconds)?.convert(element));
        let first = old_first + (used - old_first) * like(forget1, used);
        let second = old_second * like(number(cx, 8, element)?, used) + used * used * like(forget2, used);

        // 1 - beta^step, through log1p and expm1 so that nothing cancels.
        let time = entry(&steps)?.convert(element).reshape(&[]);
        let correction = |forget: Value<'f>| -((-forget).log_plus_one() * time).exponential_minus_one();
        let size = lr / correction(forget1);
        let mut bound = second;
        if amsgrad {
            let old = entry(&largest)?.convert(element);
            bound = old.maximum(second);
            results[4].push(Some(step.keep(old, bound)));
        } else if i < largest.len() {
            results[4].push(None);
        }
        let scale = bound.sqrt() / like(correction(forget2).sqrt(), bound);
        let eps = number(cx, 10, element)?;
        updated = updated - first * like(size, first) / (scale + like(eps, scale));

        results[0].push(Some(step.keep(parameter, updated)));
        results[1].push(
            step.grad_scale.map(|_| step.keep(entry(&gradients).map_or(gradient.unscaled, |g| g.convert(element)), gradient.unscaled)),
        );
        results[2].push(Some(step.keep(old_first, first)));
        results[3].push(Some(step.keep(old_second, second)));
    }
    Ok(results.into_iter().flatten().collect())
}

/// Arguments: parameters, gradients, momentum buffers, weight decay, momentum, lr, dampening, nesterov, maximize,
/// is_first_step, grad_scale, found_inf.
fn sgd<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let step = Step::read(cx, 8, 10)?;
    let (nesterov, is_first_step) = (cx.bool(7)?, cx.bool(9)?);
    let (parameters, gradients, buffers) = (computed(cx, 0)?, computed(cx, 1)?, computed(cx, 2)?);
    let mut results: [Vec<Option<Value<'f>>>; 3] = Default::default();
    for (i, (&parameter, &old_gradient)) in parameters.iter().zip(&gradients).enumerate() {
        let element = parameter.element();
        let old_gradient = old_gradient.convert(element);
        let gradient = step.gradient(old_gradient);
        let mut used = gradient.used;
        if !is_zero(cx, 3) {
            used = used + parameter * like(number(cx, 3, element)?, used);
        }
        if let Some(&buffer) = buffers.get(i) {
            let old = buffer.convert(element);
            let momentum = like(number(cx, 4, element)?, used);
            let new = if is_first_step { used } else { old * momentum + used * like(one_minus(cx, 6, element)?, used) };
            used = if nesterov { used + new * momentum } else { new };
            results[2].push(Some(step.keep(old, new)));
        }
        let updated = parameter - used * like(number(cx, 5, element)?, used);
        results[0].push(Some(step.keep(parameter, updated)));
        results[1].push(step.grad_scale.map(|_| step.keep(old_gradient, gradient.unscaled)));
    }
    Ok(results.into_iter().flatten().collect())
}

/// Arguments: parameters, gradients, sums of squares, steps, lr, lr decay, weight decay, eps, maximize, grad_scale,
/// found_inf.
fn adagrad<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let step = Step::read(cx, 8, 9)?;
    let (parameters, gradients, sums, steps) = (computed(cx, 0)?, computed(cx, 1)?, computed(cx, 2)?, cx.tensors(3)?);
    let mut results: [Vec<Option<Value<'f>>>; 4] = Default::default();
    for (i, (&parameter, &old_gradient)) in parameters.iter().zip(&gradients).enumerate() {
        let element = parameter.element();
        let entry = |list: &[Value<'f>]| list.get(i).copied().ok_or_else(|| LowerError::unsupported("lists of different lengths"));
        let old_gradient = old_gradient.convert(element);
        let gradient = step.gradient(old_gradient);
        let mut used = gradient.used;
        if !is_zero(cx, 6) {
            used = used + parameter * like(number(cx, 6, element)?, used);
        }
        let time = entry(&steps)?.convert(element).reshape(&[]);
        let rate = number(cx, 4, element)? / (time.minus(1.0) * number(cx, 5, element)?).plus(1.0);
        let old = entry(&sums)?.convert(element);
        let sum = old + used * used;
        let eps = number(cx, 7, element)?;
        let updated = parameter - used * like(rate, used) / (sum.sqrt() + like(eps, sum));
        results[0].push(Some(step.keep(parameter, updated)));
        results[1].push(step.grad_scale.map(|_| step.keep(old_gradient, gradient.unscaled)));
        results[2].push(Some(step.keep(old, sum)));
        if cx.output_count() > 3 * parameters.len() {
            results[3].push(None);
        }
    }
    Ok(results.into_iter().flatten().collect())
}

/// Gradients times `inv_scale`, and 1 in `found_inf` if one of them has an infinity or NaN.
fn check_and_unscale<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let inverse = number(cx, 2, ElementType::F32)?;
    let mut bad = number(cx, 1, ElementType::F32)?.ne(cx.func.constant_f64(ElementType::F32, 0.0));
    let mut results = Vec::new();
    for gradient in computed(cx, 0)? {
        let all: Vec<i64> = (0..gradient.rank() as i64).collect();
        bad = bad | (!gradient.is_finite()).reduce_or(&all);
        results.push(Some(gradient * like(inverse, gradient)));
    }
    let shape = cx.output(results.len())?.dims.clone();
    results.push(Some(bad.convert(ElementType::F32).reshape(&shape)));
    Ok(results)
}

/// Arguments: scale, growth tracker, found_inf, growth factor, backoff factor, growth interval.
fn update_scale<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let scale = cx.tensor(0)?;
    let tracker = cx.tensor(1)?;
    let dims = scale.dims();
    let found = number(cx, 2, ElementType::F32)?;
    let found = found.ne(found.like(0.0)).broadcast_to(&dims);
    let successes = tracker.reshape(&dims) + tracker.reshape(&dims).like(1i64);
    let due = successes.eq(successes.like(cx.int(5)?));
    let grown = scale * like(number(cx, 3, scale.element())?, scale);
    let grown = grown.is_finite().select(grown, scale);
    let shrunk = scale * like(number(cx, 4, scale.element())?, scale);
    let next = found.select(shrunk, due.select(grown, scale));
    let counted = (found | due).select(successes.like(0i64), successes);
    Ok(vec![Some(next), Some(counted.reshape(&tracker.dims()))])
}
