//! Interned shapes of storage values: equal layouts are one pointer, so that keys compare words.

use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use parking_lot::RwLock;
use view::ValueLayout;

/// A dense row-major shape and element type, interned for the life of the process.
#[derive(Clone, Copy)]
pub struct Layout(&'static ValueLayout);

static INTERNED: LazyLock<RwLock<HashSet<&'static ValueLayout>>> = LazyLock::new(Default::default);

impl Layout {
    pub fn new(layout: ValueLayout) -> Self {
        if let Some(found) = INTERNED.read().get(&layout) {
            return Self(found);
        }
        let mut interned = INTERNED.write();
        if let Some(found) = interned.get(&layout) {
            return Self(found);
        }
        let leaked: &'static ValueLayout = Box::leak(Box::new(layout));
        interned.insert(leaked);
        Self(leaked)
    }

    pub fn value(self) -> &'static ValueLayout {
        self.0
    }

    pub fn bytes(self) -> u64 {
        let count: i64 = self.0.dims.iter().product();
        count as u64 * self.0.element.size_in_bytes() as u64
    }

    /// A word that identifies the layout within this process.
    pub fn word(self) -> u64 {
        std::ptr::from_ref(self.0) as usize as u64
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Layout {}

impl Hash for Layout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word().hash(state);
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
