//! The interface of every type in a spec.

use plan_machine_kernel::digest::Digester;
use plan_machine_kernel::json::Json;

use super::at::ValuePath;
use super::bounds::Bounds;
use super::problems::Problems;

/// A value of a type in a spec.
pub trait Value: Sized {
    /// Whether a value of this type can contain parts that have bounds, such as a record with a bounded field.
    const BOUNDED: bool = false;

    /// Returns the value as JSON.
    fn encode(&self) -> Json;

    /// Reads a value and reports every problem with its path. Returns `None` if the value does not match its type. A
    /// value whose parts exceed their bounds may be returned, so the caller must also check that no problem was
    /// reported.
    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self>;

    /// Writes the value to a digester, as canonical JSON (RFC 8785).
    fn digest(&self, out: &mut Digester);

    /// Reports the bounds that the value itself exceeds.
    fn own_bounds(&self, _bounds: Bounds, _at: &ValuePath<'_>, _problems: &mut Problems) {}

    /// Reports the bounds that parts of the value exceed.
    fn inner_bounds(&self, _at: &ValuePath<'_>, _problems: &mut Problems) {}

    /// Reports all bounds that the value and its parts exceed; the bounds of the value itself come first.
    fn check(&self, bounds: Bounds, at: &ValuePath<'_>, problems: &mut Problems) {
        self.own_bounds(bounds, at, problems);
        if Self::BOUNDED {
            self.inner_bounds(at, problems);
        }
    }
}
