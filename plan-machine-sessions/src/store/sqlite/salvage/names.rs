//! Finds the names of sessions in a damaged log. A session that began in a transaction that is lost must not start over
//! in the new file, so it is closed there until a person restarts it.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::gather::{GatheredRows, named};
use super::pages::Pages;
use super::rows::{StoredRow, recognized};
use super::tree;
use crate::identity::SessionIdentity;

/// The channel and the conversation of a session.
type Name = [String; 2];

/// The names of sessions, with the numbers of the sessions in the file.
type NamedRows = Vec<(Name, i64)>;

/// Adds the sessions whose names occur only in lost transactions of the log. Returns whether there are any. Nothing
/// else is taken from these transactions, because they may be damaged or out of date.
pub(super) fn take(pages: &Pages, gathered: &mut GatheredRows<'_>) -> bool {
    let known = gathered.sessions.values();
    let known = known.map(|row| [row.channel.clone(), row.conversation.clone()]);
    let mut known: HashSet<Name> = known.collect();
    let mut found = NamedRows::new();
    let mut indexes = Vec::new();
    for bytes in pages.in_frames() {
        // The first page, which starts with the header of the file, contains no names.
        let Some(page) = tree::read(pages, &bytes, 0) else {
            continue;
        };
        if page.is_table {
            let rows = page.rows.into_iter().filter_map(recognized);
            let rows = rows.filter_map(|row| match row {
                StoredRow::Session(row) => Some(([row.channel, row.conversation], row.id)),
                _ => None,
            });
            add(rows, &mut found, &mut known);
        } else {
            let rows = page.rows.iter().filter_map(named);
            let rows = rows.map(|(first, second, id)| ([first.to_owned(), second.to_owned()], id));
            indexes.push(rows.collect());
        }
    }
    for rows in indexes {
        let rows = with_channels_first(rows, &known);
        add(rows.into_iter(), &mut found, &mut known);
    }
    let is_any = !found.is_empty();
    for (name, id) in found {
        gathered.take_lost(name, id);
    }
    is_any
}

/// Adds the sessions whose names are valid and not known yet.
fn add(rows: impl Iterator<Item = (Name, i64)>, found: &mut NamedRows, known: &mut HashSet<Name>) {
    found.extend(rows.filter(|(name, _)| {
        let [channel, conversation] = name;
        SessionIdentity::existing(channel, conversation).is_ok() && known.insert(name.clone())
    }));
}

/// Returns the rows of an index with the channel before the conversation. One of the indexes has them in the other
/// order. A page does not say which index it belongs to, but names on the page that are already known show the order.
/// If no name shows it, both orders are returned: a session that has never existed does no harm, but one that is
/// missing would start over.
fn with_channels_first(mut rows: NamedRows, known: &HashSet<Name>) -> NamedRows {
    let mut swapped = rows.clone();
    for (name, _) in &mut swapped {
        name.reverse();
    }
    let many = |rows: &NamedRows| rows.iter().filter(|(name, _)| known.contains(name)).count();
    match many(&rows).cmp(&many(&swapped)) {
        Ordering::Greater => rows,
        Ordering::Less => swapped,
        Ordering::Equal => {
            rows.append(&mut swapped);
            rows
        }
    }
}
