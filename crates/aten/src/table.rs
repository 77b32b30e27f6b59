//! The whole table: every family of `rows`, indexed by overload name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Row;
use crate::rows;

static INDEX: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| table().map(|row| (row.name, row)).collect());

/// Every row, family by family.
pub fn table() -> impl Iterator<Item = &'static Row> {
    rows::FAMILIES.iter().flat_map(|family| family.iter())
}

/// The row of a qualified functional overload (`aten::add.Tensor`).
pub fn find(name: &str) -> Option<&'static Row> {
    INDEX.get(name).copied()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_overload_has_one_row() {
        assert_eq!(super::INDEX.len(), super::table().count());
    }
}
