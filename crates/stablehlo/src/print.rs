//! Prints a function as an MLIR module, every op in MLIR's generic form.

use std::fmt::Write;

use crate::attribute::{Attribute, Constant, ConstantData};
use crate::builder::{AxisSet, BlockId, TOP, ValueId};
use crate::func::{Func, Op};
use crate::literal::{Bits, finite_value};
use crate::{ElementType, Location, TensorType};

pub(crate) fn text(func: &Func, with_locations: bool) -> String {
    let mut printer = Printer {
        func,
        with_locations,
        out: String::with_capacity(256 + 160 * func.ops.len()),
        names: vec![Name::Unnamed; func.types.len()],
        next_op: 0,
        next_block_argument: 0,
    };
    printer.module();
    printer.out
}

/// How a value is referred to.
#[derive(Clone, Copy)]
enum Name {
    Unnamed,
    Argument(u32),
    BlockArgument(u32),
    Result(u32),
    /// One of several results of an op.
    ResultOf(u32, u32),
}

struct Printer<'a> {
    func: &'a Func,
    with_locations: bool,
    out: String,
    names: Vec<Name>,
    next_op: u32,
    next_block_argument: u32,
}

impl Printer<'_> {
    fn module(&mut self) {
        self.push("module @");
        self.symbol();
        self.push(" {\n  func.func public @main(");
        for index in 0..self.func.arguments.len() {
            if index > 0 {
                self.push(", ");
            }
            self.argument(index);
        }
        self.push(") -> (");
        self.types_of(self.func.results.iter().copied());
        self.push(") {\n");
        self.ops(TOP, 2);
        self.push("    return");
        if !self.func.results.is_empty() {
            self.push(" ");
            self.values(&self.func.results);
            self.push(" : ");
            self.types_of(self.func.results.iter().copied());
        }
        self.push("\n  }\n}\n");
    }

    fn symbol(&mut self) {
        let name = &self.func.name;
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'));
        if plain { self.out.push_str(name) } else { quoted(&mut self.out, name) }
    }

    fn argument(&mut self, index: usize) {
        let Some(argument) = self.func.arguments.get(index) else { return };
        self.name(argument.value, Name::Argument(index as u32));
        self.value(argument.value);
        self.push(": ");
        self.type_of(argument.value);
        match argument.aliased_output {
            Some(output) => self.write(format_args!(" {{tf.aliasing_output = {output} : i32}}")),
            None if argument.donated => self.push(" {jax.buffer_donor = true}"),
            None => {}
        }
    }

    fn ops(&mut self, block: BlockId, depth: usize) {
        let func = self.func;
        let Some(block) = func.blocks.get(block as usize) else { return };
        for op in block.ops.iter().filter_map(|&id| func.ops.get(id as usize)) {
            self.op(op, depth);
        }
    }

    fn op(&mut self, op: &Op, depth: usize) {
        self.indent(depth);
        self.name_results(op);
        self.push("\"");
        self.push(op.name);
        self.push("\"(");
        self.values(&op.operands);
        self.push(")");
        if !op.regions.is_empty() {
            self.push(" (");
            for (index, &region) in op.regions.iter().enumerate() {
                if index > 0 {
                    self.push(", ");
                }
                self.region(region, depth);
            }
            self.push(")");
        }
        if !op.attributes.is_empty() {
            self.push(" {");
            for (index, (name, value)) in op.attributes.iter().enumerate() {
                if index > 0 {
                    self.push(", ");
                }
                self.push(name);
                self.push(" = ");
                attribute(&mut self.out, value);
            }
            self.push("}");
        }
        self.push(" : (");
        self.types_of(op.operands.iter().copied());
        self.push(") -> ");
        let results = op.first_result..op.first_result + op.result_count;
        if op.result_count == 1 {
            self.type_of(op.first_result);
        } else {
            self.push("(");
            self.types_of(results);
            self.push(")");
        }
        if self.with_locations {
            self.location(op.location);
        }
        self.push("\n");
    }

    fn name_results(&mut self, op: &Op) {
        let number = self.next_op;
        match op.result_count {
            0 => return,
            1 => {
                self.name(op.first_result, Name::Result(number));
                self.write(format_args!("%{number} = "));
            }
            count => {
                for index in 0..count {
                    self.name(op.first_result + index, Name::ResultOf(number, index));
                }
                self.write(format_args!("%{number}:{count} = "));
            }
        }
        self.next_op += 1;
    }

    fn region(&mut self, block: BlockId, depth: usize) {
        let func = self.func;
        let Some(data) = func.blocks.get(block as usize) else { return };
        self.push("{\n");
        if !data.arguments.is_empty() {
            self.indent(depth);
            self.push("^bb0(");
            for (index, &argument) in data.arguments.iter().enumerate() {
                if index > 0 {
                    self.push(", ");
                }
                self.name(argument, Name::BlockArgument(self.next_block_argument));
                self.next_block_argument += 1;
                self.value(argument);
                self.push(": ");
                self.type_of(argument);
            }
            self.push("):\n");
        }
        self.ops(block, depth + 1);
        self.indent(depth);
        self.push("}");
    }

    fn location(&mut self, location: u32) {
        let index = (location as usize).checked_sub(1);
        if let Some(Location { op, python }) = index.and_then(|index| self.func.locations.get(index)) {
            self.push(" loc(");
            quoted(&mut self.out, op);
            if let Some((file, line)) = python {
                self.push("(");
                quoted(&mut self.out, file);
                self.write(format_args!(":{line}:0)"));
            }
            self.push(")");
        }
    }

    fn values(&mut self, values: &[ValueId]) {
        for (index, &value) in values.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.value(value);
        }
    }

    fn value(&mut self, value: ValueId) {
        match self.names.get(value as usize).copied().unwrap_or(Name::Unnamed) {
            Name::Argument(number) => self.write(format_args!("%arg{number}")),
            Name::BlockArgument(number) => self.write(format_args!("%b{number}")),
            Name::Result(number) => self.write(format_args!("%{number}")),
            Name::ResultOf(number, index) => self.write(format_args!("%{number}#{index}")),
            // Only a value used before it is defined has no name, and the builder refuses those.
            Name::Unnamed => self.write(format_args!("%undefined{value}")),
        }
    }

    fn name(&mut self, value: ValueId, name: Name) {
        if let Some(slot) = self.names.get_mut(value as usize) {
            *slot = name;
        }
    }

    fn types_of(&mut self, values: impl Iterator<Item = ValueId>) {
        for (index, value) in values.enumerate() {
            if index > 0 {
                self.push(", ");
            }
            self.type_of(value);
        }
    }

    fn type_of(&mut self, value: ValueId) {
        let Some(ty) = self.func.types.get(value as usize) else { return };
        match self.func.bounded.get(&value) {
            None => tensor_type(&mut self.out, ty),
            Some(&axes) => bounded_type(&mut self.out, ty, axes),
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        write_to(&mut self.out, text);
    }
}

/// Writing to a `String` cannot fail.
fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn tensor_type(out: &mut String, ty: &TensorType) {
    out.push_str("tensor<");
    for dim in &ty.dims {
        write_to(out, format_args!("{dim}x"));
    }
    out.push_str(ty.element.name());
    out.push('>');
}

fn bounded_type(out: &mut String, ty: &TensorType, axes: AxisSet) {
    let dims: Vec<(bool, i64)> = (0..).zip(&ty.dims).map(|(axis, &dim)| ((axes >> axis) & 1 == 1, dim)).collect();
    out.push_str("tensor<");
    for &(bounded, dim) in &dims {
        if bounded { out.push_str("?x") } else { write_to(out, format_args!("{dim}x")) }
    }
    out.push_str(ty.element.name());
    out.push_str(", #stablehlo.bounds<");
    list(out, &dims, |out, &(bounded, dim)| if bounded { write_to(out, format_args!("{dim}")) } else { out.push('?') });
    out.push_str(">>");
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => write_to(out, format_args!("\\{byte:02X}")),
        }
    }
    out.push('"');
}

fn list<T>(out: &mut String, items: &[T], mut print: impl FnMut(&mut String, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        print(out, item);
    }
}

fn attribute(out: &mut String, value: &Attribute) {
    match value {
        Attribute::Bool(value) => write_to(out, format_args!("{value}")),
        Attribute::I32(value) => write_to(out, format_args!("{value} : i32")),
        Attribute::I64(value) => write_to(out, format_args!("{value} : i64")),
        Attribute::F32(value) => {
            float(out, u64::from(value.to_bits()), ElementType::F32);
            out.push_str(" : f32");
        }
        Attribute::F64(value) => {
            float(out, value.to_bits(), ElementType::F64);
            out.push_str(" : f64");
        }
        Attribute::String(value) => quoted(out, value),
        Attribute::I64Array(values) => {
            array(out, "i64", values, |out, value| write_to(out, format_args!("{value}")));
        }
        Attribute::F64Array(values) => {
            array(out, "f64", values, |out, value| float(out, value.to_bits(), ElementType::F64));
        }
        Attribute::BoolArray(values) => {
            array(out, "i1", values, |out, value| write_to(out, format_args!("{value}")));
        }
        Attribute::Dictionary(entries) => {
            out.push('{');
            list(out, entries, |out, (name, value)| {
                quoted(out, name);
                out.push_str(" = ");
                attribute(out, value);
            });
            out.push('}');
        }
        Attribute::Text(text) => out.push_str(text),
        Attribute::Enum(kind, case) => write_to(out, format_args!("#stablehlo<{kind} {case}>")),
        Attribute::Padding(pairs) => {
            out.push_str("dense<");
            if !pairs.is_empty() {
                out.push('[');
                list(out, pairs, |out, (low, high)| write_to(out, format_args!("[{low}, {high}]")));
                out.push(']');
            }
            write_to(out, format_args!("> : tensor<{}x2xi64>", pairs.len()));
        }
        Attribute::Constant(constant) => dense(out, constant),
    }
}

fn array<T>(out: &mut String, element: &str, items: &[T], print: impl FnMut(&mut String, &T)) {
    out.push_str("array<");
    out.push_str(element);
    if !items.is_empty() {
        out.push_str(": ");
        list(out, items, print);
    }
    out.push('>');
}

fn dense(out: &mut String, Constant { ty, data }: &Constant) {
    out.push_str("dense<");
    match data {
        _ if ty.numel() == 0 => {}
        ConstantData::Splat(bits) => scalar(out, *bits, ty.element),
        ConstantData::Dense(values) => nested(out, values, &ty.dims, ty.element),
    }
    out.push_str("> : ");
    tensor_type(out, ty);
}

fn nested(out: &mut String, values: &[Bits], dims: &[i64], element: ElementType) {
    let Some((&dim, inner)) = dims.split_first() else {
        if let Some(&bits) = values.first() {
            scalar(out, bits, element);
        }
        return;
    };
    let chunk = values.len() / usize::try_from(dim).unwrap_or(1).max(1);
    out.push('[');
    for (index, part) in values.chunks(chunk.max(1)).enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        nested(out, part, inner, element);
    }
    out.push(']');
}

fn scalar(out: &mut String, bits: Bits, element: ElementType) {
    let Bits { low, high } = bits;
    let unused = 64 - element.bit_width().min(64);
    if element.is_bool() {
        out.push_str(if low == 0 { "false" } else { "true" });
    } else if element.is_complex() {
        out.push('(');
        float(out, low, element.real());
        out.push_str(", ");
        float(out, high, element.real());
        out.push(')');
    } else if element.is_signed_integer() {
        write_to(out, format_args!("{}", (low << unused) as i64 >> unused));
    } else if element.is_unsigned() {
        write_to(out, format_args!("{low}"));
    } else {
        float(out, low, element);
    }
}

/// The shortest decimal that reads back as the same bits, or the bits in hexadecimal for infinity and NaN.
fn float(out: &mut String, bits: u64, element: ElementType) {
    let Some(value) = finite_value(bits, element) else {
        let digits = element.bit_width().div_ceil(4) as usize;
        return write_to(out, format_args!("0x{bits:0digits$X}"));
    };
    let decimal = format!("{value:?}");
    match decimal.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => {
            write_to(out, format_args!("{mantissa}.0e{exponent}"));
        }
        _ => out.push_str(&decimal),
    }
}
