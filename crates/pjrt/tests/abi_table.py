"""Writes tests/abi_table.txt: sizes, offsets, slots and enums of the PJRT C API as the package pypjrt knows them.

Run with a python that has pypjrt 0.1.1 installed: python abi_table.py > abi_table.txt
"""

import ctypes

from pypjrt._abi import pjrt_0_114 as abi

print("version", abi.PJRT_API_MAJOR, abi.PJRT_API_MINOR)
print("table_offset", abi.VTABLE_OFFSET)
print("slots", *abi.SLOT)
for name in sorted(dir(abi)):
    struct = getattr(abi, name)
    is_struct = isinstance(struct, type) and issubclass(struct, ctypes.Structure)
    if is_struct and name.startswith("PJRT_") and name != "PJRT_Api":
        size = getattr(abi, f"{name}_STRUCT_SIZE", ctypes.sizeof(struct))
        fields = (f"{field[0]}:{getattr(struct, field[0]).offset}" for field in struct._fields_)
        print("struct", name, size, *fields)
for enum in (
    "PJRT_Buffer_Type",
    "PJRT_Error_Code",
    "PJRT_Extension_Type",
    "PJRT_HostBufferSemantics",
    "PJRT_NamedValue",
):
    values = {
        name.removeprefix(enum + "_"): value
        for name, value in vars(abi).items()
        if name.startswith(enum + "_") and isinstance(value, int) and not name.endswith("STRUCT_SIZE")
    }
    print("enum", enum, *(f"{name}:{value}" for name, value in sorted(values.items(), key=lambda item: item[1])))
