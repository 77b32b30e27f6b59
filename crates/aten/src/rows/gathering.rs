//! Reads at index tensors: index_select, gather, take, embedding and advanced indexing.

use stablehlo::{ElementType, GatherDims, Value};

use super::advanced::{Advanced, bounded_dims, has_mask, masks_cut_dim};
use super::positions::{Complaint, Negative, cut_to, gather_along, gather_slices, positions};
use crate::{Infer, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::index_select", index_select),
    Row::custom("aten::gather", gather),
    Row::custom("aten::take", take),
    Row::custom("aten::embedding", embedding),
    Row::custom("aten::index.Tensor", index).infer(Infer::Bound(bounded_dims)).bound_dim(|call, _| masks_cut_dim(call)),
    Row::custom("aten::_unsafe_index.Tensor", index).infer(Infer::Bound(bounded_dims)).bound_dim(|call, _| masks_cut_dim(call)),
];

/// A 0-dim value as one of one dimension.
pub(super) fn at_least_1d(x: Value<'_>) -> Value<'_> {
    if x.rank() == 0 { x.reshape(&[1]) } else { x }
}

fn index_select<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let dim = cx.dim(1, x.rank())?;
    let x = at_least_1d(x);
    let size = x.dims()[dim as usize];
    let index = positions(cx, at_least_1d(cx.tensor(2)?), size, Negative::Fails, Complaint::out_of_range_in_self());
    Ok(vec![Some(gather_slices(x, index, dim).reshape(cx.out_dims()))])
}

/// The index may be smaller than the tensor in every dimension but `dim`.
fn gather<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let (x, index) = (cx.tensor(0)?, cx.tensor(2)?);
    let dim = cx.dim(1, x.rank().max(index.rank()))?;
    let (x, index) = (at_least_1d(x), at_least_1d(index));
    if index.numel() == 0 {
        return Ok(vec![Some(cx.out_splat(0.0))]);
    }
    let size = x.dims()[dim as usize];
    let index = positions(cx, index, size, Negative::Fails, Complaint::out_of_bounds_at_run(dim, size));
    Ok(vec![Some(gather_along(cut_to(x, &index.dims(), dim), index, dim).reshape(cx.out_dims()))])
}

pub(super) fn outside_of_elements(size: i64) -> Complaint {
    Complaint::Index(format!("out of range: tried to access index {{}} on a tensor of {size} elements."))
}

fn take<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let flat = x.reshape(&[x.numel()]);
    let index = positions(cx, cx.tensor(1)?, x.numel(), Negative::Wraps, outside_of_elements(x.numel()));
    Ok(vec![Some(gather_slices(flat, index, 0))])
}

fn embedding<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let weight = cx.tensor(0)?;
    let rows = weight.dims()[0];
    let index = positions(cx, cx.tensor(1)?, rows, Negative::Fails, Complaint::out_of_range_in_self());
    Ok(vec![Some(gather_slices(weight, index, 0))])
}

/// With a mask among the indices the size of the result depends on data.
fn index<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let x = cx.tensor(0)?;
    let advanced = Advanced::read(cx, x, 1)?;
    let result = match &advanced {
        None => x,
        Some(advanced) => advanced.gather(x),
    };
    let Some(advanced) = advanced.filter(|_| has_mask(cx.call())) else {
        return Ok(vec![Some(result)]);
    };
    Ok(match advanced.count {
        Some(count) => {
            let packed = pack(result, masks_cut_dim(cx.call()), count);
            vec![Some(packed), Some(count.convert(ElementType::I64))]
        }
        None => vec![Some(result), Some(cx.func.constant_i64(ElementType::I64, -1))],
    })
}

/// Moves the elements whose index in `dim` is below `count` to the front, in row-major order.
pub(super) fn pack<'f>(x: Value<'f>, dim: usize, count: Value<'f>) -> Value<'f> {
    let dims = x.dims();
    let outer: i64 = dims[..dim].iter().product();
    let inner: i64 = dims[dim + 1..].iter().product();
    if outer <= 1 || x.numel() == 0 {
        return x;
    }
    let element = super::positions::position_element(x.numel());
    let place = x.func().iota(element, &[x.numel()], 0);
    let splat = |v: i64| place.like(v);
    let count = count.convert(element).broadcast_to(&[x.numel()]).maximum(splat(1));
    let within = place % splat(inner);
    let line = place / splat(inner);
    let source = (line / count * splat(dims[dim]) + line % count) * splat(inner) + within;
    let flat = x.reshape(&[x.numel()]);
    let gathered = flat.gather(
        source,
        &GatherDims {
            collapsed_slice_dims: vec![0],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1],
            ..GatherDims::default()
        },
    );
    gathered.reshape(&dims)
}
