//! The programs that plans emit: their text, that every one of them type-checks, and a dump to run them on a device.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop where it fails")]

mod model;
mod random;

use std::path::Path;

use model::{Array, Torch, contiguous, run_read, run_write};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};
use random::{as_strided, chains, filled};
use stablehlo::{ElementType, Func, FuncBuilder, TensorType};
use view::{ValueLayout, View, plan_read, plan_write};

fn tensor(layout: &ValueLayout) -> TensorType {
    TensorType::new(layout.element, &layout.dims)
}

fn emit_read(view: &View, value: &ValueLayout) -> Func {
    let plan = plan_read(view, value).unwrap();
    let func = FuncBuilder::new("read");
    let result = plan.emit(func.argument(tensor(value)));
    func.finish(&[result]).unwrap_or_else(|error| panic!("{plan}: {error}"))
}

/// The base is the first argument where the plan needs it.
fn emit_write(view: &View, value: &ValueLayout) -> Func {
    let plan = plan_write(view, value).unwrap();
    let func = FuncBuilder::new("write");
    let base = plan.needs_base().then(|| func.argument(tensor(value)));
    let result = plan.emit(base, func.argument(tensor(&plan.update)));
    func.finish(&[result]).unwrap_or_else(|error| panic!("{plan}: {error}"))
}

/// The op names of a function, in order.
fn ops(func: &Func) -> Vec<&'static str> {
    func.op_histogram().into_iter().flat_map(|(name, count)| std::iter::repeat_n(name, count)).collect()
}

#[test]
fn a_slice_is_written_in_place() {
    let view = contiguous(&[4, 6], ElementType::F32).slice(0, 1, 3, 1).permute(&[1, 0]);
    let func = emit_write(&view, &ValueLayout::new(&[4, 6], ElementType::F32));
    assert_eq!(ops(&func), ["stablehlo.constant", "stablehlo.constant", "stablehlo.dynamic_update_slice", "stablehlo.transpose"]);
}

#[test]
fn a_strided_slice_is_written_by_a_mask() {
    let view = contiguous(&[4, 6], ElementType::F32).slice(1, 0, 6, 2);
    let func = emit_write(&view, &ValueLayout::new(&[4, 6], ElementType::F32));
    let ops = ops(&func);
    assert!(ops.contains(&"stablehlo.select") && !ops.contains(&"stablehlo.scatter"), "{ops:?}");
}

#[test]
fn window_indices_are_computed() {
    let view = contiguous(&[2, 1000], ElementType::F32).unfold(1, 8, 3).unwrap();
    let func = emit_read(&view, &ValueLayout::new(&[2, 1000], ElementType::F32));
    let text = func.text();
    assert!(text.contains("stablehlo.gather") && text.contains("stablehlo.iota"), "{text}");
    assert!(text.len() < 2000 && text.contains("331x8xi32") && !text.contains("i64>"), "{text}");
}

#[test]
fn whole_writes_emit_no_base() {
    let view = contiguous(&[2, 5, 5, 3], ElementType::F32).permute(&[0, 3, 1, 2]);
    let func = emit_write(&view, &ValueLayout::new(&[150], ElementType::F32));
    assert_eq!(func.arguments().len(), 1);
    assert_eq!(ops(&func), ["stablehlo.transpose"]);
}

#[test]
fn a_write_without_its_base_starts_from_zeros() {
    let view = contiguous(&[4], ElementType::F32).slice(0, 1, 3, 1);
    let plan = plan_write(&view, &ValueLayout::new(&[4], ElementType::F32)).unwrap();
    let func = FuncBuilder::new("fresh");
    let result = plan.emit(None, func.argument(TensorType::new(ElementType::F32, &[2])));
    let func = func.finish(&[result]).unwrap();
    assert_eq!(func.results(), [TensorType::new(ElementType::F32, &[4])]);
}

#[test]
fn a_value_of_another_type_is_refused() {
    let plan = plan_read(&contiguous(&[4], ElementType::F32), &ValueLayout::new(&[4], ElementType::F32)).unwrap();
    let func = FuncBuilder::new("wrong");
    let result = plan.emit(func.argument(TensorType::new(ElementType::F32, &[5])));
    let error = func.finish(&[result]).unwrap_err().to_string();
    assert!(error.contains("view.read") && error.contains("tensor<4xf32>"), "{error}");
}

fn check_types(value: &ValueLayout, view: &View) -> Result<(), TestCaseError> {
    let read = emit_read(view, value);
    prop_assert_eq!(read.results(), &[TensorType::new(view.element, &view.sizes)]);
    let write = emit_write(view, value);
    let plan = plan_write(view, value).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(write.results(), &[tensor(plan.result_layout())]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chains_type_check((value, view) in chains()) {
        check_types(&value, &view)?;
    }

    #[test]
    fn any_strides_type_check((value, view) in as_strided()) {
        check_types(&value, &view)?;
    }
}

/// Writes programs with their inputs and expected results to `$VIEW_DUMP`, `$VIEW_DUMP_CASES` of each kind, one folder a
/// case: `program.mlir`, `argument<i>.bin`, `result.bin`, raw little-endian, and `plan.txt`. The bytes are arbitrary, so a
/// float result may be NaN, with another payload than expected.
#[test]
#[ignore = "writes files; set VIEW_DUMP"]
fn dump_for_a_device() {
    let root = std::env::var("VIEW_DUMP").expect("VIEW_DUMP is a folder");
    let cases: usize = std::env::var("VIEW_DUMP_CASES").map_or(200, |cases| cases.parse().unwrap());
    let mut runner = TestRunner::deterministic();
    for case in 0..cases {
        let (value, view) = if case % 2 == 0 {
            chains().new_tree(&mut runner).unwrap().current()
        } else {
            as_strided().new_tree(&mut runner).unwrap().current()
        };
        let base = filled(&value, 1);
        let update = filled(&ValueLayout::new(&view.sizes, view.element), 77);
        let read = run_read(&plan_read(&view, &value).unwrap(), &base);
        let note = plan_read(&view, &value).unwrap().to_string();
        dump(Path::new(&root), &format!("{case:05}_read"), &emit_read(&view, &value), &note, &[&base], &read);

        let plan = plan_write(&view, &value).unwrap();
        let written = run_write(&plan, plan.needs_base().then_some(&base), &update);
        let arguments: Vec<&Array> = plan.needs_base().then_some(&base).into_iter().chain([&update]).collect();
        dump(Path::new(&root), &format!("{case:05}_write"), &emit_write(&view, &value), &plan.to_string(), &arguments, &written);
    }
}

fn dump(root: &Path, name: &str, func: &Func, note: &str, arguments: &[&Array], result: &Array) {
    let folder = root.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program.mlir"), func.text()).unwrap();
    std::fs::write(folder.join("plan.txt"), note).unwrap();
    for (place, argument) in arguments.iter().enumerate() {
        std::fs::write(folder.join(format!("argument{place}.bin")), &argument.bytes).unwrap();
    }
    std::fs::write(folder.join("result.bin"), &result.bytes).unwrap();
}
