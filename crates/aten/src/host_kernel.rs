//! ATen's own CPU kernels inside a program. Where the device is the host, a custom call may hand operands and results to
//! the kernel that PyTorch runs for its CPU tensors, which for some operators is several times faster than what XLA's CPU
//! compiler makes, compiles in no time, and can be cached.

use stablehlo::{Attribute, BackendConfig, CustomCall, ElementType, TensorType, Value};

use crate::Lowering;

/// Target of the custom calls. To be changed with the meaning of the call's text, because programs are kept on disk.
pub const HOST_KERNEL_TARGET: &str = "torch_pjrt.aten.1";
/// Name of the attribute that holds the text.
pub const HOST_KERNEL_CALL: &str = "call";

/// An argument of a kernel, in the order of its schema.
#[derive(Debug, Clone)]
pub enum HostArgument<'f> {
    Tensor(HostOperand<'f>),
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
    /// A dtype of PyTorch.
    Dtype(ElementType),
}

/// Elements from which on a kernel that goes over rows is worth a call of its own: below, XLA's takes no longer, and may
/// take what comes before and after into itself.
pub const HOST_KERNEL_ELEMENTS: i64 = 1 << 13;
/// Elements of such a kernel for a thread of its own.
const PART_ELEMENTS: i64 = 1 << 14;
const MOST_PARTS: i64 = 64;

/// How many parts a kernel of `elements` elements is split into along a dimension of size `size`.
pub fn parts_of(elements: i64, size: i64) -> i64 {
    split_into(elements, PART_ELEMENTS, size)
}

/// How many parts of at least `least` work is split into along a dimension of size `size`.
pub fn split_into(work: i64, least: i64, size: i64) -> i64 {
    (work / least).clamp(1, size.clamp(1, MOST_PARTS))
}

/// A tensor argument.
#[derive(Debug, Clone)]
pub struct HostOperand<'f> {
    pub value: Value<'f>,
    /// The kernel sees a view of the value whose dimension i is the value's dimension `permutation[i]`. Empty for the
    /// value itself.
    pub permutation: Vec<i64>,
    /// Dimension, of what the kernel sees, along which the call may be split; `None` if every part needs all of it.
    pub split: Option<i64>,
}

/// A result, and the dimension, of what the kernel sees, along which the call may be split.
#[derive(Debug, Clone)]
pub struct HostResult {
    /// As the program has it.
    pub ty: TensorType,
    /// As `HostOperand::permutation`.
    pub permutation: Vec<i64>,
    pub split: i64,
}

impl HostResult {
    pub fn new(ty: TensorType, split: i64) -> Self {
        Self { ty, permutation: Vec::new(), split }
    }
}

impl<'f> From<Value<'f>> for HostArgument<'f> {
    /// The value whole.
    fn from(value: Value<'f>) -> Self {
        Self::Tensor(HostOperand { value, permutation: Vec::new(), split: None })
    }
}

impl<'f> HostArgument<'f> {
    /// The value, which may be split along `dim`, for a kernel that reads rows of the innermost dimension wherever they
    /// are: a transpose that moves whole rows is left to it.
    pub fn strided(value: Value<'f>, dim: i64) -> Self {
        let innermost = value.rank() as i64 - 1;
        let (value, permutation) = match value.transposed_from() {
            Some((source, permutation)) if permutation.last() == Some(&innermost) => (source, permutation.to_vec()),
            _ => (value, Vec::new()),
        };
        Self::Tensor(HostOperand { value, permutation, split: Some(dim) })
    }

    /// The value, which may be split along `dim`.
    pub fn split(value: Value<'f>, dim: i64) -> Self {
        Self::Tensor(HostOperand { value, permutation: Vec::new(), split: Some(dim) })
    }
}

impl<'f> Lowering<'f, '_> {
    /// Results of the kernel `overload`, an out= overload whose out arguments are the last ones and get `results`, or a
    /// functional one. The call is split into `parts`, for as many threads as there are, along one dimension of equal size
    /// in all tensors that name it. `None` where the program does not run on the host, or a tensor is empty.
    pub fn host_kernel(
        &self,
        overload: &'static str,
        arguments: &[HostArgument<'f>],
        results: &[HostResult],
        parts: i64,
    ) -> Option<Vec<Value<'f>>> {
        if !self.environment.host_kernels.callable || results.iter().any(|result| result.ty.numel() == 0) {
            return None;
        }
        let mut text = overload.to_owned();
        let mut operands = Vec::new();
        for argument in arguments {
            text.push(' ');
            text.push_str(&match argument {
                HostArgument::Tensor(operand) => {
                    operands.push(operand.value);
                    let split = operand.split.map(|dim| format!("/{dim}")).unwrap_or_default();
                    format!("t{}{split}", listed(&operand.permutation))
                }
                HostArgument::None => "n".to_owned(),
                HostArgument::Bool(value) => format!("b{}", i32::from(*value)),
                HostArgument::Int(value) => format!("i{value}"),
                HostArgument::Float(value) => format!("f{value:e}"),
                HostArgument::Ints(values) => format!("l{}", listed(values)),
                HostArgument::Bools(values) => format!("m{}", listed(&values.iter().map(|value| i64::from(*value)).collect::<Vec<_>>())),
                HostArgument::Dtype(element) => format!("i{}", scalar_type(*element)?),
            });
        }
        if operands.iter().any(|operand| operand.numel() == 0) {
            return None;
        }
        for result in results {
            text.push_str(&format!(" r{}/{}", listed(&result.permutation), result.split));
        }
        text.push_str(&format!(" p{parts}"));
        let results: Vec<TensorType> = results.iter().map(|result| result.ty.clone()).collect();
        let call = CustomCall {
            backend_config: BackendConfig::Dictionary(vec![(HOST_KERNEL_CALL.to_owned(), Attribute::String(text))]),
            ..CustomCall::default()
        };
        Some(self.func.custom_call(HOST_KERNEL_TARGET, &operands, &results, &call))
    }

    /// Whether ATen's kernels for `element` are the ones to call: those that compute in the dtype and are not slower than
    /// their like for float32.
    pub fn has_fast_host_kernels(&self, element: ElementType) -> bool {
        let host = self.environment.host_kernels;
        host.callable && (matches!(element, ElementType::F32 | ElementType::F64) || element == ElementType::BF16 && host.fast_bfloat16)
    }
}

/// PyTorch's number of a dtype for which kernels are called.
fn scalar_type(element: ElementType) -> Option<i64> {
    match element {
        ElementType::F32 => Some(6),
        ElementType::F64 => Some(7),
        ElementType::BF16 => Some(15),
        _ => None,
    }
}

fn listed(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// Into how many parts the call is split that `text` describes.
pub fn host_kernel_parts(text: &str) -> usize {
    text.rsplit_once(" p").and_then(|(_, parts)| parts.parse().ok()).unwrap_or(1)
}
