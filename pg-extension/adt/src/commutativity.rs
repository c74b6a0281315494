//! Which kinds of access to one object commute. The extension's lock modes are derived from this table.

/// What a transaction does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Adds to it without seeing it.
    Add,
    /// Sees its value and needs it to stay.
    Read,
    /// Replaces its value, or removes it.
    Overwrite,
}

impl Access {
    /// Every kind of access.
    pub const ALL: [Access; 3] = [Access::Add, Access::Read, Access::Overwrite];

    /// Whether two transactions may do these to one object at the same time.
    pub fn commutes_with(self, other: Access) -> bool {
        matches!(
            (self, other),
            (Access::Add, Access::Add) | (Access::Read, Access::Read)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step on a counter: its effect and what it returns to the one who takes it.
    fn apply(access: Access, argument: i64, state: i64) -> (i64, Option<i64>) {
        match access {
            Access::Add => (state + argument, None),
            Access::Read => (state, Some(state)),
            Access::Overwrite => (argument, None),
        }
    }

    /// Whether both orders give the same state and the same results, for all small states and arguments.
    fn commute(a: Access, b: Access) -> bool {
        let small = -3..=3;
        small.clone().all(|state| {
            small.clone().all(|x| {
                small.clone().all(|y| {
                    let (s1, a_first) = apply(a, x, state);
                    let (s1, b_second) = apply(b, y, s1);
                    let (s2, b_first) = apply(b, y, state);
                    let (s2, a_second) = apply(a, x, s2);
                    (s1, a_first, b_second) == (s2, a_second, b_first)
                })
            })
        })
    }

    #[test]
    fn the_table_declares_exactly_the_pairs_that_commute() {
        for a in Access::ALL {
            for b in Access::ALL {
                assert_eq!(a.commutes_with(b), commute(a, b), "{a:?} beside {b:?}");
            }
        }
    }

    #[test]
    fn the_table_is_symmetric() {
        for a in Access::ALL {
            for b in Access::ALL {
                assert_eq!(a.commutes_with(b), b.commutes_with(a));
            }
        }
    }
}
