//! The printed text of every op equals the committed one. `UPDATE_SNAPSHOTS=1` rewrites it.
#![expect(clippy::panic, reason = "a test fails by panicking")]

mod cases;

use std::fmt::Write;
use std::path::Path;

#[test]
fn every_op_prints_as_committed() {
    let mut text = String::new();
    for case in cases::all() {
        let _ = writeln!(text, "// {}\n{}", case.name, case.func.text());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed.mlir");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (printed, committed) in text.split("// ").zip(committed.split("// ")) {
        assert_eq!(printed, committed);
    }
    assert_eq!(text.len(), committed.len(), "cases were added or removed");
}
