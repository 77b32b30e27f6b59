//! A row of the op table: one functional ATen overload and how it is written in StableHLO.

use stablehlo::Value;

use crate::{Call, LowerError, Lowered, Lowering, TensorMeta};

/// What the table knows about one functional overload. In-place, out= and foreach forms, dispatcher
/// registration and coverage are derived from it.
#[derive(Debug)]
pub struct Row {
    /// Qualified overload, e.g. `aten::add.Tensor`, or `aten::relu` for the unnamed overload.
    pub name: &'static str,
    pub rule: Rule,
    pub infer: Infer,
    /// Uses random numbers: the call carries a (seed, offset) of the device's generator.
    pub random: bool,
    /// Tensor arguments of which only shape and dtype matter (`fill`, `zeros_like`): not program inputs.
    pub shape_only: &'static [usize],
    /// Number arguments whose value shapes the program (an exponent, a norm's p): part of the cache key.
    pub baked: &'static [usize],
    /// Tensor arguments that the op updates in place although its schema does not say so
    /// (`native_batch_norm`'s running statistics): the row's results after the schema's are written to them.
    pub updates: &'static [usize],
    /// For `Infer::Bound`: the dimension of result k that its count cuts; 0 by default.
    pub bound_dim: fn(&Call, usize) -> usize,
}

/// How a row computes its results.
#[derive(Debug)]
pub enum Rule {
    /// Argument 0 and the result have one shape; computed in the result's compute dtype.
    Unary(for<'f> fn(Value<'f>) -> Value<'f>),
    /// Argument 0 in its own compute dtype, result converted to the result's dtype (predicates such as `isnan`).
    Predicate(for<'f> fn(Value<'f>) -> Value<'f>),
    /// Arguments 0 and 1 broadcast to the result; computed in the result's compute dtype.
    Binary(for<'f> fn(Value<'f>, Value<'f>) -> Value<'f>),
    /// Arguments 0 and 1 broadcast to the result; computed in their promoted dtype.
    Compare(for<'f> fn(Value<'f>, Value<'f>) -> Value<'f>),
    /// Anything else.
    Custom(for<'f, 'c> fn(&Lowering<'f, 'c>) -> Lowered<'f>),
}

/// Where shapes and dtypes of the results come from on a cache miss.
#[derive(Debug)]
pub enum Infer {
    /// PyTorch's own meta kernel.
    Meta,
    /// The row, for overloads that have no meta kernel.
    Rule(fn(&Call) -> Result<Vec<Option<TensorMeta>>, LowerError>),
    /// Sizes depend on data: the rule gives upper bounds, and the row's results end with one i64 0-dim
    /// count per result: dimension `Row::bound_dim` of result k is cut to count k, or kept when the count is
    /// -1. The kept elements come first in the result's row-major order. An empty list means that the sizes
    /// of this call do not depend on data: the meta kernel is asked and the row returns no counts.
    Bound(fn(&Call) -> Result<Vec<Option<TensorMeta>>, LowerError>),
}

impl Row {
    const fn new(name: &'static str, rule: Rule) -> Self {
        Self { name, rule, infer: Infer::Meta, random: false, shape_only: &[], baked: &[], updates: &[], bound_dim: |_, _| 0 }
    }

    /// One operand, same shape: `unary("aten::tanh", |x| x.tanh())`.
    pub const fn unary(name: &'static str, rule: for<'f> fn(Value<'f>) -> Value<'f>) -> Self {
        Self::new(name, Rule::Unary(rule))
    }

    /// One operand, computed in the operand's dtype: `predicate("aten::isnan", |x| x.ne(x))`.
    pub const fn predicate(name: &'static str, rule: for<'f> fn(Value<'f>) -> Value<'f>) -> Self {
        Self::new(name, Rule::Predicate(rule))
    }

    /// Two broadcast operands, computed in the result's dtype.
    pub const fn binary(name: &'static str, rule: for<'f> fn(Value<'f>, Value<'f>) -> Value<'f>) -> Self {
        Self::new(name, Rule::Binary(rule))
    }

    /// Two broadcast operands, computed in their promoted dtype.
    pub const fn compare(name: &'static str, rule: for<'f> fn(Value<'f>, Value<'f>) -> Value<'f>) -> Self {
        Self::new(name, Rule::Compare(rule))
    }

    /// A rule of its own.
    pub const fn custom(name: &'static str, rule: for<'f, 'c> fn(&Lowering<'f, 'c>) -> Lowered<'f>) -> Self {
        Self::new(name, Rule::Custom(rule))
    }

    pub const fn random(mut self) -> Self {
        self.random = true;
        self
    }

    pub const fn shape_only(mut self, arguments: &'static [usize]) -> Self {
        self.shape_only = arguments;
        self
    }

    pub const fn baked(mut self, arguments: &'static [usize]) -> Self {
        self.baked = arguments;
        self
    }

    pub const fn updates(mut self, arguments: &'static [usize]) -> Self {
        self.updates = arguments;
        self
    }

    pub const fn bound_dim(mut self, dim: fn(&Call, usize) -> usize) -> Self {
        self.bound_dim = dim;
        self
    }

    pub const fn infer(mut self, infer: Infer) -> Self {
        self.infer = infer;
        self
    }

    /// Appends this row's computation for `lowering.call()` and returns its results, each of the
    /// announced shape and dtype (`None` for an undefined result).
    pub fn lower<'f>(&self, lowering: &Lowering<'f, '_>) -> Lowered<'f> {
        let results = match self.rule {
            Rule::Custom(rule) => rule(lowering)?,
            Rule::Unary(rule) => {
                let x = lowering.operand(0, lowering.compute_element())?;
                vec![Some(rule(x.broadcast_to(lowering.out_dims())))]
            }
            Rule::Predicate(rule) => vec![Some(rule(lowering.tensor(0)?))],
            Rule::Binary(rule) => {
                let element = lowering.compute_element();
                let a = lowering.operand(0, element)?.broadcast_to(lowering.out_dims());
                let b = lowering.operand(1, element)?.broadcast_to(lowering.out_dims());
                vec![Some(rule(a, b))]
            }
            Rule::Compare(rule) => {
                let element = lowering.promoted(&[0, 1]);
                let a = lowering.operand(0, element)?.broadcast_to(lowering.out_dims());
                let b = lowering.operand(1, element)?.broadcast_to(lowering.out_dims());
                vec![Some(rule(a, b))]
            }
        };
        lowering.finish(results)
    }
}
