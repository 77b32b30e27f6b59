//! Plans against the index model, over random chains of torch's view operations and random strided geometry.
#![expect(clippy::expect_used, reason = "a test may stop where it fails")]

mod model;
mod random;

use model::{Array, model_read, model_write, run_read, run_write, size_of};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use random::{Choices, as_strided, bounded, chains, filled, random_operation};
use stablehlo::ElementType;
use view::{Step, ValueLayout, View, Write, plan_fresh, plan_read, plan_write};

fn check_read(value: &ValueLayout, view: &View) -> Result<(), TestCaseError> {
    let plan = plan_read(view, value).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let storage = filled(value, 1);
    let read = run_read(&plan, &storage);
    prop_assert_eq!(&read.layout, &ValueLayout::new(&view.sizes, view.element), "{}", plan);
    prop_assert_eq!(&read.bytes, &model_read(&storage.bytes, view), "{}", plan);
    let gathers = plan.steps.iter().any(|step| matches!(step, Step::Gather { .. }));
    prop_assert!(!gathers || overlaps_or_interleaves(view), "gather for {}: {}", view, plan);
    Ok(())
}

fn check_write(value: &ValueLayout, view: &View) -> Result<(), TestCaseError> {
    let plan = plan_write(view, value).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let storage = filled(value, 1);
    let update = filled(&ValueLayout::new(&view.sizes, view.element), 77);
    let base = plan.needs_base().then_some(&storage);
    let result = run_write(&plan, base, &update);
    prop_assert_eq!(result.bytes.len(), storage.bytes.len(), "{}", plan);

    let size = size_of(view.element);
    let written = model_write(view, &update.bytes);
    for (place, (after, before)) in result.bytes.chunks(size).zip(storage.bytes.chunks(size)).enumerate() {
        match written.get(&(place as i64)) {
            Some(candidates) => prop_assert!(candidates.contains(after), "element {} of {}: {}", place, view, plan),
            None => prop_assert_eq!(after, before, "element {} of {}: {}", place, view, plan),
        }
    }
    let elements = storage.bytes.len() as i64 / size as i64;
    if view.covers_densely(elements) && storage.bytes.len().is_multiple_of(size) && view.numel() > 0 {
        prop_assert!(!plan.needs_base());
        let replaces = matches!(plan.write, Write::Replace { .. });
        prop_assert!(replaces);
    }
    Ok(())
}

/// Whether some dimension steps into what the smaller strides reach.
fn overlaps_or_interleaves(view: &View) -> bool {
    let mut axes: Vec<(i64, i64)> = view.sizes.iter().zip(&view.strides).map(|(&size, stride)| (stride.abs(), size)).collect();
    axes.retain(|&(stride, size)| stride != 0 && size > 1);
    axes.sort_unstable();
    let mut reach = 0;
    for (stride, size) in axes {
        if stride <= reach {
            return true;
        }
        reach += (size - 1) * stride;
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn chains_read_as_the_model((value, view) in chains()) {
        check_read(&value, &view)?;
    }

    #[test]
    fn chains_write_as_the_model((value, view) in chains()) {
        check_write(&value, &view)?;
    }

    #[test]
    fn any_strides_read_as_the_model((value, view) in as_strided()) {
        check_read(&value, &view)?;
    }

    #[test]
    fn any_strides_write_as_the_model((value, view) in as_strided()) {
        check_write(&value, &view)?;
    }

    /// A fresh storage holds what was written, read back through the same view.
    #[test]
    fn fresh_storages_read_back((_, view) in chains()) {
        if view.strides.iter().any(|&stride| stride < 0) {
            return Ok(());
        }
        let plan = plan_fresh(&view).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let update = filled(&ValueLayout::new(&view.sizes, view.element), 5);
        let base = match &plan.write {
            Write::Through { base, .. } => Some(Array { layout: base.clone(), bytes: vec![0; base.numel() as usize * size_of(base.element)] }),
            Write::Replace { .. } => None,
        };
        let value = run_write(&plan, base.as_ref(), &update);
        if !overlaps_or_interleaves(&view) && view.strides.iter().zip(&view.sizes).all(|(&stride, &size)| stride != 0 || size <= 1) {
            let read = run_read(&plan_read(&view, plan.result_layout()).map_err(|e| TestCaseError::fail(e.to_string()))?, &value);
            prop_assert_eq!(read.bytes, update.bytes);
        }
    }

    /// Slices, selects, permutes and expands of the value's own dimensions never flatten: a reshape only adds or drops ones.
    #[test]
    fn own_dimensions_stay_natural(
        sizes in prop::collection::vec(1i64..=6, 0..=4),
        choices in prop::collection::vec(any::<u16>(), 0..=30),
    ) {
        let value = ValueLayout::new(&sizes, ElementType::F32);
        let mut choices = Choices(choices.iter());
        let mut view = View::contiguous(&sizes, ElementType::F32);
        while !choices.done() {
            let operation = [0, 2, 3, 4, 5, 6][choices.below(6)];
            let numbers = [operation, choices.0.next().copied().unwrap_or(0), choices.0.next().copied().unwrap_or(0),
                choices.0.next().copied().unwrap_or(0), choices.0.next().copied().unwrap_or(0)];
            if let Some(next) = random_operation(&view, &mut Choices(numbers.iter())).filter(bounded) {
                view = next;
            }
        }
        if view.numel() == 0 {
            return Ok(());
        }
        let plan = plan_read(&view, &value).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut layout = value;
        for step in &plan.steps {
            let next = step.output(&layout);
            if matches!(step, Step::Reshape { .. }) {
                let long = |layout: &ValueLayout| layout.dims.iter().copied().filter(|&size| size != 1).collect::<Vec<_>>();
                prop_assert_eq!(long(&layout), long(&next), "{} of {}", plan, view);
            }
            layout = next;
        }
        check_read(&ValueLayout::new(&sizes, ElementType::F32), &view)?;
    }
}
