//! Embedding tables: gradients, bags and renormalisation. The plain lookup is in `gathering`.

use stablehlo::{ElementType, Value};

use super::positions::{
    Combine, Complaint, Negative, gather_slices, position_element, positions, running_sum, scatter, scatter_along, scatter_flat,
    scatter_slices_dims,
};
use crate::{LowerError, Lowered, Lowering, Row};

pub const ROWS: &[Row] = &[
    Row::custom("aten::embedding_dense_backward", embedding_dense_backward),
    Row::custom("aten::embedding_renorm", embedding_renorm).baked(&[3]),
    Row::custom("aten::_embedding_bag", embedding_bag),
    Row::custom("aten::_embedding_bag_forward_only", embedding_bag),
    Row::custom("aten::_embedding_bag_backward", |cx| {
        if cx.bool(9)? {
            return Err(LowerError::unsupported("a sparse gradient of embedding_bag"));
        }
        bag_gradient(cx, &BagGradientArguments { after_offsets: 3, scale_by_frequency: 7, mode: 8, weights: 10 })
    }),
    Row::custom("aten::_embedding_bag_dense_backward", |cx| {
        bag_gradient(cx, &BagGradientArguments { after_offsets: 2, scale_by_frequency: 6, mode: 7, weights: 8 })
    }),
    Row::custom("aten::_embedding_bag_per_sample_weights_backward", bag_weights_gradient),
];

/// 1-dimensional indices into a table of `rows`, checked.
fn table_positions<'f>(cx: &Lowering<'f, '_>, index: Value<'f>, rows: i64) -> Value<'f> {
    positions(cx, index.reshape(&[index.numel()]), rows, Negative::Fails, Complaint::out_of_range_in_self())
}

/// A per-row number, stretched over the columns of `rows`.
fn per_row<'f>(numbers: Value<'f>, rows: Value<'f>) -> Value<'f> {
    numbers.convert(rows.element()).broadcast_in_dim(&rows.dims(), &[0])
}

/// How often each row of a table of `rows` is indexed.
fn frequencies<'f>(index: Value<'f>, rows: i64) -> Value<'f> {
    let zeros = index.func().splat(ElementType::I32, &[rows], 0i64);
    scatter_flat(zeros, index, index.func().splat(ElementType::I32, &index.dims(), 1i64), Combine::Add)
}

/// Adds rows of a gradient to the rows of the table that they came from, except for the padding row.
fn add_to_table<'f>(gradient: Value<'f>, index: Value<'f>, rows: i64, padding: i64) -> Value<'f> {
    let columns = gradient.dims()[1];
    let target = if padding >= 0 { index.eq(index.like(padding)).select(index.like(rows), index) } else { index };
    let table = gradient.func().splat(gradient.element(), &[rows, columns], 0i64);
    scatter(table, target, gradient, &scatter_slices_dims(2, 0), Combine::Add)
}

fn embedding_dense_backward<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let gradient = cx.tensor(0)?.convert(cx.compute_element());
    let (rows, columns) = (cx.int(2)?, gradient.dims().last().copied().unwrap_or(1));
    let index = table_positions(cx, cx.tensor(1)?, rows);
    let mut gradient = gradient.reshape(&[index.numel(), columns]);
    if cx.bool(4)? {
        let counts = gather_slices(frequencies(index, rows), index, 0);
        gradient = gradient / per_row(counts, gradient);
    }
    Ok(vec![Some(add_to_table(gradient, index, rows, cx.int(3)?))])
}

/// Rows named in the indices whose p-norm exceeds `max_norm` are scaled to it.
fn embedding_renorm<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let table = cx.tensor(0)?.convert(cx.compute_element());
    let rows = table.dims()[0];
    let index = table_positions(cx, cx.tensor(1)?, rows);
    let most = cx.scalar(2, table.element())?.broadcast_to(&[rows]);
    let p = cx.float(3)?;
    let size = table.abs();
    let norm = if p == 2.0 {
        (size * size).reduce_add(&[1]).sqrt()
    } else if p == 1.0 {
        size.reduce_add(&[1])
    } else if p.is_infinite() {
        size.reduce_max(&[1])
    } else {
        let sum = size.power(size.like(p)).reduce_add(&[1]);
        sum.power(sum.like(1.0 / p))
    };
    let hit = scatter_flat(
        cx.func.splat(ElementType::I1, &[rows], false),
        index,
        cx.func.splat(ElementType::I1, &index.dims(), true),
        Combine::Set,
    );
    let factor = most / norm.plus(1e-7);
    let factor = (hit & norm.gt(most)).select(factor, factor.like(1.0));
    Ok(vec![Some(table * per_row(factor, table))])
}

const SUM: i64 = 0;
const MEAN: i64 = 1;
const MAXIMUM: i64 = 2;

/// Result: the bags, the bag of each index, the number of indices of each bag, and for the maximum the index of
/// each element.
fn embedding_bag<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let table = cx.tensor(0)?.convert(cx.compute_element());
    let (rows, columns) = (table.dims()[0], table.dims()[1]);
    let index = table_positions(cx, cx.tensor(1)?, rows);
    let (mode, padding) = (cx.int(4)?, cx.int(8)?);
    let bags = cx.out_dims()[0];
    let entries = index.numel();

    let offsets = cx.tensor(2)?.slice_dim(0, 0, bags);
    if bags > 0 {
        let first = offsets.slice_dim(0, 0, 1).reshape(&[]);
        cx.check_data(
            first.ne(first.like(0i64)),
            first,
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {}",
        );
    }
    let starts = scatter_flat(
        cx.func.splat(position_element(entries.max(bags)), &[entries], 0i64),
        offsets,
        cx.func.splat(position_element(entries.max(bags)), &[bags], 1i64),
        Combine::Add,
    );
    let bag_of = running_sum(starts).minus(1.0);
    let kept = if padding >= 0 { index.ne(index.like(padding)).select(bag_of, bag_of.like(bags)) } else { bag_of };
    let bag_sizes = frequencies(kept, bags);

    let mut taken = gather_slices(table, index, 0);
    if let Some(weights) = cx.optional_tensor(6)? {
        taken = taken * per_row(weights, taken);
    }
    let by_row = scatter_slices_dims(2, 0);
    let zeros = cx.func.splat(table.element(), &[bags, columns], 0i64);
    let (result, chosen) = match mode {
        SUM | MEAN => {
            let sum = scatter(zeros, kept, taken, &by_row, Combine::Add);
            let result = if mode == MEAN { sum / per_row(bag_sizes.maximum(bag_sizes.like(1i64)), sum) } else { sum };
            (result, None)
        }
        MAXIMUM => {
            let none = cx.func.splat(index.element(), &[bags, columns], -1i64);
            let source = index.broadcast_in_dim(&[entries, columns], &[0]);
            let found = if entries == 0 || bags * columns == 0 {
                vec![zeros, none]
            } else {
                cx.func.scatter(&[zeros, none], kept, &[taken, source], &by_row, |old, new| {
                    let better = old[1].lt(old[1].like(0i64)) | new[0].gt(old[0]);
                    vec![better.select(new[0], old[0]), better.select(new[1], old[1])]
                })
            };
            let [result, chosen] = found[..] else { return Err(LowerError::unsupported("a scatter of two operands")) };
            (result, Some(chosen.maximum(chosen.like(0i64))))
        }
        other => return Err(LowerError::unsupported(format!("embedding_bag mode {other}"))),
    };
    let resized = |index: usize, value: Value<'f>| -> Result<Value<'f>, LowerError> {
        let size = cx.output(index)?.dims[0];
        let given = value.dims()[0];
        Ok(if given >= size { value.slice_dim(0, 0, size) } else { value.pad(cx.func.zero(value.element()), &[0], &[size - given], &[0]) })
    };
    let chosen = match chosen {
        Some(chosen) => chosen,
        None => cx.func.splat(ElementType::I64, &cx.output(3)?.dims, 0i64),
    };
    Ok(vec![Some(result), Some(resized(1, bag_of)?), Some(resized(2, bag_sizes)?), Some(chosen)])
}

/// Argument positions, which differ between the two overloads; offset2bag, bag_size, maximum_indices and
/// num_weights follow one another from `after_offsets`.
struct BagGradientArguments {
    after_offsets: usize,
    scale_by_frequency: usize,
    mode: usize,
    weights: usize,
}

fn bag_gradient<'f>(cx: &Lowering<'f, '_>, arguments: &BagGradientArguments) -> Lowered<'f> {
    let gradient = cx.tensor(0)?.convert(cx.compute_element());
    let (bags, columns) = (gradient.dims()[0], gradient.dims()[1]);
    let first = arguments.after_offsets;
    let rows = cx.int(first + 3)?;
    let index = table_positions(cx, cx.tensor(1)?, rows);
    let padding = cx.int(arguments.weights + 1)?;
    let bag_sizes = cx.tensor(first + 1)?;
    let mode = cx.int(arguments.mode)?;
    if mode == MAXIMUM {
        let chosen = cx.tensor(first + 2)?.convert(index.element());
        let empty = bag_sizes.slice_dim(0, 0, bags).convert(index.element()).eq(cx.func.splat(index.element(), &[bags], 0i64));
        let target = empty.broadcast_in_dim(&[bags, columns], &[0]).select(chosen.like(rows), chosen);
        let table = cx.func.splat(gradient.element(), &[rows, columns], 0i64);
        return Ok(vec![Some(scatter_along(cx.environment.target, table, target, gradient, 0, Combine::Add))]);
    }
    let bag_of = cx.tensor(first)?.convert(position_element(bags));
    let mut taken = gather_slices(gradient, bag_of, 0);
    if mode == MEAN {
        taken = taken / per_row(gather_slices(bag_sizes, bag_of, 0), taken);
    }
    if let Some(weights) = cx.optional_tensor(arguments.weights)? {
        taken = taken * per_row(weights, taken);
    }
    if cx.bool(arguments.scale_by_frequency)? {
        taken = taken / per_row(gather_slices(frequencies(index, rows), index, 0), taken);
    }
    Ok(vec![Some(add_to_table(taken, index, rows, padding))])
}

fn bag_weights_gradient<'f>(cx: &Lowering<'f, '_>) -> Lowered<'f> {
    let element = cx.compute_element();
    let (gradient, table) = (cx.tensor(0)?.convert(element), cx.tensor(1)?.convert(element));
    let index = table_positions(cx, cx.tensor(2)?, table.dims()[0]);
    let bag_of = cx.tensor(4)?.convert(position_element(gradient.dims()[0]));
    let products = gather_slices(gradient, bag_of, 0) * gather_slices(table, index, 0);
    let mut result = products.reduce_add(&[1]);
    let padding = cx.int(6)?;
    if padding >= 0 {
        result = index.eq(index.like(padding)).select(result.like(0.0), result);
    }
    Ok(vec![Some(result)])
}
