//! The cells of recurrent networks: what follows the two products of a step, and its gradients. nn.LSTM and nn.GRU, and
//! their cells, come here on every device but the CPU. Computed in f32 for narrower floats.

use stablehlo::Value;

use super::normalization::{announced, wide, wide_if_present};
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    // PyTorch's meta kernel refuses cells without biases.
    Row::custom("aten::_thnn_fused_lstm_cell", lstm_cell).infer(Infer::Rule(lstm_results)),
    Row::custom("aten::_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward),
    Row::custom("aten::_thnn_fused_gru_cell", gru_cell).infer(Infer::Rule(gru_results)),
    Row::custom("aten::_thnn_fused_gru_cell_backward", gru_cell_backward).infer(Infer::Rule(gru_gradients)),
];

/// The parts of the last dimension, which holds `N` gates side by side.
fn gates<const N: usize>(x: Value<'_>) -> [Value<'_>; N] {
    let last = x.rank() as i64 - 1;
    let width = x.dims()[last as usize] / N as i64;
    std::array::from_fn(|gate| x.slice_dim(last, gate as i64 * width, (gate as i64 + 1) * width))
}

fn side_by_side<'f>(cx: &Lowering<'f, '_>, gates: &[Value<'f>]) -> Value<'f> {
    cx.func.concatenate(gates, gates[0].rank() as i64 - 1)
}

/// Argument `gates` plus the bias at argument `bias`.
fn biased<'f>(cx: &Lowering<'f, '_>, gates: usize, bias: usize) -> Result<Value<'f>, LowerError> {
    let gates = wide(cx, gates)?;
    Ok(wide_if_present(cx, bias)?.map_or(gates, |bias| gates + bias.broadcast_to(&gates.dims())))
}

/// The gradient at a bias, which every row of the batch shares.
fn at_bias<'f>(at_gates: Value<'f>) -> Value<'f> {
    let batch: Vec<i64> = (0..at_gates.rank() as i64 - 1).collect();
    at_gates.reduce_add(&batch)
}

/// The slope of a sigmoid that gave `y`.
fn sigmoid_slope(y: Value<'_>) -> Value<'_> {
    y * (y.like(1.0) - y)
}

/// The slope of a tanh that gave `y`.
fn tanh_slope(y: Value<'_>) -> Value<'_> {
    y.like(1.0) - y * y
}

fn lstm_results(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let state = Some(widened(call, 2, 1)?);
    Ok(vec![state.clone(), state, Some(widened(call, 0, 1)?)])
}

/// Hidden state, cell state, and the gates i, f, g, o for the backward.
fn lstm_cell<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let [i, f, g, o] = gates(biased(cx, 0, 3)? + biased(cx, 1, 4)?);
    let (i, f, g, o) = (i.logistic(), f.logistic(), g.tanh(), o.logistic());
    let cell = f * wide(cx, 2)? + i * g;
    announced(cx, vec![Some(o * cell.tanh()), Some(cell), Some(side_by_side(cx, &[i, f, g, o]))])
}

/// Gradients at the gates, at the old cell state and at the biases.
fn lstm_cell_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (old, new) = (cx.operand(2, cx.compute_element())?, cx.operand(3, cx.compute_element())?.tanh());
    let [i, f, g, o] = gates(cx.operand(4, cx.compute_element())?);
    let given = |index: usize| -> Result<Value<'f>, LowerError> {
        if cx.is_present(index) { cx.operand(index, cx.compute_element()) } else { Ok(old.like(0.0)) }
    };
    let hidden = given(0)?;
    let cell = hidden * o * tanh_slope(new) + given(1)?;
    let at_gates = side_by_side(
        cx,
        &[cell * g * sigmoid_slope(i), cell * old * sigmoid_slope(f), cell * i * tanh_slope(g), hidden * new * sigmoid_slope(o)],
    );
    announced(cx, vec![Some(at_gates), Some(cell * f), Some(at_bias(at_gates))])
}

/// Parts of the width of the hidden state that the backward of a GRU cell is given.
const SAVED_BY_GRU: i64 = 5;

/// A tensor with the dims of argument `index` and `factor` times its last one.
fn widened(call: &Call, index: usize, factor: i64) -> Result<TensorMeta, LowerError> {
    let Some(CallArgument::Tensor(tensor)) = call.arguments.get(index) else {
        return Err(LowerError::unsupported(format!("argument {index} is not a tensor")));
    };
    let mut meta = tensor.meta.clone();
    if let Some(last) = meta.dims.last_mut() {
        *last *= factor;
    }
    Ok(meta)
}

fn gru_results(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    Ok(vec![Some(widened(call, 2, 1)?), Some(widened(call, 2, SAVED_BY_GRU)?)])
}

/// The new hidden state, and what the backward needs: the gates r, z, n, the old state, and the hidden part of n.
fn gru_cell<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let [input_r, input_z, input_n] = gates(biased(cx, 0, 3)?);
    let [hidden_r, hidden_z, hidden_n] = gates(biased(cx, 1, 4)?);
    let old = wide(cx, 2)?;
    let (r, z) = ((input_r + hidden_r).logistic(), (input_z + hidden_z).logistic());
    let n = (input_n + r * hidden_n).tanh();
    announced(cx, vec![Some(n + z * (old - n)), Some(side_by_side(cx, &[r, z, n, old, hidden_n]))])
}

fn gru_gradients(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let gates = widened(call, 0, 3)?;
    let biased = matches!(call.arguments.get(2), Some(CallArgument::Bool(true)));
    let bias = biased.then(|| TensorMeta::new(gates.element, gates.dims.last().map_or(&[], std::slice::from_ref)));
    Ok(vec![Some(gates.clone()), Some(gates), Some(widened(call, 0, 1)?), bias.clone(), bias])
}

/// Gradients at the gates of the input and of the hidden state, at the old hidden state, and at the two biases.
fn gru_cell_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let hidden = wide(cx, 0)?;
    let [r, z, n, old, hidden_n] = gates(cx.operand(1, cx.compute_element())?);
    let at_z = hidden * (old - n) * sigmoid_slope(z);
    let at_n = hidden * (z.like(1.0) - z) * tanh_slope(n);
    let at_r = at_n * hidden_n * sigmoid_slope(r);
    let at_input = side_by_side(cx, &[at_r, at_z, at_n]);
    let at_hidden = side_by_side(cx, &[at_r, at_z, at_n * r]);
    announced(cx, vec![Some(at_input), Some(at_hidden), Some(hidden * z), Some(at_bias(at_input)), Some(at_bias(at_hidden))])
}
