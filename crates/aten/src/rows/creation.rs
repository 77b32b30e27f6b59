//! Tensors made from numbers: ranges, identity matrices, fills.

use stablehlo::{ElementType, Value};

use crate::{LowerError, Lowered, Lowering, Row, compute_element};

pub const ROWS: &[Row] = &[
    // The numbers decide the length, so they are part of the signature.
    Row::custom("aten::arange.start_step", |cx| range(cx, 2)).baked(&[0, 1, 2]),
    Row::custom("aten::range.step", |cx| range(cx, 2)).baked(&[0, 1, 2]),
    Row::custom("aten::linspace", linspace),
    Row::custom("aten::linspace.Tensor_Tensor", linspace),
    Row::custom("aten::linspace.Tensor_Scalar", linspace),
    Row::custom("aten::linspace.Scalar_Tensor", linspace),
    Row::custom("aten::logspace", logspace),
    Row::custom("aten::logspace.Tensor_Tensor", logspace),
    Row::custom("aten::logspace.Tensor_Scalar", logspace),
    Row::custom("aten::logspace.Scalar_Tensor", logspace),
    Row::custom("aten::eye", eye),
    Row::custom("aten::eye.m", eye),
    Row::custom("aten::fill.Tensor", fill_tensor).shape_only(&[0]),
];

/// `start + step * i`.
fn range<'f>(cx: &Lowering<'f, '_>, step: usize) -> Lowered<'f> {
    let element = cx.compute_element();
    let mut values = counting(cx, element);
    if !is_known(cx, step, 1.0) {
        values = values * cx.scalar(step, element)?.broadcast_to(cx.out_dims());
    }
    if !is_known(cx, 0, 0.0) {
        values = values + cx.scalar(0, element)?.broadcast_to(cx.out_dims());
    }
    Ok(vec![Some(values)])
}

fn linspace<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    Ok(vec![Some(evenly_spaced(cx)?)])
}

fn logspace<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let exponents = evenly_spaced(cx)?;
    let base = cx.scalar(3, exponents.element())?.broadcast_to(cx.out_dims());
    Ok(vec![Some(base.power(exponents))])
}

/// Steps from argument 0 to argument 1, counted from the nearer end as ATen does; integer results step in f64.
fn evenly_spaced<'f>(cx: &Lowering<'f, '_>) -> Result<Value<'f>, LowerError> {
    let out = cx.out_element();
    let element = if out.is_float() || out.is_complex() { compute_element(out) } else { ElementType::F64 };
    let end_point = |index: usize| -> Result<Value<'f>, LowerError> {
        // An integer result takes integer end points.
        let narrowed = cx.operand(index, if element == ElementType::F64 { out } else { element })?;
        Ok(narrowed.convert(element).reshape(&[]).broadcast_to(cx.out_dims()))
    };
    let (start, end) = (end_point(0)?, end_point(1)?);
    let steps = cx.int(2)?;
    if steps <= 1 {
        return Ok(start);
    }
    let index = counting(cx, element);
    let step = (end - start) / start.like((steps - 1) as f64);
    let real_index = counting(cx, ElementType::I64);
    let first_half = real_index.lt(real_index.like(steps / 2));
    Ok(first_half.select(start + step * index, end - step * (index.like((steps - 1) as f64) - index)))
}

/// 0, 1, 2, ... in the one dimension of the result.
fn counting<'f>(cx: &Lowering<'f, '_>, element: ElementType) -> Value<'f> {
    let counted = if element.is_complex() || element.is_bool() { ElementType::I64 } else { element };
    cx.func.iota(counted, cx.out_dims(), 0).convert(element)
}

fn is_known(cx: &Lowering<'_, '_>, index: usize, value: f64) -> bool {
    cx.known_scalar(index).is_some_and(|known| known.as_f64() == value)
}

fn eye<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let dims = cx.out_dims();
    let row = cx.func.iota(ElementType::I32, dims, 0);
    Ok(vec![Some(row.eq(cx.func.iota(ElementType::I32, dims, 1)))])
}

fn fill_tensor<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    Ok(vec![Some(cx.operand(1, cx.out_element())?.broadcast_to(cx.out_dims()))])
}
