//! Assertions about values: the program goes on, and the failure is raised at the next sync.

use stablehlo::ElementType;

use crate::{Infer, LowerError, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::_assert_async", |cx| assert_nonzero(cx, "Expected Tensor with single nonzero value, but got zero"))
        .infer(Infer::Rule(|_| Ok(vec![]))),
    Row::custom("aten::_assert_async.msg", |cx| assert_nonzero(cx, cx.text(1)?)).infer(Infer::Rule(|_| Ok(vec![]))),
];

fn assert_nonzero<'f>(cx: &Lowering<'f, '_>, message: &str) -> Result<Vec<Option<stablehlo::Value<'f>>>, LowerError> {
    let condition = cx.tensor(0)?;
    let failed = condition.eq(condition.like(0i64));
    cx.check_data(failed, failed.convert(ElementType::I64), message.to_owned());
    Ok(vec![])
}
