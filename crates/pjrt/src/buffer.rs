//! Device buffers: immutable arrays on a device, owned by one `Buffer` value each.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::abi::{self, Entry, PJRT_Buffer, PJRT_Buffer_MemoryLayout, PJRT_Buffer_MemoryLayout_Tiled};
use crate::api::{self, call};
use crate::buffer_type::BufferType;
use crate::client::{ClientInner, byte_size};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;

/// An array on a device. It may still be being computed; every use waits for it by itself. Dropping it frees the memory
/// once pending work is done, without waiting.
///
/// Send + Sync: PJRT buffer entry points are thread safe, and the Rust side is immutable.
pub struct Buffer {
    raw: NonNull<PJRT_Buffer>,
    client: Arc<ClientInner>,
}

// SAFETY: the plugin's buffers may be used from any thread.
unsafe impl Send for Buffer {}
// SAFETY: as above; no method changes the Rust side.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// # Safety
    /// `raw` must be null or a live buffer of `client` that nothing else destroys.
    pub(crate) unsafe fn from_raw(raw: *mut PJRT_Buffer, client: &Arc<ClientInner>, entry: Entry) -> Result<Self> {
        match NonNull::new(raw) {
            Some(raw) => Ok(Self { raw, client: Arc::clone(client) }),
            None => Err(client.returned_null(entry, "buffer")),
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut PJRT_Buffer {
        self.raw.as_ptr()
    }

    /// Sizes of the dimensions; for a bounded dimension its bound. Readable also after donation.
    pub fn dims(&self) -> &[i64] {
        // SAFETY: the buffer is live; the list belongs to it and does not change.
        let answer = unsafe {
            call!(self.client.api(), PJRT_Buffer_Dimensions_Args { buffer: self.as_ptr() }).map(|args| api::array(args.dims, args.num_dims))
        };
        // The entry point's presence was checked at loading, and it has no reason to fail on a live buffer.
        answer.unwrap_or_else(|error| {
            tracing::error!(%error, "dimensions of a buffer");
            &[]
        })
    }

    /// Type of the elements; [`BufferType::Invalid`] for one that this build does not know.
    pub fn element_type(&self) -> BufferType {
        // SAFETY: the buffer is live.
        let answer = unsafe { call!(self.client.api(), PJRT_Buffer_ElementType_Args { buffer: self.as_ptr() }) };
        // As in `dims`.
        answer.map_or(BufferType::Invalid, |args| BufferType::from_raw(args.element_type))
    }

    /// Bytes taken on the device, with the padding of its layout.
    ///
    /// # Errors
    /// [`Error::Plugin`] if the buffer was donated.
    pub fn size_in_bytes(&self) -> Result<usize> {
        self.client.check_process()?;
        // SAFETY: the buffer is live.
        unsafe { call!(self.client.api(), PJRT_Buffer_OnDeviceSizeInBytes_Args { buffer: self.as_ptr() }) }
            .map(|args| args.on_device_size_in_bytes)
    }

    /// The moment at which the contents are there, or the error that prevents it.
    ///
    /// # Errors
    /// [`Error::Plugin`] if the buffer was donated.
    pub fn ready_event(&self) -> Result<Event> {
        self.client.check_process()?;
        // SAFETY: the buffer is live, and the event is new and ours.
        unsafe {
            let answer = call!(self.client.api(), PJRT_Buffer_ReadyEvent_Args { buffer: self.as_ptr() })?;
            Event::from_raw(answer.event, &self.client, Entry::PJRT_Buffer_ReadyEvent)
        }
    }

    /// Whether the memory was given away, by donation or [`Buffer::delete`].
    pub fn is_deleted(&self) -> bool {
        if self.client.check_process().is_err() {
            return true;
        }
        // SAFETY: the buffer is live.
        unsafe { call!(self.client.api(), PJRT_Buffer_IsDeleted_Args { buffer: self.as_ptr() }) }.is_ok_and(|args| args.is_deleted)
    }

    /// Gives the memory back now, while handles are still around; later uses are errors.
    ///
    /// # Errors
    /// [`Error::Plugin`] if the plugin refuses.
    pub fn delete(&self) -> Result<()> {
        self.client.check_process()?;
        // SAFETY: the buffer is live; deleting keeps the handle valid.
        unsafe { call!(self.client.api(), PJRT_Buffer_Delete_Args { buffer: self.as_ptr() }) }.map(drop)
    }

    /// Waits for the contents and copies them as dense row-major data, whatever the device's layout is.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if `destination` is not exactly as long as the data, [`Error::Plugin`] with the error
    /// of the computation that should have made it, or if the buffer was donated.
    pub fn copy_to_host(&self, destination: &mut [u8]) -> Result<()> {
        self.check_host_size(destination.len())?;
        if self.client.quirks().host_memory_pointers && !self.element_type().is_packed_on_device() {
            return self.copy_from_host_memory(destination);
        }
        // SAFETY: the length is right, and the wait below ends before the borrow does.
        unsafe { self.start_copy(destination.as_mut_ptr(), destination.len()) }?.wait()
    }

    /// Starts the copy of [`Buffer::copy_to_host`] and returns the event of its end.
    ///
    /// # Errors
    /// As [`Buffer::copy_to_host`], except that the computation's error comes from the event.
    ///
    /// # Safety
    /// `len` bytes at `destination` must be writable and not otherwise used until the event is ready.
    pub unsafe fn copy_to_host_async(&self, destination: *mut u8, len: usize) -> Result<Event> {
        self.check_host_size(len)?;
        // SAFETY: passed on; the length is right.
        unsafe { self.start_copy(destination, len) }
    }

    /// Address of the contents in the device's memory; on the CPU plugin, a readable host address. Valid while the
    /// buffer lives and is not donated. It may be given before the contents are there.
    ///
    /// # Errors
    /// [`Error::Unimplemented`] if the plugin shows no addresses, [`Error::Plugin`] if the buffer was donated.
    pub fn device_pointer(&self) -> Result<usize> {
        self.client.check_process()?;
        // SAFETY: the buffer is live.
        unsafe { call!(self.client.api(), PJRT_Buffer_UnsafePointer_Args { buffer: self.as_ptr() }) }.map(|args| args.buffer_pointer)
    }

    /// A copy on another device of the same client.
    ///
    /// # Errors
    /// [`Error::Plugin`] if the plugin cannot copy there or the buffer was donated.
    pub fn copy_to_device(&self, device: &Device) -> Result<Buffer> {
        self.client.check_process()?;
        // SAFETY: buffer and device are live, and the copy is new and ours.
        unsafe {
            let answer = call!(self.client.api(), PJRT_Buffer_CopyToDevice_Args { buffer: self.as_ptr(), dst_device: device.as_ptr() })?;
            Buffer::from_raw(answer.dst_buffer, &self.client, Entry::PJRT_Buffer_CopyToDevice)
        }
    }

    fn check_host_size(&self, len: usize) -> Result<()> {
        self.client.check_process()?;
        let (element_type, dims) = (self.element_type(), self.dims());
        let expected = byte_size(element_type, dims);
        if expected == Some(len) && element_type.size_in_bytes() > 0 {
            return Ok(());
        }
        Err(Error::invalid(
            Entry::PJRT_Buffer_ToHostBuffer,
            match expected {
                Some(expected) => {
                    format!("{len} bytes of room, {element_type:?} of dimensions {dims:?} takes {expected}")
                }
                None => format!("{element_type:?} of dimensions {dims:?} has no host form"),
            },
        ))
    }

    /// Where device memory is host memory, waiting and copying here saves the hand-over to a plugin thread (3 to 8 us).
    fn copy_from_host_memory(&self, destination: &mut [u8]) -> Result<()> {
        // The reference keeps another thread from donating the memory while it is read; donation copies instead.
        let api = self.client.api();
        // SAFETY: the buffer is live.
        unsafe { call!(api, PJRT_Buffer_IncreaseExternalReferenceCount_Args { buffer: self.as_ptr() }) }?;
        let copied = (|| {
            // A failed buffer has an address too, so readiness comes first.
            self.ready_event()?.wait()?;
            let address = self.device_pointer()?;
            if !destination.is_empty() {
                // SAFETY: the address holds the row-major contents, as long as the checked size, and the reference
                // keeps it alive. The destination is a fresh borrow of other memory.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        std::ptr::with_exposed_provenance::<u8>(address),
                        destination.as_mut_ptr(),
                        destination.len(),
                    );
                }
            }
            Ok(())
        })();
        // SAFETY: the buffer is live and its count was increased above.
        let released = unsafe { call!(api, PJRT_Buffer_DecreaseExternalReferenceCount_Args { buffer: self.as_ptr() }) };
        copied.and(released.map(drop))
    }

    /// # Safety
    /// As [`Buffer::copy_to_host_async`], and `len` must be the size of the dense data.
    unsafe fn start_copy(&self, destination: *mut u8, len: usize) -> Result<Event> {
        let rank = self.dims().len();
        let minor_to_major: SmallVec<[i64; 8]> = (0..rank as i64).rev().collect();
        // Without a layout, plugins return the device's order of dimensions.
        let mut row_major = PJRT_Buffer_MemoryLayout {
            layout_type: abi::MEMORY_LAYOUT_TILED,
            tiled: PJRT_Buffer_MemoryLayout_Tiled {
                minor_to_major: minor_to_major.as_ptr(),
                minor_to_major_size: rank,
                ..Default::default()
            },
            ..Default::default()
        };
        let host_layout = if rank > 1 { &raw mut row_major } else { std::ptr::null_mut() };
        // SAFETY: the buffer is live, the layout lives over the call, the caller vouches for the destination, and the
        // event is new and ours.
        unsafe {
            let answer = call!(
                self.client.api(),
                PJRT_Buffer_ToHostBuffer_Args {
                    src: self.as_ptr(),
                    host_layout: host_layout,
                    dst: destination.cast::<c_void>(),
                    dst_size: len,
                }
            )?;
            Event::from_raw(answer.event, &self.client, Entry::PJRT_Buffer_ToHostBuffer)
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Buffer({:?}{:?})", self.element_type(), self.dims())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.client.check_process().is_err() {
            return;
        }
        // SAFETY: the buffer is live and not used again.
        let answer = unsafe { call!(self.client.api(), PJRT_Buffer_Destroy_Args { buffer: self.as_ptr() }) };
        if let Err(error) = answer {
            tracing::warn!(%error, "a buffer was not destroyed");
        }
    }
}
