//! The steps chosen for the views that models make, spelled out.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop where it fails")]

mod model;

use model::{Torch, contiguous, dims};
use stablehlo::ElementType;
use view::{ValueLayout, View, ViewError, plan_fresh, plan_read, plan_write};

const F32: ElementType = ElementType::F32;

fn read(view: &View, value: &[i64]) -> String {
    read_of(view, &ValueLayout::new(value, F32))
}

fn read_of(view: &View, value: &ValueLayout) -> String {
    plan_read(view, value).unwrap().to_string()
}

fn write(view: &View, value: &[i64]) -> String {
    plan_write(view, &ValueLayout::new(value, F32)).unwrap().to_string()
}

#[test]
fn a_contiguous_view_is_the_value_or_one_reshape() {
    let x = contiguous(&[4, 6], F32);
    assert_eq!(read(&x, &[4, 6]), "f32[4, 6]");
    assert!(plan_read(&x, &ValueLayout::new(&[4, 6], F32)).unwrap().is_identity());
    assert_eq!(read(&x, &[2, 2, 6]), "f32[2, 2, 6] > reshape[4, 6]");
    assert_eq!(read(&contiguous(&[], F32), &[]), "f32[]");
    assert_eq!(read(&contiguous(&[], F32), &[1, 1]), "f32[1, 1] > reshape[]");
}

#[test]
fn a_strided_slice_and_a_transpose_stay_natural() {
    let x = contiguous(&[4, 6], F32);
    let view = x.slice(0, 1, 3, 1).slice(1, 0, 6, 2).permute(&[1, 0]);
    assert_eq!(read(&view, &[4, 6]), "f32[4, 6] > slice[1:3, 0:5:2] > transpose[1, 0]");
    assert_eq!(read(&x.select(1, 2), &[4, 6]), "f32[4, 6] > slice[0:4, 2:3] > reshape[4]");
    assert_eq!(read(&x.select(0, 3).select(0, 5), &[4, 6]), "f32[4, 6] > slice[3:4, 5:6] > reshape[]");
}

#[test]
fn a_transpose_of_the_value_is_one_transpose() {
    let x = contiguous(&[2, 3, 4], F32);
    assert_eq!(read(&x.permute(&[2, 0, 1]), &[2, 3, 4]), "f32[2, 3, 4] > transpose[2, 0, 1]");
    let ones = contiguous(&[2, 1, 4], F32);
    assert_eq!(read(&ones.permute(&[2, 1, 0]), &[2, 1, 4]), "f32[2, 1, 4] > transpose[2, 1, 0]");
    assert_eq!(read(&ones.permute(&[1, 0, 2]), &[2, 1, 4]), "f32[2, 1, 4] > reshape[1, 2, 4]");
}

#[test]
fn heads_of_an_attention_projection() {
    // qkv of [B, T, 3 * H * d]
    let qkv = contiguous(&[2, 8, 48], F32);
    let chunk = qkv.slice(2, 16, 32, 1).unflatten(2, &[2, 8]).unwrap().permute(&[0, 2, 1, 3]);
    assert_eq!(read(&chunk, &[2, 8, 48]), "f32[2, 8, 48] > slice[0:2, 0:8, 16:32] > reshape[2, 8, 2, 8] > transpose[0, 2, 1, 3]");
    let select = qkv.unflatten(2, &[3, 2, 8]).unwrap().select(2, 1).permute(&[0, 2, 1, 3]);
    assert_eq!(read(&select, &[2, 8, 48]), read(&chunk, &[2, 8, 48]));
    // The value is still the matrix product's [B * T, 3 * H * d].
    assert_eq!(read(&chunk, &[16, 48]), "f32[16, 48] > slice[0:16, 16:32] > reshape[2, 8, 2, 8] > transpose[0, 2, 1, 3]");
    // GPT-NeoX: [B, T, H, 3 * d], a third of each head.
    let neox = contiguous(&[2, 8, 48], F32).unflatten(2, &[2, 24]).unwrap().slice(3, 8, 16, 1).permute(&[0, 2, 1, 3]);
    assert_eq!(read(&neox, &[2, 8, 48]), "f32[2, 8, 48] > reshape[2, 8, 2, 24] > slice[0:2, 0:8, 0:2, 8:16] > transpose[0, 2, 1, 3]");
}

#[test]
fn heads_go_back_to_one_dimension() {
    // The value of attention's output is [B, H, T, d]; torch reads it as [B, T, H, d] and reshapes only after a copy.
    let view = contiguous(&[2, 4, 8, 16], F32).permute(&[0, 2, 1, 3]);
    assert_eq!(read(&view, &[2, 4, 8, 16]), "f32[2, 4, 8, 16] > transpose[0, 2, 1, 3]");
}

#[test]
fn flatten_and_unflatten_move_only_their_dimension() {
    let x = contiguous(&[4, 6], F32);
    assert_eq!(read(&x.unflatten(1, &[2, 3]).unwrap().slice(2, 1, 3, 1), &[4, 6]), "f32[4, 6] > reshape[4, 2, 3] > slice[0:4, 0:2, 1:3]");
    let flat = contiguous(&[24], F32);
    assert_eq!(read(&flat.slice(0, 6, 18, 1), &[4, 6]), "f32[4, 6] > slice[1:3, 0:6] > reshape[12]");
    assert_eq!(read(&flat.slice(0, 0, 24, 2), &[6, 4]), "f32[6, 4] > slice[0:6, 0:3:2] > reshape[12]");
    // Across rows: only the two dimensions that it crosses are merged.
    let rows = contiguous(&[3, 24], F32).slice(1, 5, 17, 1);
    assert_eq!(read(&rows, &[3, 4, 6]), "f32[3, 4, 6] > reshape[3, 24] > slice[0:3, 5:17]");
    // A block of rows that the value's size is no multiple of.
    let tail = contiguous(&[14], F32).slice(0, 0, 12, 1).unflatten(0, &[3, 4]).unwrap().slice(1, 1, 3, 1);
    assert_eq!(read(&tail, &[14]), "f32[14] > slice[1:13] > reshape[3, 4] > slice[0:3, 0:2]");
}

#[test]
fn expand_is_a_broadcast() {
    let row = contiguous(&[1, 4], F32).expand(0, 3).unwrap();
    assert_eq!(read(&row, &[1, 4]), "f32[1, 4] > broadcast[3, 4] at [0, 1]");
    assert_eq!(read(&row, &[4]), "f32[4] > broadcast[3, 4] at [1]");
    let scalar = View { sizes: dims(&[2, 3]), strides: dims(&[0, 0]), offset: 5, element: F32 };
    assert_eq!(read(&scalar, &[2, 4]), "f32[2, 4] > slice[1:2, 1:2] > broadcast[2, 3] at [0, 1]");
    let column = contiguous(&[4, 6], F32).select(0, 1).unsqueeze(1).expand(1, 2).unwrap();
    assert_eq!(read(&column, &[4, 6]), "f32[4, 6] > slice[1:2, 0:6] > reshape[6] > broadcast[6, 2] at [0]");
    // Keys repeated for grouped queries: [B, G, T, d] -> [B, G, 2, T, d].
    let keys = contiguous(&[2, 3, 5, 4], F32).unsqueeze(2).expand(2, 2).unwrap();
    assert_eq!(read(&keys, &[2, 3, 5, 4]), "f32[2, 3, 5, 4] > broadcast[2, 3, 2, 5, 4] at [0, 1, 3, 4]");
}

#[test]
fn a_diagonal_is_a_strided_slice_of_its_two_dimensions() {
    let square = contiguous(&[2, 4, 4], F32).diagonal(0, 1, 2).unwrap();
    assert_eq!(read(&square, &[2, 4, 4]), "f32[2, 4, 4] > reshape[2, 16] > slice[0:2, 0:16:5]");
    let wide = contiguous(&[3, 5], F32).diagonal(1, 0, 1).unwrap();
    assert_eq!(read(&wide, &[3, 5]), "f32[3, 5] > reshape[15] > slice[1:14:6]");
}

#[test]
fn windows_gather_along_their_own_dimension() {
    let windows = contiguous(&[2, 3, 10], F32).unfold(2, 4, 2).unwrap();
    assert_eq!(read(&windows, &[2, 3, 10]), "f32[2, 3, 10] > gather dim 2 at 0 + [4, 4] x [2, 1]");
    let apart = contiguous(&[2, 12], F32).unfold(1, 2, 3).unwrap();
    assert_eq!(read(&apart, &[2, 12]), "f32[2, 12] > reshape[2, 4, 3] > slice[0:2, 0:4, 0:2]");
    let last = contiguous(&[11], F32).unfold(0, 2, 3).unwrap();
    assert_eq!(read(&last, &[11]), "f32[11] > pad[1] > reshape[4, 3] > slice[0:4, 0:2]");
    let image = contiguous(&[1, 6, 6], F32).unfold(1, 3, 1).unwrap().unfold(2, 3, 1).unwrap();
    assert_eq!(
        read(&image, &[1, 6, 6]),
        "f32[1, 6, 6] > gather dim 2 at 0 + [4, 3] x [1, 1] > gather dim 1 at 0 + [4, 3] x [1, 1] \
         > transpose[0, 1, 3, 2, 4]"
    );
}

#[test]
fn a_negative_stride_is_a_reverse() {
    let flipped = contiguous(&[4, 6], F32).flip(1).slice(0, 1, 3, 1);
    assert_eq!(read(&flipped, &[4, 6]), "f32[4, 6] > slice[1:3, 0:6] > reverse[1]");
}

#[test]
fn another_element_meets_in_the_smaller_one() {
    let complex = contiguous(&[3, 4], ElementType::C64);
    let pairs = complex.view_as_real().unwrap();
    let value = ValueLayout::new(&[3, 4], ElementType::C64);
    assert_eq!(read_of(&pairs, &value), "complex<f32>[3, 4] > complex_to_pair");
    assert_eq!(read_of(&pairs.select(2, 1), &value), "complex<f32>[3, 4] > complex_to_pair > slice[0:3, 0:4, 1:2] > reshape[3, 4]");
    let back = contiguous(&[3, 4, 2], F32).view_as_complex().unwrap();
    assert_eq!(read(&back, &[3, 4, 2]), "f32[3, 4, 2] > pair_to_complex");
    let bits = contiguous(&[3, 4], F32).view_dtype(ElementType::I32).unwrap();
    assert_eq!(read(&bits, &[3, 4]), "f32[3, 4] > bitcast i32");
    let bytes = contiguous(&[3, 4], F32).view_dtype(ElementType::U8).unwrap();
    assert_eq!(read(&bytes, &[3, 4]), "f32[3, 4] > bitcast ui8 > reshape[3, 16]");
    let wide = contiguous(&[3, 4], F32).view_dtype(ElementType::I64).unwrap();
    assert_eq!(read(&wide, &[3, 4]), "f32[3, 4] > bitcast ui32 > reshape[3, 2, 2] > bitcast i64");
    let bools = contiguous(&[4], ElementType::U8).view_dtype(ElementType::I1).unwrap();
    assert_eq!(read_of(&bools, &ValueLayout::new(&[4], ElementType::U8)), "ui8[4] > byte_to_bool");
    let odd = View { sizes: dims(&[2]), strides: dims(&[1]), offset: 0, element: ElementType::F64 };
    assert_eq!(read(&odd, &[5]), "f32[5] > bitcast ui32 > slice[0:4] > reshape[2, 2] > bitcast f64");
}

#[test]
fn sub_byte_elements_are_not_reinterpreted() {
    let nibbles = contiguous(&[4], ElementType::U4);
    let value = ValueLayout::new(&[4], ElementType::U8);
    let refused = ViewError::Element { value: ElementType::U8, view: ElementType::U4 };
    assert_eq!(plan_read(&nibbles, &value), Err(refused));
    assert_eq!(read_of(&nibbles, &ValueLayout::new(&[4], ElementType::U4)), "ui4[4]");
}

#[test]
fn an_empty_view_reads_nothing() {
    let empty = contiguous(&[4, 6], F32).slice(0, 2, 2, 1);
    assert_eq!(read(&empty, &[4, 6]), "f32[4, 6] > empty f32[0, 6]");
    assert_eq!(write(&empty, &[4, 6]), "f32[4, 6] > empty f32[0, 6] := f32[0, 6]");
    assert_eq!(read(&contiguous(&[0, 3], F32), &[0, 3]), "f32[0, 3]");
    assert_eq!(read(&contiguous(&[3, 0], F32), &[0]), "f32[0] > empty f32[3, 0]");
    // torch keeps any offset for an empty view.
    let far = View { offset: 1000, ..empty };
    assert_eq!(read(&far, &[4, 6]), "f32[4, 6] > empty f32[0, 6]");
}

#[test]
fn a_view_outside_the_value_is_an_error() {
    let value = ValueLayout::new(&[4], F32);
    let outside = |view: &View| match (plan_read(view, &value), plan_write(view, &value)) {
        (Err(read), Err(write)) if read == write => read,
        other => panic!("{other:?}"),
    };
    let long = outside(&contiguous(&[5], F32));
    assert_eq!(long, ViewError::OutOfRange { first_byte: 0, end_byte: 20, value_bytes: 16 });
    let wide = outside(&contiguous(&[3], ElementType::F64));
    assert_eq!(wide, ViewError::OutOfRange { first_byte: 0, end_byte: 24, value_bytes: 16 });
    let before = View { sizes: dims(&[2]), strides: dims(&[-1]), offset: 0, element: F32 };
    assert!(matches!(outside(&before), ViewError::OutOfRange { first_byte: -4, .. }));
    let ragged = View { sizes: dims(&[2]), strides: dims(&[]), offset: 0, element: F32 };
    assert!(matches!(outside(&ragged), ViewError::RankMismatch { .. }));
    let negative = View { sizes: dims(&[-2]), strides: dims(&[1]), offset: 0, element: F32 };
    assert!(matches!(outside(&negative), ViewError::NegativeSize { size: -2, .. }));
    let huge = View { sizes: dims(&[1 << 40, 1 << 40]), strides: dims(&[0, 0]), offset: 0, element: F32 };
    assert!(matches!(outside(&huge), ViewError::Overflow { .. }));
    let wild = View { sizes: dims(&[2, 1]), strides: dims(&[i64::MAX, i64::MAX]), offset: 3, element: F32 };
    assert!(matches!(outside(&wild), ViewError::OutOfRange { .. }));
    let harmless = View { sizes: dims(&[4, 1]), strides: dims(&[1, i64::MAX]), offset: 0, element: F32 };
    assert_eq!(read_of(&harmless, &value), "f32[4] > reshape[4, 1]");
}

#[test]
fn a_write_of_the_whole_storage_needs_no_base() {
    let x = contiguous(&[4, 6], F32);
    let plan = plan_write(&x, &ValueLayout::new(&[24], F32)).unwrap();
    assert!(!plan.needs_base() && plan.is_identity());
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[4, 6], F32));

    let channels_last = contiguous(&[2, 5, 5, 3], F32).permute(&[0, 3, 1, 2]);
    let plan = plan_write(&channels_last, &ValueLayout::new(&[150], F32)).unwrap();
    assert!(!plan.needs_base());
    assert_eq!(plan.to_string(), "f32[2, 3, 5, 5] > transpose[0, 2, 3, 1]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[2, 5, 5, 3], F32));

    // Another element of the same bytes takes the storage over.
    let real = contiguous(&[3], ElementType::C64).view_as_real().unwrap();
    let plan = plan_write(&real, &ValueLayout::new(&[3], ElementType::C64)).unwrap();
    assert!(!plan.needs_base());
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[3, 2], F32));

    // Every element, though not in place of the layout.
    let flipped = plan_write(&x.flip(0), &ValueLayout::new(&[24], F32)).unwrap();
    assert!(!flipped.needs_base());
    assert_eq!(*flipped.result_layout(), ValueLayout::new(&[24], F32));
    let repeated = contiguous(&[1, 4], F32).expand(0, 3).unwrap();
    assert!(!plan_write(&repeated, &ValueLayout::new(&[4], F32)).unwrap().needs_base());
}

#[test]
fn a_write_of_a_part_keeps_the_layout() {
    let x = contiguous(&[4, 6], F32);
    let part = x.slice(1, 2, 5, 1).permute(&[1, 0]);
    let plan = plan_write(&part, &ValueLayout::new(&[4, 6], F32)).unwrap();
    assert!(plan.needs_base() && !plan.is_identity());
    assert_eq!(plan.to_string(), "f32[4, 6] > slice[0:4, 2:5] > transpose[1, 0] := f32[3, 4]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[4, 6], F32));
    // The last dimension of a permuted storage keeps its own order too.
    let element = View { sizes: dims(&[]), strides: dims(&[]), offset: 7, element: F32 };
    assert_eq!(write(&element, &[4, 6]), "f32[4, 6] > slice[1:2, 1:2] > reshape[] := f32[]");
}

#[test]
fn bytes_written_over_a_bool_stay_bytes() {
    let value = ValueLayout::new(&[4], ElementType::I1);
    let part = contiguous(&[4], ElementType::U8).slice(0, 1, 3, 1);
    let plan = plan_write(&part, &value).unwrap();
    assert_eq!(plan.to_string(), "i1[4] > bool_to_byte > slice[1:3] := ui8[2]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[4], ElementType::U8));
    let bools = contiguous(&[4], ElementType::I1).slice(0, 1, 3, 1);
    let plan = plan_write(&bools, &value).unwrap();
    assert_eq!(*plan.result_layout(), value);
}

#[test]
fn bits_written_over_floats_are_carried_by_integers() {
    let halves = ValueLayout::new(&[4], ElementType::BF16);
    let part = contiguous(&[4], ElementType::I16).slice(0, 1, 3, 1);
    let plan = plan_write(&part, &halves).unwrap();
    assert_eq!(plan.to_string(), "bf16[4] > bitcast ui16 > slice[1:3] > bitcast i16 := i16[2]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[4], ElementType::U16));
    let read = contiguous(&[4], ElementType::BF16);
    assert_eq!(read_of(&read, plan.result_layout()), "ui16[4] > bitcast bf16");
    // The parts of a complex number are no other type.
    let real = contiguous(&[4], ElementType::C64).view_as_real().unwrap().select(1, 0);
    let plan = plan_write(&real, &ValueLayout::new(&[4], ElementType::C64)).unwrap();
    assert_eq!(plan.to_string(), "complex<f32>[4] > complex_to_pair > slice[0:4, 0:1] > reshape[4] := f32[4]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[4], ElementType::C64));
}

#[test]
fn a_fresh_storage_takes_the_physical_order() {
    let plan = plan_fresh(&contiguous(&[2, 3], F32)).unwrap();
    assert!(plan.is_identity() && !plan.needs_base());
    // Sizes of 1 may have any stride and move nothing.
    let odd = View { sizes: dims(&[2, 1, 3]), strides: dims(&[3, 77, 1]), offset: 0, element: F32 };
    assert!(plan_fresh(&odd).unwrap().is_identity());
    let channels_last = View { sizes: dims(&[1, 3, 5, 5]), strides: dims(&[75, 1, 15, 3]), offset: 0, element: F32 };
    let plan = plan_fresh(&channels_last).unwrap();
    assert_eq!(plan.to_string(), "f32[1, 3, 5, 5] > transpose[0, 2, 3, 1]");
    assert_eq!(*plan.result_layout(), ValueLayout::new(&[1, 5, 5, 3], F32));
    let gaps = View { sizes: dims(&[3, 4]), strides: dims(&[5, 1]), offset: 0, element: F32 };
    let plan = plan_fresh(&gaps).unwrap();
    assert!(plan.needs_base());
    assert_eq!(plan.to_string(), "f32[14] > pad[1] > reshape[3, 5] > slice[0:3, 0:4] := f32[3, 4]");
    let empty = plan_fresh(&contiguous(&[0, 4], F32)).unwrap();
    assert!(empty.is_identity() && !empty.needs_base());
}

#[test]
fn geometry_facts() {
    let x = contiguous(&[2, 3, 4], F32);
    assert!(x.is_contiguous() && x.covers_densely(24) && !x.covers_densely(25));
    let permuted = x.permute(&[1, 2, 0]);
    assert!(!permuted.is_contiguous() && permuted.covers_densely(24));
    assert_eq!(permuted.physical_permutation().unwrap().as_slice(), [2, 0, 1]);
    assert_eq!(x.slice(2, 0, 2, 1).physical_permutation(), None);
    assert!(x.select(0, 1).is_contiguous() && !x.select(0, 1).covers_densely(12));
    assert_eq!(contiguous(&[], F32).numel(), 1);
    assert!(contiguous(&[], F32).covers_densely(1));
    assert_eq!(x.select(0, 1).to_string(), "f32[3, 4] strides [4, 1] offset 12");
}

#[test]
fn plans_of_a_view_that_moves_differ_in_their_starts() {
    let x = contiguous(&[4, 6], F32);
    let plan = |view: &View| plan_read(view, &ValueLayout::new(&[4, 6], F32)).unwrap();
    let (first, second) = (plan(&x.select(0, 1).slice(0, 0, 5, 2)), plan(&x.select(0, 3).slice(0, 1, 6, 2)));
    assert!(first.moves_like(&second));
    assert_eq!((first.starts().as_slice(), second.starts().as_slice()), ([1, 0].as_slice(), [3, 1].as_slice()));
    // Along the whole of a dimension nothing can move.
    assert_eq!(plan(&x.select(1, 2)).starts().as_slice(), [2]);
    assert!(plan(&x).starts().is_empty());
    assert!(!first.moves_like(&plan(&x.select(0, 1).slice(0, 0, 3, 1))));

    let write = |view: &View| plan_write(view, &ValueLayout::new(&[4, 6], F32)).unwrap();
    let (first, second) = (write(&x.slice(1, 1, 3, 1)), write(&x.slice(1, 4, 6, 1)));
    assert!(first.moves_like(&second));
    assert_eq!((first.starts().as_slice(), second.starts().as_slice()), ([1].as_slice(), [4].as_slice()));
    assert!(!first.moves_like(&write(&x.slice(0, 1, 3, 1))));
}
