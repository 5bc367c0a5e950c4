//! Ranges of numbers: what is known about a number, the ranges of sums and differences, and the results of comparisons.

use super::truth::Truth;

/// The minimum and the maximum of a number, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Range {
    /// The range of all numbers.
    pub(super) const ANY: Range = Range {
        least: i64::MIN,
        most: i64::MAX,
    };

    /// Returns the range of a single number.
    pub(super) const fn of(number: i64) -> Self {
        Self {
            least: number,
            most: number,
        }
    }

    /// Returns the range from a minimum up to a bound; without a bound, up to the largest number.
    pub(super) fn up_to(least: i64, bound: Option<u64>) -> Self {
        let most = bound.map_or(i64::MAX, |bound| i64::try_from(bound).unwrap_or(i64::MAX));
        Self {
            least: least.min(most),
            most,
        }
    }

    /// Returns the range of the sum of two numbers in these ranges; `None` if the sum always overflows.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let sum = |one: i64, other: i64| i128::from(one) + i128::from(other);
        fitting(sum(self.least, other.least), sum(self.most, other.most))
    }

    /// Returns the range of the difference of two numbers in these ranges; `None` if the difference always overflows.
    pub(super) fn minus(self, other: Self) -> Option<Self> {
        let difference = |one: i64, other: i64| i128::from(one) - i128::from(other);
        fitting(
            difference(self.least, other.most),
            difference(self.most, other.least),
        )
    }

    /// Returns whether no sum of two numbers in these ranges overflows.
    pub(super) fn plus_fits(self, other: Self) -> bool {
        let fits = |one: i64, other: i64| one.checked_add(other).is_some();
        fits(self.least, other.least) && fits(self.most, other.most)
    }

    /// Returns whether no difference of two numbers in these ranges overflows.
    pub(super) fn minus_fits(self, other: Self) -> bool {
        let fits = |one: i64, other: i64| one.checked_sub(other).is_some();
        fits(self.least, other.most) && fits(self.most, other.least)
    }

    /// Returns whether this range contains every number of the other range.
    pub(super) fn covers(self, other: Self) -> bool {
        self.least <= other.least && other.most <= self.most
    }

    /// Returns whether the two ranges overlap.
    pub(super) fn meets(self, other: Self) -> bool {
        self.least <= other.most && other.least <= self.most
    }

    /// Returns a range that contains both ranges.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Returns the numbers that are in both ranges; `None` if there are none.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        self.meets(other).then(|| Self {
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        })
    }

    /// Returns the range of the numbers after each of them has grown by at least `least` and at most `most`.
    pub(super) fn moved(self, least: i64, most: i64) -> Self {
        Self {
            least: self.least.saturating_add(least),
            most: self.most.saturating_add(most),
        }
    }

    pub(super) fn equals(self, other: Self) -> Truth {
        match (self, other) {
            _ if !self.meets(other) => Truth::No,
            (one, other) if one == other && one.least == one.most => Truth::Yes,
            _ => Truth::Unknown,
        }
    }

    pub(super) fn is_less_than(self, other: Self) -> Truth {
        if self.most < other.least {
            Truth::Yes
        } else if self.least >= other.most {
            Truth::No
        } else {
            Truth::Unknown
        }
    }
}

/// Returns the part of a range that does not overflow.
fn fitting(least: i128, most: i128) -> Option<Range> {
    let least = least.max(i128::from(i64::MIN));
    let most = most.min(i128::from(i64::MAX));
    Some(Range {
        least: i64::try_from(least).ok()?,
        most: i64::try_from(most).ok()?,
    })
    .filter(|range| range.least <= range.most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(least: i64, most: i64) -> Range {
        Range { least, most }
    }

    #[test]
    fn ranges_that_do_not_meet_are_apart_and_in_order() {
        assert_eq!(range(0, 2).equals(range(3, 9)), Truth::No);
        assert_eq!(range(0, 2).is_less_than(range(3, 9)), Truth::Yes);
        assert_eq!(range(3, 9).is_less_than(range(0, 3)), Truth::No);
        assert_eq!(range(3, 9).is_less_than(range(0, 4)), Truth::Unknown);
    }

    #[test]
    fn only_one_number_equals_itself() {
        assert_eq!(Range::of(3).equals(Range::of(3)), Truth::Yes);
        assert_eq!(range(3, 4).equals(range(3, 4)), Truth::Unknown);
    }

    #[test]
    fn what_does_not_fit_is_left_out_of_a_sum() {
        let large = range(0, i64::MAX);
        assert_eq!(large.plus(Range::of(1)), Some(range(1, i64::MAX)));
        assert_eq!(Range::of(i64::MAX).plus(Range::of(1)), None);
        assert_eq!(Range::of(i64::MIN).minus(Range::of(1)), None);
        assert_eq!(Range::ANY.minus(Range::ANY), Some(Range::ANY));
        assert!(!large.plus_fits(Range::of(1)) && large.plus_fits(Range::of(0)));
        assert!(large.minus_fits(large) && !Range::ANY.minus_fits(Range::of(1)));
    }
}
