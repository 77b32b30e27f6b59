//! The declared C structs against `abi_table.txt`, which a script made from the independent package pypjrt.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use pjrt::BufferType;
use pjrt::abi::{self, Entry};

const TABLE: &str = include_str!("abi_table.txt");

type Fields<'a> = Vec<(&'a str, usize)>;

struct Table<'a> {
    /// By name: the size, and the fields with their offsets.
    structs: HashMap<&'a str, (usize, Fields<'a>)>,
    lines: HashMap<&'a str, Vec<&'a str>>,
    enums: HashMap<&'a str, Vec<(&'a str, u32)>>,
}

fn pair<T: std::str::FromStr>(text: &str) -> (&str, T) {
    let (name, number) = text.rsplit_once(':').unwrap();
    (name, number.parse().ok().unwrap())
}

fn table() -> Table<'static> {
    let mut table = Table { structs: HashMap::new(), lines: HashMap::new(), enums: HashMap::new() };
    for line in TABLE.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "struct" => {
                let fields = words[3..].iter().map(|word| pair(word)).collect();
                table.structs.insert(words[1], (words[2].parse().unwrap(), fields));
            }
            "enum" => {
                table.enums.insert(words[1], words[2..].iter().map(|word| pair(word)).collect());
            }
            key => {
                table.lines.insert(key, words[1..].to_vec());
            }
        }
    }
    table
}

/// `type` is a keyword and unions have no name, so these fields are called something else here.
fn is_renamed(theirs: &str, ours: &str) -> bool {
    (theirs == "type" && ours.ends_with("_type")) || theirs.starts_with("_anon")
}

#[test]
fn every_struct_has_the_size_and_offsets_of_the_c_header() {
    let table = table();
    for ours in abi::layouts() {
        let (size, fields) = &table.structs[ours.name];
        assert_eq!(ours.struct_size, *size, "size of {}", ours.name);
        // The first two are struct_size and extension_start, which the macro adds.
        let fields = &fields[2..];
        assert_eq!(ours.fields.len(), fields.len(), "fields of {}", ours.name);
        for ((our_name, our_offset), (their_name, their_offset)) in ours.fields.iter().zip(fields) {
            assert_eq!(our_offset, their_offset, "{}.{our_name}", ours.name);
            assert!(our_name == their_name || is_renamed(their_name, our_name), "{}.{our_name}", ours.name);
        }
    }
    let (size, fields) = &table.structs["PJRT_FFI_Register_Handler_Args"];
    assert_eq!(abi::PJRT_FFI_Register_Handler_Args::STRUCT_SIZE, *size);
    assert_eq!(fields[3], ("handler", std::mem::offset_of!(abi::PJRT_FFI_Register_Handler_Args, handler)));
    assert_eq!(fields[6], ("traits", std::mem::offset_of!(abi::PJRT_FFI_Register_Handler_Args, traits)));
    assert_eq!(size_of::<abi::PJRT_FFI_Extension>(), table.structs["PJRT_FFI_Extension"].0);
    assert_eq!(std::mem::offset_of!(abi::PJRT_FFI_Extension, register_handler), 40);
    assert_eq!(size_of::<abi::PJRT_Extension_Base>(), table.structs["PJRT_Extension_Base"].0);
    assert_eq!(std::mem::offset_of!(abi::PJRT_Extension_Base, next), 16);
}

#[test]
fn every_entry_point_stands_at_its_place() {
    let table = table();
    let names: Vec<&str> = Entry::ALL.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, table.lines["slots"]);
    for (position, entry) in Entry::ALL.iter().enumerate() {
        assert_eq!(*entry as usize, position);
    }
    assert_eq!(table.lines["table_offset"], [abi::TABLE_OFFSET.to_string()]);
    assert_eq!(table.lines["version"], [abi::API_VERSION.0.to_string(), abi::API_VERSION.1.to_string()]);
}

#[test]
fn enums_have_the_numbers_of_the_c_header() {
    let table = table();
    let ours: Vec<(String, u32)> = BufferType::ALL.iter().map(|kind| (format!("{kind:?}").to_uppercase(), kind.raw())).collect();
    let theirs: Vec<(String, u32)> = table.enums["PJRT_Buffer_Type"].iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
    assert_eq!(ours, theirs);
    for (name, number) in &table.enums["PJRT_Error_Code"] {
        if *number > 0 {
            let ours = format!("{:?}", pjrt::ErrorCode::from_raw(*number)).to_uppercase();
            assert_eq!(ours, name.replace('_', ""));
        }
    }
    let of = |name: &str, value: &str| table.enums[name].iter().find(|(other, _)| *other == value).unwrap().1;
    assert_eq!(of("PJRT_Extension_Type", "FFI"), abi::EXTENSION_TYPE_FFI);
    assert_eq!(of("PJRT_HostBufferSemantics", "kImmutableOnlyDuringCall"), abi::HOST_BUFFER_IMMUTABLE_ONLY_DURING_CALL);
    assert_eq!(of("PJRT_HostBufferSemantics", "kImmutableZeroCopy"), abi::HOST_BUFFER_IMMUTABLE_ZERO_COPY);
    assert_eq!(of("PJRT_NamedValue", "kInt64List"), abi::NAMED_VALUE_INT64_LIST);
    assert_eq!(of("PJRT_NamedValue", "kBool"), abi::NAMED_VALUE_BOOL);
}

#[test]
fn older_plugins_are_given_the_struct_sizes_they_know() {
    // Sizes that the 0.54 header and the plugins' own messages give.
    assert_eq!(abi::PJRT_ExecuteOptions::size_for(54), 72);
    assert_eq!(abi::PJRT_ExecuteOptions::size_for(78), 112);
    assert_eq!(abi::PJRT_ExecuteOptions::size_for(114), abi::PJRT_ExecuteOptions::STRUCT_SIZE);
    assert_eq!(abi::PJRT_Plugin_Attributes_Args::size_for(54), 24);
    assert_eq!(abi::PJRT_Client_Create_Args::size_for(54), 72);
    assert_eq!(abi::PJRT_Executable_DeserializeAndLoad_Args::size_for(54), 48);
    assert_eq!(abi::PJRT_Executable_GetCompiledMemoryStats_Args::size_for(54), 104);
    assert_eq!(abi::PJRT_Device_MemoryStats_Args::size_for(114), abi::PJRT_Device_MemoryStats_Args::STRUCT_SIZE);
}

/// Needs the repository's virtual environment; without it there is nothing to compare with.
#[test]
fn the_committed_table_is_what_the_script_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../../.venv/bin/python");
    let script = root.join("tests/abi_table.py");
    let Ok(output) = Command::new(python).arg(script).output() else { return };
    if output.status.success() {
        assert_eq!(String::from_utf8(output.stdout).unwrap(), TABLE);
    }
}
