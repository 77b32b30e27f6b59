//! Control flow, whose regions may use outer values; custom calls and barriers.

use smallvec::SmallVec;

use crate::attribute::Attribute;
use crate::builder::{Appended, FuncBuilder, Types, Value};
use crate::ops::check;
use crate::ops::reduce::{returns, types};
use crate::{ElementType, TensorType};

/// What a custom call passes to its target besides operands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum BackendConfig {
    #[default]
    None,
    Text(String),
    /// Typed attributes, for `api_version` 4 (XLA FFI).
    Dictionary(Vec<(String, Attribute)>),
}

/// How a custom call is made.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomCall {
    /// 1 and 2 are the older ways, 4 is XLA FFI.
    pub api_version: i32,
    pub backend_config: BackendConfig,
    pub has_side_effect: bool,
    pub output_operand_aliases: Vec<OutputOperandAlias>,
}

impl Default for CustomCall {
    fn default() -> Self {
        CustomCall { api_version: 4, backend_config: BackendConfig::None, has_side_effect: false, output_operand_aliases: Vec::new() }
    }
}

/// Result `output` shares the buffer of operand `operand`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputOperandAlias {
    pub output: i64,
    pub operand: i64,
}

impl FuncBuilder {
    /// Repeats `body` on the values while `cond` gives true.
    pub fn while_loop<'f>(
        &'f self,
        inits: &[Value<'f>],
        cond: impl Fn(&[Value<'f>]) -> Value<'f>,
        body: impl Fn(&[Value<'f>]) -> Vec<Value<'f>>,
    ) -> Vec<Value<'f>> {
        let types = types(inits);
        let (cond_block, condition) = self.region(&types, false, |values| vec![cond(values)]);
        let (body_block, next) = self.region(&types, false, body);
        let inferred = || {
            check!(returns(&condition, &[TensorType::scalar(ElementType::I1)]), "a condition that returns a boolean of rank 0");
            check!(returns(&next, &types), "a body that returns the types of the initial values");
            Ok(types.clone())
        };
        let op = Appended::new("stablehlo.while", inits).region(cond_block).region(body_block);
        self.append(op, inferred(), || types.clone()).into_vec()
    }

    /// The results of branch `index`; an index out of range takes the last branch.
    pub fn case<'f>(&'f self, index: Value<'f>, branches: Vec<Box<dyn Fn() -> Vec<Value<'f>> + '_>>) -> Vec<Value<'f>> {
        let i32_scalar = TensorType::scalar(ElementType::I32);
        let expected = (index.ty() != i32_scalar).then(|| format!("an index of type {i32_scalar}"));
        let bodies: Vec<&dyn Fn() -> Vec<Value<'f>>> = branches.iter().map(|branch| &**branch as _).collect();
        self.branch("stablehlo.case", index, &bodies, expected)
    }

    /// The results of `on_true` or of `on_false`, by a boolean of rank 0; only one of them runs.
    pub fn if_<'f>(
        &'f self,
        predicate: Value<'f>,
        on_true: impl Fn() -> Vec<Value<'f>>,
        on_false: impl Fn() -> Vec<Value<'f>>,
    ) -> Vec<Value<'f>> {
        let boolean = TensorType::scalar(ElementType::I1);
        let expected = (predicate.ty() != boolean).then(|| format!("a predicate of type {boolean}"));
        self.branch("stablehlo.if", predicate, &[&on_true, &on_false], expected)
    }

    fn branch<'f>(
        &'f self,
        name: &'static str,
        selector: Value<'f>,
        branches: &[&dyn Fn() -> Vec<Value<'f>>],
        wrong_selector: Option<String>,
    ) -> Vec<Value<'f>> {
        let selectors = [selector];
        let mut op = Appended::new(name, &selectors);
        let mut results: Option<Types> = None;
        let mut agree = true;
        for branch in branches {
            let (block, returned) = self.region(&[], false, |_| branch());
            op = op.region(block);
            let returned = types(&returned);
            agree &= results.as_ref().is_none_or(|first| *first == returned);
            results.get_or_insert(returned);
        }
        let guess = results.clone().unwrap_or_default();
        let inferred = match (wrong_selector, results) {
            (Some(expected), _) => Err(expected),
            (None, None) => Err("at least one branch".to_owned()),
            (None, Some(_)) if !agree => Err("branches that return the same types".to_owned()),
            (None, Some(results)) => Ok(results),
        };
        self.append(op, inferred, || guess).into_vec()
    }

    /// Calls a function that the plugin knows by name. Nothing is checked: only the target knows its types.
    pub fn custom_call<'f>(&'f self, target: &str, operands: &[Value<'f>], results: &[TensorType], call: &CustomCall) -> Vec<Value<'f>> {
        let mut op = Appended::new("stablehlo.custom_call", operands)
            .attribute("call_target_name", target)
            .attribute("has_side_effect", call.has_side_effect)
            .attribute("api_version", Attribute::I32(call.api_version));
        match &call.backend_config {
            BackendConfig::None => {}
            BackendConfig::Text(text) => op = op.attribute("backend_config", text.as_str()),
            BackendConfig::Dictionary(entries) => {
                op = op.attribute("backend_config", Attribute::Dictionary(entries.clone()));
            }
        }
        if !call.output_operand_aliases.is_empty() {
            let several = results.len() > 1;
            let aliases: Vec<String> = call.output_operand_aliases.iter().map(|alias| alias.text(several)).collect();
            op = op.attribute("output_operand_aliases", Attribute::Text(format!("[{}]", aliases.join(", ")).into()));
        }
        let results: Types = results.iter().cloned().collect();
        self.append(op, Ok(results.clone()), || results).into_vec()
    }

    /// The same values, none of which the compiler moves across this point.
    pub fn optimization_barrier<'f>(&'f self, values: &[Value<'f>]) -> Vec<Value<'f>> {
        let results = types(values);
        self.append(Appended::new("stablehlo.optimization_barrier", values), Ok(results.clone()), || results).into_vec()
    }

    /// The `k` largest elements of the innermost dimension, in descending order, and their i32 positions.
    pub fn top_k<'f>(&'f self, operand: Value<'f>, k: i64) -> (Value<'f>, Value<'f>) {
        let ty = operand.ty();
        let mut values = ty.clone();
        if let Some(dim) = values.dims.last_mut() {
            *dim = k;
        }
        let results: Types = [values.clone(), values.with_element(ElementType::I32)].into_iter().collect();
        let inferred = || {
            let fits = ty.dims.last().is_some_and(|&dim| 0 <= k && k <= dim);
            check!(fits, "at least {k} elements in the innermost dimension");
            check!(!ty.element.is_complex(), "an ordered type, got {}", ty.element);
            Ok(results.clone())
        };
        let op = Appended::new("chlo.top_k", &[operand]).attribute("k", k);
        let appended: SmallVec<[Value<'f>; 1]> = self.append(op, inferred(), || results.clone());
        match *appended.as_slice() {
            [values, positions] => (values, positions),
            _ => (operand, operand),
        }
    }
}

impl OutputOperandAlias {
    fn text(self, several_outputs: bool) -> String {
        let output = if several_outputs { self.output.to_string() } else { String::new() };
        format!(
            "#stablehlo.output_operand_alias<output_tuple_indices = [{output}], operand_index = {}, \
             operand_tuple_indices = []>",
            self.operand
        )
    }
}
