//! Element types of device buffers, with their numbers in the C API and the API version that introduced each.

macro_rules! buffer_types {
    ($($(#[$doc:meta])* $name:ident = $raw:literal, $bytes:literal, $since:literal;)*) => {
        /// Element type of a buffer (`PJRT_Buffer_Type`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum BufferType { $($(#[$doc])* $name = $raw,)* }

        impl BufferType {
            /// All types, by number.
            pub const ALL: &'static [BufferType] = &[$(BufferType::$name,)*];

            /// The type for a number of the C API; [`BufferType::Invalid`] for one that this build does not know.
            pub fn from_raw(raw: u32) -> Self {
                match raw { $($raw => Self::$name,)* _ => Self::Invalid }
            }

            /// Bytes of one element in host memory. Types narrower than a byte take one byte each on the host.
            /// 0 for `Invalid` and `Token`.
            pub const fn size_in_bytes(self) -> usize {
                match self { $(Self::$name => $bytes,)* }
            }

            /// First minor API version whose plugins know the type. An unknown number ends the process.
            pub(crate) const fn since(self) -> i32 {
                match self { $(Self::$name => $since,)* }
            }
        }
    };
}

buffer_types! {
    /// No type.
    Invalid = 0, 0, 0;
    /// Boolean, one byte.
    Pred = 1, 1, 0;
    S8 = 2, 1, 0;
    S16 = 3, 2, 0;
    S32 = 4, 4, 0;
    S64 = 5, 8, 0;
    U8 = 6, 1, 0;
    U16 = 7, 2, 0;
    U32 = 8, 4, 0;
    U64 = 9, 8, 0;
    F16 = 10, 2, 0;
    F32 = 11, 4, 0;
    F64 = 12, 8, 0;
    BF16 = 13, 2, 0;
    /// Complex of two f32.
    C64 = 14, 8, 0;
    /// Complex of two f64.
    C128 = 15, 16, 0;
    F8E5M2 = 16, 1, 0;
    F8E4M3FN = 17, 1, 0;
    F8E4M3B11FNUZ = 18, 1, 0;
    F8E5M2FNUZ = 19, 1, 0;
    F8E4M3FNUZ = 20, 1, 0;
    S4 = 21, 1, 0;
    U4 = 22, 1, 0;
    /// Ordering token; never a host buffer.
    Token = 23, 0, 50;
    S2 = 24, 1, 54;
    U2 = 25, 1, 54;
    F8E4M3 = 26, 1, 55;
    F8E3M4 = 27, 1, 55;
    F8E8M0FNU = 28, 1, 63;
    F4E2M1FN = 29, 1, 63;
    S1 = 30, 1, 94;
    U1 = 31, 1, 94;
    F6E2M3FN = 32, 1, 114;
    F6E3M2FN = 33, 1, 114;
}

impl BufferType {
    /// The number in the C API.
    pub const fn raw(self) -> u32 {
        self as u32
    }

    /// Whether elements are narrower than a byte: one byte each on the host, packed in device memory.
    pub(crate) const fn is_packed_on_device(self) -> bool {
        use BufferType as T;
        matches!(self, T::S4 | T::U4 | T::S2 | T::U2 | T::S1 | T::U1 | T::F4E2M1FN | T::F6E2M3FN | T::F6E3M2FN)
    }

    /// Whether host data of this type can be sent to a plugin of API version 0.`minor`.
    pub(crate) fn is_transferable(self, minor: i32) -> bool {
        self.size_in_bytes() > 0 && minor >= self.since()
    }
}
