//! Random bits.

use crate::attribute::Attribute;
use crate::builder::{Appended, FuncBuilder, Types, Value};
use crate::ops::check;
use crate::{ElementType, TensorType};

/// The generator behind `rng_bit_generator`; `Default` is the plugin's choice and differs between plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RngAlgorithm {
    ThreeFry,
    Philox,
    Default,
}

impl FuncBuilder {
    /// Uniform random bits and the state after them; the state is ui64: 2 for ThreeFry, 2 or 3 for Philox.
    pub fn rng_bit_generator<'f>(
        &'f self,
        algorithm: RngAlgorithm,
        state: Value<'f>,
        element: ElementType,
        dims: &[i64],
    ) -> (Value<'f>, Value<'f>) {
        let (name, sizes): (_, &[i64]) = match algorithm {
            RngAlgorithm::ThreeFry => ("THREE_FRY", &[2]),
            RngAlgorithm::Philox => ("PHILOX", &[2, 3]),
            RngAlgorithm::Default => ("DEFAULT", &[2, 3, 4]),
        };
        let state_type = state.ty();
        let results: Types = [state_type.clone(), TensorType::new(element, dims)].into_iter().collect();
        let inferred = || {
            let fits = state_type.element == ElementType::U64 && matches!(*state_type.dims, [size] if sizes.contains(&size));
            check!(fits, "a state of {sizes:?} x ui64, got {state_type}");
            check!(element.is_integer() || element.is_float(), "integer or float bits, got {element}");
            Ok(results.clone())
        };
        let op = Appended::new("stablehlo.rng_bit_generator", &[state]).attribute("rng_algorithm", Attribute::Enum("rng_algorithm", name));
        let appended = self.append(op, inferred(), || results.clone());
        match *appended.as_slice() {
            [state, bits] => (state, bits),
            _ => (state, state),
        }
    }
}
