//! Damage that new entries do not reach.
//!
//! Each new entry has a higher number than all stored entries, so `SQLite` adds it at the end of the table and does not
//! visit the other leaf pages. If only such leaves are damaged, the sessions whose entries they contain cannot be read,
//! and all others still work.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::Connection;

use super::salvage::{Pages, children};

/// The number of leaves at the end of the table that `SQLite` may visit when it adds an entry.
const LAST: usize = 3;

/// The maximum depth of a table. Each interior page, except for the root, has at least four children.
const DEEPEST: usize = 16;

/// The leaves of the table of entries, except for the last ones.
pub(super) struct OldEntries {
    root: u32,
    leaves: HashSet<u32>,
}

impl OldEntries {
    /// Finds the leaves; returns `None` if an interior page or the last leaf of the table is damaged.
    pub(super) fn of(path: &Path, connection: &Connection) -> Option<Self> {
        let root = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'entry'";
        let root: u32 = connection.query_row(root, [], |row| row.get(0)).ok()?;
        let pages = Pages::open(path).ok()?;
        let mut leaves = vec![root];
        for _ in 1..depth(&pages, root)? {
            let below = leaves.iter().map(|page| children(&pages, *page));
            leaves = below.collect::<Option<Vec<_>>>()?.concat();
        }
        leaves.truncate(leaves.len().saturating_sub(LAST));
        Some(Self {
            root,
            leaves: leaves.into_iter().collect(),
        })
    }

    /// Returns whether a problem that `SQLite` reports, such as `Tree 5 page 12 cell 3: …`, is on one of these leaves.
    pub(super) fn contain(&self, problem: &str) -> bool {
        let page = || {
            let (root, rest) = problem.strip_prefix("Tree ")?.split_once(" page ")?;
            let page = rest.split([' ', ':']).next()?;
            Some((root.parse().ok()?, page.parse().ok()?))
        };
        page().is_some_and(|(root, page): (u32, u32)| {
            root == self.root && self.leaves.contains(&page)
        })
    }
}

/// Returns the depth of a table, which is the same for all leaves; `None` if a page at its end is damaged.
fn depth(pages: &Pages, root: u32) -> Option<usize> {
    let mut page = root;
    for depth in 1..=DEEPEST {
        match children(pages, page)?.last() {
            Some(last) => page = *last,
            None => return Some(depth),
        }
    }
    None
}
