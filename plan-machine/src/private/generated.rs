//! Compile-time checks of the files that `plan-machine generate` writes.

/// Returns whether `version` is the version of the runtime. Generated code calls functions that can change with every
/// version.
#[must_use]
pub const fn is_version(version: &str) -> bool {
    is_same_text(version, env!("CARGO_PKG_VERSION"))
}

/// Returns whether two texts are equal, at compile time.
#[must_use]
pub const fn is_same_text(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// Returns the digest of a spec: FNV-1a with 128 bits.
///
/// The digest detects that a spec was edited but its code was not generated again. Anyone who wants to deceive the
/// compiler can edit the generated file as well, so a cryptographic digest would add nothing but compile time: constant
/// evaluation takes 30 times as long for SHA-256.
#[must_use]
pub const fn spec_digest(spec: &[u8]) -> u128 {
    let mut digest: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut at = 0;
    while at < spec.len() {
        digest = (digest ^ spec[at] as u128).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        at += 1;
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_fnv_1a() {
        assert_eq!(spec_digest(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(spec_digest(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn every_changed_added_or_missing_byte_changes_the_digest() {
        let spec = b"machine: Note\nstates: {}\n";
        for at in 0..spec.len() {
            let mut other = spec.to_vec();
            other[at] ^= 1;
            assert_ne!(spec_digest(spec), spec_digest(&other), "byte {at}");
            assert_ne!(spec_digest(spec), spec_digest(&spec[..at]), "{at} bytes");
        }
    }

    #[test]
    fn only_this_version_is_this_version() {
        assert!(is_version(env!("CARGO_PKG_VERSION")));
        assert!(!is_version(""));
        assert!(!is_version(concat!(env!("CARGO_PKG_VERSION"), ".1")));
    }
}
