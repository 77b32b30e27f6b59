//! A signature: everything about a call that shapes its program. Made once, looked up by its words afterwards.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use aten::{Call, CallArgument, Environment, HostScalar, Infer, LowerError, Lowering, ScalarParameter, TensorMeta};
use parking_lot::RwLock;
use smallvec::SmallVec;
use stablehlo::{Dims, ElementType, FuncBuilder, TensorType, Value};
use view::{ReadPlan, ValueLayout, View, WritePlan, plan_fresh, plan_read, plan_write};

use crate::call_site::CallSite;
use crate::encoding::{Decoded, DecodedCall, decode, offset_positions};
use crate::form::Form;
use crate::layout::Layout;
use crate::{Error, Result};

/// One device tensor of a call, in the order of the call's storages.
#[derive(Debug)]
pub(crate) struct TensorInput {
    pub view: View,
    /// How the row's array is read; `None` when the row does not read it or the storage is unwritten.
    read: Option<ReadPlan>,
    /// Some row argument takes the array (if the storage is unwritten, as zeros).
    wanted: bool,
}

/// Where a result goes.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A new storage of `bytes` bytes, in the physical order of the announced strides.
    Fresh { view: View, bytes: u64 },
    /// Through the view of device tensor `tensor` of the call.
    Write { tensor: usize },
}

/// One result of a call.
#[derive(Debug)]
pub(crate) struct Output {
    pub layout: Layout,
    pub destination: Destination,
    plan: WritePlan,
}

impl Output {
    /// Where the view starts that the result is written through.
    fn starts(&self) -> Dims {
        match self.destination {
            Destination::Write { .. } => self.plan.starts(),
            Destination::Fresh { .. } => Dims::new(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Signature {
    /// Identifies the signature within the process.
    pub id: u64,
    /// Hash of what torch asked (form and words): the same in every process.
    pub content: u64,
    pub form: &'static Form,
    pub call: Call,
    pub environment: Environment,
    /// Where the first call of this signature was made.
    pub first_called_at: Option<CallSite>,
    pub inputs: Vec<TensorInput>,
    /// Whether the program reads each device tensor's storage, to compute or to write around.
    pub reads: Vec<bool>,
    /// In schema order, list results flattened; `None` for an undefined one.
    pub outputs: Vec<Option<Output>>,
    /// Whether each output is handed back; the others are written through an argument, if they are defined.
    pub returned: Vec<bool>,
    /// Layouts of all values that the call produces: outputs, then counts, then two per check.
    pub results: Vec<Layout>,
    /// Exception and message of each device check, with `{}` for the offending value.
    pub checks: Vec<(aten::Exception, String)>,
    /// The row gives one count per output (`Infer::Bound`).
    pub bounded: bool,
    /// Set if the program takes where the call's views start as numbers.
    moving: Option<Moving>,
    announced: Vec<Option<TensorMeta>>,
    /// Positions in `inputs` of the functional call's device tensors, in its argument order.
    order: Vec<usize>,
}

/// What a call looks like: its words, what each of its storages holds, and how many of its numbers vary.
pub(crate) struct Seen<'a> {
    pub words: &'a [u64],
    pub layouts: &'a [Option<Layout>],
    pub bytes: &'a [u64],
    pub scalars: usize,
}

/// How the starts of views are passed: as numbers after the call's own, the first at `position`.
#[derive(Debug, Clone, Copy)]
struct Moving {
    position: usize,
    element: ElementType,
}

/// What lowering one call produced.
pub(crate) struct LoweredCall<'f> {
    /// In the order of `Signature::results`.
    pub results: Vec<Value<'f>>,
    /// The numbers that the program takes as arguments, in the order in which they were added.
    pub scalars: Vec<ScalarParameter>,
}

/// What programs are compiled for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub target: aten::Target,
    pub host_kernels: aten::HostKernels,
}

/// Announced metadata of one functional result, as PyTorch's meta kernel gave it.
pub(crate) type Announced = Option<View>;

impl Signature {
    /// Describes a new signature: plans its reads and writes and lowers it once, so that a call that no
    /// program can serve fails here. `precision` goes before torch's own setting. With `moves`, the signature serves
    /// every call that differs in where its views start in their storages; `None` if nothing can.
    pub(crate) fn define(
        form: &'static Form,
        seen: &Seen<'_>,
        metas: &[Announced],
        machine: Machine,
        precision: Option<stablehlo::Precision>,
        moves: bool,
    ) -> Result<Option<Self>> {
        let &Seen { words, layouts, bytes, scalars } = seen;
        let DecodedCall { default_float, precision: torch_precision, arguments: schema } = decode(words)?;
        let environment = Environment {
            target: machine.target,
            host_kernels: machine.host_kernels,
            precision: precision.unwrap_or(torch_precision),
            default_float,
        };
        let (call, order, starts) = functional_call(form, &schema)?;
        let views: Vec<View> = schema.iter().flat_map(|d| d.views.iter().cloned()).collect();
        if views.len() != layouts.len() {
            return Err(Error::internal(format!("{} has {} storages, its words {}", form.name, layouts.len(), views.len())));
        }
        let bases = bases(&views, layouts, bytes);
        let refused = |why: view::ViewError| Error::View { call: call.to_string(), why: why.to_string() };

        let wanted = wanted_tensors(form, &call, &order, views.len());
        let mut inputs = Vec::with_capacity(views.len());
        for (tensor, view) in views.iter().enumerate() {
            let read = match layouts[tensor] {
                Some(_) if wanted[tensor] => Some(plan_read(view, &bases[tensor]).map_err(refused)?),
                _ => None,
            };
            inputs.push(TensorInput { view: view.clone(), read, wanted: wanted[tensor] });
        }

        let inferred = infer_by_row(&call)?;
        let bounded = inferred.is_some() && matches!(form.row.infer, Infer::Bound(_));
        let mut announced = inferred.unwrap_or_else(|| metas.to_vec());
        let schema_results = announced.len();
        for argument in form.row.updates {
            announced.push(match call.arguments.get(*argument) {
                Some(CallArgument::Tensor(t)) => Some(View::contiguous(&t.meta.dims, t.meta.element)),
                _ => None,
            });
        }
        let targets = flat_targets(form, &schema, &starts, schema_results);
        let returned = (0..announced.len()).map(|index| targets.iter().all(|(result, _)| *result != index)).collect();
        let mut outputs = Vec::with_capacity(announced.len());
        for (index, view) in announced.iter().enumerate() {
            let Some(view) = view else {
                outputs.push(None);
                continue;
            };
            let (destination, plan) = match targets.iter().find(|(result, _)| *result == index) {
                Some((_, tensor)) => {
                    (Destination::Write { tensor: *tensor }, plan_write(&views[*tensor], &bases[*tensor]).map_err(refused)?)
                }
                None => {
                    let plan = plan_fresh(view).map_err(refused)?;
                    let bytes = Layout::new(plan.result_layout().clone()).bytes();
                    (Destination::Fresh { view: view.clone(), bytes }, plan)
                }
            };
            outputs.push(Some(Output { layout: Layout::new(plan.result_layout().clone()), destination, plan }));
        }
        let reads = (0..views.len())
            .map(|tensor| {
                inputs[tensor].read.is_some()
                    || layouts[tensor].is_some()
                        && outputs
                            .iter()
                            .flatten()
                            .any(|o| matches!(o.destination, Destination::Write { tensor: t } if t == tensor && o.plan.needs_base()))
            })
            .collect();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut signature = Self {
            id: NEXT.fetch_add(1, Relaxed),
            content: foldhash::fast::FixedState::default().hash_one((&form.name, without_offsets(words))),
            form,
            bounded,
            moving: None,
            announced: announced.iter().map(|v| v.as_ref().map(|v| TensorMeta::new(v.element, &v.sizes))).collect(),
            call,
            environment,
            first_called_at: None,
            inputs,
            reads,
            outputs,
            returned,
            results: Vec::new(),
            checks: Vec::new(),
            order,
        };
        if moves {
            if signature.starts().next().is_none() {
                return Ok(None);
            }
            let long = bases.iter().flat_map(|base| &base.dims).any(|&size| i32::try_from(size).is_err());
            signature.moving = Some(Moving { position: scalars, element: if long { ElementType::I64 } else { ElementType::I32 } });
        }
        signature.try_lowering(&bases)?;
        Ok(Some(signature))
    }

    /// Where the views start, of reads and then of writes.
    fn starts(&self) -> impl Iterator<Item = i64> {
        let reads = self.inputs.iter().filter_map(|input| input.read.as_ref()).flat_map(ReadPlan::starts);
        reads.chain(self.outputs.iter().flatten().flat_map(Output::starts))
    }

    /// The numbers that a call adds to its own when a signature that moves serves it; `None` if it cannot.
    pub(crate) fn starts_of(&self, seen: &Seen<'_>) -> Option<SmallVec<[HostScalar; 8]>> {
        let views: SmallVec<[View; 6]> = decode(seen.words).ok()?.arguments.into_iter().flat_map(|argument| argument.views).collect();
        let bases = bases(&views, seen.layouts, seen.bytes);
        let mut starts = SmallVec::new();
        let mut add = |all: Dims| starts.extend(all.into_iter().map(HostScalar::Int));
        for (input, (view, base)) in self.inputs.iter().zip(views.iter().zip(&bases)) {
            if let Some(expected) = &input.read {
                let plan = plan_read(view, base).ok().filter(|plan| plan.moves_like(expected))?;
                add(plan.starts());
            }
        }
        for output in self.outputs.iter().flatten() {
            if let Destination::Write { tensor } = output.destination {
                let plan = plan_write(&views[tensor], &bases[tensor]).ok().filter(|plan| plan.moves_like(&output.plan))?;
                add(plan.starts());
            }
        }
        Some(starts)
    }

    /// Lowers the call into a scratch function: what it cannot do is known before anything is recorded.
    fn try_lowering(&mut self, bases: &[ValueLayout]) -> Result<()> {
        let func = FuncBuilder::new("main");
        let values: Vec<Option<Value<'_>>> =
            bases.iter().zip(&self.reads).map(|(layout, reads)| reads.then(|| func.argument(tensor_type(layout)))).collect();
        let state = self.form.row.random.then(|| func.argument(random_state_type()));
        let (lowered, checks) = self.lower_with_checks(&func, &values, state)?;
        let results: Vec<Layout> =
            lowered.results.iter().map(|value| Layout::new(ValueLayout { dims: value.dims(), element: value.element() })).collect();
        func.finish(&lowered.results).map_err(|why| self.unsupported(why))?;
        self.results = results;
        self.checks = checks;
        Ok(())
    }

    /// Appends the call to `func`. `values` holds the storage value of each device tensor that the signature
    /// `reads`; `random_state` is ui64[2] for a random row.
    pub(crate) fn lower<'f>(
        &self,
        func: &'f FuncBuilder,
        values: &[Option<Value<'f>>],
        random_state: Option<Value<'f>>,
    ) -> Result<LoweredCall<'f>> {
        self.lower_with_checks(func, values, random_state).map(|(lowered, _)| lowered)
    }

    fn lower_with_checks<'f>(
        &self,
        func: &'f FuncBuilder,
        values: &[Option<Value<'f>>],
        random_state: Option<Value<'f>>,
    ) -> Result<(LoweredCall<'f>, Vec<(aten::Exception, String)>)> {
        func.set_location(self.form.row.name, None);
        let mut scalars = Vec::new();
        let mut starts: VecDeque<Value<'f>> = VecDeque::new();
        if let Some(Moving { position, element }) = self.moving {
            for place in 0..self.starts().count() {
                scalars.push(ScalarParameter { position: position + place, element });
                starts.push_back(func.argument(TensorType { element, dims: Dims::new() }));
            }
        }
        let mut take = |count: usize| -> SmallVec<[Value<'f>; 6]> { starts.drain(..count).collect() };
        let read_starts: Vec<SmallVec<[Value<'f>; 6]>> = self
            .inputs
            .iter()
            .map(|input| match &input.read {
                Some(plan) if self.moving.is_some() => take(plan.starts().len()),
                _ => SmallVec::new(),
            })
            .collect();
        let tensors = self
            .order
            .iter()
            .map(|tensor| {
                let input = &self.inputs[*tensor];
                match (&input.read, values[*tensor]) {
                    (Some(plan), Some(value)) if self.moving.is_some() => Some(plan.emit_at(value, &read_starts[*tensor])),
                    (Some(plan), Some(value)) => Some(plan.emit(value)),
                    _ if input.wanted => Some(zeros(func, &ValueLayout { dims: input.view.sizes.clone(), element: input.view.element })),
                    _ => None,
                }
            })
            .collect();
        let lowering = Lowering::new(func, self.environment, &self.call, tensors, &self.announced, random_state);
        let lowered = self.call.row.lower(&lowering).map_err(|why| match why {
            LowerError::Refused(why) => Error::Refused(why),
            why => self.unsupported(why),
        })?;
        let mut results = Vec::with_capacity(self.results.len());
        for (index, output) in self.outputs.iter().enumerate() {
            let Some(output) = output else { continue };
            let Some(value) = lowered.get(index).copied().flatten() else {
                return Err(self.unsupported(format!("the row gave no result {index}")));
            };
            let base = match output.destination {
                Destination::Write { tensor } if output.plan.needs_base() => values[tensor],
                _ => None,
            };
            let update = match output.destination {
                Destination::Write { tensor } => {
                    let view = &self.inputs[tensor].view;
                    value.convert(view.element).broadcast_to(&view.sizes)
                }
                Destination::Fresh { .. } => value,
            };
            let base = base.or_else(|| match &output.plan.write {
                view::Write::Through { base, .. } if output.plan.needs_base() => Some(zeros(func, base)),
                _ => None,
            });
            results.push(match self.moving {
                Some(_) if !output.starts().is_empty() => output.plan.emit_at(base, update, &take(output.starts().len())),
                _ => output.plan.emit(base, update),
            });
        }
        if self.bounded {
            results.extend(lowered.iter().skip(self.announced.len()).flatten().copied());
        }
        let mut messages = Vec::new();
        for check in lowering.take_checks() {
            results.push(check.failed);
            results.push(check.value);
            messages.push((check.exception, check.message));
        }
        scalars.extend(lowering.scalar_parameters().into_iter().map(|(parameter, _)| parameter));
        Ok((LoweredCall { results, scalars }, messages))
    }

    fn unsupported(&self, why: impl std::fmt::Display) -> Error {
        Error::Unsupported { call: self.call.to_string(), why: why.to_string() }
    }
}

/// The type of a storage value.
pub(crate) fn tensor_type(layout: &ValueLayout) -> TensorType {
    TensorType { element: layout.element, dims: layout.dims.clone() }
}

/// The type of a random state.
pub(crate) fn random_state_type() -> TensorType {
    TensorType { element: stablehlo::ElementType::U64, dims: Dims::from_slice(&[2]) }
}

fn zeros<'f>(func: &'f FuncBuilder, layout: &ValueLayout) -> Value<'f> {
    func.constant_i64(layout.element, 0).broadcast_to(&layout.dims)
}

/// The shape in which an unwritten storage is written for the first time: the view's own if it covers all
/// bytes, else a flat array of the view's dtype.
fn unwritten_layout(view: &View, bytes: u64) -> ValueLayout {
    let size = view.element.size_in_bytes() as i64;
    ValueLayout { dims: Dims::from_slice(&[bytes as i64 / size.max(1)]), element: view.element }
}

/// What each storage holds, or is to hold.
fn bases(views: &[View], layouts: &[Option<Layout>], bytes: &[u64]) -> Vec<ValueLayout> {
    let held = layouts.iter().zip(bytes);
    let base = |(view, (layout, bytes)): (&View, (&Option<Layout>, &u64))| match layout {
        Some(layout) => layout.value().clone(),
        None => unwritten_layout(view, *bytes),
    };
    views.iter().zip(held).map(base).collect()
}

/// The words of every call that differs in where its views start.
fn without_offsets(words: &[u64]) -> Vec<u64> {
    let mut words = words.to_vec();
    for position in offset_positions(&words) {
        words[position] = 0;
    }
    words
}

/// The functional call of a form, the positions of its device tensors among the schema's, and where each
/// schema argument's device tensors start.
fn functional_call(form: &'static Form, schema: &[Decoded]) -> Result<(Call, Vec<usize>, Vec<usize>)> {
    let mut starts = Vec::with_capacity(schema.len());
    let mut next = 0;
    for decoded in schema {
        starts.push(next);
        next += decoded.views.len();
    }
    let mut arguments = Vec::with_capacity(form.argument_map.len());
    let mut order = Vec::new();
    for source in &form.argument_map {
        let Some(source) = *source else {
            arguments.push(CallArgument::Absent);
            continue;
        };
        let decoded = schema.get(source).ok_or_else(|| Error::internal(format!("{} has no argument {source}", form.name)))?;
        order.extend(starts[source]..starts[source] + decoded.views.len());
        arguments.push(decoded.argument.clone());
    }
    Ok((Call { row: form.row, arguments }, order, starts))
}

/// Which device tensors the row takes as arrays.
fn wanted_tensors(form: &Form, call: &Call, order: &[usize], count: usize) -> Vec<bool> {
    let mut wanted = vec![false; count];
    let mut next = order.iter();
    for (index, argument) in call.arguments.iter().enumerate() {
        let tensors = match argument {
            CallArgument::Tensor(t) => usize::from(t.host.is_none()),
            CallArgument::Tensors(list) => list.iter().flatten().filter(|t| t.host.is_none()).count(),
            _ => 0,
        };
        for tensor in next.by_ref().take(tensors) {
            wanted[*tensor] |= !form.row.shape_only.contains(&index);
        }
    }
    wanted
}

/// (flattened result, device tensor) of everything that is written through an argument.
fn flat_targets(form: &Form, schema: &[Decoded], starts: &[usize], schema_results: usize) -> Vec<(usize, usize)> {
    let mut targets = Vec::new();
    let mut flat = 0;
    for (result, argument) in &form.targets {
        let Some(decoded) = schema.get(*argument) else { continue };
        match decoded.argument {
            CallArgument::Tensors(_) => {
                for k in 0..decoded.views.len() {
                    targets.push((flat, starts[*argument] + k));
                    flat += 1;
                }
            }
            _ => {
                flat = flat.max(*result);
                if !decoded.views.is_empty() {
                    targets.push((flat, starts[*argument]));
                }
                flat += 1;
            }
        }
    }
    for (k, argument) in form.row.updates.iter().enumerate() {
        if let Some(Some(source)) = form.argument_map.get(*argument)
            && schema.get(*source).is_some_and(|d| !d.views.is_empty())
        {
            targets.push((schema_results + k, starts[*source]));
        }
    }
    targets
}

/// A few kilobytes each.
const MOST_SIGNATURES: usize = 32_768;

/// All signatures of a session by their key: form, words, and what each storage held.
#[derive(Default)]
pub(crate) struct Signatures {
    exact: RwLock<HashMap<Box<[u64]>, Arc<Signature>, foldhash::fast::FixedState>>,
    /// By the key without offsets.
    families: RwLock<HashMap<Box<[u64]>, Family, foldhash::fast::FixedState>>,
}

/// The calls that differ in where their views start.
#[derive(Default)]
struct Family {
    /// How many have a signature of their own.
    exact: usize,
    /// Serves the others.
    moving: Option<Arc<Signature>>,
}

/// Offsets that get programs of their own, in which slices are constant, before one program serves all others. A split
/// into queries, keys and values has 3.
const EXACT_OFFSETS: usize = 4;

impl Signatures {
    pub(crate) fn get(&self, key: &[u64]) -> Option<Arc<Signature>> {
        self.exact.read().get(key).cloned()
    }

    /// The signature that serves calls of the family wherever their views start.
    pub(crate) fn moving(&self, family: &[u64]) -> Option<Arc<Signature>> {
        self.families.read().get(family)?.moving.clone()
    }

    /// Whether the next signature of the family is to be one that moves.
    pub(crate) fn wants_moving(&self, family: &[u64]) -> bool {
        self.families.read().get(family).is_some_and(|family| family.exact >= EXACT_OFFSETS && family.moving.is_none())
    }

    pub(crate) fn insert_moving(&self, family: &[u64], signature: Signature) {
        self.families.write().entry(family.into()).or_default().moving = Some(Arc::new(signature));
    }

    /// Beyond `MOST_SIGNATURES`, as sizes that never come back may make them, all are forgotten: they are cheap to define
    /// again, and to tell which are used would cost every call.
    pub(crate) fn insert(&self, key: &[u64], family: &[u64], signature: Signature) {
        let mut exact = self.exact.write();
        let mut families = self.families.write();
        let forgotten = (exact.len() >= MOST_SIGNATURES).then(|| (std::mem::take(&mut *exact), std::mem::take(&mut *families)));
        exact.insert(key.into(), Arc::new(signature));
        families.entry(family.into()).or_default().exact += 1;
        drop((exact, families));
        drop(forgotten);
    }
}

/// The results that the row announces itself; `None` when the meta kernel is to be asked.
fn infer_by_row(call: &Call) -> Result<Option<Vec<Announced>>> {
    let metas = match call.row.infer {
        Infer::Meta => return Ok(None),
        Infer::Rule(rule) | Infer::Bound(rule) => {
            rule(call).map_err(|why| Error::Unsupported { call: call.to_string(), why: why.to_string() })?
        }
    };
    if metas.is_empty() && matches!(call.row.infer, Infer::Bound(_)) {
        return Ok(None);
    }
    let view = |meta: TensorMeta| View::contiguous(&meta.dims, meta.element);
    Ok(Some(metas.into_iter().map(|meta| meta.map(view)).collect()))
}

/// Whether the row announces the results of this call itself.
pub(crate) fn infers(form: &'static Form, words: &[u64]) -> Result<bool> {
    let (call, ..) = functional_call(form, &decode(words)?.arguments)?;
    Ok(infer_by_row(&call)?.is_some())
}

/// Sizes of result `index` as the row announces them; `None` if it is undefined or depends on data.
pub(crate) fn inferred_sizes(form: &'static Form, words: &[u64], index: usize) -> Result<Option<Dims>> {
    let (call, ..) = functional_call(form, &decode(words)?.arguments)?;
    if matches!(form.row.infer, Infer::Bound(_)) {
        return Ok(None);
    }
    let announced = infer_by_row(&call)?.unwrap_or_default();
    Ok(announced.into_iter().nth(index).flatten().map(|view| view.sizes))
}
