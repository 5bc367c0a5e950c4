//! What every type that a spec can name can do.

use plan_machine_kernel::digest::Digester;
use plan_machine_kernel::json::Json;

use super::at::ValuePath;
use super::bounds::Bounds;
use super::problems::Problems;

/// A value of a type that a spec can name.
pub trait Value: Sized {
    /// Some bound is inside: on a field of a record in it.
    const BOUNDED: bool = false;

    /// The value as JSON.
    fn encode(&self) -> Json;

    /// Reads a value; every problem is reported, with its path. `None` after a problem.
    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self>;

    /// Writes the canonical JSON of RFC 8785.
    fn digest(&self, out: &mut Digester);

    /// Says where the value itself breaks a bound.
    fn own_bounds(&self, _bounds: Bounds, _at: &ValuePath<'_>, _problems: &mut Problems) {}

    /// Says where something inside the value breaks a bound.
    fn inner_bounds(&self, _at: &ValuePath<'_>, _problems: &mut Problems) {}

    /// Tells every bound that is broken, outer ones first.
    fn check(&self, bounds: Bounds, at: &ValuePath<'_>, problems: &mut Problems) {
        self.own_bounds(bounds, at, problems);
        if Self::BOUNDED {
            self.inner_bounds(at, problems);
        }
    }
}
