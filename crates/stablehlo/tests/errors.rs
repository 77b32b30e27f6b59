//! The first wrong append sticks, names its op, operands and origin, and never panics.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use stablehlo::ElementType::*;
use stablehlo::*;

fn first_error(build: impl for<'f> Fn(&'f FuncBuilder) -> Vec<Value<'f>>) -> String {
    let builder = FuncBuilder::new("wrong");
    let results = build(&builder);
    builder.finish(&results).expect_err("an error").to_string()
}

fn argument<'f>(f: &'f FuncBuilder, element: ElementType, dims: &[i64]) -> Value<'f> {
    f.argument(TensorType::new(element, dims))
}

#[test]
fn message_says_op_operands_rule_and_origin() {
    let message = first_error(|f| {
        f.set_location("aten::add.Tensor", Some(("train.py", 12)));
        let sum = argument(f, F32, &[2]) + argument(f, F32, &[3]);
        f.set_location("aten::bitwise_not", None);
        vec![!sum]
    });
    assert_eq!(
        message,
        "stablehlo.add(tensor<2xf32>, tensor<3xf32>): expected operands of one type (from aten::add.Tensor at train.py:12)"
    );
}

#[test]
fn reduce_body_may_not_capture() {
    let message = first_error(|f| {
        let (x, scale) = (argument(f, F32, &[4]), argument(f, F32, &[]));
        f.reduce(&[x], &[f.zero(F32)], &[0], |lhs, rhs| vec![lhs[0] + rhs[0] * scale])
    });
    assert_eq!(message, "stablehlo.multiply uses a tensor<f32> from outside the enclosing isolated region");
}

#[test]
fn while_body_may_capture_but_a_reduce_inside_it_may_not() {
    let message = first_error(|f| {
        let (x, outer) = (argument(f, F32, &[4]), argument(f, F32, &[]));
        f.while_loop(
            &[f.zero(F32)],
            |state| state[0].lt(outer),
            |state| {
                let sum = f.reduce(&[x], &[state[0]], &[0], |lhs, rhs| vec![lhs[0] + rhs[0] * outer]);
                vec![sum[0] + outer]
            },
        )
    });
    assert_eq!(message, "stablehlo.multiply uses a tensor<f32> from outside the enclosing isolated region");
}

#[test]
fn value_does_not_leave_its_region() {
    let message = first_error(|f| {
        let x = argument(f, F32, &[4]);
        let leaked = std::cell::Cell::new(x);
        f.if_(
            argument(f, I1, &[]),
            || {
                leaked.set(x.exp());
                vec![leaked.get()]
            },
            || vec![x],
        );
        vec![leaked.get()]
    });
    assert_eq!(message, "func.return uses a tensor<4xf32> that is not in scope");
}

#[test]
fn value_of_another_function_is_refused() {
    let other = FuncBuilder::new("other");
    let foreign = other.argument(F32);
    let builder = FuncBuilder::new("wrong");
    let error = builder.finish(&[foreign]).expect_err("an error");
    assert!(matches!(error, Error::OutOfScope { op: "func.return", .. }), "{error}");
}

#[test]
fn constant_made_in_a_region_is_not_reused_outside() {
    let builder = FuncBuilder::new("constants");
    let x = builder.argument(TensorType::new(F32, &[4]));
    let first = builder.reduce(&[x], &[x.reduce_add(&[0])], &[0], |lhs, rhs| vec![lhs[0] + rhs[0].like(2.0)]);
    let second = first[0] * first[0].like(2.0);
    let third = builder.reduce(&[x], &[second], &[0], |lhs, rhs| vec![lhs[0] + rhs[0].like(2.0)]);
    let func = builder.finish(&third).unwrap();
    assert_eq!(func.op_histogram()["stablehlo.constant"], 4);
}

#[test]
fn append_after_finish_is_an_error_and_not_a_panic() {
    let builder = FuncBuilder::new("done");
    let x = builder.argument(TensorType::new(F32, &[4]));
    assert!(builder.finish(&[x]).is_ok());
    let _ = (x + x).reduce_add(&[0]).reshape(&[1, 1]);
    assert!(builder.error().is_some());
}

/// One wrong use of every op whose rules are more than equal types.
#[test]
fn each_rule_is_checked() {
    type Build = Box<dyn for<'f> Fn(&'f FuncBuilder) -> Value<'f>>;
    fn wrong(
        op: &'static str,
        rule: &'static str,
        build: impl for<'f> Fn(&'f FuncBuilder) -> Value<'f> + 'static,
    ) -> (&'static str, &'static str, Build) {
        (op, rule, Box::new(build))
    }
    let cases = [
        wrong("stablehlo.exponential", "a float or complex type, got i32", |f| argument(f, I32, &[2]).exp()),
        wrong("stablehlo.subtract", "an integer, float or complex type, got i1", |f| argument(f, I1, &[2]) - argument(f, I1, &[2])),
        wrong("stablehlo.compare", "an ordered type", |f| argument(f, C64, &[2]).lt(argument(f, C64, &[2]))),
        wrong("stablehlo.select", "a boolean predicate", |f| argument(f, I32, &[2]).select(argument(f, F32, &[2]), argument(f, F32, &[2]))),
        wrong("stablehlo.clamp", "bounds of type", |f| argument(f, F32, &[2]).clamp(f.zero(I32), f.zero(F32))),
        wrong("stablehlo.complex", "f32 or f64 parts", |f| argument(f, F16, &[2]).complex(argument(f, F16, &[2]))),
        wrong("stablehlo.bitcast_convert", "as many bits", |f| argument(f, F32, &[2]).bitcast_convert(U8, &[2, 3])),
        wrong("stablehlo.reshape", "6 elements", |f| argument(f, F32, &[2, 3]).reshape(&[5])),
        wrong("stablehlo.reshape", "no negative dimension", |f| argument(f, F32, &[2, 3]).reshape(&[-1])),
        wrong("stablehlo.transpose", "a permutation of 0..2", |f| argument(f, F32, &[2, 3]).transpose(&[0, 0])),
        wrong("stablehlo.broadcast_in_dim", "size 1 or 4", |f| argument(f, F32, &[3]).broadcast_in_dim(&[2, 4], &[1])),
        wrong("stablehlo.broadcast_in_dim", "distinct broadcast dimensions", |f| argument(f, F32, &[3, 4]).broadcast_to(&[4])),
        wrong("stablehlo.slice", "0 <= start <= limit <= 3", |f| argument(f, F32, &[3]).slice(&[1], &[4], &[1])),
        wrong("stablehlo.slice", "1 starts, limits and strides", |f| argument(f, F32, &[3]).slice(&[1, 0], &[3], &[1])),
        wrong("stablehlo.reverse", "distinct dimensions", |f| argument(f, F32, &[3]).reverse(&[1])),
        wrong("stablehlo.pad", "a padding value of type tensor<f32>", |f| argument(f, F32, &[3]).pad(f.zero(I32), &[1], &[0], &[0])),
        wrong("stablehlo.pad", "no negative result dimension", |f| argument(f, F32, &[3]).pad(f.zero(F32), &[-4], &[0], &[0])),
        wrong("stablehlo.concatenate", "differ in dimension 0 only", |f| {
            f.concatenate(&[argument(f, F32, &[2, 3]), argument(f, F32, &[2, 4])], 0)
        }),
        wrong("stablehlo.concatenate", "at least one operand", |f| f.concatenate(&[], 0)),
        wrong("stablehlo.constant", "4 values for tensor<2x2xf32>, got 3", |f| f.constant_f64s(F32, &[2, 2], &[1.0, 2.0, 3.0])),
        wrong("stablehlo.iota", "iota dimension 1", |f| f.iota(I32, &[3], 1)),
        wrong("stablehlo.reduce", "distinct dimensions", |f| argument(f, F32, &[3]).reduce_add(&[1])),
        wrong("stablehlo.reduce", "initial values of rank 0", |f| {
            f.reduce(&[argument(f, F32, &[3])], &[f.zero(I32)], &[0], |lhs, _| lhs.to_vec())[0]
        }),
        wrong("stablehlo.reduce", "a body that returns", |f| {
            f.reduce(&[argument(f, F32, &[3])], &[f.zero(F32)], &[0], |lhs, rhs| vec![lhs[0].lt(rhs[0])])[0]
        }),
        wrong("stablehlo.reduce_window", "one window size", |f| {
            f.reduce_window(&[argument(f, F32, &[3])], &[f.zero(F32)], &ReduceWindow::default(), |lhs, _| lhs.to_vec())[0]
        }),
        wrong("stablehlo.select_and_scatter", "a source of type tensor<2xf32>", |f| {
            let window = SelectAndScatter { dimensions: vec![2], strides: vec![2], ..SelectAndScatter::default() };
            f.select_and_scatter(argument(f, F32, &[4]), argument(f, F32, &[3]), f.zero(F32), &window, |a, b| a.ge(b), |a, b| a + b)
        }),
        wrong("stablehlo.sort", "a comparator that returns a boolean", |f| {
            f.sort(&[argument(f, F32, &[3])], 0, true, |pairs| pairs[0].0)[0]
        }),
        wrong("stablehlo.gather", "a start_index_map of 1 dimensions", |f| {
            argument(f, F32, &[3])
                .gather(argument(f, I32, &[2, 1]), &GatherDims { index_vector_dim: 1, slice_sizes: vec![1], ..GatherDims::default() })
        }),
        wrong("stablehlo.gather", "1 offset_dims", |f| {
            argument(f, F32, &[3]).gather(
                argument(f, I32, &[2, 1]),
                &GatherDims { start_index_map: vec![0], index_vector_dim: 1, slice_sizes: vec![1], ..GatherDims::default() },
            )
        }),
        wrong("stablehlo.scatter", "updates with scatter dimensions", |f| {
            let dims = ScatterDims {
                inserted_window_dims: vec![0],
                scatter_dims_to_operand_dims: vec![0],
                index_vector_dim: 1,
                ..ScatterDims::default()
            };
            f.scatter(&[argument(f, F32, &[3])], argument(f, I32, &[2, 1]), &[argument(f, F32, &[5])], &dims, |_, update| update.to_vec())
                [0]
        }),
        wrong("stablehlo.dynamic_slice", "2 start indices, got 1", |f| argument(f, F32, &[3, 3]).dynamic_slice(&[f.zero(I32)], &[1, 1])),
        wrong("stablehlo.dynamic_update_slice", "an update that fits", |f| {
            argument(f, F32, &[3]).dynamic_update_slice(argument(f, F32, &[4]), &[f.zero(I32)])
        }),
        wrong("stablehlo.dot_general", "equal contracted sizes, got [3] and [4]", |f| {
            let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
            argument(f, F32, &[2, 3]).dot_general(argument(f, F32, &[4, 2]), &dims, Precision::Default, F32)
        }),
        wrong("stablehlo.convolution", "3 x 1 input features, got 2", |f| {
            argument(f, F32, &[1, 2, 8]).convolution(argument(f, F32, &[4, 3, 3]), &Conv::channels_first(1), F32)
        }),
        wrong("stablehlo.convolution", "input and kernel of equal rank", |f| {
            argument(f, F32, &[1, 2, 8]).convolution(argument(f, F32, &[4, 3]), &Conv::channels_first(1), F32)
        }),
        wrong("stablehlo.cholesky", "square matrices", |f| argument(f, F32, &[2, 3]).cholesky(true)),
        wrong("stablehlo.triangular_solve", "3 rows (left)", |f| {
            argument(f, F32, &[3, 3]).triangular_solve(argument(f, F32, &[2, 3]), true, true, false, Transpose::NoTranspose)
        }),
        wrong("stablehlo.fft", "innermost dimensions [5], got [8]", |f| argument(f, C64, &[8]).fft(FftKind::Irfft, &[8])),
        wrong("stablehlo.while", "a body that returns", |f| {
            f.while_loop(&[f.zero(I32)], |_| f.constant(I1, true), |_| vec![f.zero(F32)])[0]
        }),
        wrong("stablehlo.if", "branches that return the same types", |f| {
            f.if_(argument(f, I1, &[]), || vec![f.zero(F32)], || vec![f.zero(I32)])[0]
        }),
        wrong("stablehlo.case", "an index of type tensor<i32>", |f| f.case(f.zero(I64), vec![Box::new(|| vec![f.zero(F32)])])[0]),
        wrong("stablehlo.rng_bit_generator", "a state of [2] x ui64", |f| {
            f.rng_bit_generator(RngAlgorithm::ThreeFry, argument(f, U64, &[3]), U32, &[4]).1
        }),
        wrong("stablehlo.transpose", "operands without bounded dimensions", |f| {
            argument(f, F32, &[3, 4]).set_dimension_size(f.zero(I32), 0).transpose(&[1, 0])
        }),
        wrong("stablehlo.remainder", "an integer or float type, got complex<f32>", |f| argument(f, C64, &[2]) % argument(f, C64, &[2])),
        wrong("chlo.erfc", "16 bits or more, got f8E4M3FN", |f| argument(f, F8E4M3FN, &[2]).erfc()),
        wrong("chlo.top_k", "an ordered type", |f| f.top_k(argument(f, C64, &[2]), 1).0),
        wrong("func.func", "an argument of this function", |f| {
            let sum = argument(f, F32, &[]) + argument(f, F32, &[]);
            f.donate_argument(sum);
            sum
        }),
    ];
    for (op, rule, build) in cases {
        let message = first_error(|f| vec![build(f)]);
        assert!(message.starts_with(op) && message.contains(rule), "{op}: {message}");
    }
}

#[test]
fn func_is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Func>();
    check::<Error>();
}
