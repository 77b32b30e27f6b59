//! Random values and views: chains of torch's view operations, and any strides that stay inside the value.
#![allow(dead_code, reason = "each test binary uses its own part")]

use proptest::prelude::*;
use stablehlo::{Dims, ElementType};
use view::{ValueLayout, View};

use crate::model::{Array, Torch, size_of};

const ELEMENTS: [ElementType; 9] = [
    ElementType::I1,
    ElementType::U8,
    ElementType::I8,
    ElementType::BF16,
    ElementType::F32,
    ElementType::I64,
    ElementType::F64,
    ElementType::C64,
    ElementType::C128,
];

/// A bounded source of choices, so that proptest shrinks a chain to few and small choices.
pub struct Choices<'a>(pub std::slice::Iter<'a, u16>);

impl Choices<'_> {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.next().map_or(0, |&choice| choice as usize % bound.max(1))
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    pub fn done(&self) -> bool {
        self.0.len() == 0
    }
}

/// Another shape of as many elements.
fn reshaped(numel: i64, choices: &mut Choices) -> Vec<i64> {
    let mut sizes = vec![numel];
    for _ in 0..choices.below(4) {
        let dim = choices.below(sizes.len());
        let divisors: Vec<i64> = (1..=sizes[dim]).filter(|d| sizes[dim] % d == 0).collect();
        if !divisors.is_empty() {
            let outer = divisors[choices.below(divisors.len())];
            sizes[dim] /= outer;
            sizes.insert(dim, outer);
        }
    }
    sizes
}

/// A size from 1 to 5, rarely 0.
fn few(choice: usize) -> i64 {
    if choice == 63 { 0 } else { 1 + choice as i64 % 5 }
}

pub fn random_operation(view: &View, choices: &mut Choices) -> Option<View> {
    let rank = view.sizes.len();
    let operation = choices.below(16);
    if rank == 0 && !(3..=4).contains(&operation) && operation < 13 {
        return None;
    }
    let dim = choices.below(rank);
    let size = if rank == 0 { 0 } else { view.sizes[dim] };
    match operation {
        0 | 1 => {
            let start = choices.between(0, (size - 1).max(0));
            let stop = choices.between(start.min(size - 1) + 1, size);
            Some(view.slice(dim, start, stop, choices.between(1, 3)))
        }
        2 => (size > 0).then(|| view.select(dim, choices.between(0, size - 1))),
        3 => {
            let place = choices.below(rank + 1);
            view.unsqueeze(place).expand(place, few(choices.below(64)))
        }
        4 => Some(view.unsqueeze(choices.below(rank + 1))),
        5 => view.expand(dim, choices.between(1, 3)),
        6 | 7 => {
            let mut order: Vec<usize> = (0..rank).collect();
            for place in (1..rank).rev() {
                order.swap(place, choices.below(place + 1));
            }
            Some(view.permute(&order))
        }
        8 => view.unfold(dim, choices.between(1, size.max(1)), choices.between(1, 3)),
        9 => view.diagonal(choices.between(-2, 2), dim, choices.below(rank)),
        10 => {
            let outer = choices.between(1, size.max(1));
            (size > 0 && size % outer == 0).then(|| view.unflatten(dim, &[outer, size / outer]))?
        }
        11 => view.flatten(dim),
        12 => Some(view.flip(dim)),
        13 => view.view_dtype(ELEMENTS[choices.below(ELEMENTS.len())]),
        14 => view.view_as_real(),
        _ => view.view_as_complex(),
    }
}

pub fn bounded(view: &View) -> bool {
    view.sizes.len() <= 7 && view.numel() <= 600
}

/// A value and a view that a chain of torch operations made of it.
pub fn chains() -> impl Strategy<Value = (ValueLayout, View)> {
    let sizes = prop::collection::vec(1i64..=7, 0..=4).prop_filter("small", |sizes| sizes.iter().product::<i64>() <= 400);
    (sizes, 0..ELEMENTS.len(), prop::collection::vec(any::<u16>(), 0..=40)).prop_map(|(sizes, element, choices)| {
        let mut choices = Choices(choices.iter());
        let element = ELEMENTS[element];
        let value = ValueLayout::new(&sizes, element);
        let first = if choices.below(2) == 0 { sizes } else { reshaped(value.numel(), &mut choices) };
        let mut view = View::contiguous(&first, element);
        while !choices.done() {
            if let Some(next) = random_operation(&view, &mut choices).filter(bounded) {
                view = next;
            }
        }
        (value, view)
    })
}

/// A value and any strides that stay inside it, of any element.
pub fn as_strided() -> impl Strategy<Value = (ValueLayout, View)> {
    let value = (prop::collection::vec(1i64..=8, 0..=3), 0..ELEMENTS.len());
    let geometry = prop::collection::vec(((0usize..64).prop_map(few), 0i64..=40), 0..=4);
    (value, geometry, 0i64..=20, 0..ELEMENTS.len()).prop_map(|((sizes, element), geometry, offset, other)| {
        let value = ValueLayout::new(&sizes, ELEMENTS[element]);
        let element = ELEMENTS[other];
        let elements = value.numel() * size_of(value.element) as i64 / size_of(element) as i64;
        let mut view = View { sizes: Dims::new(), strides: Dims::new(), offset: offset.min(elements - 1), element };
        let mut last = view.offset;
        for (size, stride) in geometry {
            // As many elements as fit, so that few cases are thrown away.
            let room = if stride == 0 { size } else { (elements - 1 - last).max(0) / stride + 1 };
            let size = size.min(room);
            last += (size - 1).max(0) * stride;
            view.sizes.push(size);
            view.strides.push(stride);
        }
        if elements == 0 {
            view.sizes.push(0);
            view.strides.push(1);
            view.offset = 0;
        }
        (value, view)
    })
}

/// Bytes that differ from place to place; a bool is 0 or 1.
pub fn filled(layout: &ValueLayout, salt: u32) -> Array {
    let bytes = layout.numel() as usize * size_of(layout.element);
    let byte = |place: usize| (place as u32 * 31 + salt).wrapping_mul(0x9e37_79b1).to_be_bytes()[0];
    let bool_or_byte = |byte: u8| if layout.element == ElementType::I1 { byte & 1 } else { byte };
    Array { layout: layout.clone(), bytes: (0..bytes).map(byte).map(bool_or_byte).collect() }
}
