//! The eager path on one page: a call from torch, its signature, the window, the program, the launch.
//!
//! `call` -> `record` -> (policy) -> `run` -> `launch`, which submits to `launcher.rs`. Everything else in this crate serves
//! one of these steps.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use aten::HostScalar;
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use stablehlo::Dims;
use view::View;

use crate::call_site::FindCallSite;
use crate::check::{PendingCheck, PendingChecks};
use crate::counters::Counters;
use crate::encoding::offset_positions;
use crate::event::Mark;
use crate::explain::CompileRecord;
use crate::form::Forms;
use crate::graph::{refuse_in_capture, with_recording};
use crate::launcher::{Argument, Launch, Launcher, Promised, Runner, Work};
use crate::layout::Layout;
use crate::memory::{BufferHandle, DeviceBuffer, MemoryAccount};
use crate::open::memory_limit;
use crate::program::{Parameter, Program, Programs};
use crate::queue::LaunchQueue;
use crate::random::random_state;
use crate::settings::{Mode, Precision, Settings};
use crate::signature::{Destination, Machine, Seen, Signature, Signatures};
use crate::storage::{Storage, Value, restore_lost_values};
use crate::transfer::ScalarBuffers;
use crate::window::{Window, WindowRun};
use crate::{Error, Result};

/// One call as the glue hands it over. `words` are described in `encoding.rs`.
#[derive(Debug, Clone, Copy)]
pub struct CallFrame<'a, S> {
    pub form: u32,
    pub device: u32,
    pub words: &'a [u64],
    /// The call's device tensors in the order of the words.
    pub storages: &'a [S],
    /// The numbers that vary, in the order of the words.
    pub scalars: &'a [HostScalar],
    /// Seed of the generator and number of draws before this one, for a random row.
    pub random: (u64, u64),
}

/// Metadata of a functional result as PyTorch's meta kernel announced it; `None` when undefined.
pub type MetaView = Option<View>;

/// A result to be wrapped into a tensor.
#[derive(Debug)]
pub struct OutputRef<'a> {
    pub storage: Arc<Storage>,
    pub view: &'a View,
    /// Storage size in bytes.
    pub bytes: u64,
    /// The size that the data decided and its dimension (`Infer::Bound`); `None` keeps the view's sizes.
    pub count: Option<(usize, i64)>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    Done,
    /// First call of this signature: infer its results, `define` it, and call again.
    UnknownSignature,
}

pub(crate) struct DeviceState {
    pub index: u32,
    pub device: pjrt::Device,
    pub memory: Arc<MemoryAccount>,
    /// Bytes of memory that the device has; `u64::MAX` if no one tells.
    memory_limit: u64,
    runner: Arc<Runner>,
    pub launcher: Arc<Launcher>,
    pub checks: PendingChecks,
    /// The open window: the fused policy's, or the group's that is being recorded.
    window: Mutex<Window>,
}

/// An open client and everything that runs on it. `Send + Sync`: parts are behind locks of their own, none of
/// which is held over a plugin call.
pub struct Session {
    pub(crate) client: pjrt::Client,
    pub(crate) devices: Vec<DeviceState>,
    pub(crate) scalars: ScalarBuffers,
    counters: Counters,
    forms: &'static Forms,
    signatures: Signatures,
    programs: Programs,
    machine: Machine,
    mode: AtomicU8,
    precision: AtomicU8,
    find_call_site: FindCallSite,
}

/// Whether a signature's key tells where the call's views start in their storages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offsets {
    Kept,
    Left,
}

/// What a thread keeps from call to call: the strict policy's window, which holds one call at a time, how many groups are
/// open, and room for a signature's key.
#[derive(Default)]
struct ThreadWindows {
    strict: Window,
    group_depth: usize,
    key: Vec<u64>,
}

thread_local! {
    static WINDOWS: RefCell<ThreadWindows> = RefCell::default();
}

impl Session {
    pub(crate) fn new(client: pjrt::Client, programs: Programs, machine: Machine, forms: &'static Forms, settings: Settings) -> Self {
        let several = client.addressable_devices().len() > 1;
        let devices = (0u32..)
            .zip(client.addressable_devices())
            .map(|(index, device)| {
                let memory = Arc::default();
                let runner = Arc::new(Runner {
                    device: several.then(|| device.clone()),
                    memory: Arc::clone(&memory),
                    queue: LaunchQueue::default(),
                });
                DeviceState {
                    index,
                    device: device.clone(),
                    memory,
                    memory_limit: memory_limit(&client, device).unwrap_or(u64::MAX),
                    launcher: Arc::new(Launcher::new(Arc::clone(&runner))),
                    runner,
                    checks: PendingChecks::default(),
                    window: Mutex::new(Window::on(index)),
                }
            })
            .collect();
        Self {
            client,
            devices,
            scalars: ScalarBuffers::default(),
            counters: Counters::default(),
            forms,
            signatures: Signatures::default(),
            programs,
            machine,
            mode: AtomicU8::new(settings.mode as u8),
            precision: AtomicU8::new(0),
            find_call_site: settings.find_call_site,
        }
    }

    /// Runs or records one call. `emit` gets each fresh result in schema order, `None` for an undefined one;
    /// results that are written through an argument are not emitted.
    pub fn call<S: Deref<Target = Arc<Storage>>>(
        &self,
        frame: CallFrame<'_, S>,
        mut emit: impl FnMut(Option<OutputRef<'_>>),
    ) -> Result<CallStatus> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        if self.mode() != Mode::Fused && !in_group() {
            // What a joining group left open comes before this call.
            self.flush(frame.device)?;
        }
        let values: SmallVec<[Value; 6]> = frame.storages.iter().map(|storage| storage.value()).collect();
        let Some((signature, starts)) = self.lookup(&frame, &values) else { return Ok(CallStatus::UnknownSignature) };
        let moved: SmallVec<[HostScalar; 8]>;
        let mut frame = frame;
        if !starts.is_empty() {
            moved = frame.scalars.iter().copied().chain(starts).collect();
            frame.scalars = &moved;
        }
        Counters::add(&self.counters.calls, 1);
        tracing::trace!(target: "call", "{}", signature.call);
        let random = signature.form.row.random.then(|| random_state(frame.random.0, frame.random.1));
        let (fresh, counts) = self.record(&signature, &frame, values, random)?;
        for (index, (output, storage)) in signature.outputs.iter().zip(fresh).enumerate() {
            match output.as_ref().map(|output| &output.destination) {
                None if signature.returned[index] => emit(None),
                None | Some(Destination::Write { .. }) => {}
                Some(Destination::Fresh { view, bytes }) => {
                    let Some(storage) = storage else { continue };
                    let dim = || (signature.form.row.bound_dim)(&signature.call, index);
                    let count = counts.get(index).filter(|count| **count >= 0).map(|count| (dim(), *count));
                    emit(Some(OutputRef { storage, view, bytes: *bytes, count }));
                }
            }
        }
        Ok(CallStatus::Done)
    }

    /// Whether the row announces the results of `frame` itself, so that no meta kernel has to be asked.
    pub fn infers<S: Deref<Target = Arc<Storage>>>(&self, frame: &CallFrame<'_, S>) -> Result<bool> {
        let form = self.forms.get(frame.form).ok_or_else(|| Error::internal("unknown form"))?;
        crate::signature::infers(form, frame.words)
    }

    /// Sizes of result `index` as the row announces them; `None` if it is undefined or depends on data.
    pub fn inferred_sizes<S: Deref<Target = Arc<Storage>>>(&self, frame: &CallFrame<'_, S>, index: usize) -> Result<Option<Dims>> {
        let form = self.forms.get(frame.form).ok_or_else(|| Error::internal("unknown form"))?;
        crate::signature::inferred_sizes(form, frame.words, index)
    }

    /// Describes the signature of `frame`. `metas` are its functional results, list results flattened.
    pub fn define<S: Deref<Target = Arc<Storage>>>(&self, frame: CallFrame<'_, S>, metas: &[MetaView]) -> Result<()> {
        let form = self.forms.get(frame.form).ok_or_else(|| Error::internal("unknown form"))?;
        let (values, bytes): (Vec<Value>, Vec<u64>) = frame.storages.iter().map(|storage| storage.value_and_bytes()).unzip();
        let layouts: Vec<Option<Layout>> = values.iter().map(Value::layout).collect();
        let seen = Seen { words: frame.words, layouts: &layouts, bytes: &bytes, scalars: frame.scalars.len() };
        let define = |moves| Signature::define(form, &seen, metas, self.machine, self.chosen_precision(), moves);
        let family: Box<[u64]> = self.with_key(&frame, &values, Offsets::Left, |family| family.into());
        let site = (self.find_call_site)();
        if self.signatures.wants_moving(&family)
            && let Some(mut signature) = define(true)?
        {
            signature.first_called_at = site;
            self.signatures.insert_moving(&family, signature);
            return Ok(());
        }
        let mut signature = define(false)?.ok_or_else(|| Error::internal("a signature came to nothing"))?;
        signature.first_called_at = site;
        self.with_key(&frame, &values, Offsets::Kept, |key| self.signatures.insert(key, &family, signature));
        Ok(())
    }

    /// The signature of a call, found by its words and by what its storages hold, and where its views start if the
    /// signature takes that as numbers.
    #[allow(clippy::type_complexity)]
    fn lookup<S: Deref<Target = Arc<Storage>>>(
        &self,
        frame: &CallFrame<'_, S>,
        values: &[Value],
    ) -> Option<(Arc<Signature>, SmallVec<[HostScalar; 8]>)> {
        if let Some(signature) = self.with_key(frame, values, Offsets::Kept, |key| self.signatures.get(key)) {
            return Some((signature, SmallVec::new()));
        }
        let signature = self.with_key(frame, values, Offsets::Left, |family| self.signatures.moving(family))?;
        let layouts: SmallVec<[Option<Layout>; 6]> = values.iter().map(Value::layout).collect();
        let bytes: SmallVec<[u64; 6]> = frame.storages.iter().map(|storage| storage.bytes()).collect();
        let seen = Seen { words: frame.words, layouts: &layouts, bytes: &bytes, scalars: frame.scalars.len() };
        let starts = signature.starts_of(&seen)?;
        Some((signature, starts))
    }

    fn with_key<S: Deref<Target = Arc<Storage>>, R>(
        &self,
        frame: &CallFrame<'_, S>,
        values: &[Value],
        offsets: Offsets,
        with: impl FnOnce(&[u64]) -> R,
    ) -> R {
        WINDOWS.with_borrow_mut(|windows| {
            let key = &mut windows.key;
            key.clear();
            key.push(u64::from(frame.form) | u64::from(self.precision.load(Relaxed)) << 32);
            let words = key.len();
            key.extend_from_slice(frame.words);
            if offsets == Offsets::Left {
                for position in offset_positions(frame.words) {
                    key[words + position] = 0;
                }
            }
            for (value, storage) in values.iter().zip(frame.storages) {
                match value.layout() {
                    Some(layout) => key.push(layout.word()),
                    None => key.extend([0, storage.bytes()]),
                }
            }
            with(key)
        })
    }

    /// Records a call into the window that the policy names, and runs the window if the policy closes it.
    /// `values` end here: a buffer that only its window holds may be donated. Returns the fresh storages and, for a
    /// bounded row, the counts.
    #[allow(clippy::type_complexity)]
    fn record<S: Deref<Target = Arc<Storage>>>(
        &self,
        signature: &Arc<Signature>,
        frame: &CallFrame<'_, S>,
        values: SmallVec<[Value; 6]>,
        random: Option<[u64; 2]>,
    ) -> Result<(SmallVec<[Option<Arc<Storage>>; 4]>, SmallVec<[i64; 4]>)> {
        let state = self.device(frame.device)?;
        let mode = self.mode();
        let site = if signature.checks.is_empty() { None } else { (self.find_call_site)() };
        if signature.bounded {
            refuse_in_capture(|| format!("{}, whose results have sizes that depend on data,", signature.form.name))?;
        }
        let captured = with_recording(|window| {
            (window.device == frame.device).then(|| window.record(signature, frame.storages, &values, frame.scalars, random, site.clone()))
        });
        if let Some(fresh) = captured {
            let fresh = fresh.ok_or_else(|| Error::NotInGraph { what: "a call on a second device".to_owned() })?;
            return Ok((fresh, SmallVec::new()));
        }
        let grouped = in_group();
        if (mode == Mode::Fused || grouped) && !signature.bounded {
            let mut window = state.window.lock();
            let fresh = window.record(signature, frame.storages, &values, frame.scalars, random, site);
            drop(values);
            let cut = if grouped { window.is_full() } else { window.end_step() };
            self.run_if(cut, window)?;
            return Ok((fresh, SmallVec::new()));
        }
        if signature.bounded {
            self.flush(frame.device)?;
        }
        let mut window = WINDOWS.with_borrow_mut(|windows| std::mem::take(&mut windows.strict));
        window.device = frame.device;
        let fresh = window.record(signature, frame.storages, &values, frame.scalars, random, site);
        drop(values);
        let ran = self.run(&mut window);
        WINDOWS.with_borrow_mut(|windows| windows.strict = window);
        let counts = ran?;
        if mode == Mode::Debug {
            self.synchronize(frame.device)?;
        }
        Ok((fresh, counts))
    }

    /// Runs a closed window: resolves what it reads, finds or makes its program, submits the launch, and gives the
    /// storages their values. On failure written storages keep their old values. Returns a bounded row's counts.
    pub(crate) fn run(&self, window: &mut Window) -> Result<SmallVec<[i64; 4]>> {
        let outcome = self.try_run(window);
        if let Err(error) = &outcome {
            window.give_up(error.clone());
        }
        window.reset();
        outcome
    }

    fn try_run(&self, window: &mut Window) -> Result<SmallVec<[i64; 4]>> {
        let state = self.device(window.device)?;
        for external in &mut window.externals {
            if let Value::Pending { run, index, .. } = external {
                let resolved = run.result(*index)?;
                *external = resolved;
            }
        }
        let live: SmallVec<[u32; 8]> = (0..window.results.len() as u32).filter(|i| is_live(window, *i)).collect();
        if live.is_empty() {
            return Ok(SmallVec::new());
        }
        let donated = donations(window, &live);
        window.key.push(self.programs.user_options_word());
        window.key.extend(live.iter().map(|i| u64::from(*i)));
        window.key.push(u64::MAX);
        window.key.extend(donated.iter().enumerate().filter(|(_, donated)| **donated).map(|(i, _)| i as u64));
        let program = match self.programs.get(&window.key) {
            Some(program) => {
                Counters::add(&self.counters.cache_hits_memory, 1);
                program
            }
            None => self.programs.make(window, &live, &donated, &window.key, &self.counters)?,
        };
        let results = self.launch(window, state, &program, &donated)?;
        self.deliver(window, state, &program, results)
    }

    /// Submits the program. Its results are promised from here on; a failure is raised by the next sync.
    fn launch(
        &self,
        window: &Window,
        state: &DeviceState,
        program: &Arc<Program>,
        donated: &[bool],
    ) -> Result<SmallVec<[BufferHandle; 4]>> {
        let mut arguments: SmallVec<[Argument; 8]> = SmallVec::new();
        let mut argument_of_external: SmallVec<[u32; 8]> = SmallVec::new();
        for parameter in &program.parameters {
            arguments.push(match *parameter {
                Parameter::External(i) => match window.externals.get(i as usize) {
                    Some(Value::Ready(buffer)) => {
                        argument_of_external.push(arguments.len() as u32);
                        Argument::Value { buffer: Arc::clone(buffer.buffer()), donated: donated.get(i as usize).copied().unwrap_or(false) }
                    }
                    _ => return Err(Error::internal("a program argument has no buffer")),
                },
                Parameter::Scalar { scalar, element } => {
                    let number = window
                        .scalars
                        .get(scalar as usize)
                        .ok_or_else(|| Error::internal("a program asks for a number that its window lacks"))?;
                    Argument::Number(self.scalars.get(self, state, *number, element)?)
                }
                Parameter::Random { call } => {
                    let random = window.calls.get(call as usize).and_then(|c| c.random).unwrap_or_default();
                    Argument::Number(self.upload_random_state(state, random)?)
                }
            });
        }
        let mut handles = SmallVec::new();
        let mut results = SmallVec::new();
        let mut bytes = 0u64;
        for index in &program.results {
            let slot = window.results.get(*index as usize).ok_or_else(|| Error::internal("a program returns what its window lacks"))?;
            let buffer = Arc::new(DeviceBuffer::promised(slot.layout, &state.memory));
            let replaces = slot.replaces.and_then(|external| argument_of_external.get(external as usize).copied());
            bytes = bytes.saturating_add(slot.layout.bytes());
            handles.push(BufferHandle::new(Arc::clone(&buffer)));
            results.push(Promised { buffer, replaces });
        }
        if bytes > state.memory_limit {
            let why = "the device has less memory altogether";
            return Err(Error::out_of_memory(bytes, program.description(), why, &state.memory));
        }
        Counters::add(&self.counters.launches, 1);
        state.launcher.submit(Work::Launch(Launch { program: Arc::clone(program), arguments, results }));
        Ok(handles)
    }

    /// Gives every storage that waits for a result its buffer, and notes the checks.
    fn deliver(
        &self,
        window: &mut Window,
        state: &DeviceState,
        program: &Arc<Program>,
        results: SmallVec<[BufferHandle; 4]>,
    ) -> Result<SmallVec<[i64; 4]>> {
        let mut system: SmallVec<[BufferHandle; 4]> = SmallVec::new();
        let mut captured = Vec::new();
        for (index, buffer) in program.results.iter().zip(results) {
            let Some(slot) = window.results.get(*index as usize) else { continue };
            for owner in slot.owners.iter().filter_map(std::sync::Weak::upgrade) {
                owner.fulfil(&window.run, *index, Value::Ready(buffer.clone()));
            }
            if slot.always {
                system.push(buffer);
            } else {
                captured.push((*index, buffer));
            }
        }
        // Another window captured results of this one while it was being submitted.
        if Arc::strong_count(&window.run) > 1 {
            let mut results = vec![None; window.results.len()];
            for (index, buffer) in captured {
                results[index as usize] = Some(buffer);
            }
            window.run.submitted(results);
        } else {
            drop(captured);
        }
        if system.is_empty() { Ok(SmallVec::new()) } else { self.deliver_system_results(window, state, system) }
    }

    /// Counts are read at once; checks wait for the next sync.
    fn deliver_system_results(
        &self,
        window: &Window,
        state: &DeviceState,
        system: SmallVec<[BufferHandle; 4]>,
    ) -> Result<SmallVec<[i64; 4]>> {
        let mut counts = SmallVec::new();
        let mut buffers = system.into_iter();
        for call in &window.calls {
            if call.signature.bounded {
                for output in &call.signature.outputs {
                    let count = match output {
                        Some(_) => buffers.next().map(|buffer| self.read_i64(state, &buffer)).transpose()?.unwrap_or(-1),
                        None => -1,
                    };
                    counts.push(count);
                }
            }
            for (exception, message) in &call.signature.checks {
                if let (Some(failed), Some(value)) = (buffers.next(), buffers.next()) {
                    let op = call.signature.form.row.name;
                    let site = call.site.clone();
                    state.checks.push(PendingCheck { failed, value, op, message: message.clone(), exception: *exception, site });
                }
            }
        }
        Ok(counts)
    }

    /// Closes and runs a device's window if it is to be `cut` here.
    fn run_if(&self, cut: bool, mut window: MutexGuard<'_, Window>) -> Result<()> {
        if !cut {
            return Ok(());
        }
        let next = Window::on(window.device);
        let mut closed = std::mem::replace(&mut *window, next);
        drop(window);
        Counters::add(&self.counters.window_cuts, 1);
        self.run(&mut closed).map(|_| ())
    }

    /// Runs what has been recorded for the device.
    pub fn flush(&self, device: u32) -> Result<()> {
        let mut window = self.device(device)?.window.lock();
        if window.is_empty() {
            return Ok(());
        }
        let mut closed = std::mem::replace(&mut *window, Window::on(device));
        drop(window);
        self.run(&mut closed).map(|_| ())
    }

    /// Calls of this thread are recorded until the matching `group_end`, and run as one program. A group that `joins`
    /// may share it with groups of its kind before and after, when no other call comes between: foreach ops that follow
    /// each other, as in an optimizer's step, read and write their tensors once. Groups nest; the outermost one counts.
    pub fn group_begin(&self, device: u32, joins: bool) -> Result<()> {
        if !joins && !in_group() && self.mode() != Mode::Fused {
            self.flush(device)?;
        }
        WINDOWS.with_borrow_mut(|windows| windows.group_depth += 1);
        Ok(())
    }

    /// Ends what `group_begin` began; a group that does not join runs now.
    pub fn group_end(&self, device: u32, joins: bool) -> Result<()> {
        let outermost = WINDOWS.with_borrow_mut(|windows| {
            windows.group_depth = windows.group_depth.saturating_sub(1);
            windows.group_depth == 0
        });
        match self.mode() {
            _ if !outermost => Ok(()),
            Mode::Debug => self.synchronize(device),
            Mode::Strict if !joins => self.flush(device),
            Mode::Strict => Ok(()),
            Mode::Fused => {
                let mut window = self.device(device)?.window.lock();
                let cut = window.end_step();
                self.run_if(cut, window)
            }
        }
    }

    /// Lets `destination` wait for result `index` of `run` too, if `run` is still being recorded. False when it is being
    /// launched.
    pub(crate) fn share_pending(&self, destination: &Arc<Storage>, device: u32, run: &Arc<WindowRun>, index: u32) -> Result<bool> {
        let share = |window: &mut Window| {
            let found = Arc::ptr_eq(&window.run, run);
            if found {
                window.share(index, destination);
            }
            found
        };
        if with_recording(share) == Some(true) {
            return Ok(true);
        }
        let mut window = self.device(device)?.window.lock();
        Ok(share(&mut window))
    }

    /// The storage's value on the device, `None` when it was never written. Runs what it depends on.
    pub(crate) fn settled(&self, storage: &Storage) -> Result<Option<BufferHandle>> {
        if let Value::Pending { run, .. } = storage.value() {
            if with_recording(|window| Arc::ptr_eq(&window.run, &run)) == Some(true) {
                refuse_in_capture(|| "reading a tensor's values".to_owned())?;
            }
            self.flush(storage.device())?;
        }
        match storage.value() {
            Value::Unwritten => Ok(None),
            Value::Ready(buffer) => Ok(Some(buffer)),
            Value::Pending { run, index, .. } => match run.result(index)? {
                Value::Ready(buffer) => Ok(Some(buffer)),
                _ => Err(Error::internal("a submitted window left a result pending")),
            },
        }
    }

    /// The plugin's buffer, once the launch that makes it has run. Raises a failure that came before.
    pub(crate) fn filled<'b>(&self, state: &DeviceState, buffer: &'b BufferHandle) -> Result<&'b pjrt::Buffer> {
        state.launcher.wait(buffer.ticket());
        match buffer.content() {
            Some(Ok(buffer)) => Ok(buffer),
            Some(Err(lost)) => Err(self.raise_failure(state).err().unwrap_or_else(|| lost.error.clone())),
            None => Err(Error::internal("a launch left a result unfilled")),
        }
    }

    /// The first failure that no one has been told of. From here on, what failed launches should have written holds its
    /// old values.
    pub(crate) fn raise_failure(&self, state: &DeviceState) -> Result<()> {
        state.runner.queue.take_failure().inspect_err(|_| restore_lost_values(state.index))
    }

    /// Everything recorded for the device is done; raises the first failure or failed check.
    pub fn synchronize(&self, device: u32) -> Result<()> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        self.flush(device)?;
        let state = self.device(device)?;
        Counters::add(&self.counters.blocking_waits, 1);
        state.launcher.wait(state.launcher.last_ticket());
        state.runner.queue.synchronize();
        self.raise_failure(state)?;
        state.checks.verify()
    }

    /// An event completes when everything launched so far is done.
    pub fn record_event(&self, device: u32, event: &crate::Event) -> Result<()> {
        self.flush(device)?;
        let launcher = &self.device(device)?.launcher;
        let mark = Arc::new(Mark::default());
        let ticket = launcher.submit(Work::Mark(Arc::clone(&mark)));
        // With nothing before it that has not run, a query right after finds it done.
        if launcher.is_done(ticket - 1) {
            launcher.wait(ticket);
        }
        event.record(launcher, ticket, mark);
        Ok(())
    }

    /// Ends the threads that launch; launches go on when they are waited for. For the end of the process.
    pub fn stop_launching(&self) {
        for state in &self.devices {
            state.launcher.stop();
        }
    }

    pub(crate) fn device(&self, device: u32) -> Result<&DeviceState> {
        self.devices.get(device as usize).ok_or(Error::DeviceIndex { index: i64::from(device), count: self.devices.len() })
    }

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The account as it is when everything launched so far has run.
    pub fn memory(&self, device: u32) -> Result<&MemoryAccount> {
        let state = self.device(device)?;
        if self.client.check_process().is_ok() {
            state.launcher.wait(state.launcher.last_ticket());
        }
        Ok(&state.memory)
    }

    /// The last compiles and why they were needed, oldest first.
    pub fn compiles(&self) -> Vec<CompileRecord> {
        self.programs.log.snapshot()
    }

    pub fn disk_cache(&self) -> Option<&diskcache::DiskCache> {
        self.programs.disk()
    }

    pub fn mode(&self) -> Mode {
        Mode::from_u8(self.mode.load(Relaxed))
    }

    /// Changes the policy; what was recorded under the old one runs first.
    pub fn set_mode(&self, mode: Mode) -> Result<()> {
        for device in 0..self.devices.len() as u32 {
            self.flush(device)?;
        }
        self.mode.store(mode as u8, Relaxed);
        Ok(())
    }

    /// Precision of float32 matmuls and convolutions, where the user chose one; else torch's own setting decides.
    pub fn chosen_precision(&self) -> Option<Precision> {
        match self.precision.load(Relaxed) {
            1 => Some(Precision::Default),
            2 => Some(Precision::High),
            3 => Some(Precision::Highest),
            _ => None,
        }
    }

    pub fn choose_precision(&self, precision: Option<Precision>) {
        let number = match precision {
            None => 0,
            Some(Precision::Default) => 1,
            Some(Precision::High) => 2,
            Some(Precision::Highest) => 3,
        };
        self.precision.store(number, Relaxed);
    }

    /// Compiler options that the user added.
    pub fn compile_options(&self) -> HashMap<String, String> {
        self.programs.user_options()
    }

    /// Adds compiler options to programs compiled from now on; they are part of the cache keys.
    pub fn set_compile_options(&self, options: HashMap<String, String>) {
        self.programs.set_user_options(options);
    }

    /// Gives back what is only kept to be fast: the device copies of host numbers.
    pub fn empty_cache(&self) {
        self.scalars.clear();
    }
}

/// Whether this thread records a group.
fn in_group() -> bool {
    WINDOWS.with_borrow(|windows| windows.group_depth > 0)
}

/// A result leaves the window if some storage still waits for it.
fn is_live(window: &Window, index: u32) -> bool {
    let slot = &window.results[index as usize];
    slot.always || slot.owners.iter().filter_map(std::sync::Weak::upgrade).any(|owner| owner.awaits(&window.run, index))
}

/// THE donation decision: an external's buffer may be reused by the program when the window is its sole owner
/// (its storage was overwritten or is gone) and a result of the same layout can take it.
fn donations(window: &Window, live: &[u32]) -> SmallVec<[bool; 16]> {
    let mut takers: SmallVec<[Layout; 8]> = SmallVec::new();
    let mut donated = SmallVec::with_capacity(window.externals.len());
    for external in &window.externals {
        let Value::Ready(buffer) = external else {
            donated.push(false);
            continue;
        };
        if !buffer.is_sole() {
            donated.push(false);
            continue;
        }
        if donated.iter().all(|d| !d) && takers.is_empty() {
            takers.extend(live.iter().map(|i| window.results[*i as usize].layout));
        }
        let taker = takers.iter().position(|taker| *taker == buffer.layout());
        if let Some(taker) = taker {
            takers.swap_remove(taker);
        }
        donated.push(taker.is_some());
    }
    donated
}
