//! Comparisons, classifications, logic and selection.

use stablehlo::{ElementType, Value};

use crate::{Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::compare("aten::eq.Tensor", |a, b| a.eq(b)),
    Row::compare("aten::eq.Scalar", |a, b| a.eq(b)),
    Row::compare("aten::ne.Tensor", |a, b| a.ne(b)),
    Row::compare("aten::ne.Scalar", |a, b| a.ne(b)),
    Row::compare("aten::lt.Tensor", |a, b| a.lt(b)),
    Row::compare("aten::lt.Scalar", |a, b| a.lt(b)),
    Row::compare("aten::le.Tensor", |a, b| a.le(b)),
    Row::compare("aten::le.Scalar", |a, b| a.le(b)),
    Row::compare("aten::gt.Tensor", |a, b| a.gt(b)),
    Row::compare("aten::gt.Scalar", |a, b| a.gt(b)),
    Row::compare("aten::ge.Tensor", |a, b| a.ge(b)),
    Row::compare("aten::ge.Scalar", |a, b| a.ge(b)),
    Row::predicate("aten::isnan", |x| any_part(x, |x| x.ne(x))),
    Row::predicate("aten::isinf", |x| any_part(x, |x| is_float_value(x.abs(), f64::INFINITY))),
    Row::predicate("aten::isposinf", |x| is_float_value(x, f64::INFINITY)),
    Row::predicate("aten::isneginf", |x| is_float_value(x, f64::NEG_INFINITY)),
    Row::predicate("aten::logical_not", |x| x.convert(ElementType::I1).not()),
    Row::custom("aten::logical_and", |cx| logical(cx, Value::and)),
    Row::custom("aten::logical_or", |cx| logical(cx, Value::or)),
    Row::custom("aten::logical_xor", |cx| logical(cx, Value::xor)),
    Row::custom("aten::where.self", choose),
];

/// A predicate of a real value; of a complex one, whether it holds for either part.
fn any_part<'f>(x: Value<'f>, predicate: fn(Value<'f>) -> Value<'f>) -> Value<'f> {
    if x.element().is_complex() {
        return predicate(x.real()).or(predicate(x.imag()));
    }
    if x.element().is_float() { predicate(x) } else { x.ne(x) }
}

/// Equality with a value that only floats can have.
fn is_float_value<'f>(x: Value<'f>, value: f64) -> Value<'f> {
    if x.element().is_float() { x.eq(x.like(value)) } else { x.ne(x) }
}

/// Each operand counts as true where it is not zero.
fn logical<'f>(cx: &Lowering<'f, '_>, rule: fn(Value<'f>, Value<'f>) -> Value<'f>) -> Lowered<'f> {
    let truth = |index| Ok::<_, crate::LowerError>(cx.tensor(index)?.convert(ElementType::I1).broadcast_to(cx.out_dims()));
    Ok(vec![Some(rule(truth(0)?, truth(1)?))])
}

fn choose<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.out_element();
    let condition = cx.tensor(0)?.convert(ElementType::I1).broadcast_to(cx.out_dims());
    let branch = |index| Ok::<_, crate::LowerError>(cx.operand(index, element)?.broadcast_to(cx.out_dims()));
    Ok(vec![Some(condition.select(branch(1)?, branch(2)?))])
}
