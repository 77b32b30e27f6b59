//! Random states: each draw of a generator gets a key of its own, so draws never overlap.

/// The ThreeFry state (key, counter) of draw number `offset` of a generator seeded with `seed`.
///
/// The key is a SplitMix64 finalization of seed and draw number (Steele, Lea, Flood 2014), the counter starts
/// at 0: a draw can produce 2^64 words before it repeats.
pub(crate) fn random_state(seed: u64, offset: u64) -> [u64; 2] {
    [finalize(seed ^ finalize(offset.wrapping_add(0x9e37_79b9_7f4a_7c15))), 0]
}

fn finalize(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::random_state;

    #[test]
    fn draws_have_keys_of_their_own() {
        let mut keys: Vec<_> = (0..4).flat_map(|seed| (0..1000).map(move |draw| random_state(seed, draw)[0])).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4000);
    }
}
