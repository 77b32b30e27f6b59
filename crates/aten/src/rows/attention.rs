//! Scaled dot product attention as one program, and its backward, which recomputes the probabilities from the
//! saved logarithm of their sums. Both work on `[batch * key heads, query heads per key head * queries, ...]`.

use stablehlo::{DotDims, ElementType, TensorType, Value};

use super::matmul::contract;
use crate::lowering::draw_bits;
use crate::{HOST_KERNEL_ELEMENTS, HostArgument, HostResult, LowerError, Lowered, Lowering, Row, compute_element, parts_of};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_scaled_dot_product_fused_attention_overrideable", attention).baked(&[7]).random(),
    Row::custom("aten::_scaled_dot_product_fused_attention_overrideable_backward", attention_backward).baked(&[16]),
];

/// Sizes of an attention: `[.., heads, queries, width]` against `[.., key heads, keys, width]`.
struct Sizes {
    /// Batch times key heads.
    groups: i64,
    /// Query heads that share a key head.
    shared: i64,
    queries: i64,
    keys: i64,
    width: i64,
    value_width: i64,
    /// Dims of the scores: the query's with `keys` innermost.
    scores: Vec<i64>,
}

impl Sizes {
    fn of(query: &[i64], key: &[i64], value: &[i64]) -> Result<Self, LowerError> {
        let rank = query.len();
        let heads = |dims: &[i64]| dims[rank - 3];
        let matching = rank >= 3
            && key.len() == rank
            && value.len() == rank
            && query[..rank - 3] == key[..rank - 3]
            && key[..rank - 1] == value[..rank - 1]
            && (heads(key) == heads(query) || (heads(key) > 0 && heads(query) % heads(key) == 0));
        if !matching {
            return Err(LowerError::unsupported(format!(
                "attention of query {query:?}, key {key:?} and value {value:?}: batches must agree and key heads divide query heads"
            )));
        }
        let mut scores = query.to_vec();
        scores[rank - 1] = key[rank - 2];
        Ok(Self {
            groups: key[..rank - 2].iter().product(),
            shared: heads(query) / heads(key).max(1),
            queries: query[rank - 2],
            keys: key[rank - 2],
            width: query[rank - 1],
            value_width: value[rank - 1],
            scores,
        })
    }

    fn rows(&self) -> i64 {
        self.shared * self.queries
    }
}

/// `[g, m, k] x [g, n, k]`.
fn by_rows<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, b: Value<'f>, result: ElementType) -> Value<'f> {
    batched(cx, a, b, (2, 2), result)
}

fn batched<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, b: Value<'f>, contracting: (i64, i64), result: ElementType) -> Value<'f> {
    let dims = DotDims {
        lhs_batching: vec![0],
        rhs_batching: vec![0],
        lhs_contracting: vec![contracting.0],
        rhs_contracting: vec![contracting.1],
    };
    contract(cx, a, b, &dims, result)
}

/// What scores are multiplied by: argument `index`, or one over the root of the width.
fn scale(cx: &Lowering<'_, '_>, index: usize, width: i64) -> Result<f64, LowerError> {
    if cx.is_present(index) { cx.float(index) } else { Ok(1.0 / (width.max(1) as f64).sqrt()) }
}

/// Scaled, biased and causally masked scores in the dims of `sizes.scores`.
fn scores<'f>(
    cx: &Lowering<'f, '_>,
    query: Value<'f>,
    key: Value<'f>,
    bias: Option<Value<'f>>,
    sizes: &Sizes,
    causal: bool,
    scale: f64,
) -> Value<'f> {
    let compute = compute_element(query.element());
    let query = query.reshape(&[sizes.groups, sizes.rows(), sizes.width]);
    let key = key.reshape(&[sizes.groups, sizes.keys, sizes.width]);
    let dims = sizes.scores.as_slice();
    let mut scores = by_rows(cx, query, key, compute).times(scale).reshape(dims);
    let lowest = scores.like(f64::NEG_INFINITY);
    match bias {
        Some(mask) if mask.element().is_bool() => scores = mask.broadcast_to(dims).select(scores, lowest),
        Some(bias) => scores = scores + bias.convert(compute).broadcast_to(dims),
        None => {}
    }
    if causal {
        let plane = [sizes.queries, sizes.keys];
        let row = cx.func.iota(ElementType::I32, &plane, 0);
        let column = cx.func.iota(ElementType::I32, &plane, 1);
        scores = row.ge(column).broadcast_to(dims).select(scores, lowest);
    }
    scores
}

/// Which probabilities survive dropout, scaled by what was lost: 0 or 1 / (1 - p).
fn survivors<'f>(cx: &Lowering<'f, '_>, bits: Value<'f>, p: Value<'f>) -> Value<'f> {
    let element = p.element();
    let uniform = bits.shift_right_logical(bits.like(8i64)).convert(element).times((-24f64).exp2());
    let dims = uniform.dims();
    let kept = (p.like(1.0) / (p.like(1.0) - p)).broadcast_to(&dims);
    uniform.ge(p.broadcast_to(&dims)).select(kept, cx.func.zero(uniform.ty()))
}

fn has_dropout(cx: &Lowering<'_, '_>, index: usize) -> bool {
    cx.known_scalar(index).is_none_or(|p| p.as_f64() != 0.0)
}

struct Softmax<'f> {
    /// Not yet divided by their sums.
    weights: Value<'f>,
    sums: Value<'f>,
    logsumexp: Value<'f>,
}

/// The softmax over the innermost dimension. A row of nothing but -inf has weights 0.
fn softmax(scores: Value<'_>) -> Softmax<'_> {
    let dims = scores.dims();
    let innermost = dims.len() as i64 - 1;
    let kept: Vec<i64> = (0..innermost).collect();
    let largest = finite_or_zero(scores.reduce_max(&[innermost]));
    let weights = (scores - largest.broadcast_in_dim(&dims, &kept)).exp();
    let sums = weights.reduce_add(&[innermost]);
    Softmax { weights, sums, logsumexp: largest + sums.log() }
}

/// 0 in place of -inf, from which -inf may be subtracted.
fn finite_or_zero(x: Value<'_>) -> Value<'_> {
    x.eq(x.like(f64::NEG_INFINITY)).select(x.like(0.0), x)
}

fn attention<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (query, key, value) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let element = query.element();
    let compute = compute_element(element);
    let sizes = Sizes::of(&query.dims(), &key.dims(), &value.dims())?;
    let scale = scale(cx, 7, sizes.width)?;
    if let Some((out, logsumexp)) = attention_by_host(cx, [query, key, value], scale)? {
        let unused = Some(cx.func.constant_i64(ElementType::I64, 0));
        return Ok(vec![Some(out), Some(logsumexp), None, None, None, None, unused, unused, None]);
    }
    let scores = scores(cx, query, key, cx.optional_tensor(3)?, &sizes, cx.bool(5)?, scale);
    let dims = sizes.scores.as_slice();
    let innermost = dims.len() as i64 - 1;
    let kept: Vec<i64> = (0..innermost).collect();

    let Softmax { mut weights, sums, logsumexp } = softmax(scores);

    let (mut seed, mut offset) = (cx.func.constant_i64(ElementType::I64, 0), cx.func.constant_i64(ElementType::I64, 0));
    if has_dropout(cx, 4) {
        let state = cx.random_state()?.bitcast_convert(ElementType::I64, &[2]);
        (seed, offset) = (state.slice_dim(0, 0, 1).reshape(&[]), state.slice_dim(0, 1, 2).reshape(&[]));
        let bits = cx.random_bits(ElementType::U32, dims)?;
        weights = weights * survivors(cx, bits, cx.scalar(4, compute)?);
    }
    let weights = weights.convert(element).reshape(&[sizes.groups, sizes.rows(), sizes.keys]);
    let value = value.reshape(&[sizes.groups, sizes.keys, sizes.value_width]);
    let out = batched(cx, weights, value, (2, 1), compute).reshape(cx.out_dims());
    let nonzero = sums.eq(sums.like(0.0)).select(sums.like(1.0), sums);
    let out = out / nonzero.broadcast_in_dim(cx.out_dims(), &kept);

    // cum_seq_q, cum_seq_k, max_q, max_k and the debug mask are not tensors that we make.
    let logsumexp = if cx.wants(1) { logsumexp.reshape(&cx.output(1)?.dims) } else { logsumexp };
    Ok(vec![Some(out), Some(logsumexp), None, None, None, None, Some(seed), Some(offset), None])
}

/// Whether ATen's kernel computes this attention: one head per key head, no dropout and no bias, and scores enough.
/// `bias` and `dropout` are arguments.
fn by_host(cx: &Lowering<'_, '_>, query: &[i64], key: &[i64], value: &[i64], bias: usize, dropout: usize) -> Result<bool, LowerError> {
    let element = cx.meta(0)?.element;
    let plain = query.len() == 4 && query[1] == key[1] && query[3] == value[3] && !cx.is_present(bias) && !has_dropout(cx, dropout);
    // In bfloat16 its backward takes several times as long, and for float64 the logarithms that are saved are too short.
    Ok(plain
        && element == ElementType::F32
        && cx.has_fast_host_kernels(element)
        && query[..3].iter().product::<i64>() * key[2] >= HOST_KERNEL_ELEMENTS)
}

/// Batches are split among threads, or heads where there is one batch; and how many parts that makes.
fn split(query: &[i64], key: &[i64]) -> (i64, i64) {
    let split = i64::from(query[0] == 1);
    (split, parts_of(query[..3].iter().product::<i64>() * key[2], query[split as usize]))
}

/// Swaps heads and positions.
const HEADS_AND_POSITIONS: [i64; 4] = [0, 2, 1, 3];

/// A result with the heads of one position side by side, which is how ATen's kernel makes it.
fn by_position(ty: &TensorType, split: i64) -> HostResult {
    let dims: Vec<i64> = HEADS_AND_POSITIONS.iter().map(|&axis| ty.dims[axis as usize]).collect();
    HostResult { ty: TensorType::new(ty.element, &dims), permutation: HEADS_AND_POSITIONS.to_vec(), split }
}

fn attention_by_host<'f>(
    cx: &Lowering<'f, '_>,
    [query, key, value]: [Value<'f>; 3],
    scale: f64,
) -> Result<Option<(Value<'f>, Value<'f>)>, LowerError> {
    let dims = query.dims();
    if !by_host(cx, &dims, &key.dims(), &value.dims(), 3, 4)? {
        return Ok(None);
    }
    let (split, parts) = split(&dims, &key.dims());
    let tensor = |value| HostArgument::strided(value, split);
    let arguments = [
        tensor(query),
        tensor(key),
        tensor(value),
        HostArgument::Float(0.0),
        HostArgument::Bool(cx.bool(5)?),
        HostArgument::None,
        HostArgument::Float(scale),
    ];
    let results = [by_position(&query.ty(), split), HostResult::new(TensorType::new(query.element(), &dims[..3]), split)];
    let results = cx.host_kernel("aten::_scaled_dot_product_flash_attention_for_cpu", &arguments, &results, parts);
    Ok(results.and_then(|results| Some((results.first()?.transpose(&HEADS_AND_POSITIONS), *results.get(1)?))))
}

fn attention_backward_by_host<'f>(
    cx: &Lowering<'f, '_>,
    [query, key, value]: [Value<'f>; 3],
    scale: f64,
) -> Result<Option<Vec<Value<'f>>>, LowerError> {
    let dims = query.dims();
    if !by_host(cx, &dims, &key.dims(), &value.dims(), 4, 12)? {
        return Ok(None);
    }
    let (split, parts) = split(&dims, &key.dims());
    let tensor = |value| HostArgument::strided(value, split);
    let arguments = [
        tensor(cx.tensor(0)?),
        tensor(query),
        tensor(key),
        tensor(value),
        tensor(cx.tensor(6)?),
        tensor(cx.tensor(7)?.convert(query.element()).reshape(&dims[..3])),
        HostArgument::Float(0.0),
        HostArgument::Bool(cx.bool(13)?),
        HostArgument::None,
        HostArgument::Float(scale),
    ];
    let results = [query, key, value].map(|value| by_position(&value.ty(), split));
    let results = cx.host_kernel("aten::_scaled_dot_product_flash_attention_for_cpu_backward", &arguments, &results, parts);
    Ok(results.map(|results| results.into_iter().map(|grad| grad.transpose(&HEADS_AND_POSITIONS)).collect()))
}

fn attention_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (g, query, key, value) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?, cx.tensor(3)?);
    let bias = cx.optional_tensor(4)?;
    let (out, logsumexp) = (cx.tensor(6)?, cx.tensor(7)?);
    let element = query.element();
    let compute = compute_element(element);
    let sizes = Sizes::of(&query.dims(), &key.dims(), &value.dims())?;
    let scale = scale(cx, 16, sizes.width)?;
    if let Some(grads) = attention_backward_by_host(cx, [query, key, value], scale)? {
        let wanted = |(index, grad)| if cx.wants(index) { Some(grad) } else { None };
        return Ok(grads.into_iter().enumerate().map(wanted).chain([None]).collect());
    }
    let scores = scores(cx, query, key, bias, &sizes, cx.bool(13)?, scale);
    let dims = sizes.scores.as_slice();
    let innermost = dims.len() as i64 - 1;
    let kept: Vec<i64> = (0..innermost).collect();

    // It was saved as f32, which is not enough for f64.
    let logsumexp = if compute == ElementType::F64 { softmax(scores).logsumexp } else { logsumexp };
    let logsumexp = finite_or_zero(logsumexp.convert(compute).reshape(&dims[..innermost as usize]));
    let weights = (scores - logsumexp.broadcast_in_dim(dims, &kept)).exp();
    let survivors = if has_dropout(cx, 12) {
        let state = cx.func.concatenate(&[cx.tensor(14)?.reshape(&[1]), cx.tensor(15)?.reshape(&[1])], 0);
        let state = state.bitcast_convert(ElementType::U64, &[2]);
        let (_, bits) = draw_bits(state, ElementType::U32, dims);
        Some(survivors(cx, bits, cx.scalar(12, compute)?))
    } else {
        None
    };

    let [groups, rows, keys] = [sizes.groups, sizes.rows(), sizes.keys];
    let matrix = |x: Value<'f>| x.convert(element).reshape(&[groups, rows, keys]);
    let g_rows = g.reshape(&[groups, rows, sizes.value_width]);
    let value = value.reshape(&[groups, keys, sizes.value_width]);
    let kept_weights = survivors.map_or(weights, |survivors| weights * survivors);
    let grad_value = batched(cx, matrix(kept_weights), g_rows, (1, 1), compute);

    let grad_weights = by_rows(cx, g_rows, value, compute).reshape(dims);
    let grad_weights = survivors.map_or(grad_weights, |survivors| grad_weights * survivors);
    // Each row of the softmax's gradient is orthogonal to the row of probabilities; g . out is their product.
    let products = (g.convert(compute) * out.convert(compute)).reduce_add(&[innermost]);
    let grad_scores = weights * (grad_weights - products.broadcast_in_dim(dims, &kept));

    let grad_matrix = matrix(grad_scores.times(scale));
    let query = query.reshape(&[groups, rows, sizes.width]);
    let key = key.reshape(&[groups, keys, sizes.width]);
    let grad_query = batched(cx, grad_matrix, key, (2, 1), compute);
    let grad_key = batched(cx, grad_matrix, query, (1, 1), compute);
    let grads = [(0, Some(grad_query)), (1, Some(grad_key)), (2, Some(grad_value)), (3, bias.map(|_| grad_scores))];
    grads
        .into_iter()
        .map(|(index, grad)| match grad {
            Some(grad) if cx.wants(index) => {
                let dims = cx.output(index)?.dims.clone();
                Ok(Some(if index == 3 { sum_to(grad, &dims) } else { grad.reshape(&dims) }))
            }
            _ => Ok(None),
        })
        .collect()
}

/// Sums over the dimensions along which a value of `dims` was broadcast.
fn sum_to<'f>(x: Value<'f>, dims: &[i64]) -> Value<'f> {
    let from = x.dims();
    let added = from.len().saturating_sub(dims.len());
    let summed: Vec<i64> =
        (0..from.len()).filter(|&axis| axis < added || dims[axis - added] != from[axis]).map(|axis| axis as i64).collect();
    x.reduce_add(&summed).reshape(dims)
}
