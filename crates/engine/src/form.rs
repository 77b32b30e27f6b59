//! Forms: the ways in which torch may call a row (functional, in-place, out=), derived from the schemas.

use parking_lot::RwLock;

use aten::Row;

/// One overload that a row serves.
#[derive(Debug)]
pub struct Form {
    pub row: &'static Row,
    /// The overload as torch calls it, e.g. `aten::add_.Tensor`.
    pub name: String,
    /// Entry i is the schema argument that feeds functional argument i; `None` leaves it absent.
    pub argument_map: Vec<Option<usize>>,
    /// (schema result, schema argument): results that are written through an argument, in result order.
    pub targets: Vec<(usize, usize)>,
}

/// Every form that was registered with the dispatcher. Only grows.
#[derive(Debug, Default)]
pub struct Forms(RwLock<Vec<&'static Form>>);

impl Forms {
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    pub fn register(&self, form: Form) -> u32 {
        let mut forms = self.0.write();
        forms.push(Box::leak(Box::new(form)));
        forms.len() as u32 - 1
    }

    pub fn get(&self, id: u32) -> Option<&'static Form> {
        self.0.read().get(id as usize).copied()
    }
}
