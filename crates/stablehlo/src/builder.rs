//! The function under construction: an arena of values, ops and blocks behind a `RefCell`.
//!
//! Every op of the crate goes through [`FuncBuilder::append`], which checks scope, records the first error, and
//! hands out the results. Nothing here knows what an op means.

use std::cell::RefCell;

use foldhash::{HashMap, HashMapExt};
use smallvec::{SmallVec, smallvec};

use crate::attribute::{Attribute, Constant, ConstantData};
use crate::func::{Argument, Block, Func, Op};
use crate::literal::Bits;
use crate::{Dims, ElementType, Error, Location, TensorType};

pub(crate) type ValueId = u32;
pub(crate) type BlockId = u32;
pub(crate) type Attributes = SmallVec<[(&'static str, Attribute); 2]>;
pub(crate) type Types = SmallVec<[TensorType; 1]>;

/// The body of the function.
pub(crate) const TOP: BlockId = 0;

/// Builds one function. All methods take `&self`, so calls nest. Not `Sync`; one thread builds one function.
#[derive(Debug)]
pub struct FuncBuilder {
    state: RefCell<State>,
}

/// A result of an op or an argument of a block: a copyable handle.
#[derive(Clone, Copy)]
pub struct Value<'f> {
    pub(crate) func: &'f FuncBuilder,
    pub(crate) id: ValueId,
}

#[derive(Debug)]
struct State {
    func: Func,
    /// The block that defines each value.
    homes: Vec<BlockId>,
    current: BlockId,
    /// Index into the locations, plus one; 0 for none.
    location: u32,
    constants: HashMap<(TensorType, Bits), ValueId>,
    /// Operand and permutation of each transpose, by its result.
    transposes: HashMap<ValueId, (ValueId, Dims)>,
    error: Option<Error>,
    finished: bool,
}

/// What an op does with bounded dimensions of its operands (see `Value::set_dimension_size`).
pub(crate) enum Bounds {
    Refused,
    /// Results are bounded where any operand is.
    Kept,
    /// As `Kept`, with these axes gone.
    Reduced(Dims),
    /// The results are bounded in the axes of this set whatever the operands are.
    Set(AxisSet),
}

/// Bit `i` stands for axis `i`.
pub(crate) type AxisSet = u64;

/// What the builder appends: an op without its result types.
pub(crate) struct Appended<'f> {
    pub name: &'static str,
    pub operands: SmallVec<[Value<'f>; 4]>,
    pub attributes: Attributes,
    pub regions: SmallVec<[BlockId; 2]>,
    pub bounds: Bounds,
}

impl<'f> Appended<'f> {
    pub fn new(name: &'static str, operands: &[Value<'f>]) -> Self {
        Appended {
            name,
            operands: SmallVec::from_slice(operands),
            attributes: Attributes::new(),
            regions: SmallVec::new(),
            bounds: Bounds::Refused,
        }
    }

    pub fn attribute(mut self, name: &'static str, value: impl Into<Attribute>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    pub fn region(mut self, block: BlockId) -> Self {
        self.regions.push(block);
        self
    }

    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}

impl FuncBuilder {
    /// `name` becomes the module's symbol.
    pub fn new(name: &str) -> Self {
        let func = Func::new(name);
        FuncBuilder {
            state: RefCell::new(State {
                func,
                homes: Vec::new(),
                current: TOP,
                location: 0,
                constants: HashMap::new(),
                transposes: HashMap::new(),
                error: None,
                finished: false,
            }),
        }
    }

    /// Adds an argument of the function; allowed at any time before `finish`.
    pub fn argument(&self, ty: impl Into<TensorType>) -> Value<'_> {
        let state = &mut *self.state.borrow_mut();
        let ty = ty.into();
        let id = state.value(ty.clone(), TOP);
        state.func.argument_types.push(ty);
        state.func.arguments.push(Argument { value: id, donated: false, aliased_output: None });
        Value { func: self, id }
    }

    /// Lets the program reuse the argument's buffer for any result.
    pub fn donate_argument(&self, argument: Value<'_>) {
        self.with_argument(argument, |argument| argument.donated = true);
    }

    /// Makes result `output` live in the argument's buffer.
    pub fn alias_argument(&self, argument: Value<'_>, output: usize) {
        self.with_argument(argument, |argument| argument.aliased_output = Some(output));
    }

    fn with_argument(&self, value: Value<'_>, change: impl FnOnce(&mut Argument)) {
        let found = {
            let state = &mut *self.state.borrow_mut();
            let arguments = &mut state.func.arguments;
            let index = arguments.binary_search_by_key(&value.id, |argument| argument.value).ok();
            index.and_then(|index| arguments.get_mut(index)).map(change).is_some()
        };
        if !found {
            self.reject("func.func", &[value], "an argument of this function".to_owned());
        }
    }

    /// Names the call that the ops appended from now on come from.
    pub fn set_location(&self, op: &str, python: Option<(&str, u32)>) {
        let state = &mut *self.state.borrow_mut();
        let same = |location: &Location| location.op == op && location.python.as_ref().map(|(file, line)| (file.as_str(), *line)) == python;
        if !state.func.locations.last().is_some_and(same) {
            let python = python.map(|(file, line)| (file.to_owned(), line));
            state.func.locations.push(Location { op: op.to_owned(), python });
        }
        state.location = state.func.locations.len() as u32;
    }

    /// Ends the function, or returns the first error of the whole construction. Later appends are errors.
    pub fn finish(&self, results: &[Value<'_>]) -> Result<Func, Error> {
        self.check_operands("func.return", results);
        let state = &mut *self.state.borrow_mut();
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        if state.finished {
            return Err(Error::Finished { op: "func.return", location: state.location() });
        }
        state.finished = true;
        let mut func = std::mem::replace(&mut state.func, Func::new(""));
        func.results = results.iter().map(|value| value.id).collect();
        func.result_types = func.results.iter().map(|&id| func.type_of(id)).collect();
        Ok(func)
    }

    /// The first error so far.
    pub fn error(&self) -> Option<Error> {
        self.state.borrow().error.clone()
    }

    /// Records that `op` broke a rule of its own and returns nothing; use it for checks made by lowering code.
    pub fn reject(&self, op: &'static str, operands: &[Value<'_>], expected: String) {
        let operands = operands.iter().map(|value| value.ty()).collect();
        let state = &mut *self.state.borrow_mut();
        let location = state.location();
        state.fail(Error::Type { op, operands, expected, location });
    }

    /// A value of this type that stands for the result of a rejected op.
    pub fn poisoned(&self, ty: impl Into<TensorType>) -> Value<'_> {
        let state = &mut *self.state.borrow_mut();
        let current = state.current;
        let id = state.value(ty.into(), current);
        Value { func: self, id }
    }

    /// Appends an op with the inferred result types; on an error records it and returns poisoned values of `guess`.
    pub(crate) fn append<'f>(
        &'f self,
        op: Appended<'f>,
        inferred: Result<Types, String>,
        guess: impl FnOnce() -> Types,
    ) -> SmallVec<[Value<'f>; 1]> {
        self.check_operands(op.name, &op.operands);
        let bounded = self.state.borrow().bounded_axes(&op);
        match inferred.and_then(|types| bounded.map(|axes| (types, axes))) {
            Ok((types, axes)) => {
                let state = &mut *self.state.borrow_mut();
                let operands = op.operands.iter().map(|value| value.id).collect();
                let (first, count) = state.push(op.name, operands, op.attributes, op.regions, types);
                if axes != 0 {
                    state.func.bounded.extend((first..first + count).map(|id| (id, axes)));
                }
                (first..first + count).map(|id| Value { func: self, id }).collect()
            }
            Err(expected) => {
                self.reject(op.name, &op.operands, expected);
                guess().into_iter().map(|ty| self.poisoned(ty)).collect()
            }
        }
    }

    /// `append` for an op with one result.
    pub(crate) fn append_one<'f>(
        &'f self,
        op: Appended<'f>,
        inferred: Result<TensorType, String>,
        guess: impl FnOnce() -> TensorType,
    ) -> Value<'f> {
        let results = self.append(op, inferred.map(|ty| smallvec![ty]), || smallvec![guess()]);
        results.first().copied().unwrap_or_else(|| self.poisoned(ElementType::I1))
    }

    /// Appends a constant; equal splats in the function body share one op.
    pub(crate) fn append_constant(&self, constant: Constant) -> Value<'_> {
        let state = &mut *self.state.borrow_mut();
        let shared = match &constant.data {
            ConstantData::Splat(bits) => Some((constant.ty.clone(), *bits)),
            ConstantData::Dense(_) => None,
        };
        if let Some(key) = &shared
            && let Some(&id) = state.constants.get(key)
            && state.scope(id) == Scope::Visible
        {
            return Value { func: self, id };
        }
        let attributes = smallvec![("value", Attribute::Constant(constant.clone()))];
        let (id, _) = state.push("stablehlo.constant", SmallVec::new(), attributes, SmallVec::new(), smallvec![constant.ty]);
        if let Some(key) = shared
            && state.current == TOP
        {
            state.constants.insert(key, id);
        }
        Value { func: self, id }
    }

    /// Runs `body` in a new block and closes it with `stablehlo.return`; gives the block and the returned values.
    /// An isolated block may not use values from outside.
    pub(crate) fn region<'f>(
        &'f self,
        arguments: &[TensorType],
        isolated: bool,
        body: impl FnOnce(&[Value<'f>]) -> Vec<Value<'f>>,
    ) -> (BlockId, Vec<Value<'f>>) {
        let (block, outer, inputs) = {
            let state = &mut *self.state.borrow_mut();
            let outer = state.current;
            let block = state.func.blocks.len() as BlockId;
            let ids: Vec<ValueId> = arguments.iter().map(|ty| state.value(ty.clone(), block)).collect();
            let inputs: Vec<Value<'f>> = ids.iter().map(|&id| Value { func: self, id }).collect();
            state.func.blocks.push(Block { arguments: ids, ops: Vec::new(), parent: Some(outer), isolated });
            state.current = block;
            (block, outer, inputs)
        };
        let returned = body(&inputs);
        self.append(Appended::new("stablehlo.return", &returned), Ok(Types::new()), Types::new);
        self.state.borrow_mut().current = outer;
        (block, returned)
    }

    fn check_operands(&self, op: &'static str, operands: &[Value<'_>]) {
        let state = &mut *self.state.borrow_mut();
        for operand in operands {
            let scope = if std::ptr::eq(operand.func, self) { state.scope(operand.id) } else { Scope::Gone };
            if scope == Scope::Visible {
                continue;
            }
            let value = if std::ptr::eq(operand.func, self) { state.func.type_of(operand.id) } else { operand.ty() };
            let location = state.location();
            state.fail(match scope {
                Scope::Captured => Error::Captured { op, value, location },
                _ => Error::OutOfScope { op, value, location },
            });
        }
        if state.finished {
            let location = state.location();
            state.fail(Error::Finished { op, location });
        }
    }
}

#[derive(PartialEq, Eq)]
enum Scope {
    Visible,
    Captured,
    Gone,
}

impl State {
    fn value(&mut self, ty: TensorType, home: BlockId) -> ValueId {
        self.func.types.push(ty);
        self.homes.push(home);
        self.func.types.len() as ValueId - 1
    }

    fn push(
        &mut self,
        name: &'static str,
        operands: SmallVec<[ValueId; 4]>,
        attributes: Attributes,
        regions: SmallVec<[BlockId; 2]>,
        types: Types,
    ) -> (ValueId, u32) {
        let first = self.func.types.len() as ValueId;
        let count = types.len() as u32;
        let current = self.current;
        for ty in types {
            self.value(ty, current);
        }
        let id = self.func.ops.len() as u32;
        let location = self.location;
        self.func.ops.push(Op { name, operands, attributes, regions, first_result: first, result_count: count, location });
        if let Some(block) = self.func.blocks.get_mut(current as usize) {
            block.ops.push(id);
        }
        (first, count)
    }

    /// The bounded axes of the op's results.
    fn bounded_axes(&self, op: &Appended<'_>) -> Result<AxisSet, String> {
        let operands = || op.operands.iter().filter_map(|value| self.func.bounded.get(&value.id));
        match &op.bounds {
            Bounds::Set(axes) => Ok(*axes),
            _ if self.func.bounded.is_empty() => Ok(0),
            Bounds::Refused if operands().next().is_none() => Ok(0),
            Bounds::Refused => Err("operands without bounded dimensions (see clear_dimension_size)".to_owned()),
            Bounds::Kept => Ok(operands().fold(0, |axes, operand| axes | operand)),
            Bounds::Reduced(reduced) => {
                let axes = operands().fold(0, |axes, operand| axes | operand);
                let kept = (0..64).filter(|&axis| !reduced.contains(&i64::from(axis)));
                Ok((0u32..).zip(kept).fold(0, |result, (to, from)| result | ((axes >> from) & 1) << to))
            }
        }
    }

    /// Walks from the current block outwards to the block that defines the value.
    fn scope(&self, value: ValueId) -> Scope {
        let Some(&home) = self.homes.get(value as usize) else { return Scope::Gone };
        let mut crossed_isolated = false;
        let mut block = self.current;
        while block != home {
            let Some(Block { parent: Some(parent), isolated, .. }) = self.func.blocks.get(block as usize) else {
                return Scope::Gone;
            };
            crossed_isolated |= isolated;
            block = *parent;
        }
        if crossed_isolated { Scope::Captured } else { Scope::Visible }
    }

    fn location(&self) -> Option<Box<Location>> {
        let index = (self.location as usize).checked_sub(1)?;
        self.func.locations.get(index).cloned().map(Box::new)
    }

    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }
}

impl<'f> Value<'f> {
    pub fn func(self) -> &'f FuncBuilder {
        self.func
    }

    pub fn ty(self) -> TensorType {
        self.func.state.borrow().func.type_of(self.id)
    }

    pub fn element(self) -> ElementType {
        self.func.state.borrow().func.element_of(self.id)
    }

    pub fn dims(self) -> Dims {
        self.ty().dims
    }

    pub fn rank(self) -> usize {
        self.func.state.borrow().func.types.get(self.id as usize).map_or(0, TensorType::rank)
    }

    /// What this value is a transpose of, and by which permutation. A product that contracts the operand's own
    /// dimension needs no transpose.
    pub fn transposed_from(self) -> Option<(Value<'f>, Dims)> {
        let state = self.func.state.borrow();
        let (id, permutation) = state.transposes.get(&self.id)?;
        Some((Value { func: self.func, id: *id }, permutation.clone()))
    }

    pub(crate) fn is_transpose_of(self, operand: Value<'f>, permutation: &[i64]) {
        self.func.state.borrow_mut().transposes.insert(self.id, (operand.id, permutation.into()));
    }

    pub(crate) fn bounded_axes(self) -> AxisSet {
        self.func.state.borrow().func.bounded.get(&self.id).copied().unwrap_or(0)
    }

    /// Number of elements.
    pub fn numel(self) -> i64 {
        self.func.state.borrow().func.types.get(self.id as usize).map_or(1, TensorType::numel)
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "value {} : {}", self.id, self.ty())
    }
}
