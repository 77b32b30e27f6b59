//! Compile options and their encoding as XLA's `CompileOptionsProto`.
//! The messages hold only the fields that are used; field numbers are those of `compile_options.proto`.

use std::collections::BTreeMap;

use prost::Message;

use crate::abi::Entry;
use crate::error::{Error, Result};

/// How a program is compiled. The default is one replica, one partition, no overrides.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileOptions {
    /// Copies of the program that run together, at least 1.
    pub num_replicas: usize,
    /// Parts that one copy is split into, at least 1.
    pub num_partitions: usize,
    /// Device of a one-device program. `None` leaves the choice to the plugin.
    pub device_ordinal: Option<i64>,
    /// Global device ids, `[replica][partition]`. `None` is the plugin's default assignment.
    pub device_assignment: Option<Vec<Vec<i64>>>,
    /// One program for all devices: the device is named at each execution.
    pub compile_portable_executable: bool,
    /// Needed as soon as `num_partitions > 1`.
    pub use_spmd_partitioning: bool,
    /// Partition by `sdy` annotations rather than by GSPMD ones.
    pub use_shardy: bool,
    /// Compiler options by name, without a leading `--`. Unknown names are an error of the plugin.
    pub env_option_overrides: BTreeMap<String, OptionOverride>,
}

/// Value of a compiler option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionOverride {
    /// Text or enum name.
    String(String),
    /// Boolean.
    Bool(bool),
    /// Integer.
    I64(i64),
    /// Float.
    F64(f64),
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            num_replicas: 1,
            num_partitions: 1,
            device_ordinal: None,
            device_assignment: None,
            compile_portable_executable: false,
            use_spmd_partitioning: false,
            use_shardy: false,
            env_option_overrides: BTreeMap::new(),
        }
    }
}

impl CompileOptions {
    /// The serialized `CompileOptionsProto`. Equal options give equal bytes, so they may be part of a cache key.
    pub fn to_bytes(&self) -> Vec<u8> {
        let device_assignment = self.device_assignment.as_ref().map(|replicas| {
            let partitions = replicas.first().map_or(0, Vec::len);
            DeviceAssignmentProto {
                replica_count: replicas.len() as i32,
                computation_count: partitions as i32,
                computation_devices: (0..partitions)
                    .map(|partition| ComputationDevice { replica_device_ids: replicas.iter().map(|devices| devices[partition]).collect() })
                    .collect(),
            }
        });
        CompileOptionsProto {
            executable_build_options: Some(ExecutableBuildOptionsProto {
                // -1 says that no device was chosen; XLA reads an absent field as device 0.
                device_ordinal: self.device_ordinal.unwrap_or(-1),
                num_replicas: self.num_replicas as i64,
                num_partitions: self.num_partitions as i64,
                use_spmd_partitioning: self.use_spmd_partitioning,
                device_assignment,
                use_shardy_partitioner: self.use_shardy,
            }),
            compile_portable_executable: self.compile_portable_executable,
            env_option_overrides: self
                .env_option_overrides
                .iter()
                .map(|(name, value)| {
                    let value = match value {
                        OptionOverride::String(text) => OverrideValue::String(text.clone()),
                        OptionOverride::Bool(flag) => OverrideValue::Bool(*flag),
                        OptionOverride::I64(number) => OverrideValue::Int(*number),
                        OptionOverride::F64(number) => OverrideValue::Double(*number),
                    };
                    (name.clone(), OptionOverrideProto { value: Some(value) })
                })
                .collect(),
        }
        .encode_to_vec()
    }

    /// Refuses what would end the process inside the plugin: no replicas, no partitions, a ragged device assignment.
    pub(crate) fn check(&self, entry: Entry) -> Result<()> {
        // The upper bound keeps a wrapped negative number from becoming an allocation of exabytes.
        const MOST: usize = 1 << 20;
        for (name, count) in [("num_replicas", self.num_replicas), ("num_partitions", self.num_partitions)] {
            if count == 0 || count > MOST {
                return Err(Error::invalid(entry, format!("{name} = {count}, must be between 1 and {MOST}")));
            }
        }
        if let Some(replicas) = &self.device_assignment
            && (replicas.len() != self.num_replicas || replicas.iter().any(|row| row.len() != self.num_partitions))
        {
            return Err(Error::invalid(
                entry,
                format!(
                    "device_assignment {replicas:?} is not num_replicas x num_partitions = {} x {}",
                    self.num_replicas, self.num_partitions
                ),
            ));
        }
        Ok(())
    }
}

#[derive(Clone, PartialEq, Message)]
struct CompileOptionsProto {
    #[prost(message, optional, tag = "3")]
    executable_build_options: Option<ExecutableBuildOptionsProto>,
    #[prost(bool, tag = "4")]
    compile_portable_executable: bool,
    #[prost(btree_map = "string, message", tag = "7")]
    env_option_overrides: BTreeMap<String, OptionOverrideProto>,
}

#[derive(Clone, PartialEq, Message)]
struct ExecutableBuildOptionsProto {
    #[prost(int64, tag = "1")]
    device_ordinal: i64,
    #[prost(int64, tag = "4")]
    num_replicas: i64,
    #[prost(int64, tag = "5")]
    num_partitions: i64,
    #[prost(bool, tag = "6")]
    use_spmd_partitioning: bool,
    #[prost(message, optional, tag = "9")]
    device_assignment: Option<DeviceAssignmentProto>,
    #[prost(bool, tag = "19")]
    use_shardy_partitioner: bool,
}

#[derive(Clone, PartialEq, Message)]
struct DeviceAssignmentProto {
    #[prost(int32, tag = "1")]
    replica_count: i32,
    #[prost(int32, tag = "2")]
    computation_count: i32,
    #[prost(message, repeated, tag = "3")]
    computation_devices: Vec<ComputationDevice>,
}

#[derive(Clone, PartialEq, Message)]
struct ComputationDevice {
    #[prost(int64, repeated, tag = "1")]
    replica_device_ids: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct OptionOverrideProto {
    #[prost(oneof = "OverrideValue", tags = "1, 2, 3, 4")]
    value: Option<OverrideValue>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum OverrideValue {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_name_one_replica_and_one_partition() {
        // build options { device_ordinal: -1, num_replicas: 1, num_partitions: 1 }
        let minus_one = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        let mut expected = vec![0x1a, 15];
        expected.extend(minus_one);
        expected.extend([0x20, 1, 0x28, 1]);
        assert_eq!(CompileOptions::default().to_bytes(), expected);
    }

    #[test]
    fn overrides_are_map_entries_of_field_7() {
        let mut options = CompileOptions::default();
        options.env_option_overrides.insert("ab".into(), OptionOverride::Bool(true));
        let bytes = options.to_bytes();
        assert_eq!(bytes[17..], [0x3a, 8, 0x0a, 2, b'a', b'b', 0x12, 2, 0x10, 1]);
    }

    #[test]
    fn an_assignment_must_fit_the_counts() {
        let options = CompileOptions { device_assignment: Some(vec![vec![0, 1]]), ..Default::default() };
        assert!(options.check(Entry::PJRT_Client_Compile).is_err());
        let options = CompileOptions { num_partitions: 2, ..options };
        assert!(options.check(Entry::PJRT_Client_Compile).is_ok());
        let options = CompileOptions { num_replicas: 0, ..Default::default() };
        assert!(options.check(Entry::PJRT_Client_Compile).is_err());
    }
}
