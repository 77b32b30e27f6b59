//! Compares results with a reference: absolute and relative tolerance, NaN equal to NaN, infinities equal by sign.

use std::fmt;

/// How far a result may be from the reference: `|actual - expected| <= absolute + relative * |expected|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// In the unit of the values.
    pub absolute: f64,
    /// As a part of the expected value.
    pub relative: f64,
}

impl Tolerance {
    /// Not at all.
    pub const EXACT: Tolerance = Tolerance { absolute: 0.0, relative: 0.0 };
    /// What `torch.testing.assert_close` grants float32.
    pub const F32: Tolerance = Tolerance { absolute: 1e-5, relative: 1.3e-6 };
    /// What `torch.testing.assert_close` grants bfloat16.
    pub const BF16: Tolerance = Tolerance { absolute: 1e-5, relative: 1.6e-2 };
}

/// Where and by how much results differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Number of values outside the tolerance.
    pub count: usize,
    /// Number of values compared.
    pub total: usize,
    /// Index of the worst value in row-major order.
    pub worst_index: usize,
    /// The worst value and what it should be.
    pub worst: (f64, f64),
    /// The tolerance that was exceeded.
    pub tolerance: Tolerance,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { count, total, worst_index, worst: (actual, expected), tolerance } = self;
        write!(
            formatter,
            "{count} of {total} values differ; worst at {worst_index}: {actual} instead of {expected}, off by {:e} \
             (allowed: {:e} absolute, {:e} relative)",
            (actual - expected).abs(),
            tolerance.absolute,
            tolerance.relative
        )
    }
}

/// Compares f64 values; the other comparers widen to f64 first.
///
/// # Errors
/// The worst difference, if any is outside the tolerance.
///
/// # Panics
/// If the lengths differ.
pub fn compare(
    actual: impl ExactSizeIterator<Item = f64>,
    expected: impl ExactSizeIterator<Item = f64>,
    tolerance: Tolerance,
) -> Result<(), Mismatch> {
    let total = expected.len();
    assert_eq!(actual.len(), total, "number of values");
    let mut count = 0;
    let mut worst: Option<(f64, usize, (f64, f64))> = None;
    for (index, (actual, expected)) in actual.zip(expected).enumerate() {
        if actual == expected || (actual.is_nan() && expected.is_nan()) {
            continue;
        }
        let allowed = tolerance.absolute + tolerance.relative * expected.abs();
        let difference = (actual - expected).abs();
        // A difference of NaN or infinity is never within bounds, not even of an infinite expected value.
        if difference.is_finite() && difference <= allowed {
            continue;
        }
        count += 1;
        let excess = if difference.is_nan() { f64::INFINITY } else { difference - allowed };
        if worst.is_none_or(|(most, ..)| excess > most) {
            worst = Some((excess, index, (actual, expected)));
        }
    }
    match worst {
        None => Ok(()),
        Some((_, worst_index, worst)) => Err(Mismatch { count, total, worst_index, worst, tolerance }),
    }
}

/// # Panics
/// With the worst difference, if any f32 value is outside the tolerance.
#[track_caller]
pub fn assert_close_f32(actual: &[f32], expected: &[f32], tolerance: Tolerance) {
    let widen = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>().into_iter();
    if let Err(mismatch) = compare(widen(actual), widen(expected), tolerance) {
        panic!("{mismatch}");
    }
}

/// Compares bf16 bit patterns with an f32 reference, which is rounded to bf16 first.
///
/// # Panics
/// With the worst difference, if any value is outside the tolerance.
#[track_caller]
pub fn assert_close_bf16(actual: &[u16], expected: &[f32], tolerance: Tolerance) {
    let actual = actual.iter().map(|&bits| f64::from(bf16_to_f32(bits)));
    let expected = expected.iter().map(|&value| f64::from(bf16_to_f32(f32_to_bf16(value))));
    if let Err(mismatch) = compare(actual, expected, tolerance) {
        panic!("{mismatch}");
    }
}

/// The value of a bf16 bit pattern.
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Rounds to the nearest bf16, ties to even. NaN stays NaN.
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        // Keeps a bit of the mantissa that survives the cut.
        return (bits >> 16) as u16 | 0x40;
    }
    let round_up = 0x7fff + ((bits >> 16) & 1);
    (bits.wrapping_add(round_up) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_compare_by_kind() {
        let close = |actual: f64, expected: f64| compare([actual].into_iter(), [expected].into_iter(), Tolerance::F32).is_ok();
        assert!(close(f64::NAN, f64::NAN));
        assert!(close(f64::INFINITY, f64::INFINITY));
        assert!(!close(f64::INFINITY, f64::NEG_INFINITY));
        assert!(!close(1.0, f64::INFINITY));
        assert!(!close(f64::NAN, 1.0));
        assert!(close(1.0 + 1e-6, 1.0));
        assert!(!close(1.0 + 1e-4, 1.0));
    }

    #[test]
    fn a_mismatch_names_the_worst_value() {
        let mismatch = compare([1.0, 2.5, 3.1].into_iter(), [1.0, 2.0, 3.0].into_iter(), Tolerance::F32).unwrap_err();
        assert_eq!((mismatch.count, mismatch.worst_index), (2, 1));
        assert!(mismatch.to_string().starts_with("2 of 3 values differ; worst at 1: 2.5 instead of 2"));
    }

    #[test]
    fn bf16_rounds_to_nearest_even() {
        assert_eq!(f32_to_bf16(1.0), 0x3f80);
        // Halfway between 0x3f80 and 0x3f81, and between 0x3f81 and 0x3f82.
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(f32_to_bf16(f32::MAX), 0x7f80);
        assert!(bf16_to_f32(f32_to_bf16(f32::NAN)).is_nan());
        assert!(bf16_to_f32(f32_to_bf16(f32::from_bits(0x7f80_0001))).is_nan());
        assert_close_bf16(&[0x3f80], &[1.001], Tolerance::EXACT);
    }
}
