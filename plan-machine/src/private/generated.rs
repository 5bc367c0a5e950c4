//! What a file from `plan-machine generate` asserts at compile time.

/// Returns whether this is the version of the runtime. Generated code calls functions that change with every version.
#[must_use]
pub const fn is_version(version: &str) -> bool {
    is_same(version.as_bytes(), env!("CARGO_PKG_VERSION").as_bytes())
}

/// Returns whether a spec has this SHA-256, as 64 lowercase hexadecimal digits.
#[must_use]
pub const fn has_digest(spec: &[u8], digits: &str) -> bool {
    is_same(&hex(sha256(spec)), digits.as_bytes())
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn hex(words: [u32; 8]) -> [u8; 64] {
    let mut digits = [0; 64];
    let mut at = 0;
    while at < 64 {
        let half = words[at / 8] >> (28 - 4 * (at % 8)) & 0xf;
        digits[at] = b"0123456789abcdef"[half as usize];
        at += 1;
    }
    digits
}

/// SHA-256 (FIPS 180-4) that the compiler can evaluate, which the libraries for run time cannot.
const fn sha256(text: &[u8]) -> [u32; 8] {
    let mut state = INITIAL;
    let blocks = (text.len() + 9).div_ceil(64);
    let mut block = 0;
    while block < blocks {
        state = compressed(state, schedule(text, block * 64, block + 1 == blocks));
        block += 1;
    }
    state
}

/// Returns the schedule of the block that starts at an offset. A one bit ends the text; the last block ends with the
/// length of the text in bits.
const fn schedule(text: &[u8], start: usize, is_last: bool) -> [u32; 64] {
    let mut words = [0u32; 64];
    let mut at = 0;
    while at < 64 {
        let place = start + at;
        let byte = if place < text.len() {
            text[place]
        } else if place == text.len() {
            0x80
        } else {
            0
        };
        words[at / 4] |= (byte as u32) << (24 - 8 * (at % 4));
        at += 1;
    }
    if is_last {
        let bits = text.len() as u64 * 8;
        words[14] = (bits >> 32) as u32;
        words[15] = (bits & 0xffff_ffff) as u32;
    }
    let mut at = 16;
    while at < 64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let low = early.rotate_right(7) ^ early.rotate_right(18) ^ early >> 3;
        let high = late.rotate_right(17) ^ late.rotate_right(19) ^ late >> 10;
        words[at] = words[at - 16]
            .wrapping_add(low)
            .wrapping_add(words[at - 7])
            .wrapping_add(high);
        at += 1;
    }
    words
}

#[expect(clippy::many_single_char_names, reason = "the names of FIPS 180-4")]
const fn compressed(state: [u32; 8], schedule: [u32; 64]) -> [u32; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    let mut at = 0;
    while at < 64 {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let first = h
            .wrapping_add(sum)
            .wrapping_add(e & f ^ !e & g)
            .wrapping_add(CONSTANTS[at])
            .wrapping_add(schedule[at]);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = sum.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        at += 1;
    }
    [
        state[0].wrapping_add(a),
        state[1].wrapping_add(b),
        state[2].wrapping_add(c),
        state[3].wrapping_add(d),
        state[4].wrapping_add(e),
        state[5].wrapping_add(f),
        state[6].wrapping_add(g),
        state[7].wrapping_add(h),
    ]
}

const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[rustfmt::skip]
const CONSTANTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

#[cfg(test)]
mod tests {
    use plan_machine_kernel::digest::sha256_hex;

    use super::*;

    #[test]
    fn the_digest_at_compile_time_is_the_digest_of_the_library() {
        // Every length around the ends of the first three blocks.
        for length in 0..200 {
            let text: String = ('a'..='z').cycle().take(length).collect();
            let digits = sha256_hex(&text);
            assert!(has_digest(text.as_bytes(), &digits), "{length} bytes");
            let other = text.clone() + "!";
            assert!(!has_digest(other.as_bytes(), &digits), "{length} bytes");
        }
    }

    #[test]
    fn only_this_version_is_this_version() {
        assert!(is_version(env!("CARGO_PKG_VERSION")));
        assert!(!is_version(""));
        assert!(!is_version(concat!(env!("CARGO_PKG_VERSION"), ".1")));
    }
}
