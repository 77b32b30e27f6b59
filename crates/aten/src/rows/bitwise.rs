//! Bitwise logic and shifts of booleans and integers.

use stablehlo::Value;

use crate::Row;

pub const ROWS: &[Row] = &[
    Row::unary("aten::bitwise_not", |x| x.not()),
    Row::binary("aten::bitwise_and.Tensor", |a, b| a & b),
    Row::binary("aten::bitwise_and.Scalar", |a, b| a & b),
    Row::binary("aten::bitwise_and.Scalar_Tensor", |a, b| a & b),
    Row::binary("aten::bitwise_or.Tensor", |a, b| a | b),
    Row::binary("aten::bitwise_or.Scalar", |a, b| a | b),
    Row::binary("aten::bitwise_or.Scalar_Tensor", |a, b| a | b),
    Row::binary("aten::bitwise_xor.Tensor", |a, b| a ^ b),
    Row::binary("aten::bitwise_xor.Scalar", |a, b| a ^ b),
    Row::binary("aten::bitwise_xor.Scalar_Tensor", |a, b| a ^ b),
    Row::binary("aten::bitwise_left_shift.Tensor", |a, b| a.shift_left(b)),
    Row::binary("aten::bitwise_left_shift.Tensor_Scalar", |a, b| a.shift_left(b)),
    Row::binary("aten::bitwise_left_shift.Scalar_Tensor", |a, b| a.shift_left(b)),
    Row::binary("aten::bitwise_right_shift.Tensor", shift_right),
    Row::binary("aten::bitwise_right_shift.Tensor_Scalar", shift_right),
    Row::binary("aten::bitwise_right_shift.Scalar_Tensor", shift_right),
    Row::binary("aten::__lshift__.Tensor", |a, b| a.shift_left(b)),
    Row::binary("aten::__lshift__.Scalar", |a, b| a.shift_left(b)),
    Row::binary("aten::__rshift__.Tensor", shift_right),
    Row::binary("aten::__rshift__.Scalar", shift_right),
];

/// Keeps the sign of signed integers. Counts that are negative or too large shift everything out, in
/// StableHLO (where a count is unsigned) as in ATen.
fn shift_right<'f>(a: Value<'f>, b: Value<'f>) -> Value<'f> {
    if a.element().is_unsigned() { a.shift_right_logical(b) } else { a.shift_right_arithmetic(b) }
}
