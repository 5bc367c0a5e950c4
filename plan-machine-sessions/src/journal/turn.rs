//! Writes and parses turns: the floor of a turn (the host tools that may run in it), and the turn
//! in a snapshot.

use plan_machine::gate::{Floor, OpenTools, Turn, TurnId};

use super::fields::{Bad, Fields};
use super::text::{self, Pairs};

/// Writes the turn of a snapshot.
pub(super) fn write_turn(pairs: &mut Pairs<'_>, turn: &Turn) {
    pairs.text("id", turn.id.as_str());
    write_floor(pairs, &turn.floor);
}

/// Parses the turn of a snapshot.
pub(super) fn turn(fields: Fields<'_>) -> Result<Turn, Bad> {
    Ok(Turn {
        id: TurnId::new(fields.text("id")?),
        floor: floor(fields)?.unwrap_or_default(),
    })
}

/// Writes the host tools that may run in a turn, machine by machine.
pub(super) fn write_floor(pairs: &mut Pairs<'_>, floor: &Floor) {
    pairs.list("floor", floor.iter(), |text, (machine, open)| {
        text::object(text, |pairs| {
            pairs.text("machine", machine);
            write_open(pairs, "open", open);
        });
    });
}

/// Parses the host tools that may run in a turn; `None` if the field does not exist.
pub(super) fn floor(fields: Fields<'_>) -> Result<Option<Floor>, Bad> {
    if fields.json("floor").is_none() {
        return Ok(None);
    }
    let machines = fields.list("floor")?.iter().map(|json| {
        let fields = Fields::of(json)?;
        Ok((fields.text("machine")?.to_owned(), open(fields, "open")?))
    });
    machines.collect::<Result<Floor, Bad>>().map(Some)
}

/// Writes the host tools of one machine.
pub(super) fn write_open(pairs: &mut Pairs<'_>, key: &str, open: &OpenTools) {
    let open: Vec<String> = open.iter().cloned().collect();
    pairs.texts(key, &open);
}

/// Parses the host tools of one machine.
pub(super) fn open(fields: Fields<'_>, key: &str) -> Result<OpenTools, Bad> {
    Ok(fields.texts(key)?.into_iter().collect())
}
