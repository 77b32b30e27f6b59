//! What a row's rule sees: the call's arguments as StableHLO values, the announced results, and the
//! means to ask for host scalars, random bits and index checks.

use std::cell::RefCell;

use stablehlo::{Dims, ElementType, FuncBuilder, TensorType, Value};

use crate::{Call, CallArgument, HostScalar, LowerError, ScalarArgument, TensorMeta, compute_element, result_element};

/// A row's results in schema order; `None` for an undefined tensor.
pub type Lowered<'f> = Result<Vec<Option<Value<'f>>>, LowerError>;

/// What the program is compiled for, as far as a row may choose its lowering by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Cpu,
    Tpu,
    Gpu,
    Other,
}

/// Which of ATen's own CPU kernels a program may call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HostKernels {
    /// Programs run where they can be called.
    pub callable: bool,
    /// The machine multiplies bfloat16 by instructions for it. Otherwise ATen's kernels take several times as long as those
    /// for float32.
    pub fast_bfloat16: bool,
}

/// What lowering depends on besides the call; part of every signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Environment {
    pub target: Target,
    pub host_kernels: HostKernels,
    /// Precision of float32 matmuls and convolutions.
    pub precision: stablehlo::Precision,
    /// `torch.get_default_dtype()`.
    pub default_float: ElementType,
}

/// A host number that the program takes as a 0-dim argument of the given element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarParameter {
    /// Position among the call's varying numbers, in the order in which they appear in the call.
    pub position: usize,
    pub element: ElementType,
}

/// Which Python exception a failed check becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    Index,
    Runtime,
}

/// A condition that must hold on the device; reported at the next sync when it does not.
#[derive(Debug, Clone)]
pub struct Check<'f> {
    /// 0-dim i1: true when the call's data are bad.
    pub failed: Value<'f>,
    /// 0-dim i64: the offending value, for the message.
    pub value: Value<'f>,
    /// What is wrong; `{}` stands for the offending value.
    pub message: String,
    pub exception: Exception,
}

/// One call being lowered into a function.
pub struct Lowering<'f, 'c> {
    pub func: &'f FuncBuilder,
    pub environment: Environment,
    call: &'c Call,
    /// One value per device tensor of the call, flattened in argument order; `None` for shape-only ones.
    tensors: Vec<Option<Value<'f>>>,
    outputs: &'c [Option<TensorMeta>],
    random_state: RefCell<Option<Value<'f>>>,
    scalars: RefCell<Vec<(ScalarParameter, Value<'f>)>>,
    checks: RefCell<Vec<Check<'f>>>,
}

impl<'f, 'c> Lowering<'f, 'c> {
    /// `tensors` holds the logical arrays of the call's device tensors in argument order;
    /// `random_state` is ui64[2] for a random row.
    pub fn new(
        func: &'f FuncBuilder,
        environment: Environment,
        call: &'c Call,
        tensors: Vec<Option<Value<'f>>>,
        outputs: &'c [Option<TensorMeta>],
        random_state: Option<Value<'f>>,
    ) -> Self {
        Self {
            func,
            environment,
            call,
            tensors,
            outputs,
            random_state: RefCell::new(random_state),
            scalars: RefCell::default(),
            checks: RefCell::default(),
        }
    }

    pub fn call(&self) -> &'c Call {
        self.call
    }

    /// Number of arguments in the schema.
    pub fn len(&self) -> usize {
        self.call.arguments.len()
    }

    pub fn is_empty(&self) -> bool {
        self.call.arguments.is_empty()
    }

    pub fn argument(&self, index: usize) -> &'c CallArgument {
        static ABSENT: CallArgument = CallArgument::Absent;
        self.call.arguments.get(index).unwrap_or(&ABSENT)
    }

    /// False when the argument is `None`.
    pub fn is_present(&self, index: usize) -> bool {
        !matches!(self.argument(index), CallArgument::Absent)
    }

    /// The tensor at `index` as a logical array in its own dtype.
    pub fn tensor(&self, index: usize) -> Result<Value<'f>, LowerError> {
        match self.argument(index) {
            CallArgument::Tensor(t) => match t.host {
                Some(_) => self.scalar_of(self.flat_number(index, 0), t.host, t.meta.element),
                None => {
                    self.tensors.get(self.flat_tensor(index)).copied().flatten().ok_or_else(|| self.wrong(index, "a tensor with a value"))
                }
            },
            _ => Err(self.wrong(index, "a tensor")),
        }
    }

    /// The tensor at `index`, or `None` when torch passed None.
    pub fn optional_tensor(&self, index: usize) -> Result<Option<Value<'f>>, LowerError> {
        if self.is_present(index) { self.tensor(index).map(Some) } else { Ok(None) }
    }

    /// The tensors of a list argument.
    pub fn tensors(&self, index: usize) -> Result<Vec<Value<'f>>, LowerError> {
        self.optional_tensors(index)?.into_iter().map(|t| t.ok_or_else(|| self.wrong(index, "a list without None"))).collect()
    }

    /// The tensors of a list argument in which torch may pass None (`index.Tensor`).
    pub fn optional_tensors(&self, index: usize) -> Result<Vec<Option<Value<'f>>>, LowerError> {
        let CallArgument::Tensors(list) = self.argument(index) else {
            return Err(self.wrong(index, "a list of tensors"));
        };
        let mut flat = self.flat_tensor(index);
        let mut number = self.flat_number(index, 0);
        let mut values = Vec::with_capacity(list.len());
        for entry in list {
            values.push(match entry {
                None => None,
                Some(t) if t.host.is_some() => {
                    let value = self.scalar_of(number, t.host, t.meta.element)?;
                    number += usize::from(matches!(t.host, Some(ScalarArgument::Varies(_))));
                    Some(value)
                }
                Some(_) => {
                    flat += 1;
                    Some(self.tensors.get(flat - 1).copied().flatten().ok_or_else(|| self.wrong(index, "tensors with values"))?)
                }
            });
        }
        Ok(values)
    }

    /// Shape and dtype of the tensor at `index`, also for shape-only arguments.
    pub fn meta(&self, index: usize) -> Result<&'c TensorMeta, LowerError> {
        match self.argument(index) {
            CallArgument::Tensor(t) => Ok(&t.meta),
            _ => Err(self.wrong(index, "a tensor")),
        }
    }

    /// A tensor or a number, converted to `element`; not broadcast.
    pub fn operand(&self, index: usize, element: ElementType) -> Result<Value<'f>, LowerError> {
        match self.argument(index) {
            CallArgument::Scalar(_) | CallArgument::Int(_) | CallArgument::Bool(_) => self.scalar(index, element),
            CallArgument::Tensor(t) if t.host.is_some() => self.scalar_of(self.flat_number(index, 0), t.host, element),
            _ => Ok(self.tensor(index)?.convert(element)),
        }
    }

    /// A tensor or a number in the compute dtype of result 0, broadcast to its shape.
    pub fn result_operand(&self, index: usize) -> Result<Value<'f>, LowerError> {
        Ok(self.operand(index, self.compute_element())?.broadcast_to(self.out_dims()))
    }

    /// A number argument with the dtype and shape of `like`.
    pub fn scalar_like(&self, index: usize, like: Value<'f>) -> Result<Value<'f>, LowerError> {
        Ok(self.scalar(index, like.element())?.broadcast_to(&like.dims()))
    }

    /// Whether the number at `index` is part of the program and equals `value`.
    pub fn is_known(&self, index: usize, value: f64) -> bool {
        matches!(self.known_scalar(index), Some(known) if !matches!(known, HostScalar::Complex(..)) && known.as_f64() == value)
    }

    /// A number argument as a 0-dim value of `element`: a constant when baked, a program argument when it varies.
    pub fn scalar(&self, index: usize, element: ElementType) -> Result<Value<'f>, LowerError> {
        match self.argument(index) {
            CallArgument::Scalar(scalar) => self.scalar_of(self.flat_number(index, 0), Some(*scalar), element),
            CallArgument::Int(v) => Ok(self.known(HostScalar::Int(*v), element)),
            CallArgument::Bool(v) => Ok(self.known(HostScalar::Bool(*v), element)),
            _ => Err(self.wrong(index, "a number")),
        }
    }

    /// Entry `entry` of a list of numbers as a 0-dim value.
    pub fn scalar_in_list(&self, index: usize, entry: usize, element: ElementType) -> Result<Value<'f>, LowerError> {
        match self.argument(index) {
            CallArgument::Scalars(list) => self.scalar_of(self.flat_number(index, entry), list.get(entry).copied(), element),
            _ => Err(self.wrong(index, "a list of numbers")),
        }
    }

    /// The number at `index` if it is part of the program (0, 1, -1 or named in the row's `baked`).
    pub fn known_scalar(&self, index: usize) -> Option<HostScalar> {
        match self.argument(index) {
            CallArgument::Scalar(ScalarArgument::Known(value)) => Some(*value),
            CallArgument::Tensor(t) => match t.host {
                Some(ScalarArgument::Known(value)) => Some(value),
                _ => None,
            },
            CallArgument::Int(v) => Some(HostScalar::Int(*v)),
            CallArgument::Bool(v) => Some(HostScalar::Bool(*v)),
            _ => None,
        }
    }

    /// A baked number as f64; an error when it is not baked (name it in the row's `baked`).
    pub fn float(&self, index: usize) -> Result<f64, LowerError> {
        self.known_scalar(index).map(HostScalar::as_f64).ok_or_else(|| self.wrong(index, "a baked number"))
    }

    pub fn int(&self, index: usize) -> Result<i64, LowerError> {
        match self.argument(index) {
            CallArgument::Int(v) => Ok(*v),
            CallArgument::Bool(v) => Ok(i64::from(*v)),
            CallArgument::Scalar(ScalarArgument::Known(value)) => Ok(value.as_i64()),
            _ => Err(self.wrong(index, "an int")),
        }
    }

    pub fn optional_int(&self, index: usize) -> Result<Option<i64>, LowerError> {
        if self.is_present(index) { self.int(index).map(Some) } else { Ok(None) }
    }

    pub fn bool(&self, index: usize) -> Result<bool, LowerError> {
        match self.argument(index) {
            CallArgument::Bool(v) => Ok(*v),
            CallArgument::Int(v) => Ok(*v != 0),
            _ => Err(self.wrong(index, "a bool")),
        }
    }

    pub fn bools(&self, index: usize) -> Result<&'c [bool], LowerError> {
        match self.argument(index) {
            CallArgument::Bools(v) => Ok(v),
            _ => Err(self.wrong(index, "a list of bools")),
        }
    }

    /// An int list; `None` gives an empty one.
    pub fn ints(&self, index: usize) -> Result<&'c [i64], LowerError> {
        match self.argument(index) {
            CallArgument::Ints(v) => Ok(v),
            CallArgument::Absent => Ok(&[]),
            _ => Err(self.wrong(index, "a list of ints")),
        }
    }

    /// An int list that was expanded by the schema (`int[2]`), padded to `count` by repeating a single entry.
    pub fn ints_of(&self, index: usize, count: usize, default: i64) -> Result<Vec<i64>, LowerError> {
        let list = self.ints(index)?;
        Ok(match list {
            [] => vec![default; count],
            [one] => vec![*one; count],
            many => many.to_vec(),
        })
    }

    pub fn floats(&self, index: usize) -> Result<&'c [f64], LowerError> {
        match self.argument(index) {
            CallArgument::Floats(v) => Ok(v),
            CallArgument::Absent => Ok(&[]),
            _ => Err(self.wrong(index, "a list of floats")),
        }
    }

    pub fn text(&self, index: usize) -> Result<&'c str, LowerError> {
        match self.argument(index) {
            CallArgument::Text(v) => Ok(v),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// A dimension argument, wrapped to 0..rank (`rank` 0 counts as 1, as ATen does).
    pub fn dim(&self, index: usize, rank: usize) -> Result<i64, LowerError> {
        Ok(wrap_dim(self.int(index)?, rank))
    }

    /// The dims of an optional `int[]?` argument, wrapped and sorted; all dims when absent or empty.
    pub fn dims_or_all(&self, index: usize, rank: usize) -> Result<Vec<i64>, LowerError> {
        let mut dims: Vec<i64> = match self.argument(index) {
            CallArgument::Int(d) => vec![wrap_dim(*d, rank)],
            _ => self.ints(index)?.iter().map(|d| wrap_dim(*d, rank)).collect(),
        };
        if dims.is_empty() {
            dims = (0..rank as i64).collect();
        }
        dims.retain(|d| *d < rank as i64);
        dims.sort_unstable();
        dims.dedup();
        Ok(dims)
    }

    /// Announced result `index`; an error when it is undefined.
    pub fn output(&self, index: usize) -> Result<&'c TensorMeta, LowerError> {
        self.outputs.get(index).and_then(Option::as_ref).ok_or_else(|| LowerError::unsupported(format!("result {index} is undefined")))
    }

    /// Number of announced results.
    pub fn output_count(&self) -> usize {
        self.outputs.len()
    }

    /// Whether result `index` is wanted (not undefined).
    pub fn wants(&self, index: usize) -> bool {
        self.outputs.get(index).is_some_and(Option::is_some)
    }

    /// Dims of result 0.
    pub fn out_dims(&self) -> &'c [i64] {
        self.outputs.first().and_then(Option::as_ref).map_or(&[], |m| &m.dims)
    }

    /// Dtype of result 0.
    pub fn out_element(&self) -> ElementType {
        self.outputs.first().and_then(Option::as_ref).map_or(ElementType::F32, |m| m.element)
    }

    /// The dtype in which result 0 is computed: f32 for f16 and bf16.
    pub fn compute_element(&self) -> ElementType {
        compute_element(self.out_element())
    }

    /// `torch.result_type` of the arguments at `indices`.
    pub fn promoted(&self, indices: &[usize]) -> ElementType {
        let arguments: Vec<_> = indices.iter().map(|i| self.argument(*i)).collect();
        let default = self.environment.default_float;
        result_element(&arguments, default).unwrap_or(default)
    }

    /// A splat of `value` in the shape and dtype of result 0.
    pub fn out_splat(&self, value: f64) -> Value<'f> {
        self.func.constant_f64(self.out_element(), value).broadcast_to(self.out_dims())
    }

    /// Reports `message` as an IndexError at the next sync when `failed` (any shape, i1) holds somewhere. `value`
    /// has the shape of `failed`; the first offending entry replaces `{}` in the message.
    pub fn check(&self, failed: Value<'f>, value: Value<'f>, message: impl Into<String>) {
        self.check_as(Exception::Index, failed, value, message);
    }

    /// As `check`, for bad data other than indices: a RuntimeError.
    pub fn check_data(&self, failed: Value<'f>, value: Value<'f>, message: impl Into<String>) {
        self.check_as(Exception::Runtime, failed, value, message);
    }

    fn check_as(&self, exception: Exception, failed: Value<'f>, value: Value<'f>, message: impl Into<String>) {
        let element = ElementType::I64;
        let all: Vec<i64> = (0..failed.rank() as i64).collect();
        let lowest = self.func.constant_i64(element, i64::MIN).broadcast_to(&failed.dims());
        let worst = failed.select(value.convert(element), lowest).reduce_max(&all);
        let any = failed.reduce_or(&all);
        self.checks.borrow_mut().push(Check { failed: any, value: worst, message: message.into(), exception });
    }

    /// The generator state (ui64[2]) from which the next draw is made, for a row that hands it on to its backward.
    pub fn random_state(&self) -> Result<Value<'f>, LowerError> {
        (*self.random_state.borrow()).ok_or_else(|| LowerError::unsupported("the generator state in a row that is not marked random"))
    }

    /// Random bits of `element` (u32 or u64) from the generator state; successive draws differ.
    pub fn random_bits(&self, element: ElementType, dims: &[i64]) -> Result<Value<'f>, LowerError> {
        let mut state = self.random_state.borrow_mut();
        let Some(current) = *state else {
            return Err(LowerError::unsupported("random bits in a row that is not marked random"));
        };
        let (next, bits) = draw_bits(current, element, dims);
        *state = Some(next);
        Ok(bits)
    }

    /// Uniform numbers in [0, 1) of a float `element`: 24 random bits for f32 and narrower (as many as
    /// the dtype's mantissa holds), 53 for f64.
    pub fn random_uniform(&self, element: ElementType, dims: &[i64]) -> Result<Value<'f>, LowerError> {
        let (source, digits, drop) = match element {
            ElementType::F64 => (ElementType::U64, 53, 11),
            ElementType::F16 => (ElementType::U32, 11, 21),
            ElementType::BF16 => (ElementType::U32, 8, 24),
            _ => (ElementType::U32, 24, 8),
        };
        let compute = compute_element(element);
        let bits = self.random_bits(source, dims)?;
        let shifted = bits.shift_right_logical(bits.like(f64::from(drop)));
        let unit = shifted.convert(compute);
        Ok((unit * unit.like((-f64::from(digits)).exp2())).convert(element))
    }

    /// Standard normal numbers of a float `element`, by the inverse error function of a uniform in (-1, 1).
    pub fn random_normal(&self, element: ElementType, dims: &[i64]) -> Result<Value<'f>, LowerError> {
        let compute = compute_element(element);
        let (source, digits) = if compute == ElementType::F64 { (ElementType::U64, 52) } else { (ElementType::U32, 23) };
        let width = source.bit_width() as i32;
        let bits = self.random_bits(source, dims)?;
        // An odd numerator over a power of two: symmetric around 0 and never +-1, where erf_inv is infinite.
        let index = bits.shift_right_logical(bits.like(f64::from(width - digits))).convert(compute);
        let uniform = index * index.like(2f64.powi(1 - digits)) + index.like(2f64.powi(-digits) - 1.0);
        Ok((uniform.erf_inv() * uniform.like(std::f64::consts::SQRT_2)).convert(element))
    }

    /// Scalar parameters asked for so far, with the function argument of each, in order.
    pub fn scalar_parameters(&self) -> Vec<(ScalarParameter, Value<'f>)> {
        self.scalars.borrow().clone()
    }

    /// Checks that the rule asked for.
    pub fn take_checks(&self) -> Vec<Check<'f>> {
        self.checks.take()
    }

    /// Converts results to the announced dtypes and checks their shapes.
    pub(crate) fn finish(&self, results: Vec<Option<Value<'f>>>) -> Lowered<'f> {
        let extra = results.len().saturating_sub(self.outputs.len());
        let mut finished = Vec::with_capacity(results.len());
        for (i, result) in results.into_iter().enumerate() {
            finished.push(match (result, self.outputs.get(i)) {
                (Some(value), Some(Some(meta))) => {
                    let value = value.convert(meta.element);
                    if value.dims() != meta.dims {
                        return Err(LowerError::unsupported(format!("result {i} has dims {:?}, announced {meta}", value.dims())));
                    }
                    Some(value)
                }
                (_, Some(None)) => None,
                (value, None) if extra > 0 => value,
                (None, _) => return Err(LowerError::unsupported(format!("the row left result {i} undefined"))),
                (Some(_), None) => None,
            });
        }
        Ok(finished)
    }

    fn scalar_of(&self, position: usize, scalar: Option<ScalarArgument>, element: ElementType) -> Result<Value<'f>, LowerError> {
        match scalar {
            Some(ScalarArgument::Known(value)) => Ok(self.known(value, element)),
            Some(ScalarArgument::Varies(_)) => {
                let parameter = ScalarParameter { position, element };
                if let Some((_, value)) = self.scalars.borrow().iter().find(|(p, _)| *p == parameter) {
                    return Ok(*value);
                }
                let value = self.func.argument(TensorType { element, dims: Dims::new() });
                self.scalars.borrow_mut().push((parameter, value));
                Ok(value)
            }
            None => Err(LowerError::unsupported("a number that the call does not have")),
        }
    }

    fn known(&self, value: HostScalar, element: ElementType) -> Value<'f> {
        match value {
            HostScalar::Bool(b) => self.func.constant_i64(element, i64::from(b)),
            HostScalar::Int(i) => self.func.constant_i64(element, i),
            HostScalar::Float(x) => self.func.constant_f64(element, x),
            HostScalar::Complex(re, im) => {
                let part = if element == ElementType::C128 { ElementType::F64 } else { ElementType::F32 };
                let value = self.func.constant_f64(part, re).complex(self.func.constant_f64(part, im));
                if element.is_complex() { value } else { value.real().convert(element) }
            }
        }
    }

    /// Index of the first device tensor of argument `index` in the flattened tensors.
    fn flat_tensor(&self, index: usize) -> usize {
        self.call.arguments[..index]
            .iter()
            .map(|a| match a {
                CallArgument::Tensor(t) => usize::from(t.host.is_none()),
                CallArgument::Tensors(list) => list.iter().flatten().filter(|t| t.host.is_none()).count(),
                _ => 0,
            })
            .sum()
    }

    /// Position of number `entry` of argument `index` among the call's varying numbers.
    fn flat_number(&self, index: usize, entry: usize) -> usize {
        let varies = |s: &ScalarArgument| usize::from(matches!(s, ScalarArgument::Varies(_)));
        let before: usize = self.call.arguments[..index]
            .iter()
            .map(|a| match a {
                CallArgument::Scalar(s) => varies(s),
                CallArgument::Scalars(list) => list.iter().map(varies).sum(),
                CallArgument::Tensor(t) => t.host.as_ref().map_or(0, varies),
                CallArgument::Tensors(list) => list.iter().flatten().filter_map(|t| t.host.as_ref()).map(varies).sum(),
                _ => 0,
            })
            .sum();
        match self.argument(index) {
            CallArgument::Scalars(list) => before + list[..entry.min(list.len())].iter().map(varies).sum::<usize>(),
            _ => before,
        }
    }

    fn wrong(&self, index: usize, expected: &'static str) -> LowerError {
        LowerError::Argument { index, expected, found: self.argument(index).kind() }
    }
}

/// Random bits of `element` (u32 or u64) and the state after them. 32 bits are the low half of 64: the 32-bit
/// generator joins its two words across the array, which takes three times as long to compile and longer to run.
pub(crate) fn draw_bits<'f>(state: Value<'f>, element: ElementType, dims: &[i64]) -> (Value<'f>, Value<'f>) {
    let (next, bits) = state.func().rng_bit_generator(stablehlo::RngAlgorithm::ThreeFry, state, ElementType::U64, dims);
    match element {
        ElementType::U64 => (next, bits),
        _ => (next, (bits & bits.like(i64::from(u32::MAX))).convert(element)),
    }
}

/// Wraps a dimension to 0..rank as ATen does (`rank` 0 counts as 1). torch has checked the range.
pub(crate) fn wrap_dim(dim: i64, rank: usize) -> i64 {
    let rank = (rank as i64).max(1);
    if dim < 0 { dim + rank } else { dim }
}
