//! A finished function: plain data, `Send + Sync`, that prints and counts itself.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::builder::{Attributes, AxisSet, BlockId, ValueId};
use crate::{ElementType, Location, TensorType, print};

/// One StableHLO module with a single public function `main`.
#[derive(Clone, Debug)]
pub struct Func {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) argument_types: Vec<TensorType>,
    pub(crate) results: Vec<ValueId>,
    pub(crate) result_types: Vec<TensorType>,
    /// The type of each value.
    pub(crate) types: Vec<TensorType>,
    /// The axes whose size is only an upper bound, of the few values that have such.
    pub(crate) bounded: BTreeMap<ValueId, AxisSet>,
    pub(crate) ops: Vec<Op>,
    /// The first block is the function's body.
    pub(crate) blocks: Vec<Block>,
    pub(crate) locations: Vec<Location>,
}

#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub value: ValueId,
    pub donated: bool,
    pub aliased_output: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub name: &'static str,
    pub operands: SmallVec<[ValueId; 4]>,
    pub attributes: Attributes,
    pub regions: SmallVec<[BlockId; 2]>,
    pub first_result: ValueId,
    pub result_count: u32,
    /// Index into the locations, plus one; 0 for none.
    pub location: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub arguments: Vec<ValueId>,
    pub ops: Vec<u32>,
    pub parent: Option<BlockId>,
    pub isolated: bool,
}

impl Func {
    pub(crate) fn new(name: &str) -> Self {
        Func {
            name: name.to_owned(),
            arguments: Vec::new(),
            argument_types: Vec::new(),
            results: Vec::new(),
            result_types: Vec::new(),
            types: Vec::new(),
            bounded: BTreeMap::new(),
            ops: Vec::new(),
            blocks: vec![Block { arguments: Vec::new(), ops: Vec::new(), parent: None, isolated: true }],
            locations: Vec::new(),
        }
    }

    /// Canonical MLIR text without locations: the same calls give the same text.
    pub fn text(&self) -> String {
        print::text(self, false)
    }

    /// The same text with the ATen overload and Python line of every op.
    pub fn text_with_locations(&self) -> String {
        print::text(self, true)
    }

    /// Types of the arguments, in the order they were added.
    pub fn arguments(&self) -> &[TensorType] {
        &self.argument_types
    }

    pub fn results(&self) -> &[TensorType] {
        &self.result_types
    }

    /// Number of ops, those inside regions included and terminators left out.
    pub fn op_count(&self) -> usize {
        self.computing_ops().count()
    }

    /// How often each op occurs.
    pub fn op_histogram(&self) -> BTreeMap<&'static str, usize> {
        let mut histogram = BTreeMap::new();
        for op in self.computing_ops() {
            *histogram.entry(op.name).or_default() += 1;
        }
        histogram
    }

    fn computing_ops(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().filter(|op| op.name != "stablehlo.return")
    }

    /// A value of a finished builder has no type any more: `tensor<i1>` stands in, and the builder holds an error.
    pub(crate) fn type_of(&self, value: ValueId) -> TensorType {
        self.types.get(value as usize).cloned().unwrap_or_else(|| TensorType::scalar(ElementType::I1))
    }

    pub(crate) fn element_of(&self, value: ValueId) -> ElementType {
        self.types.get(value as usize).map_or(ElementType::I1, |ty| ty.element)
    }
}
