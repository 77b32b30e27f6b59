//! The session helpers, as other crates use them.
#![allow(clippy::unwrap_used)]

use testkit::session::run_f32;
use testkit::{Tolerance, assert_close_f32, cpu_client};

#[test]
fn a_program_runs_with_one_call() {
    let program = "module { func.func @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
      %0 = stablehlo.exponential %a : tensor<2x2xf32>
      return %0, %a : tensor<2x2xf32>, tensor<2x2xf32> } }";
    let values = [0.0_f32, 1.0, -1.0, f32::NAN];
    let results = run_f32(cpu_client(), program, &[(&values, &[2, 2])]).unwrap();
    assert_close_f32(&results[0], &values.map(f32::exp), Tolerance::F32);
    assert_close_f32(&results[1], &values, Tolerance::EXACT);
}
