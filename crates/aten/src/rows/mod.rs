//! The families of rows. A new op is one entry in one of these files.

use crate::Row;

mod activations;
mod advanced;
mod assertions;
mod attention;
mod batch_norm;
mod bessel;
mod bitwise;
mod chebyshev;
mod compaction;
mod comparison;
mod convolution;
mod creation;
mod ctc;
mod cumulative;
mod distances;
mod distributions;
mod elementwise;
mod embedding;
mod fourier;
mod fractional_pooling;
mod gamma;
mod gathering;
mod histogram;
mod linalg;
mod losses;
mod lu;
mod matmul;
mod matrices;
mod movement;
mod normalization;
mod norms;
mod optimizer;
mod padding;
mod polynomials;
mod pooling;
mod positions;
mod random;
mod recurrent;
mod reductions;
mod sampler_gradients;
mod sampling;
mod scattering;
mod searching;
mod segments;
mod softmax;
mod sorting;
mod special;
mod spectral;
mod statistics;
mod unary;
mod unfold;
mod unique;
mod upsample;
mod window;

/// Every family of the table.
pub const FAMILIES: &[&[Row]] = &[
    activations::ROWS,
    assertions::ROWS,
    attention::ROWS,
    batch_norm::ROWS,
    bessel::ROWS,
    bitwise::ROWS,
    compaction::ROWS,
    comparison::ROWS,
    convolution::ROWS,
    creation::ROWS,
    ctc::ROWS,
    cumulative::ROWS,
    distances::ROWS,
    distributions::ROWS,
    elementwise::ROWS,
    embedding::ROWS,
    fourier::ROWS,
    fractional_pooling::ROWS,
    gamma::ROWS,
    gathering::ROWS,
    histogram::ROWS,
    linalg::ROWS,
    losses::ROWS,
    lu::ROWS,
    matmul::ROWS,
    matrices::ROWS,
    movement::ROWS,
    normalization::ROWS,
    norms::ROWS,
    optimizer::ROWS,
    padding::ROWS,
    polynomials::ROWS,
    pooling::ROWS,
    random::ROWS,
    recurrent::ROWS,
    reductions::ROWS,
    sampler_gradients::ROWS,
    sampling::ROWS,
    scattering::ROWS,
    searching::ROWS,
    segments::ROWS,
    softmax::ROWS,
    sorting::ROWS,
    special::ROWS,
    spectral::ROWS,
    statistics::ROWS,
    unary::ROWS,
    unfold::ROWS,
    unique::ROWS,
    upsample::ROWS,
];
