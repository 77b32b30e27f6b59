//! One small function for every op of the builder: what `printed.rs` compares and `accepted.rs` compiles.

use stablehlo::ElementType::*;
use stablehlo::*;

pub struct Case {
    pub name: String,
    pub func: Func,
}

/// Builds a case whose single argument has the first type, and so on.
fn case<'f>(
    cases: &mut Vec<Case>,
    name: &str,
    builder: &'f FuncBuilder,
    arguments: &[(ElementType, &[i64])],
    body: impl FnOnce(&[Value<'f>]) -> Vec<Value<'f>>,
) {
    let arguments: Vec<Value<'f>> = arguments.iter().map(|&(element, dims)| builder.argument(TensorType::new(element, dims))).collect();
    let results = body(&arguments);
    let func = builder.finish(&results).unwrap_or_else(|error| panic!("{name}: {error}"));
    cases.push(Case { name: name.to_owned(), func });
}

macro_rules! cases {
    ($cases:ident; $($name:literal($($element:ident[$($dim:literal),*]),*) |$f:ident, $a:ident| $body:expr;)*) => {
        $({
            let builder = FuncBuilder::new($name);
            let $f = &builder;
            let _ = &$f;
            case(&mut $cases, $name, &builder, &[$(($element, &[$($dim),*])),*], |$a| $body.into());
        })*
    };
}

type Unary = (&'static str, for<'f> fn(Value<'f>) -> Value<'f>);
type Binary = (&'static str, for<'f> fn(Value<'f>, Value<'f>) -> Value<'f>);

const FLOAT_UNARY: &[Unary] = &[
    ("abs", |a| a.abs()),
    ("neg", |a| a.neg()),
    ("exp", |a| a.exp()),
    ("exponential_minus_one", |a| a.exponential_minus_one()),
    ("log", |a| a.log()),
    ("log_plus_one", |a| a.log_plus_one()),
    ("logistic", |a| a.logistic()),
    ("tanh", |a| a.tanh()),
    ("sqrt", |a| a.sqrt()),
    ("rsqrt", |a| a.rsqrt()),
    ("cbrt", |a| a.cbrt()),
    ("sine", |a| a.sine()),
    ("cosine", |a| a.cosine()),
    ("tan", |a| a.tan()),
    ("ceil", |a| a.ceil()),
    ("floor", |a| a.floor()),
    ("round_nearest_even", |a| a.round_nearest_even()),
    ("round_nearest_afz", |a| a.round_nearest_afz()),
    ("sign", |a| a.sign()),
    ("is_finite", |a| a.is_finite()),
    ("real", |a| a.real()),
    ("imag", |a| a.imag()),
    ("erf", |a| a.erf()),
    ("erf_inv", |a| a.erf_inv()),
    ("erfc", |a| a.erfc()),
    ("lgamma", |a| a.lgamma()),
    ("digamma", |a| a.digamma()),
    ("acos", |a| a.acos()),
    ("asin", |a| a.asin()),
    ("atan", |a| a.atan()),
    ("sinh", |a| a.sinh()),
    ("cosh", |a| a.cosh()),
    ("acosh", |a| a.acosh()),
    ("asinh", |a| a.asinh()),
    ("atanh", |a| a.atanh()),
    ("bessel_i1e", |a| a.bessel_i1e()),
];

const COMPLEX_UNARY: &[Unary] = &[
    ("abs", |a| a.abs()),
    ("neg", |a| a.neg()),
    ("exp", |a| a.exp()),
    ("exponential_minus_one", |a| a.exponential_minus_one()),
    ("log", |a| a.log()),
    ("log_plus_one", |a| a.log_plus_one()),
    ("logistic", |a| a.logistic()),
    ("tanh", |a| a.tanh()),
    ("sqrt", |a| a.sqrt()),
    ("rsqrt", |a| a.rsqrt()),
    ("sine", |a| a.sine()),
    ("cosine", |a| a.cosine()),
    ("tan", |a| a.tan()),
    ("sign", |a| a.sign()),
    ("real", |a| a.real()),
    ("imag", |a| a.imag()),
    ("acos", |a| a.acos()),
    ("asin", |a| a.asin()),
    ("atan", |a| a.atan()),
    ("sinh", |a| a.sinh()),
    ("cosh", |a| a.cosh()),
    ("acosh", |a| a.acosh()),
    ("asinh", |a| a.asinh()),
    ("atanh", |a| a.atanh()),
];

const INTEGER_UNARY: &[Unary] = &[
    ("abs", |a| a.abs()),
    ("neg", |a| a.neg()),
    ("sign", |a| a.sign()),
    ("not", |a| a.not()),
    ("popcnt", |a| a.popcnt()),
    ("count_leading_zeros", |a| a.count_leading_zeros()),
];

const FLOAT_BINARY: &[Binary] = &[
    ("add", |a, b| a.add(b)),
    ("subtract", |a, b| a.subtract(b)),
    ("multiply", |a, b| a.multiply(b)),
    ("divide", |a, b| a.divide(b)),
    ("remainder", |a, b| a.remainder(b)),
    ("maximum", |a, b| a.maximum(b)),
    ("minimum", |a, b| a.minimum(b)),
    ("power", |a, b| a.power(b)),
    ("atan2", |a, b| a.atan2(b)),
    ("zeta", |a, b| a.zeta(b)),
    ("polygamma", |a, b| a.polygamma(b)),
    ("next_after", |a, b| a.next_after(b)),
    ("complex", |a, b| a.complex(b)),
    ("eq", |a, b| a.eq(b)),
    ("ne", |a, b| a.ne(b)),
    ("lt", |a, b| a.lt(b)),
    ("le", |a, b| a.le(b)),
    ("gt", |a, b| a.gt(b)),
    ("ge", |a, b| a.ge(b)),
];

const COMPLEX_BINARY: &[Binary] = &[
    ("add", |a, b| a.add(b)),
    ("subtract", |a, b| a.subtract(b)),
    ("multiply", |a, b| a.multiply(b)),
    ("divide", |a, b| a.divide(b)),
    ("power", |a, b| a.power(b)),
    ("eq", |a, b| a.eq(b)),
    ("ne", |a, b| a.ne(b)),
];

const INTEGER_BINARY: &[Binary] = &[
    ("add", |a, b| a.add(b)),
    ("subtract", |a, b| a.subtract(b)),
    ("multiply", |a, b| a.multiply(b)),
    ("divide", |a, b| a.divide(b)),
    ("remainder", |a, b| a.remainder(b)),
    ("maximum", |a, b| a.maximum(b)),
    ("minimum", |a, b| a.minimum(b)),
    ("power", |a, b| a.power(b)),
    ("and", |a, b| a.and(b)),
    ("or", |a, b| a.or(b)),
    ("xor", |a, b| a.xor(b)),
    ("shift_left", |a, b| a.shift_left(b)),
    ("shift_right_arithmetic", |a, b| a.shift_right_arithmetic(b)),
    ("shift_right_logical", |a, b| a.shift_right_logical(b)),
    ("lt", |a, b| a.lt(b)),
    ("eq", |a, b| a.eq(b)),
];

const BOOL_BINARY: &[Binary] = &[
    ("add", |a, b| a.add(b)),
    ("multiply", |a, b| a.multiply(b)),
    ("maximum", |a, b| a.maximum(b)),
    ("minimum", |a, b| a.minimum(b)),
    ("and", |a, b| a.and(b)),
    ("or", |a, b| a.or(b)),
    ("xor", |a, b| a.xor(b)),
    ("lt", |a, b| a.lt(b)),
    ("eq", |a, b| a.eq(b)),
];

pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    elementwise(&mut cases);
    constants(&mut cases);
    let mut more = structured();
    cases.append(&mut more);
    cases
}

fn elementwise(cases: &mut Vec<Case>) {
    let unary_groups: [(ElementType, &[Unary]); 5] =
        [(F32, FLOAT_UNARY), (C64, COMPLEX_UNARY), (I32, INTEGER_UNARY), (I1, &[("not", |a| a.not())]), (BF16, FLOAT_UNARY)];
    for (element, ops) in unary_groups {
        for (name, op) in ops {
            let name = format!("{name}_{}", short(element));
            let builder = FuncBuilder::new(&name);
            case(cases, &name, &builder, &[(element, &[2, 3])], |a| vec![op(a[0])]);
        }
    }
    let binary_groups: [(ElementType, &[Binary]); 5] =
        [(F32, FLOAT_BINARY), (C64, COMPLEX_BINARY), (I32, INTEGER_BINARY), (U32, INTEGER_BINARY), (I1, BOOL_BINARY)];
    for (element, ops) in binary_groups {
        for (name, op) in ops {
            let name = format!("{name}_{}", short(element));
            let builder = FuncBuilder::new(&name);
            case(cases, &name, &builder, &[(element, &[2, 3]), (element, &[2, 3])], |a| vec![op(a[0], a[1])]);
        }
    }
    for from in ElementType::ALL {
        let name = format!("convert_from_{}", short(from));
        let builder = FuncBuilder::new(&name);
        case(cases, &name, &builder, &[(from, &[4])], |a| {
            let targets = [I1, I8, I32, I64, U8, U32, U64, F16, BF16, F32, F64, C64, C128, F8E4M3FN, F8E5M2];
            targets.into_iter().map(|to| a[0].convert(to)).collect()
        });
        let name = format!("convert_to_{}", short(from));
        let builder = FuncBuilder::new(&name);
        case(cases, &name, &builder, &[(F32, &[4])], |a| vec![a[0].convert(from)]);
    }
}

fn constants(cases: &mut Vec<Case>) {
    for element in ElementType::ALL {
        let name = format!("constants_{}", short(element));
        let builder = FuncBuilder::new(&name);
        case(cases, &name, &builder, &[], |_| {
            let mut values = vec![
                builder.zero(TensorType::new(element, &[2])),
                builder.one(element),
                builder.constant_f64s(element, &[2, 2], &[0.0, 1.0, 2.0, 3.0]),
                builder.constant_i64s(element, &[3], &[1, 0, 1]),
                builder.constant_i64s(element, &[0, 2], &[]),
                builder.lowest(element),
                builder.highest(element),
            ];
            if element.is_float() || element.is_complex() {
                for value in [-0.0, -1.5, 0.1, 1e-30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                    values.push(builder.constant_f64(element, value));
                }
            }
            if element.is_complex() {
                values.push(builder.constant(element, (1.0, f64::INFINITY)));
                values.push(builder.constant_literals(element, &[2], &[Literal::Complex(1.0, 2.0), Literal::Complex(3.5, -4.0)]));
            }
            values
        });
    }
}

fn short(element: ElementType) -> &'static str {
    match element {
        C64 => "c64",
        C128 => "c128",
        other => other.name(),
    }
}

fn add<'f>(lhs: &[Value<'f>], rhs: &[Value<'f>]) -> Vec<Value<'f>> {
    lhs.iter().zip(rhs).map(|(&a, &b)| a + b).collect()
}

fn structured() -> Vec<Case> {
    let mut cases = Vec::new();
    cases! { cases;
        "empty"() |_f, _a| vec![];
        "passthrough"(F32[2]) |_f, a| [a[0]];
        "operators"(F32[2], F32[2]) |_f, a| [-(a[0] + a[1] - a[0] * a[1] / a[0] % a[1])];
        "bit_operators"(I32[2], I32[2]) |_f, a| [!(a[0] & a[1] | a[0] ^ a[1])];
        "scalar_helpers"(F32[2, 3]) |_f, a| [a[0].plus(1.0).minus(2.0).times(3.0).over(4.0)];
        "compare_total_order"(F32[2], F32[2]) |_f, a| [a[0].compare(a[1], Direction::Lt, CompareType::TotalOrder)];
        "select"(I1[2], F32[2], F32[2]) |_f, a| [a[0].select(a[1], a[2])];
        "select_scalar"(I1[], F32[2], F32[2]) |_f, a| [a[0].select(a[1], a[2])];
        "clamp"(F32[2], F32[2], F32[2]) |_f, a| [a[0].clamp(a[1], a[2])];
        "clamp_scalar"(F32[2], F32[], F32[]) |_f, a| [a[0].clamp(a[1], a[2])];
        "bitcast_same"(F32[2]) |_f, a| [a[0].bitcast_convert(I32, &[2])];
        "bitcast_narrower"(F32[2]) |_f, a| [a[0].bitcast_convert(U8, &[2, 4])];
        "bitcast_wider"(U16[3, 2]) |_f, a| [a[0].bitcast_convert(F32, &[3])];
        "reduce_precision"(F32[2]) |_f, a| [a[0].reduce_precision(8, 7)];

        "iota"() |f, _a| [f.iota(I32, &[2, 3], 1), f.iota(F32, &[4], 0), f.iota(C64, &[4], 0)];
        "reshape"(F32[2, 3]) |_f, a| [a[0].reshape(&[6]), a[0].reshape(&[1, 6, 1]), a[0].reshape(&[2, 3])];
        "reshape_scalar"(F32[1, 1]) |_f, a| [a[0].reshape(&[])];
        "transpose"(F32[2, 3, 4]) |_f, a| [a[0].transpose(&[2, 0, 1])];
        "broadcast_in_dim"(F32[3]) |_f, a| [a[0].broadcast_in_dim(&[3, 2], &[0])];
        "broadcast_to"(F32[3, 1]) |_f, a| [a[0].broadcast_to(&[2, 3, 4])];
        "broadcast_scalar"(F32[]) |_f, a| [a[0].broadcast_to(&[2, 3])];
        "broadcast_to_empty"(F32[1, 1]) |_f, a| [a[0].broadcast_to(&[0, 3])];
        "slice"(F32[8, 9]) |_f, a| [a[0].slice(&[1, 0], &[8, 9], &[3, 2]), a[0].slice_dim(1, 2, 5)];
        "reverse"(F32[2, 3]) |_f, a| [a[0].reverse(&[0, 1])];
        "pad"(F32[2, 3], F32[]) |_f, a| [a[0].pad(a[1], &[1, -1], &[0, 2], &[2, 0])];
        "concatenate"(F32[2, 3], F32[2, 1]) |f, a| [f.concatenate(&[a[0], a[1], a[0]], 1)];
        "set_dimension_size"(F32[4, 3], I32[]) |_f, a| {
            let bounded = a[0].set_dimension_size(a[1], 0);
            let doubled = (bounded + bounded).plus(1.0).exp();
            vec![doubled.clear_dimension_size(0), doubled.reduce_add(&[0]), doubled.reduce_add(&[1]).clear_dimension_size(0), doubled.get_dimension_size(0)]
        };
        "get_dimension_size"(F32[2, 3]) |_f, a| [a[0].get_dimension_size(1)];

        "reduce_add"(F32[2, 3]) |_f, a| [a[0].reduce_add(&[1]), a[0].reduce_add(&[0, 1])];
        "reduce_wrappers"(F32[2, 3]) |_f, a| [a[0].reduce_mul(&[0]), a[0].reduce_max(&[0]), a[0].reduce_min(&[1])];
        "reduce_wrappers_i32"(I32[2, 3]) |_f, a| [a[0].reduce_max(&[0]), a[0].reduce_min(&[1]), a[0].reduce_and(&[0]), a[0].reduce_or(&[0])];
        "reduce_wrappers_bool"(I1[2, 3]) |_f, a| [a[0].reduce_and(&[0]), a[0].reduce_or(&[0]), a[0].reduce_max(&[1]), a[0].reduce_min(&[1])];
        "reduce_argmax"(F32[2, 5]) |f, a| {
            let positions = f.iota(I32, &[2, 5], 1);
            f.reduce(&[a[0], positions], &[f.lowest(F32), f.zero(I32)], &[1], |lhs, rhs| {
                let left = lhs[0].ge(rhs[0]);
                vec![left.select(lhs[0], rhs[0]), left.select(lhs[1], rhs[1])]
            })
        };
        "reduce_body_constant"(F32[4]) |f, a| f.reduce(&[a[0]], &[f.zero(F32)], &[0], |lhs, rhs| {
            vec![lhs[0] + rhs[0] * rhs[0].func().constant(F32, 2.0)]
        });
        "reduce_window"(F32[1, 6, 6]) |f, a| f.reduce_window(&[a[0]], &[f.lowest(F32)], &ReduceWindow {
            dimensions: vec![1, 2, 2],
            strides: vec![1, 2, 2],
            window_dilations: vec![1, 2, 1],
            padding: vec![(0, 0), (1, 1), (0, 1)],
            ..ReduceWindow::default()
        }, |lhs, rhs| vec![lhs[0].maximum(rhs[0])]);
        "reduce_window_base_dilated"(F32[5]) |f, a| f.reduce_window(&[a[0]], &[f.zero(F32)], &ReduceWindow {
            dimensions: vec![3],
            base_dilations: vec![2],
            ..ReduceWindow::default()
        }, add);
        "reduce_window_cumsum_2"(I32[5], I32[5]) |f, a| f.reduce_window(&[a[0], a[1]], &[f.zero(I32), f.zero(I32)], &ReduceWindow {
            dimensions: vec![5],
            padding: vec![(4, 0)],
            ..ReduceWindow::default()
        }, add);
        "select_and_scatter"(F32[4, 6], F32[2, 3]) |f, a| [f.select_and_scatter(a[0], a[1], f.zero(F32), &SelectAndScatter {
            dimensions: vec![2, 2],
            strides: vec![2, 2],
            ..SelectAndScatter::default()
        }, |lhs, rhs| lhs.ge(rhs), |lhs, rhs| lhs + rhs)];
        "sort"(F32[2, 5]) |f, a| f.sort(&[a[0]], 1, false, |pairs| pairs[0].0.lt(pairs[0].1));
        "sort_stable_pairs"(F32[2, 5], I32[2, 5]) |f, a| f.sort(&[a[0], a[1]], 1, true, |pairs| {
            pairs[0].0.compare(pairs[0].1, Direction::Gt, CompareType::TotalOrder)
        });

        "gather_rows"(F32[5, 3], I32[2, 4]) |_f, a| [a[0].gather(a[1], &GatherDims {
            offset_dims: vec![2],
            collapsed_slice_dims: vec![0],
            start_index_map: vec![0],
            index_vector_dim: 2,
            slice_sizes: vec![1, 3],
            ..GatherDims::default()
        })];
        "gather_batched"(F32[2, 5, 3], I64[2, 4, 1]) |_f, a| [a[0].gather(a[1], &GatherDims {
            offset_dims: vec![2],
            collapsed_slice_dims: vec![1],
            operand_batching_dims: vec![0],
            start_indices_batching_dims: vec![0],
            start_index_map: vec![1],
            index_vector_dim: 2,
            slice_sizes: vec![1, 1, 3],
            indices_are_sorted: true,
        })];
        "scatter_add_rows"(F32[5, 3], I32[4, 1], F32[4, 3]) |f, a| f.scatter(&[a[0]], a[1], &[a[2]], &ScatterDims {
            update_window_dims: vec![1],
            inserted_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
            ..ScatterDims::default()
        }, add);
        "scatter_batched"(F32[2, 5], I32[2, 3, 1], F32[2, 3]) |f, a| f.scatter(&[a[0]], a[1], &[a[2]], &ScatterDims {
            inserted_window_dims: vec![1],
            input_batching_dims: vec![0],
            scatter_indices_batching_dims: vec![0],
            scatter_dims_to_operand_dims: vec![1],
            index_vector_dim: 2,
            unique_indices: true,
            ..ScatterDims::default()
        }, |_, update| update.to_vec());
        "scatter_two_inputs"(F32[5], I32[5], I32[4, 1], F32[4], I32[4]) |f, a| f.scatter(&[a[0], a[1]], a[2], &[a[3], a[4]], &ScatterDims {
            inserted_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
            ..ScatterDims::default()
        }, |_, update| update.to_vec());
        "dynamic_slice"(F32[5, 3], I32[], I32[]) |_f, a| [a[0].dynamic_slice(&[a[1], a[2]], &[2, 3])];
        "dynamic_update_slice"(F32[5, 3], F32[2, 2], I64[], I64[]) |_f, a| [a[0].dynamic_update_slice(a[1], &[a[2], a[3]])];

        "dot_general"(F32[7, 2, 3], F32[7, 3, 4]) |_f, a| [a[0].dot_general(a[1], &DotDims {
            lhs_batching: vec![0],
            rhs_batching: vec![0],
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
        }, Precision::Highest, F32)];
        "dot_general_bf16_f32"(BF16[2, 3], BF16[3, 4]) |_f, a| [a[0].dot_general(a[1], &DotDims {
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
            ..DotDims::default()
        }, Precision::Default, F32)];
        "dot_general_i8_i32"(I8[2, 3], I8[3, 4]) |_f, a| [a[0].dot_general(a[1], &DotDims {
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
            ..DotDims::default()
        }, Precision::Default, I32)];
        "dot_general_outer"(F32[2], F32[3]) |_f, a| [a[0].dot_general(a[1], &DotDims::default(), Precision::High, F32)];
        "convolution"(F32[2, 3, 8, 8], F32[4, 3, 3, 3]) |_f, a| [a[0].convolution(a[1], &Conv {
            window_strides: vec![2, 1],
            padding: vec![(1, 1), (0, 1)],
            rhs_dilation: vec![1, 2],
            precision: Precision::Highest,
            ..Conv::channels_first(2)
        }, F32)];
        "convolution_grouped"(F32[2, 4, 8], F32[6, 2, 3]) |_f, a| [a[0].convolution(a[1], &Conv {
            feature_group_count: 2,
            ..Conv::channels_first(1)
        }, F32)];
        "convolution_transposed"(F32[1, 2, 5], F32[3, 2, 4]) |_f, a| [a[0].convolution(a[1], &Conv {
            lhs_dilation: vec![2],
            padding: vec![(3, 3)],
            window_reversal: vec![true],
            ..Conv::channels_first(1)
        }, F32)];
        "convolution_batch_groups"(F32[4, 2, 5], F32[6, 2, 3]) |_f, a| [a[0].convolution(a[1], &Conv {
            batch_group_count: 2,
            ..Conv::channels_first(1)
        }, F32)];
        "convolution_channels_last"(BF16[2, 8, 3], BF16[3, 3, 4]) |_f, a| [a[0].convolution(a[1], &Conv {
            input_feature_dimension: 2,
            input_spatial_dimensions: vec![1],
            kernel_spatial_dimensions: vec![0],
            kernel_input_feature_dimension: 1,
            kernel_output_feature_dimension: 2,
            output_feature_dimension: 2,
            output_spatial_dimensions: vec![1],
            ..Conv::channels_first(1)
        }, F32)];
        "convolution_3d"(F32[1, 2, 4, 4, 4], F32[2, 2, 2, 2, 2]) |_f, a| [a[0].convolution(a[1], &Conv::channels_first(3), F32)];
        "convolution_no_spatial"(F32[2, 3], F32[4, 3]) |_f, a| [a[0].convolution(a[1], &Conv::channels_first(0), F32)];
        "cholesky"(F32[2, 3, 3]) |_f, a| [a[0].cholesky(true)];
        "triangular_solve"(F32[3, 3], F32[3, 2]) |_f, a| [
            a[0].triangular_solve(a[1], true, true, false, Transpose::NoTranspose),
            a[0].triangular_solve(a[1], true, false, true, Transpose::Transpose),
        ];
        "fft"(C64[2, 8]) |_f, a| [a[0].fft(FftKind::Fft, &[8]), a[0].fft(FftKind::Ifft, &[2, 8])];
        "rfft"(F32[2, 8]) |_f, a| {
            let spectrum = a[0].fft(FftKind::Rfft, &[8]);
            vec![spectrum, spectrum.fft(FftKind::Irfft, &[8])]
        };

        "while_loop"(F32[2], I32[]) |f, a| f.while_loop(&[f.zero(I32), a[0]],
            |state| state[0].lt(a[1]),
            |state| vec![state[0].plus(1.0), state[1] * state[1].like(0.5) + a[0]]);
        "case"(I32[], F32[2]) |f, a| f.case(a[0], vec![
            Box::new(|| vec![a[1].exp()]), Box::new(|| vec![a[1]]), Box::new(|| vec![a[1].like(7.0)]),
        ]);
        "if"(I1[], F32[2]) |f, a| f.if_(a[0], || vec![a[1].reduce_add(&[0])], || vec![f.zero(F32)]);
        "optimization_barrier"(F32[2], I32[]) |f, a| f.optimization_barrier(&[a[0], a[1]]);
        "top_k"(F32[3, 5]) |f, a| { let (values, positions) = f.top_k(a[0], 2); vec![values, positions] };
        "custom_call"(F32[4, 4]) |f, a| f.custom_call("Sharding", &[a[0]], &[a[0].ty()], &CustomCall {
            api_version: 1,
            ..CustomCall::default()
        });
        "custom_call_typed_config"(F32[2], F32[2]) |f, a| f.custom_call("torch_pjrt.test", &[a[0], a[1]], &[a[0].ty(), a[1].ty()], &CustomCall {
            backend_config: BackendConfig::Dictionary(vec![
                ("flag".to_owned(), true.into()),
                ("count".to_owned(), 7i64.into()),
                ("scale".to_owned(), Attribute::F32(0.5)),
                ("infinity".to_owned(), Attribute::F64(f64::INFINITY)),
                ("name".to_owned(), "a \"quoted\" name".into()),
                ("dims".to_owned(), [1i64, 2].as_slice().into()),
                ("weights".to_owned(), Attribute::F64Array(vec![0.5, 1e-7])),
            ]),
            has_side_effect: true,
            output_operand_aliases: vec![OutputOperandAlias { output: 1, operand: 0 }],
            ..CustomCall::default()
        });
        "custom_call_text_config"(F32[2]) |f, a| f.custom_call("torch_pjrt.test", &[a[0]], &[a[0].ty()], &CustomCall {
            api_version: 2,
            backend_config: BackendConfig::Text("k=1".to_owned()),
            output_operand_aliases: vec![OutputOperandAlias { output: 0, operand: 0 }],
            ..CustomCall::default()
        });
        "rng_bit_generator"(U64[2]) |f, a| [RngAlgorithm::ThreeFry, RngAlgorithm::Philox, RngAlgorithm::Default]
            .into_iter()
            .flat_map(|algorithm| {
                let (state, bits) = f.rng_bit_generator(algorithm, a[0], U32, &[4]);
                [state, bits]
            })
            .collect::<Vec<_>>();
        "donated_and_aliased"(F32[2], F32[2]) |f, a| {
            f.donate_argument(a[0]);
            f.alias_argument(a[1], 0);
            vec![a[0] + a[1]]
        };
        "several_results_in_regions"(F32[3], I1[]) |f, a| f.if_(a[1], || {
            let sorted = f.sort(&[a[0], f.iota(I32, &[3], 0)], 0, true, |pairs| pairs[0].0.lt(pairs[0].1));
            vec![sorted[0], sorted[1]]
        }, || vec![a[0], f.zero(TensorType::new(I32, &[3]))]);
    }
    cases
}
