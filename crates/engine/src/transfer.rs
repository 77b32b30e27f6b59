//! Host transfers: uploads, downloads, and the small buffers of host numbers.

use std::collections::HashMap;
use std::sync::Arc;

use aten::HostScalar;
use parking_lot::Mutex;
use stablehlo::ElementType;
use view::{ValueLayout, View};

use crate::counters::Counters;
use crate::dtype::buffer_type;
use crate::launcher::Work;
use crate::layout::Layout;
use crate::memory::{BufferHandle, DeviceBuffer};
use crate::session::{DeviceState, Session};
use crate::storage::{Storage, Value};
use crate::{Error, Result};

/// Host numbers that programs took as arguments lately, kept on the device by dtype and bits.
#[derive(Default)]
pub(crate) struct ScalarBuffers(Mutex<HashMap<ScalarKey, Arc<pjrt::Buffer>>>);

/// Device, dtype and bits.
type ScalarKey = (usize, ElementType, [u64; 2]);

/// Beyond this many numbers the map starts anew.
const KEPT_SCALARS: usize = 4096;

impl ScalarBuffers {
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    pub(crate) fn get(
        &self,
        session: &Session,
        state: &DeviceState,
        number: HostScalar,
        element: ElementType,
    ) -> Result<Arc<pjrt::Buffer>> {
        let bits = match number {
            HostScalar::Bool(b) => [u64::from(b), 0],
            HostScalar::Int(i) => [i as u64, 1],
            HostScalar::Float(x) => [x.to_bits(), 2],
            HostScalar::Complex(re, im) => [re.to_bits(), im.to_bits()],
        };
        let key = (std::ptr::from_ref(state) as usize, element, bits);
        if let Some(buffer) = self.0.lock().get(&key) {
            return Ok(Arc::clone(buffer));
        }
        let bytes = scalar_bytes(number, element)?;
        let buffer = Arc::new(session.upload_bytes(state, &bytes, element, &[])?);
        let mut kept = self.0.lock();
        if kept.len() >= KEPT_SCALARS {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&buffer));
        Ok(buffer)
    }
}

impl Session {
    /// The storage takes the value of dense host memory: `bytes` is row-major of the view's sizes and dtype.
    /// The view covers the whole storage contiguously.
    pub fn upload(&self, storage: &Arc<Storage>, view: &View, bytes: &[u8]) -> Result<()> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        let state = self.device(storage.device())?;
        let buffer = self.upload_bytes(state, bytes, view.element, &view.sizes)?;
        let layout = Layout::new(ValueLayout { dims: view.sizes.clone(), element: view.element });
        let counters = self.counters();
        Counters::add(&counters.copies_to_device, 1);
        Counters::add(&counters.bytes_to_device, bytes.len() as u64);
        storage.set_value(Value::Ready(DeviceBuffer::filled(buffer, layout, &state.memory)));
        Ok(())
    }

    /// Copies the first `bytes.len()` bytes of the storage to the host and waits for them. Raises a failed
    /// launch or check that came before.
    pub fn download(&self, storage: &Arc<Storage>, bytes: &mut [u8]) -> Result<()> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        let state = self.device(storage.device())?;
        let value = self.settled(storage)?;
        let counters = self.counters();
        Counters::add(&counters.copies_to_host, 1);
        Counters::add(&counters.bytes_to_host, bytes.len() as u64);
        Counters::add(&counters.blocking_waits, 1);
        match value {
            None => bytes.fill(0),
            Some(buffer) => copy_prefix(self.filled(state, &buffer)?, buffer.bytes(), bytes)
                .map_err(|why| self.transfer_failure(state, "from", bytes.len() as u64, &why))?,
        }
        self.raise_failure(state)?;
        state.checks.verify()
    }

    /// Starts copying the whole storage to `destination`; a sync of the device waits for it too.
    pub fn download_async(&self, storage: &Arc<Storage>, destination: pjrt::HostDestination) -> Result<()> {
        self.client.check_process().map_err(|_| Error::Forked)?;
        let state = self.device(storage.device())?;
        let Some(buffer) = self.settled(storage)? else {
            destination.fill_zero();
            return Ok(());
        };
        let counters = self.counters();
        let bytes = destination.len() as u64;
        Counters::add(&counters.copies_to_host, 1);
        Counters::add(&counters.bytes_to_host, bytes);
        state.launcher.submit(Work::Download { source: Arc::clone(buffer.buffer()), destination });
        Ok(())
    }

    /// `destination` takes the value of `source` without a copy: values are immutable. Both are contiguous
    /// whole tensors of one dtype and size on one device.
    pub fn share_value(&self, destination: &Arc<Storage>, source: &Arc<Storage>) -> Result<()> {
        let value = source.value();
        if let Value::Pending { run, index, .. } = &value {
            if run.is_failed() {
                return run.result(*index).map(|_| ());
            }
            if !self.share_pending(destination, source.device(), run, *index)? {
                // Being submitted by another thread: wait for it.
                let Some(buffer) = self.settled(source)? else { return Ok(()) };
                destination.set_value(Value::Ready(buffer));
                return Ok(());
            }
        }
        destination.set_value(value);
        Ok(())
    }

    /// Keeps the first min(old, new) bytes; new bytes read as zeros.
    pub fn resize(&self, storage: &Arc<Storage>, bytes: u64) -> Result<()> {
        let old = storage.bytes();
        if old == bytes {
            return Ok(());
        }
        if bytes == 0 || matches!(storage.value(), Value::Unwritten) {
            storage.replace(bytes, Value::Unwritten);
            return Ok(());
        }
        let Some(buffer) = self.settled(storage)? else {
            storage.replace(bytes, Value::Unwritten);
            return Ok(());
        };
        let state = self.device(storage.device())?;
        let element = buffer.layout().value().element;
        let size = element.size_in_bytes() as u64;
        let (element, count) = if bytes.is_multiple_of(size) { (element, bytes / size) } else { (ElementType::U8, bytes) };
        let mut host = vec![0u8; bytes as usize];
        let kept = old.min(bytes) as usize;
        copy_prefix(self.filled(state, &buffer)?, buffer.bytes(), &mut host[..kept])
            .map_err(|why| self.transfer_failure(state, "from", kept as u64, &why))?;
        let flat = [count as i64];
        let buffer = self.upload_bytes(state, &host, element, &flat)?;
        let layout = Layout::new(ValueLayout { dims: flat.as_slice().into(), element });
        storage.replace(bytes, Value::Ready(DeviceBuffer::filled(buffer, layout, &state.memory)));
        Ok(())
    }

    pub(crate) fn upload_bytes(&self, state: &DeviceState, bytes: &[u8], element: ElementType, dims: &[i64]) -> Result<pjrt::Buffer> {
        let kind = buffer_type(element).ok_or_else(|| Error::Dtype { dtype: element.to_string() })?;
        self.client
            .buffer_from_host(bytes, kind, dims, &state.device)
            .map_err(|why| self.transfer_failure(state, "to", bytes.len() as u64, &why))
    }

    pub(crate) fn upload_random_state(&self, state: &DeviceState, random: [u64; 2]) -> Result<Arc<pjrt::Buffer>> {
        let mut bytes = [0u8; 16];
        bytes[..8].copy_from_slice(&random[0].to_le_bytes());
        bytes[8..].copy_from_slice(&random[1].to_le_bytes());
        self.upload_bytes(state, &bytes, ElementType::U64, &[2]).map(Arc::new)
    }

    pub(crate) fn read_i64(&self, state: &DeviceState, buffer: &BufferHandle) -> Result<i64> {
        let mut bytes = [0u8; 8];
        Counters::add(&self.counters().blocking_waits, 1);
        self.filled(state, buffer)?.copy_to_host(&mut bytes).map_err(|why| Error::Transfer {
            direction: "from",
            bytes: 8,
            why: why.to_string(),
        })?;
        Ok(i64::from_le_bytes(bytes))
    }

    fn transfer_failure(&self, state: &DeviceState, direction: &'static str, bytes: u64, why: &pjrt::Error) -> Error {
        if why.is_resource_exhausted() {
            return Error::out_of_memory(bytes, &format!("a copy {direction} the device"), why, &state.memory);
        }
        Error::Transfer { direction, bytes, why: why.to_string() }
    }
}

/// Copies the first bytes of a buffer of `size` bytes; the plugin only copies whole buffers.
fn copy_prefix(buffer: &pjrt::Buffer, size: u64, bytes: &mut [u8]) -> std::result::Result<(), pjrt::Error> {
    if bytes.len() as u64 == size {
        return buffer.copy_to_host(bytes);
    }
    let mut whole = vec![0u8; size as usize];
    buffer.copy_to_host(&mut whole)?;
    let kept = bytes.len().min(whole.len());
    bytes[..kept].copy_from_slice(&whole[..kept]);
    Ok(())
}

/// A number in the bytes of a dtype, rounded as a C++ cast rounds it.
fn scalar_bytes(number: HostScalar, element: ElementType) -> Result<Vec<u8>> {
    use ElementType::*;
    let (x, i) = (number.as_f64(), number.as_i64());
    Ok(match element {
        I1 => vec![u8::from(match number {
            HostScalar::Bool(b) => b,
            HostScalar::Int(i) => i != 0,
            HostScalar::Float(x) => x != 0.0,
            HostScalar::Complex(re, im) => re != 0.0 || im != 0.0,
        })],
        I8 | U8 => vec![i as u8],
        I16 | U16 => (i as u16).to_le_bytes().to_vec(),
        I32 | U32 => (i as u32).to_le_bytes().to_vec(),
        I64 | U64 => i.to_le_bytes().to_vec(),
        F64 => x.to_le_bytes().to_vec(),
        F32 => (x as f32).to_le_bytes().to_vec(),
        F16 => half::f16::from_f64(x).to_le_bytes().to_vec(),
        BF16 => half::bf16::from_f64(x).to_le_bytes().to_vec(),
        C64 => complex_parts(number).map(|part| (part as f32).to_le_bytes()).concat(),
        C128 => complex_parts(number).map(f64::to_le_bytes).concat(),
        other => return Err(Error::Dtype { dtype: format!("a number of dtype {other}") }),
    })
}

fn complex_parts(number: HostScalar) -> [f64; 2] {
    match number {
        HostScalar::Complex(re, im) => [re, im],
        other => [other.as_f64(), 0.0],
    }
}
