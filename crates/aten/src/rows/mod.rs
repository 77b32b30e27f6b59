//! The families of rows. A new op is one entry in one of these files.

use crate::Row;

mod activations;
mod advanced;
mod attention;
mod batch_norm;
mod bessel;
mod bitwise;
mod chebyshev;
mod compaction;
mod comparison;
mod convolution;
mod creation;
mod cumulative;
mod distances;
mod distributions;
mod elementwise;
mod embedding;
mod gamma;
mod gathering;
mod linalg;
mod losses;
mod lu;
mod matmul;
mod matrices;
mod movement;
mod normalization;
mod norms;
mod optimizer;
mod polynomials;
mod padding;
mod pooling;
mod positions;
mod random;
mod reductions;
mod sampling;
mod scattering;
mod searching;
mod softmax;
mod sorting;
mod special;
mod statistics;
mod unary;
mod unfold;
mod unique;
mod upsample;
mod window;

/// Every family of the table.
pub const FAMILIES: &[&[Row]] = &[
    activations::ROWS,
    attention::ROWS,
    bessel::ROWS,
    bitwise::ROWS,
    compaction::ROWS,
    comparison::ROWS,
    convolution::ROWS,
    creation::ROWS,
    distributions::ROWS,
    elementwise::ROWS,
    embedding::ROWS,
    gamma::ROWS,
    gathering::ROWS,
    linalg::ROWS,
    losses::ROWS,
    lu::ROWS,
    matmul::ROWS,
    matrices::ROWS,
    padding::ROWS,
    pooling::ROWS,
    movement::ROWS,
    optimizer::ROWS,
    polynomials::ROWS,
    random::ROWS,
    sampling::ROWS,
    scattering::ROWS,
    searching::ROWS,
    special::ROWS,
    unary::ROWS,
    unfold::ROWS,
    unique::ROWS,
    upsample::ROWS,
    reductions::ROWS,
    softmax::ROWS,
    normalization::ROWS,
    cumulative::ROWS,
    sorting::ROWS,
    statistics::ROWS,
    norms::ROWS,
    distances::ROWS,
    batch_norm::ROWS,
];
