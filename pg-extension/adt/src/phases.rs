//! Phases: who commutes goes together, and the kinds of access take turns.
//!
//! The phaser of the Claret paper (§4.2, §5.1.2), without its waiting: who may pass the gate before an object now, who has
//! to wait, and whose turn is next. A phase ends when all who were let in have left. Others of its kind may join it while
//! nobody else waits, and a bounded number of them, for a bounded time, while somebody does.

use crate::locks::Mode;

/// How many may join a phase while another kind waits for its turn.
pub const MOST_PASSED: u32 = 32;

/// How long, in microseconds.
pub const LONGEST_PASSING: i64 = 10_000;

/// What takes turns: those of one kind pass together. Each corresponds to a mode of the locks on objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Operations.
    Add,
    /// Reads that must stay true.
    Read,
    /// Exclusive access: they pass together and then queue.
    Overwrite,
}

impl Kind {
    /// Every kind, in the order of their turns.
    pub const ALL: [Kind; 3] = [Kind::Add, Kind::Read, Kind::Overwrite];

    /// The kind that asks for a mode; an intention waits for nothing but exclusive access, and so needs no phase.
    pub fn of(mode: Mode) -> Option<Kind> {
        match mode {
            Mode::IntentionRead => None,
            Mode::Add => Some(Kind::Add),
            Mode::Read => Some(Kind::Read),
            Mode::Overwrite => Some(Kind::Overwrite),
        }
    }
}

const KINDS: usize = Kind::ALL.len();

/// The state of one gate. All zeros: nobody there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Whose phase it is, as long as somebody is inside.
    current: usize,
    inside: u32,
    waiting: [u32; KINDS],
    /// How often those who waited were let in.
    turns: [u32; KINDS],
    /// Who joined the phase since another kind waits, and since when that does.
    passed: u32,
    waiting_since: i64,
}

/// What to do on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Go in.
    In,
    /// Wait until [`Phases::is_turn`] for this ticket.
    Wait(Ticket),
}

/// The place of one who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    kind: Kind,
    turn: u32,
}

impl Ticket {
    /// The kind that waits.
    pub fn kind(self) -> Kind {
        self.kind
    }
}

impl Phases {
    /// Somebody wants in. `now` in microseconds.
    pub fn arrive(&mut self, kind: Kind, now: i64) -> Arrival {
        if self.try_enter(kind, now) {
            return Arrival::In;
        }
        if !self.others_wait() {
            self.passed = 0;
            self.waiting_since = now;
        }
        let number = kind as usize;
        self.waiting[number] += 1;
        let turn = self.turns[number];
        Arrival::Wait(Ticket { kind, turn })
    }

    /// As [`Phases::arrive`], for one who does not wait: false if it would have to.
    pub fn try_enter(&mut self, kind: Kind, now: i64) -> bool {
        let number = kind as usize;
        if self.inside == 0 {
            self.begin(number, now);
            self.inside = 1;
            return true;
        }
        let others_wait = self.others_wait();
        let joins = number == self.current && (!others_wait || self.may_pass(now));
        if joins {
            self.inside += 1;
            self.passed += u32::from(others_wait);
        }
        joins
    }

    /// Lets somebody in whoever is there: one who must not wait, since those inside may wait for it elsewhere.
    pub fn enter_anyway(&mut self, kind: Kind, now: i64) {
        if !self.try_enter(kind, now) {
            self.inside += 1;
        }
    }

    /// Whether the one who waits with this ticket has been let in.
    pub fn is_turn(&self, ticket: Ticket) -> bool {
        self.turns[ticket.kind as usize] != ticket.turn
    }

    /// One who was not let in waits no more.
    pub fn give_up(&mut self, ticket: Ticket) {
        let waiting = &mut self.waiting[ticket.kind as usize];
        *waiting = waiting.saturating_sub(1);
    }

    /// One who was let in leaves. Gives the kind of those whose turn it is now, if the phase is over and somebody waits.
    pub fn leave(&mut self, now: i64) -> Option<Kind> {
        self.inside = self.inside.saturating_sub(1);
        if self.inside > 0 {
            return None;
        }
        let next = (1..=KINDS)
            .map(|step| (self.current + step) % KINDS)
            .find(|kind| self.waiting[*kind] > 0)?;
        self.begin(next, now);
        self.inside = self.waiting[next];
        self.waiting[next] = 0;
        self.turns[next] = self.turns[next].wrapping_add(1);
        Some(Kind::ALL[next])
    }

    /// How many are inside or wait.
    pub fn present(&self) -> u32 {
        self.inside + self.waiting.iter().sum::<u32>()
    }

    fn begin(&mut self, kind: usize, now: i64) {
        self.current = kind;
        self.passed = 0;
        self.waiting_since = now;
    }

    fn may_pass(&self, now: i64) -> bool {
        self.passed < MOST_PASSED && now - self.waiting_since < LONGEST_PASSING
    }

    fn others_wait(&self) -> bool {
        (0..KINDS).any(|kind| kind != self.current && self.waiting[kind] > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waits(arrival: Arrival) -> Ticket {
        match arrival {
            Arrival::Wait(ticket) => ticket,
            Arrival::In => panic!("let in"),
        }
    }

    #[test]
    fn those_who_commute_go_together_and_others_wait_for_all_of_them() {
        let mut gate = Phases::default();
        assert_eq!(gate.arrive(Kind::Add, 0), Arrival::In);
        assert_eq!(gate.arrive(Kind::Add, 0), Arrival::In);
        let one = waits(gate.arrive(Kind::Read, 0));
        let two = waits(gate.arrive(Kind::Read, 0));
        assert_eq!(gate.leave(0), None);
        assert!(!gate.is_turn(one));
        assert_eq!(gate.leave(0), Some(Kind::Read));
        assert!(gate.is_turn(one) && gate.is_turn(two));
        assert_eq!(gate.present(), 2);
    }

    #[test]
    fn who_does_not_wait_leaves_nothing_behind() {
        let mut gate = Phases::default();
        assert!(gate.try_enter(Kind::Read, 0));
        let before = gate;
        assert!(!gate.try_enter(Kind::Add, 0));
        assert_eq!(gate, before);
        assert!(gate.try_enter(Kind::Read, 0));
        assert_eq!(gate.present(), 2);
    }

    #[test]
    fn who_cannot_wait_is_counted_until_it_leaves() {
        let mut gate = Phases::default();
        assert!(gate.try_enter(Kind::Read, 0));
        gate.enter_anyway(Kind::Add, 0);
        let one = waits(gate.arrive(Kind::Add, 0));
        assert_eq!(gate.leave(0), None);
        assert!(!gate.is_turn(one));
        assert_eq!(gate.leave(0), Some(Kind::Add));
    }

    #[test]
    fn a_phase_takes_no_more_after_its_time_while_others_wait() {
        let mut gate = Phases::default();
        assert_eq!(gate.arrive(Kind::Add, 0), Arrival::In);
        assert_eq!(gate.arrive(Kind::Add, 2 * LONGEST_PASSING), Arrival::In);
        waits(gate.arrive(Kind::Read, 3 * LONGEST_PASSING));
        assert_eq!(gate.arrive(Kind::Add, 3 * LONGEST_PASSING), Arrival::In);
        waits(gate.arrive(Kind::Add, 4 * LONGEST_PASSING));
    }

    /// A stream of additions, each begun before the one before it ends, so that the object is never free.
    #[test]
    fn a_stream_of_one_kind_lets_another_in_after_at_most_so_many() {
        let mut gate = Phases::default();
        assert_eq!(gate.arrive(Kind::Add, 0), Arrival::In);
        let reader = waits(gate.arrive(Kind::Read, 0));
        let mut joined = 0;
        while !gate.is_turn(reader) {
            joined += u32::from(gate.arrive(Kind::Add, 0) == Arrival::In);
            gate.leave(0);
            assert!(
                joined <= MOST_PASSED,
                "{joined} additions passed a waiting read"
            );
        }
        assert_eq!(joined, MOST_PASSED);
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Arrive(usize),
        Leave,
        GiveUp(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..KINDS).prop_map(Step::Arrive),
            4 => Just(Step::Leave),
            1 => (0..1000_usize).prop_map(Step::GiveUp),
        ];
        proptest::collection::vec(step, 0..400)
    }

    /// One who waits, and how many of other kinds have been let in since.
    struct Waiter {
        ticket: Ticket,
        overtaken: u32,
    }

    proptest! {
        /// Whatever comes: only one kind is inside, nobody is forgotten, and who waits is overtaken by no more than two
        /// phases of the other kinds, each of those who waited before it and the bounded number that may join.
        #[test]
        fn everybody_gets_a_turn_within_a_bound(steps in steps()) {
            let mut gate = Phases::default();
            let mut inside: Vec<Kind> = Vec::new();
            let mut waiting: Vec<Waiter> = Vec::new();
            let mut most_waiting = 0;
            let drain = std::iter::repeat_n(Step::Leave, 1000);
            for step in steps.into_iter().chain(drain) {
                let before = inside.len();
                match step {
                    Step::Arrive(kind) => match gate.arrive(Kind::ALL[kind], 0) {
                        Arrival::In => inside.push(Kind::ALL[kind]),
                        Arrival::Wait(ticket) => waiting.push(Waiter { ticket, overtaken: 0 }),
                    },
                    Step::GiveUp(_) if waiting.is_empty() => continue,
                    Step::GiveUp(n) => {
                        let one = waiting.swap_remove(n % waiting.len());
                        gate.give_up(one.ticket);
                    }
                    Step::Leave if inside.is_empty() => continue,
                    Step::Leave => {
                        inside.pop();
                        gate.leave(0);
                        let (now_in, rest) = waiting.into_iter().partition(|w| gate.is_turn(w.ticket));
                        waiting = rest;
                        let now_in: Vec<Waiter> = now_in;
                        inside.extend(now_in.iter().map(|w| w.ticket.kind()));
                    }
                }
                most_waiting = most_waiting.max(waiting.len() as u32);
                let entered = inside.len().saturating_sub(before) as u32;
                for one in &mut waiting {
                    if inside.first().is_some_and(|kind| *kind != one.ticket.kind()) {
                        one.overtaken += entered;
                    }
                    prop_assert!(one.overtaken <= 2 * (MOST_PASSED + most_waiting));
                }
                prop_assert!(inside.windows(2).all(|pair| pair[0] == pair[1]), "{inside:?}");
                prop_assert_eq!(gate.present() as usize, inside.len() + waiting.len());
            }
            prop_assert!(inside.is_empty() && waiting.is_empty(), "somebody is left");
        }
    }
}
