//! Type promotion as ATen's `result_type` does it, for rules whose compute dtype is not the
//! result's (comparisons, for example).

use stablehlo::ElementType::{self, *};

use crate::{CallArgument, TensorArgument};

/// The dtype that two tensors of equal standing promote to (the table of `torch.promote_types`).
pub fn promote(a: ElementType, b: ElementType) -> ElementType {
    if a == b {
        return a;
    }
    if a.is_complex() || b.is_complex() {
        let wide = [a, b].iter().any(|e| matches!(e, C128 | F64));
        return if wide { C128 } else { C64 };
    }
    match (a.is_float(), b.is_float()) {
        (true, false) => return a,
        (false, true) => return b,
        (true, true) => {
            let rank = |e: ElementType| match e {
                F64 => 3,
                F32 => 2,
                BF16 | F16 => 1,
                _ => 0,
            };
            return match (rank(a), rank(b)) {
                (1, 1) => F32,
                (ra, rb) if ra >= rb => a,
                _ => b,
            };
        }
        (false, false) => {}
    }
    if a == I1 {
        return b;
    }
    if b == I1 {
        return a;
    }
    if a.is_signed() == b.is_signed() {
        return if a.bit_width() >= b.bit_width() { a } else { b };
    }
    let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
    if signed.bit_width() > unsigned.bit_width() {
        return signed;
    }
    match unsigned {
        U8 => I16,
        U16 => I32,
        _ => I64,
    }
}

/// The dtype that ATen computes in: f32 for f16 and bf16 (`opmath_type`), the dtype itself otherwise.
pub fn compute_element(element: ElementType) -> ElementType {
    match element {
        F16 | BF16 => F32,
        other => other,
    }
}

/// `torch.result_type` over call arguments: dimensioned tensors first, then 0-dim tensors, then
/// Python numbers, where a lower class only counts if its category (bool, int, float, complex) is higher.
/// Python floats take the default dtype `default_float` when they win.
pub fn result_element(arguments: &[&CallArgument], default_float: ElementType) -> Option<ElementType> {
    let mut dimensioned = None;
    let mut zero_dim = None;
    let mut numbers = None;
    let add = |class: &mut Option<ElementType>, e: ElementType| {
        *class = Some(class.map_or(e, |c| promote(c, e)));
    };
    let mut tensor = |t: &TensorArgument| {
        if t.wrapped {
            add(&mut numbers, number(t.meta.element, default_float));
        } else if t.meta.dims.is_empty() {
            add(&mut zero_dim, t.meta.element);
        } else {
            add(&mut dimensioned, t.meta.element);
        }
    };
    let mut scalars = Vec::new();
    for argument in arguments {
        match argument {
            CallArgument::Tensor(t) => tensor(t),
            CallArgument::Tensors(list) => list.iter().flatten().for_each(&mut tensor),
            CallArgument::Scalar(s) => scalars.push(number(s.element(), default_float)),
            _ => {}
        }
    }
    for e in scalars {
        numbers = Some(numbers.map_or(e, |c| promote(c, e)));
    }
    let combine = |high: Option<ElementType>, low: Option<ElementType>| match (high, low) {
        (Some(h), Some(l)) if category(l) > category(h) => Some(promote(h, l)),
        (Some(h), _) => Some(h),
        (None, l) => l,
    };
    combine(combine(dimensioned, zero_dim), numbers)
}

fn number(element: ElementType, default_float: ElementType) -> ElementType {
    match element {
        F64 => default_float,
        C128 if default_float != F64 => C64,
        other => other,
    }
}

fn category(element: ElementType) -> u8 {
    if element.is_complex() {
        3
    } else if element.is_float() {
        2
    } else if element == I1 {
        0
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotes_as_torch_does() {
        for (a, b, expected) in
            [(BF16, F16, F32), (U8, I8, I16), (I64, BF16, BF16), (F32, C64, C64), (F64, C64, C128), (I1, U8, U8), (I32, U8, I32)]
        {
            assert_eq!(promote(a, b), expected);
            assert_eq!(promote(b, a), expected);
        }
    }
}
