//! Orthogonal factorizations: QR through XLA's Householder expansions, singular values and Hermitian eigenvalues
//! by one-sided Jacobi rotations of disjoint column pairs.

use stablehlo::{BackendConfig, CustomCall, ElementType, TensorType, Transpose, Value};

use super::lu::{adjoint, exact_product, flat, identity_like, part};
use super::matrices::{Triangle, diagonal, keep_triangle};
use super::window::pad_axis;
use crate::{Call, CallArgument, Infer, LowerError, Lowered, Lowering, Row, TensorMeta};

pub const ROWS: &[Row] = &[
    Row::custom("aten::linalg_qr", qr),
    Row::custom("aten::geqrf", geqrf).infer(Infer::Rule(geqrf_results)),
    Row::custom("aten::linalg_householder_product", householder_product),
    Row::custom("aten::ormqr", ormqr),
    Row::custom("aten::linalg_lstsq", lstsq).infer(Infer::Rule(lstsq_results)),
    Row::custom("aten::_linalg_svd", svd),
    Row::custom("aten::_linalg_eigh", eigh),
];

fn expanded<'f>(x: Value<'f>, target: &str, operands: &[Value<'f>], results: &[TensorType]) -> Vec<Value<'f>> {
    let call = CustomCall { api_version: 1, backend_config: BackendConfig::None, ..CustomCall::default() };
    x.func().custom_call(target, operands, results, &call)
}

/// Householder vectors below R of `[b, m, n]`, and their factors `[b, min(m, n)]`, as LAPACK's geqrf has them.
fn packed_qr<'f>(a: Value<'f>) -> (Value<'f>, Value<'f>) {
    let dims = a.dims();
    let taus = TensorType::new(a.element(), &[dims[0], dims[1].min(dims[2])]);
    if a.numel() == 0 {
        return (a, a.func().zero(taus));
    }
    match *expanded(a, "Qr", &[a], &[a.ty(), taus]) {
        [packed, taus] => (packed, taus),
        _ => (a, a),
    }
}

/// The first `columns` columns of the product of the reflectors in `vectors [b, m, ..]`, `columns <= m`.
fn reflector_product<'f>(vectors: Value<'f>, taus: Value<'f>, columns: i64) -> Value<'f> {
    let func = vectors.func();
    let zero = func.zero(vectors.element());
    let dims = vectors.dims();
    let vectors = pad_axis(vectors, 2, zero, 0, columns - dims[2], 0);
    // A factor of 0 is the identity.
    let taus = pad_axis(taus, 1, zero, 0, columns - taus.dims()[1], 0);
    if vectors.numel() == 0 {
        return vectors;
    }
    let product = expanded(vectors, "ProductOfElementaryHouseholderReflectors", &[vectors, taus], &[vectors.ty()]);
    product.first().copied().unwrap_or(vectors)
}

/// `(Q, R)` of `[b, m, n]` with `columns` columns of Q.
fn orthonormal<'f>(a: Value<'f>, columns: i64) -> (Value<'f>, Value<'f>) {
    let dims = a.dims();
    let (packed, taus) = packed_qr(a);
    let upper = keep_triangle(part(packed, 0..columns.min(dims[1]), 0..dims[2]), Triangle::Upper, 0);
    (reflector_product(packed, taus, columns), upper)
}

fn shaped<'f>(cx: &Lowering<'f, '_>, index: usize, value: Value<'f>) -> Option<Value<'f>> {
    cx.output(index).ok().map(|meta| value.reshape(&meta.dims))
}

/// The distance from 1 to the next number.
fn epsilon(real: ElementType) -> f64 {
    if real == ElementType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

fn empty<'f>(cx: &Lowering<'f, '_>, element: ElementType) -> Value<'f> {
    cx.func.zero(TensorType::new(element, &[0]))
}

fn qr<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let a = flat(cx.tensor(0)?);
    let dims = a.dims();
    let least = dims[1].min(dims[2]);
    match cx.text(1)? {
        "r" => {
            let (packed, _) = packed_qr(a);
            let upper = keep_triangle(part(packed, 0..least, 0..dims[2]), Triangle::Upper, 0);
            Ok(vec![shaped(cx, 0, empty(cx, a.element())), shaped(cx, 1, upper)])
        }
        mode => {
            let (q, r) = orthonormal(a, if mode == "complete" { dims[1] } else { least });
            Ok(vec![shaped(cx, 0, q), shaped(cx, 1, r)])
        }
    }
}

fn geqrf<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (packed, taus) = packed_qr(flat(cx.tensor(0)?));
    Ok(vec![shaped(cx, 0, packed), shaped(cx, 1, taus)])
}

fn meta_of(call: &Call, index: usize) -> Result<&TensorMeta, LowerError> {
    match call.arguments.get(index) {
        Some(CallArgument::Tensor(tensor)) => Ok(&tensor.meta),
        _ => Err(LowerError::unsupported(format!("argument {index} is not a tensor"))),
    }
}

fn geqrf_results(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let a = meta_of(call, 0)?;
    let Some((&[m, n], batch)) = a.dims.split_last_chunk().map(|(batch, plane)| (plane, batch)) else {
        return Err(LowerError::unsupported(format!("geqrf of {a}: a matrix is needed")));
    };
    let taus = [batch, &[m.min(n)]].concat();
    Ok(vec![Some(a.clone()), Some(TensorMeta::new(a.element, &taus))])
}

/// Sizes of a least squares problem: `[b, m, n]` and right-hand sides `[b, m, k]`, one vector each where `vectors`.
struct LeastSquares {
    batch: Vec<i64>,
    m: i64,
    n: i64,
    k: i64,
    vectors: bool,
}

impl LeastSquares {
    fn of(a: &[i64], b: &[i64]) -> Result<Self, LowerError> {
        let Some((batch, &[m, n])) = a.split_last_chunk() else {
            return Err(LowerError::unsupported("least squares of less than a matrix"));
        };
        let vectors = b.len() == 1 || (b.len() + 1 == a.len() && b == &a[..a.len() - 1]);
        let (b_batch, k) = match b {
            [batch @ .., rows] if vectors && *rows == m => (batch, 1),
            [batch @ .., rows, k] if !vectors && *rows == m => (batch, *k),
            _ => return Err(LowerError::unsupported(format!("least squares of {a:?} and {b:?}"))),
        };
        if b_batch != batch {
            return Err(LowerError::unsupported(format!("least squares of batches {batch:?} and {b_batch:?}")));
        }
        Ok(Self { batch: batch.to_vec(), m, n, k, vectors })
    }

    fn solution(&self) -> Vec<i64> {
        let own: &[i64] = if self.vectors { &[self.n] } else { &[self.n, self.k] };
        [self.batch.as_slice(), own].concat()
    }
}

/// What of a least squares problem a LAPACK driver takes care of, and what it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    /// Takes the matrix to have full rank. The default, as on CUDA.
    Gels,
    /// The shortest solution whatever the rank.
    Gelsy,
    /// As gelsy, and returns the singular values too.
    WithSingularValues,
}

impl Driver {
    fn of(argument: Option<&CallArgument>) -> Result<Self, LowerError> {
        match argument {
            None | Some(CallArgument::Absent) => Ok(Self::Gels),
            Some(CallArgument::Text(driver)) => match driver.as_str() {
                "gels" => Ok(Self::Gels),
                "gelsy" => Ok(Self::Gelsy),
                "gelsd" | "gelss" => Ok(Self::WithSingularValues),
                other => Err(LowerError::refused(format!(
                    "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not '{other}'"
                ))),
            },
            Some(_) => Err(LowerError::unsupported("a least squares driver that is no name")),
        }
    }
}

/// `(self, b, rcond, driver)`. Residuals come with every driver but gelsy.
fn lstsq_results(call: &Call) -> Result<Vec<Option<TensorMeta>>, LowerError> {
    let (a, b) = (meta_of(call, 0)?, meta_of(call, 1)?);
    let driver = Driver::of(call.arguments.get(3))?;
    let sizes = LeastSquares::of(&a.dims, &b.dims)?;
    let batch = sizes.batch.as_slice();
    let residuals = if sizes.m > sizes.n && driver != Driver::Gelsy { [batch, &[sizes.k]].concat() } else { vec![0] };
    let rank = if driver == Driver::Gels { &[0] } else { batch };
    let singular_values = if driver == Driver::WithSingularValues { [batch, &[sizes.m.min(sizes.n)]].concat() } else { vec![0] };
    Ok(vec![
        Some(TensorMeta::new(a.element, &sizes.solution())),
        Some(TensorMeta::new(a.element.real(), &residuals)),
        Some(TensorMeta::new(ElementType::I64, rank)),
        Some(TensorMeta::new(a.element.real(), &singular_values)),
    ])
}

fn lstsq<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let driver = Driver::of(cx.call().arguments.get(3))?;
    let sizes = LeastSquares::of(&a.dims(), &b.dims())?;
    let (m, n, k) = (sizes.m, sizes.n, sizes.k);
    let a = flat(a);
    let (batch, real) = (a.dims()[0], a.element().real());
    let b = b.reshape(&[batch, m, k]);
    let mut rank = empty(cx, ElementType::I64);
    let mut singular_values = empty(cx, real);
    let solution = if batch * m * n * k == 0 || (driver != Driver::Gels && a.numel() == 0) {
        if driver != Driver::Gels {
            rank = cx.func.zero(TensorType::new(ElementType::I64, &[batch]));
            singular_values = cx.func.zero(TensorType::new(real, &[batch, m.min(n)]));
        }
        cx.func.zero(TensorType::new(a.element(), &[batch, n, k]))
    } else if driver != Driver::Gels {
        let thin = ThinSvd::of(a);
        let s = thin.values;
        let rcond = match cx.argument(2) {
            CallArgument::Absent => s.func().splat(real, &[], epsilon(real) * m.max(n) as f64),
            _ => cx.scalar(2, real)?,
        };
        let cutoff = s.reduce_max(&[1]) * rcond.broadcast_to(&[batch]);
        let kept = s.gt(cutoff.broadcast_in_dim(&s.dims(), &[0]));
        rank = kept.convert(ElementType::I64).reduce_add(&[1]);
        let inverse = kept.select(s.like(1.0) / kept.select(s, s.like(1.0)), s.like(0.0));
        let seen = exact_product(adjoint(thin.left), b);
        let weighted = seen * inverse.convert(seen.element()).broadcast_in_dim(&seen.dims(), &[0, 1]);
        if driver == Driver::WithSingularValues {
            singular_values = s;
        }
        exact_product(thin.right, weighted)
    } else if m >= n {
        let (q, r) = orthonormal(a, n);
        r.triangular_solve(exact_product(adjoint(q), b), true, false, false, Transpose::NoTranspose)
    } else {
        // The shortest of the solutions: with A^H = Q R it is Q R^-H b.
        let (q, r) = orthonormal(adjoint(a), m);
        exact_product(q, r.triangular_solve(b, true, false, false, Transpose::Adjoint))
    };
    let residuals = if m > n && driver != Driver::Gelsy {
        let rest = (exact_product(a, solution) - b).abs();
        (rest * rest).reduce_add(&[1])
    } else {
        empty(cx, real)
    };
    Ok(vec![shaped(cx, 0, solution), shaped(cx, 1, residuals), shaped(cx, 2, rank), shaped(cx, 3, singular_values)])
}

fn flat_taus<'f>(taus: Value<'f>, batch: i64) -> Value<'f> {
    let count = taus.dims().last().copied().unwrap_or(0);
    taus.reshape(&[batch, count])
}

fn householder_product<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let vectors = flat(cx.tensor(0)?);
    let dims = vectors.dims();
    let product = reflector_product(vectors, flat_taus(cx.tensor(1)?, dims[0]), dims[2]);
    Ok(vec![shaped(cx, 0, product)])
}

/// `(vectors, taus, C, left, transpose)`: Q C, Q^H C, C Q or C Q^H.
fn ormqr<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let vectors = flat(cx.tensor(0)?);
    let dims = vectors.dims();
    let q = reflector_product(vectors, flat_taus(cx.tensor(1)?, dims[0]), dims[1]);
    let other = flat(cx.tensor(2)?);
    let q = if cx.bool(4)? { adjoint(q) } else { q };
    let product = if cx.bool(3)? { exact_product(q, other) } else { exact_product(other, q) };
    Ok(vec![shaped(cx, 0, product)])
}

/// What of the rotations is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Columns,
    ColumnsAndRotation,
}

/// Rotates the columns of `[b, m, n]` until they are orthogonal: `(X J, J)`. J is only computed when it is kept.
///
/// The columns stand in two halves; a step rotates the pairs that stand opposite each other and then moves all but
/// the first on by one, so that a sweep of n - 1 steps meets every pair once and ends in the original order.
fn orthogonalize<'f>(x: Value<'f>, keep: Keep) -> (Value<'f>, Value<'f>) {
    let func = x.func();
    let element = x.element();
    let real = element.real();
    let (b, m, n) = (x.dims()[0], x.dims()[1], x.dims()[2]);
    let half = (n + 1) / 2;
    let padded = 2 * half;
    let x = pad_axis(x, 2, func.zero(element), 0, padded - n, 0);
    let squares =
        |value: Value<'f>| if element.is_complex() { value.real() * value.real() + value.imag() * value.imag() } else { value * value };
    let total = squares(x).reduce_add(&[1, 2]).sqrt();
    let epsilon = epsilon(real);
    // Columns that are rounding errors of the whole need not be orthogonal to each other.
    let floor = total.times(epsilon * padded as f64);
    let stacked = match keep {
        Keep::Columns => x,
        Keep::ColumnsAndRotation => {
            let identity = identity_like(func.zero(TensorType::new(element, &[b, padded, padded])));
            func.concatenate(&[x, identity], 1)
        }
    };
    let rows = stacked.dims()[1];
    let (left, right) = (part(stacked, 0..rows, 0..half), part(stacked, 0..rows, half..padded));

    let step = |left: Value<'f>, right: Value<'f>, floor: Value<'f>| -> (Value<'f>, Value<'f>, Value<'f>) {
        let pairs = [b, half];
        let (a, c) = (part(left, 0..m, 0..half), part(right, 0..m, 0..half));
        let (alpha, beta) = (squares(a).reduce_add(&[1]), squares(c).reduce_add(&[1]));
        let conjugate = if element.is_complex() { a.real().complex(-a.imag()) } else { a };
        let gamma = (conjugate * c).reduce_add(&[1]);
        let size = gamma.abs();
        let nothing = size.eq(size.like(0.0));
        let divisor = nothing.select(size.like(1.0), size);
        // How far the pair is from orthogonal.
        let scale = (alpha.sqrt() * beta.sqrt()).maximum(floor.broadcast_in_dim(&pairs, &[0]) * alpha.maximum(beta).sqrt());
        let off = nothing.select(size, size / nothing.select(scale.like(1.0), scale));
        let off = off.reduce_max(&[0, 1]);

        let zeta = (beta - alpha) / divisor.times(2.0);
        let root = zeta.abs() + (zeta * zeta).plus(1.0).sqrt();
        let tangent = zeta.lt(zeta.like(0.0)).select(root.like(-1.0) / root, root.like(1.0) / root);
        let tangent = nothing.select(tangent.like(0.0), tangent);
        let cosine = (tangent * tangent).plus(1.0).rsqrt();
        let sine = cosine * tangent;
        let whole = [b, rows, half];
        let spread = |value: Value<'f>| value.convert(element).broadcast_in_dim(&whole, &[0, 2]);
        // Turning the phase of the right column makes the product of the pair real and positive.
        let phase = if element.is_complex() {
            let one = size.like(1.0).complex(size.like(0.0));
            nothing.select(one, (gamma.real() / divisor).complex(-(gamma.imag() / divisor)))
        } else {
            nothing.select(gamma.like(1.0), gamma / divisor)
        };
        let turned = right * phase.broadcast_in_dim(&whole, &[0, 2]);
        let new_left = spread(cosine) * left - spread(sine) * turned;
        let new_right = spread(sine) * left + spread(cosine) * turned;

        let columns = |value: Value<'f>, range: std::ops::Range<i64>| part(value, 0..rows, range);
        if half == 1 {
            return (new_left, new_right, off);
        }
        let next_left = func.concatenate(&[columns(new_left, 0..1), columns(new_right, 0..1), columns(new_left, 1..half - 1)], 2);
        let next_right = func.concatenate(&[columns(new_right, 1..half), columns(new_left, half - 1..half)], 2);
        (next_left, next_right, off)
    };

    let index = |value: i64| func.constant_i64(ElementType::I32, value);
    let tolerance = func.constant_f64(real, epsilon * (m.max(8) as f64).sqrt());
    let start = [index(0), func.constant_f64(real, f64::INFINITY), left, right];
    let end = func.while_loop(
        &start,
        |state| state[0].lt(index(24)) & state[1].gt(tolerance),
        |state| {
            let zero = func.constant_f64(real, 0.0);
            let sweep = func.while_loop(
                &[index(0), zero, state[2], state[3]],
                |inner| inner[0].lt(index(padded - 1)),
                |inner| {
                    let (left, right, off) = step(inner[2], inner[3], floor);
                    vec![inner[0] + index(1), inner[1].maximum(off), left, right]
                },
            );
            vec![state[0] + index(1), sweep[1], sweep[2], sweep[3]]
        },
    );
    let both = func.concatenate(&[end[2], end[3]], 2);
    let columns = part(both, 0..m, 0..n);
    let rotation = if keep == Keep::Columns { columns } else { part(both, m..m + n, 0..n) };
    (columns, rotation)
}

/// Sorts `[b, n]` and moves the columns of `[b, m, n]` matrices along.
fn sort_columns<'f>(keys: Value<'f>, descending: bool, matrices: &[Value<'f>]) -> (Value<'f>, Vec<Value<'f>>) {
    let func = keys.func();
    let dims = keys.dims();
    let positions = func.iota(ElementType::I32, &dims, 1);
    let sorted = func.sort(&[keys, positions], 1, true, |pairs| {
        let (a, b) = pairs[0];
        if descending { a.gt(b) } else { a.lt(b) }
    });
    let [sorted_keys, order] = [sorted[0], sorted[1]];
    let moved = matrices.iter().map(|matrix| super::lu::rows_at(matrix.transpose(&[0, 2, 1]), order).transpose(&[0, 2, 1]));
    (sorted_keys, moved.collect())
}

/// Divides matrices by their largest magnitude, so that squares neither overflow nor vanish: `(scaled, scale [b])`.
fn normalized<'f>(a: Value<'f>) -> (Value<'f>, Value<'f>) {
    let dims = a.dims();
    let largest = a.abs().reduce_max(&[1, 2]);
    let usable = largest.gt(largest.like(0.0)) & largest.is_finite();
    let scale = usable.select(largest, largest.like(1.0));
    (a / scale.convert(a.element()).broadcast_in_dim(&dims, &[0]), scale)
}

/// Entries that are not finite are an error, as in LAPACK's wrappers.
fn check_finite<'f>(cx: &Lowering<'f, '_>, a: Value<'f>, name: &str) {
    let size = a.abs();
    let failed = !size.is_finite();
    let number = failed.convert(ElementType::I64);
    cx.check(failed, number, format!("{name}: The algorithm failed to converge because the input matrix contained non-finite values."));
}

fn column_norms<'f>(x: Value<'f>) -> Value<'f> {
    let size = x.abs();
    (size * size).reduce_add(&[1]).sqrt()
}

/// `A = left diag(values) right^H` of `[b, m, n]` with min(m, n) singular values, largest first.
struct ThinSvd<'f> {
    left: Value<'f>,
    values: Value<'f>,
    right: Value<'f>,
}

impl<'f> ThinSvd<'f> {
    fn of(a: Value<'f>) -> Self {
        let n = a.dims()[1].min(a.dims()[2]);
        Self::with_columns(a, n)
    }

    /// `columns` of them on the longer side: a basis of its space has more than there are singular values.
    fn with_columns(a: Value<'f>, columns: i64) -> Self {
        let wide = a.dims()[1] < a.dims()[2];
        let a = if wide { adjoint(a) } else { a };
        let (m, n) = (a.dims()[1], a.dims()[2]);
        let (a, scale) = normalized(a);
        let (q, upper) = orthonormal(a, columns);
        // R^H J = V S, so A = (Q J) S V^H.
        let (rotated, rotation) = orthogonalize(adjoint(part(upper, 0..n, 0..n)), Keep::ColumnsAndRotation);
        let (s, sorted) = sort_columns(column_norms(rotated), true, &[rotated, rotation]);
        let (rotated, rotation) = (sorted[0], sorted[1]);
        let u = exact_product(part(q, 0..m, 0..n), rotation);
        let u = a.func().concatenate(&[u, part(q, 0..m, n..q.dims()[2])], 2);
        // Columns of length 0 have no direction of their own; QR completes the basis. Its R is S up to phases.
        let (basis, r) = orthonormal(rotated, n);
        let v = basis * phases(diagonal(r)).broadcast_in_dim(&basis.dims(), &[0, 2]);
        let (left, right) = if wide { (v, u) } else { (u, v) };
        Self { left, values: s * scale.broadcast_in_dim(&s.dims(), &[0]), right }
    }
}

/// `(A, full_matrices, compute_uv, driver)`.
fn svd<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (full, vectors) = (cx.bool(1)?, cx.bool(2)?);
    let a = flat(cx.tensor(0)?);
    let element = a.element();
    check_finite(cx, a, "linalg.svd");
    let (longer, n) = (a.dims()[1].max(a.dims()[2]), a.dims()[1].min(a.dims()[2]));
    if a.numel() == 0 {
        return empty_svd(cx, element);
    }
    if !vectors {
        let wide = a.dims()[1] < a.dims()[2];
        let (a, scale) = normalized(if wide { adjoint(a) } else { a });
        let (packed, _) = packed_qr(a);
        let upper = keep_triangle(part(packed, 0..n, 0..n), Triangle::Upper, 0);
        let (columns, _) = orthogonalize(adjoint(upper), Keep::Columns);
        let (s, _) = sort_columns(column_norms(columns), true, &[]);
        let s = s * scale.broadcast_in_dim(&s.dims(), &[0]);
        let nothing = || empty(cx, element);
        return Ok(vec![shaped(cx, 0, nothing()), shaped(cx, 1, s), shaped(cx, 2, nothing())]);
    }
    let thin = ThinSvd::with_columns(a, if full { longer } else { n });
    Ok(vec![shaped(cx, 0, thin.left), shaped(cx, 1, thin.values), shaped(cx, 2, adjoint(thin.right))])
}

/// `x / |x|`, and 1 for 0.
fn phases<'f>(x: Value<'f>) -> Value<'f> {
    let zero = x.abs().eq(x.abs().like(0.0));
    zero.select(x.like(1i64), x.sign())
}

/// A matrix without entries: identities for the bases.
fn empty_svd<'f>(cx: &Lowering<'f, '_>, element: ElementType) -> Lowered<'f> {
    let zeros = |index: usize, element: ElementType| cx.output(index).ok().map(|meta| cx.func.zero(TensorType::new(element, &meta.dims)));
    let identity = |index: usize| zeros(index, element).map(|x| if x.rank() > 1 && x.numel() > 0 { identity_like(x) } else { x });
    Ok(vec![identity(0), zeros(1, element.real()), identity(2)])
}

/// `(A, UPLO, compute_v)`. A shift makes the matrix positive-definite, where singular vectors are eigenvectors.
fn eigh<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let a = flat(cx.tensor(0)?);
    let element = a.element();
    let vectors = cx.bool(2)?;
    let dims = a.dims();
    if a.numel() == 0 {
        let zeros =
            |index: usize, element: ElementType| cx.output(index).ok().map(|meta| cx.func.zero(TensorType::new(element, &meta.dims)));
        return Ok(vec![zeros(0, element.real()), zeros(1, element)]);
    }
    let lower = if cx.text(1)?.eq_ignore_ascii_case("l") {
        keep_triangle(a, Triangle::Lower, 0)
    } else {
        adjoint(keep_triangle(a, Triangle::Upper, 0))
    };
    let strict = keep_triangle(lower, Triangle::Lower, -1);
    let own = identity_like(a);
    let on_diagonal = lower - strict;
    // The diagonal of a Hermitian matrix is real.
    let on_diagonal = if element.is_complex() { on_diagonal.real().convert(element) } else { on_diagonal };
    let a = strict + adjoint(strict) + on_diagonal;
    check_finite(cx, a, "linalg.eigh");
    let (a, scale) = normalized(a);
    let bound = a.abs().reduce_add(&[1]).reduce_max(&[1]).times(2.0);
    let shift = bound.convert(element).broadcast_in_dim(&dims, &[0]);
    let (_, rotation) = orthogonalize(a + own * shift, Keep::ColumnsAndRotation);
    // Rayleigh quotients do not suffer from the shift.
    let image = exact_product(a, rotation);
    let conjugate = if element.is_complex() { rotation.real().complex(-rotation.imag()) } else { rotation };
    let products = (conjugate * image).reduce_add(&[1]);
    let values = if element.is_complex() { products.real() } else { products };
    let (values, sorted) = sort_columns(values, false, &[rotation]);
    let values = values * scale.broadcast_in_dim(&values.dims(), &[0]);
    let basis = if vectors { sorted.first().copied().unwrap_or(rotation) } else { empty(cx, element) };
    Ok(vec![shaped(cx, 0, values), shaped(cx, 1, basis)])
}
