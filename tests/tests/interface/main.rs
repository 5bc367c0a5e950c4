//! The public interface of every published crate, as a listing, so that changes to the interface are visible in
//! reviews.
//!
//! The listing is built from the sources, so it needs only the stable toolchain. It contains neither macro-generated
//! items nor items hidden from the documentation.

mod listing;
mod sources;

use plan_machine_tests::root;

use listing::listing;
use sources::Sources;

/// The published crates that have a Rust interface.
const CRATES: [&str; 9] = [
    "plan-machine-kernel",
    "plan-machine-calls",
    "plan-machine-compiler",
    "plan-machine",
    "plan-machine-sessions",
    "plan-machine-host",
    "plan-machine-agents",
    "plan-machine-server",
    "specs",
];

#[test]
fn the_public_interfaces_match_the_reviewed_listings() {
    for name in CRATES {
        let sources = Sources::read(&root().join(name).join("src"));
        insta::assert_snapshot!(name, listing(&sources));
    }
}
