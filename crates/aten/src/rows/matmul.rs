//! Matrix products. Everything mm-like becomes one `dot_general` of two matrices, or of two batches of matrices.

use stablehlo::{DotDims, ElementType, Value};

use crate::{HostArgument, HostOperand, HostResult, LowerError, Lowered, Lowering, Row, Target, compute_element, split_into};

pub const ROWS: &[Row] = &[
    Row::custom("aten::mm", product),
    Row::custom("aten::mm.dtype", product),
    Row::custom("aten::bmm", product),
    Row::custom("aten::bmm.dtype", product),
    Row::custom("aten::_int_mm", product),
    Row::custom("aten::addmm", |cx| Ok(vec![Some(add_product(cx, 3)?)])),
    Row::custom("aten::addmm.dtype", |cx| Ok(vec![Some(add_product(cx, 4)?)])),
    Row::custom("aten::baddbmm", |cx| Ok(vec![Some(add_product(cx, 3)?)])),
    Row::custom("aten::baddbmm.dtype", |cx| Ok(vec![Some(add_product(cx, 4)?)])),
    Row::custom("aten::_addmm_activation", addmm_activation),
    Row::custom("aten::addbmm", addbmm),
    Row::custom("aten::mv", mv),
    Row::custom("aten::addmv", addmv),
    Row::custom("aten::addr", addr),
    Row::custom("aten::dot", |cx| dot(cx, false)),
    Row::custom("aten::vdot", |cx| dot(cx, true)),
];

/// `[.., m, k] x [.., k, n]` of rank 2 or 3, both of one dtype, in `result`.
pub(super) fn matrix_product<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, b: Value<'f>, result: ElementType) -> Value<'f> {
    let rank = a.rank() as i64;
    let batch: Vec<i64> = (0..rank - 2).collect();
    let dims =
        DotDims { lhs_batching: batch.clone(), rhs_batching: batch, lhs_contracting: vec![rank - 1], rhs_contracting: vec![rank - 2] };
    contract(cx, a, b, &dims, result)
}

/// `dot_general` with one contracted dimension a side, for every dtype and size, in `result`.
pub(super) fn contract<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, b: Value<'f>, dims: &DotDims, result: ElementType) -> Value<'f> {
    let element = a.element();
    if element.is_bool() {
        return contract(cx, a.convert(ElementType::I32), b.convert(ElementType::I32), dims, ElementType::I32).convert(result);
    }
    let (a, a_axis) = before_transpose(a, dims.lhs_contracting[0], &dims.lhs_batching);
    let (b, b_axis) = before_transpose(b, dims.rhs_contracting[0], &dims.rhs_batching);
    let dims = &DotDims { lhs_contracting: vec![a_axis], rhs_contracting: vec![b_axis], ..dims.clone() };
    let (a_dims, b_dims) = (a.dims(), b.dims());
    let kept = |own: &[i64], batching: &[i64], contracted: i64| -> Vec<i64> {
        (0i64..).zip(own).filter(|(axis, _)| *axis != contracted && !batching.contains(axis)).map(|(axis, _)| axis).collect()
    };
    let (a_kept, b_kept) = (kept(&a_dims, &dims.lhs_batching, a_axis), kept(&b_dims, &dims.rhs_batching, b_axis));
    let sizes = |own: &[i64], axes: &[i64]| axes.iter().map(|&axis| own[axis as usize]).collect::<Vec<i64>>();
    let (rows, columns) = (sizes(&a_dims, &a_kept), sizes(&b_dims, &b_kept));
    if a_dims[a_axis as usize] == 0 {
        let shape = [sizes(&a_dims, &dims.lhs_batching), rows, columns].concat();
        return cx.func.zero(stablehlo::TensorType::new(result, &shape));
    }
    if let Some(product) = host_product(cx, (a, a_axis), (b, b_axis), dims.lhs_batching.len(), result) {
        return product;
    }
    // XLA for TPU has no 64-bit integer dot, and XLA:CPU is slow at a narrow product with one row.
    let wide_integer = element.is_integer() && element.bit_width() == 64 && cx.environment.target == Target::Tpu;
    let narrow = matches!(element, ElementType::BF16 | ElementType::F16);
    let single = rows.iter().product::<i64>() == 1 || columns.iter().product::<i64>() == 1;
    if wide_integer || (narrow && single && cx.environment.target == Target::Cpu) {
        let compute = compute_element(element);
        let (batch, contracted) = (sizes(&a_dims, &dims.lhs_batching), a_dims[a_axis as usize]);
        let full: Vec<i64> = [batch.as_slice(), &rows, &columns, &[contracted]].concat();
        let place = |axes: usize| axes as i64;
        let spread = |x: Value<'f>, batching: &[i64], own: &[i64], offset: usize, contracted: i64| {
            let mut targets = vec![0i64; x.rank()];
            for (i, &axis) in batching.iter().enumerate() {
                targets[axis as usize] = place(i);
            }
            for (i, &axis) in own.iter().enumerate() {
                targets[axis as usize] = place(offset + i);
            }
            targets[contracted as usize] = place(full.len() - 1);
            ordered_broadcast(x.convert(compute), &full, &targets)
        };
        let left = spread(a, &dims.lhs_batching, &a_kept, batch.len(), a_axis);
        let right = spread(b, &dims.rhs_batching, &b_kept, batch.len() + rows.len(), b_axis);
        return (left * right).reduce_add(&[full.len() as i64 - 1]).convert(result);
    }
    a.dot_general(b, dims, cx.environment.precision, result)
}

/// Products from this many multiplications on are ATen's, on the host: below, a kernel of XLA's may take what comes before
/// and after into itself.
const LONG_PRODUCT: i64 = 1 << 15;
/// The same of products with a vector, which read a matrix once: XLA's own kernel does that as fast, without a call, and
/// leaves only longer ones to oneDNN.
const LONG_VECTOR_PRODUCT: i64 = (1 << 22) + 1;
/// A part of a product for a thread of its own: 2 Mi multiplications take some 40 microseconds.
const PART_OF_PRODUCT: i64 = 1 << 21;

/// The product by ATen's kernel, where it is to be called: oneDNN's products through XLA are no faster, take twenty times as
/// long to compile, and cannot be cached. Each operand comes with the dimension that is contracted.
fn host_product<'f>(
    cx: &Lowering<'f, '_>,
    (a, a_axis): (Value<'f>, i64),
    (b, b_axis): (Value<'f>, i64),
    batching: usize,
    result: ElementType,
) -> Option<Value<'f>> {
    let element = a.element();
    let narrow = matches!(element, ElementType::BF16 | ElementType::F16);
    if !cx.environment.host_kernels.callable || a.rank() != batching + 2 || b.rank() != batching + 2 {
        return None;
    }
    let computed = match element {
        ElementType::F32 | ElementType::F64 | ElementType::C64 | ElementType::C128 => element,
        // A product in the narrow dtype itself has its result rounded once too.
        ElementType::BF16 if cx.has_fast_host_kernels(element) && result == element => element,
        _ if narrow && !is_left_to_onednn(cx, element) => ElementType::F32,
        _ => return None,
    };
    let (a_dims, b_dims) = (a.dims(), b.dims());
    let (rows, columns) = (a_dims[free(a_axis, batching)], b_dims[free(b_axis, batching)]);
    let batch: i64 = a_dims[..batching].iter().product();
    let multiplications = batch * rows * columns * a_dims[a_axis as usize];
    let shortest = if rows == 1 || columns == 1 { LONG_VECTOR_PRODUCT } else { LONG_PRODUCT };
    if multiplications < shortest {
        return None;
    }
    let matrices = |x: Value<'f>| {
        let dims = x.dims();
        let tail = [dims[batching], dims[batching + 1]];
        let flat = if batching == 0 { tail.to_vec() } else { [&[batch], tail.as_slice()].concat() };
        x.convert(computed).reshape(&flat)
    };
    // Parts are batches, or rows or columns, whichever are more.
    let leading = i64::from(batching > 0);
    let split = match batch {
        1 if rows >= columns => leading,
        1 => leading + 1,
        _ => 0,
    };
    // The kernel wants the contracted dimension last in the first operand, and first in the second.
    let ordered = |x: Value<'f>, contracted: i64, wanted: i64| {
        let value = matrices(x);
        let in_order = contracted - batching as i64 == wanted;
        let permutation = if in_order { Vec::new() } else { (0..leading).chain([leading + 1, leading]).collect() };
        let own = leading + 1 - wanted;
        let split = (split < leading || split == own).then_some(split);
        HostArgument::Tensor(HostOperand { value, permutation, split })
    };
    let overload = if batching == 0 { "aten::mm.out" } else { "aten::bmm.out" };
    let sizes = if batching == 0 { vec![rows, columns] } else { vec![batch, rows, columns] };
    let parts = split_into(multiplications, PART_OF_PRODUCT, sizes[split as usize]);
    let result_of = HostResult::new(stablehlo::TensorType::new(computed, &sizes), split);
    let product = cx.host_kernel(overload, &[ordered(a, a_axis, 1), ordered(b, b_axis, 0)], &[result_of], parts)?;
    let full: Vec<i64> = a_dims[..batching].iter().copied().chain([rows, columns]).collect();
    Some(product.first()?.reshape(&full).convert(result))
}

/// Whether XLA's own products of `element` are the ones to run on the CPU, which oneDNN makes.
fn is_left_to_onednn(cx: &Lowering<'_, '_>, element: ElementType) -> bool {
    let host = cx.environment.host_kernels;
    !host.callable || element == ElementType::BF16 && host.fast_bfloat16
}

/// The dimension of a matrix, after `batching` leading ones, that is not contracted.
fn free(contracted: i64, batching: usize) -> usize {
    if contracted as usize == batching { batching + 1 } else { batching }
}

/// The operand below a transpose that only swaps the contracted dimension with the kept one, and the dimension to
/// contract there. XLA:CPU copies a transposed matrix when the other side has one row: ten times the product's own time.
fn before_transpose<'f>(x: Value<'f>, contracted: i64, batching: &[i64]) -> (Value<'f>, i64) {
    match x.transposed_from() {
        Some((source, permutation))
            if x.rank() == batching.len() + 2 && batching.iter().all(|&axis| permutation[axis as usize] == axis) =>
        {
            (source, permutation[contracted as usize])
        }
        _ => (x, contracted),
    }
}

/// `broadcast_in_dim` whose target dimensions may be out of order.
fn ordered_broadcast<'f>(x: Value<'f>, dims: &[i64], targets: &[i64]) -> Value<'f> {
    let mut order: Vec<i64> = (0..targets.len() as i64).collect();
    order.sort_by_key(|&axis| targets[axis as usize]);
    let sorted: Vec<i64> = order.iter().map(|&axis| targets[axis as usize]).collect();
    x.transpose(&order).broadcast_in_dim(dims, &sorted)
}

fn product<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let a = cx.tensor(0)?;
    // A narrow result is rounded once, from the sum: oneDNN has no fast kernel for it on CPUs without bf16 instructions.
    let product = finished(cx, matrix_product(cx, a, cx.tensor(1)?, cx.compute_element()), a.element());
    Ok(vec![Some(product)])
}

/// Keeps what follows out of the kernel of a product of `element`. XLA:CPU's oneDNN rewriter takes a following GELU into the product
/// although the product itself is used too, and then gives the GELU's values for both.
fn finished<'f>(cx: &Lowering<'f, '_>, product: Value<'f>, element: ElementType) -> Value<'f> {
    match cx.environment.target {
        // Products by ATen's kernels are closed to the compiler anyhow.
        Target::Cpu if is_left_to_onednn(cx, element) => cx.func.optimization_barrier(&[product]).first().copied().unwrap_or(product),
        _ => product,
    }
}

/// `beta * self + alpha * mat1 @ mat2`; beta is argument `beta`, alpha the next one.
fn add_product<'f>(cx: &Lowering<'f, '_>, beta: usize) -> Result<Value<'f>, LowerError> {
    let product = matrix_product(cx, cx.tensor(1)?, cx.tensor(2)?, cx.compute_element());
    Ok(finished(cx, add_scaled(cx, product, beta)?, cx.tensor(1)?.element()))
}

/// `beta * self + alpha * product` in the compute dtype. As in BLAS, self is not read when beta is 0.
fn add_scaled<'f>(cx: &Lowering<'f, '_>, product: Value<'f>, beta: usize) -> Result<Value<'f>, LowerError> {
    let element = product.element();
    let known = |index: usize, value: f64| cx.known_scalar(index).is_some_and(|scalar| scalar.as_f64() == value);
    let scaled = |x: Value<'f>, index: usize| -> Result<Value<'f>, LowerError> {
        if known(index, 1.0) { Ok(x) } else { Ok(x * cx.scalar(index, element)?.broadcast_to(&x.dims())) }
    };
    let product = scaled(product, beta + 1)?;
    if known(beta, 0.0) {
        return Ok(product);
    }
    let addend = scaled(cx.operand(0, element)?, beta)?;
    Ok(addend.broadcast_to(&product.dims()) + product)
}

fn addmm_activation<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let sum = add_product(cx, 3)?;
    if !cx.bool(5)? {
        return Ok(vec![Some(sum.maximum(sum.like(0.0)))]);
    }
    let tail = sum.times(std::f64::consts::FRAC_1_SQRT_2).erf();
    Ok(vec![Some(sum.times(0.5) * tail.plus(1.0))])
}

/// The sum over the batch is part of the contraction: `[n, b * m] x [b * m, p]`.
fn addbmm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (a, b) = (cx.tensor(1)?, cx.tensor(2)?);
    let (a_dims, b_dims) = (a.dims(), b.dims());
    let contracted = b_dims[0] * b_dims[1];
    let a = a.transpose(&[1, 0, 2]).reshape(&[a_dims[1], contracted]);
    let b = b.reshape(&[contracted, b_dims[2]]);
    let product = matrix_product(cx, a, b, cx.compute_element());
    Ok(vec![Some(add_scaled(cx, product, 3)?)])
}

fn matrix_vector<'f>(cx: &Lowering<'f, '_>, matrix: Value<'f>, vector: Value<'f>, result: ElementType) -> Value<'f> {
    let column = vector.reshape(&[vector.numel(), 1]);
    matrix_product(cx, matrix, column, result).reshape(&[matrix.dims()[0]])
}

fn mv<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    Ok(vec![Some(matrix_vector(cx, cx.tensor(0)?, cx.tensor(1)?, cx.out_element()))])
}

fn addmv<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let product = matrix_vector(cx, cx.tensor(1)?, cx.tensor(2)?, cx.compute_element());
    Ok(vec![Some(add_scaled(cx, product, 3)?)])
}

fn addr<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let (a, b) = (cx.operand(1, element)?, cx.operand(2, element)?);
    let outer = a.broadcast_in_dim(cx.out_dims(), &[0]) * b.broadcast_in_dim(cx.out_dims(), &[1]);
    Ok(vec![Some(add_scaled(cx, outer, 3)?)])
}

fn dot<'f>(cx: &Lowering<'f, '_>, conjugate: bool) -> Lowered<'f> {
    let (mut a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    if conjugate && a.element().is_complex() {
        a = a.real().complex(-a.imag());
    }
    let length = a.numel();
    let product = matrix_product(cx, a.reshape(&[1, length]), b.reshape(&[length, 1]), cx.out_element());
    Ok(vec![Some(product.reshape(&[]))])
}
