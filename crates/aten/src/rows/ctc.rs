//! Connectionist temporal classification (Graves et al. 2006): sums over alignments in logarithms, one step of time in a
//! loop. Labels are `[batch, labels]`, lengths are tensors, so that lengths that vary need no other program. States
//! alternate between blanks and labels: state s stands for label (s - 1) / 2 where s is odd.

use stablehlo::{DotDims, ElementType, GatherDims, Precision, TensorType, Value};

use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta, compute_element};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_ctc_loss.Tensor", ctc_loss).infer(Infer::Rule(|call| {
        let (log_probs, targets) = (tensor(call, 0)?, tensor(call, 1)?);
        let (steps, batch) = (log_probs.dims[0], log_probs.dims[1]);
        let states = 2 * labels_of(targets)? + 1;
        let meta = |dims: &[i64]| Some(TensorMeta { dims: dims.into(), element: log_probs.element });
        Ok(vec![meta(&[batch]), meta(&[batch, steps, states])])
    })),
    Row::custom("aten::_ctc_loss_backward.Tensor", ctc_loss_backward).infer(Infer::Rule(|call| Ok(vec![Some(tensor(call, 1)?.clone())]))),
];

fn tensor(call: &Call, index: usize) -> Result<&TensorMeta, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(tensor)) => Ok(&tensor.meta),
        _ => Err(LowerError::unsupported(format!("argument {index} is not a tensor"))),
    }
}

fn labels_of(targets: &TensorMeta) -> Result<i64, LowerError> {
    match targets.dims.as_slice() {
        [_, labels] => Ok(*labels),
        other => Err(LowerError::unsupported(format!("labels of shape {other:?}: they must be [batch, labels]"))),
    }
}

/// What both directions start from. Arrays over states are `[batch, states]`.
struct Alignment<'f> {
    /// `[steps, batch, classes]`.
    log_probs: Value<'f>,
    /// Class of each state.
    classes: Value<'f>,
    /// The log probability of each state's class: `[steps, batch, states]`.
    emissions: Value<'f>,
    /// Whether state s may follow state s - 2: between two different labels.
    may_skip: Value<'f>,
    /// Position of each state.
    state: Value<'f>,
    /// States of each sequence, the last of which is a blank: `[batch, states]`.
    count: Value<'f>,
    /// Steps of each sequence: `[batch, states]`.
    length: Value<'f>,
}

const INDEX: ElementType = ElementType::I32;

impl<'f> Alignment<'f> {
    /// `first` is the position of `log_probs` among the arguments; labels and lengths follow.
    fn read(cx: &Lowering<'f, '_>, first: usize, blank: i64) -> Result<Self, LowerError> {
        let func = cx.func;
        let log_probs = cx.operand(first, compute_element(cx.meta(first)?.element))?;
        let labels = labels_of(cx.meta(first + 1)?)?;
        let (steps, batch) = (log_probs.dims()[0], log_probs.dims()[1]);
        let dims = [batch, 2 * labels + 1];
        let targets = cx.operand(first + 1, INDEX)?;
        let blanks = func.splat(INDEX, &dims, blank);
        // Blanks before, between and after the labels.
        let classes = targets.pad(func.constant_i64(INDEX, blank), &[0, 1], &[0, 1], &[0, 1]);
        let classes = if labels == 0 { blanks } else { classes };
        let state = func.iota(INDEX, &dims, 1);
        let per_sequence = |index: usize| Ok::<_, LowerError>(cx.operand(index, INDEX)?.reshape(&[batch]).broadcast_in_dim(&dims, &[0]));
        let count = per_sequence(first + 3)?.times(2.0).plus(1.0);
        let length = per_sequence(first + 2)?;
        let two_before = shifted(classes, 2, func.constant_i64(INDEX, -1));
        let may_skip = classes.ne(blanks) & classes.ne(two_before) & state.gt(state.like(1i64));
        let indices = classes.reshape(&[1, batch, dims[1], 1]).broadcast_in_dim(&[steps, batch, dims[1], 1], &[0, 1, 2, 3]);
        let numbers = GatherDims {
            collapsed_slice_dims: vec![2],
            operand_batching_dims: vec![0, 1],
            start_indices_batching_dims: vec![0, 1],
            start_index_map: vec![2],
            index_vector_dim: 3,
            slice_sizes: vec![1, 1, 1],
            ..GatherDims::default()
        };
        let emissions = log_probs.gather(indices, &numbers);
        Ok(Self { log_probs, classes, emissions, may_skip, state, count, length })
    }

    fn impossible(&self) -> Value<'f> {
        self.emissions.func().lowest(TensorType::new(self.emissions.element(), &self.state.dims()))
    }

    /// Runs `step` over time, in reverse if asked, and returns the arrays of all steps: `[steps, batch, states]`.
    /// `step` gets the arrays of the step before, the emissions and the time.
    fn over_time(&self, reverse: bool, step: impl Fn(Value<'f>, Value<'f>, Value<'f>) -> Value<'f>) -> Value<'f> {
        let func = self.emissions.func();
        let dims = self.emissions.dims();
        let (steps, zero) = (dims[0], func.constant_i64(INDEX, 0));
        let start = [zero, self.impossible(), func.zero(self.emissions.ty())];
        let end = func.while_loop(
            &start,
            |carried| carried[0].lt(carried[0].like(steps)),
            |carried| {
                let time = if reverse { carried[0].like(steps - 1) - carried[0] } else { carried[0] };
                let emission = self.emissions.dynamic_slice(&[time, zero, zero], &[1, dims[1], dims[2]]).reshape(&dims[1..]);
                let now = step(carried[1], emission, time.broadcast_to(&dims[1..]));
                let all = carried[2].dynamic_update_slice(now.reshape(&[1, dims[1], dims[2]]), &[time, zero, zero]);
                vec![carried[0].plus(1.0), now, all]
            },
        );
        end.get(2).copied().unwrap_or(self.emissions)
    }

    /// Log probabilities of all ways to reach each state at each step, -inf where there is none.
    fn alpha(&self) -> Value<'f> {
        let impossible = self.impossible();
        self.over_time(false, |before, emission, time| {
            let lowest = impossible.slice(&[0, 0], &[1, 1], &[1, 1]).reshape(&[]);
            let skipped = self.may_skip.select(shifted(before, 2, lowest), impossible);
            let moved = log_sum(&[before, shifted(before, 1, lowest), skipped]) + emission;
            let first = self.state.le(self.state.like(1i64)).select(emission, impossible);
            let now = time.eq(time.like(0i64)).select(first, moved);
            (time.lt(self.length) & self.state.lt(self.count)).select(now, impossible)
        })
    }

    /// Log probabilities of all ways from each state at each step to the end, this step's emission included.
    fn beta(&self) -> Value<'f> {
        let impossible = self.impossible();
        let lowest = impossible.slice(&[0, 0], &[1, 1], &[1, 1]).reshape(&[]);
        let may_skip_to = shifted(self.may_skip, -2, self.may_skip.func().constant(ElementType::I1, false));
        self.over_time(true, |after, emission, time| {
            let skipped = may_skip_to.select(shifted(after, -2, lowest), impossible);
            let moved = log_sum(&[after, shifted(after, -1, lowest), skipped]) + emission;
            let last = self.state.ge(self.count.minus(2.0)).select(emission, impossible);
            let now = time.eq(self.length.minus(1.0)).select(last, moved);
            (time.lt(self.length) & self.state.lt(self.count)).select(now, impossible)
        })
    }
}

/// Element s of the result is element s - `by` of `[batch, states]`; `fill` where there is none.
fn shifted<'f>(x: Value<'f>, by: i64, fill: Value<'f>) -> Value<'f> {
    x.pad(fill, &[0, by], &[0, -by], &[0, 0])
}

/// log(sum(exp)), -inf of nothing but -inf.
fn log_sum<'f>(terms: &[Value<'f>]) -> Value<'f> {
    let largest = terms[1..].iter().fold(terms[0], |largest, term| largest.maximum(*term));
    let base = largest.eq(largest.like(f64::NEG_INFINITY)).select(largest.like(0.0), largest);
    let sum = terms[1..].iter().fold((terms[0] - base).exp(), |sum, term| sum + (*term - base).exp());
    sum.log() + base
}

/// Arguments: log probabilities, labels, steps and labels of each sequence, blank, zero_infinity.
fn ctc_loss<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let ctc = Alignment::read(cx, 0, cx.int(4)?)?;
    let alpha = ctc.alpha();
    let dims = ctc.state.dims();
    let all = alpha.dims();
    // The last two states at each sequence's last step: the sum over time picks it, as all others are left out.
    let time = cx.func.iota(INDEX, &all, 0);
    let (length, state, count) =
        (ctc.length.broadcast_in_dim(&all, &[1, 2]), ctc.state.broadcast_in_dim(&all, &[1, 2]), ctc.count.broadcast_in_dim(&all, &[1, 2]));
    let ends = time.eq(length.minus(1.0)) & state.ge(count.minus(2.0)) & state.lt(count);
    let kept = ends.select(alpha, alpha.like(f64::NEG_INFINITY));
    let largest = kept.reduce_max(&[0, 2]);
    let base = largest.eq(largest.like(f64::NEG_INFINITY)).select(largest.like(0.0), largest);
    let sum = (kept - base.broadcast_in_dim(&all, &[1])).exp().reduce_add(&[0, 2]);
    let loss = -(sum.log() + base);
    // No time and no labels: the empty alignment is certain.
    let nothing = (ctc.length.eq(ctc.length.like(0i64)) & ctc.count.eq(ctc.count.like(1i64))).slice(&[0, 0], &[dims[0], 1], &[1, 1]);
    let loss = nothing.reshape(&[dims[0]]).select(loss.like(0.0), loss);
    // `ctc_loss` itself zeroes infinite losses.
    Ok(vec![Some(loss), Some(alpha.transpose(&[1, 0, 2]))])
}

/// Arguments: gradient, log probabilities, labels, steps and labels of each sequence, loss, alpha, blank, zero_infinity.
fn ctc_loss_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let ctc = Alignment::read(cx, 1, cx.int(7)?)?;
    let element = ctc.log_probs.element();
    let (gradient, alpha) = (cx.operand(0, element)?, cx.operand(6, element)?.transpose(&[1, 0, 2]));
    let loss = cx.operand(5, element)?;
    let all = alpha.dims();
    let per_sequence = |x: Value<'f>| x.broadcast_in_dim(&all, &[1]);
    // Probability of being in a state at a step, given the labels.
    let exponent = alpha + ctc.beta() - ctc.emissions + per_sequence(loss);
    let impossible = loss.eq(loss.like(f64::INFINITY));
    // Of an impossible sequence everything is NaN.
    let kept = alpha.gt(alpha.like(f64::NEG_INFINITY)) | impossible.broadcast_in_dim(&all, &[1]);
    let posterior = kept.select(exponent.exp(), exponent.like(0.0));
    // States of one class are added up: a product with the classes' indicators.
    let classes = ctc.log_probs.dims()[2];
    let (batch, states) = (all[1], all[2]);
    let plane = [batch, states, classes];
    let indicator = ctc.classes.broadcast_in_dim(&plane, &[0, 1]).eq(cx.func.iota(INDEX, &plane, 2)).convert(element);
    let product = DotDims { lhs_batching: vec![1], rhs_batching: vec![0], lhs_contracting: vec![2], rhs_contracting: vec![1] };
    let expected = posterior.dot_general(indicator, &product, Precision::Highest, element).transpose(&[1, 0, 2]);
    let dims = ctc.log_probs.dims();
    let gradient = gradient.reshape(&[batch]).broadcast_in_dim(&dims, &[1]);
    let result = (ctc.log_probs.exp() - expected) * gradient;
    let length = ctc.length.slice(&[0, 0], &[batch, 1], &[1, 1]).reshape(&[batch]).broadcast_in_dim(&dims, &[1]);
    let mut counted = cx.func.iota(INDEX, &dims, 0).lt(length);
    if cx.bool(8)? {
        counted = counted & !impossible.broadcast_in_dim(&dims, &[1]);
    }
    Ok(vec![Some(counted.select(result, result.like(0.0)))])
}
