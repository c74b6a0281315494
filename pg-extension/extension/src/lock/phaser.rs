//! The gate before the locks on objects: groups those who commute into phases ([`abelian_adt::phases`]).
//!
//! PostgreSQL's lock queue is first come, first served: additions and reads that arrive in turn run in groups of one or
//! two. At the gate they wait apart, and all of one kind go on together. A hint: whoever has passed the gate takes the
//! lock as without it, and who has waited too long goes on to the lock queue, where the deadlock detector sees it wait. So
//! circles that run through the gate end, and a wrong count costs time only.
//!
//! A transaction passes the gate of an object once, and leaves it after its locks are released.

use super::{Mode, early, waiting};
use crate::backend;
use crate::backend::now;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::settings;
use crate::shared_memory::{FIGURES, PHASER};
use crate::statistics::count;
use abelian_adt::phases::{Arrival, Kind, Phases, Ticket};
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, ConditionVariable};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::*};

/// How many gates there are; an object has one while somebody is there.
const GATES: usize = 1024;

/// Where an object's gate may be, from the place that its hash tells. If others are everywhere there, it goes without: two
/// objects never share one, since transactions that take locks in one order would wait in circles.
const WAYS: usize = 4;

/// Bound on the gates that a transaction is inside of; it passes further ones by.
const MOST_INSIDE: usize = 64;

/// All gates.
pub struct Phaser([Gate; GATES]);

// SAFETY: plain data behind each gate's spinlock, atomics, and PostgreSQL's condition variables.
unsafe impl PGRXSharedMemory for Phaser {}

struct Gate {
    busy: AtomicBool,
    /// Whose gate it is, as long as somebody is there.
    object: AtomicI64,
    database: AtomicU32,
    phases: UnsafeCell<Phases>,
    /// Where the kinds of access wait.
    doors: [UnsafeCell<ConditionVariable>; 3],
}

impl Gate {
    fn new() -> Self {
        Gate {
            busy: AtomicBool::new(false),
            object: AtomicI64::new(0),
            database: AtomicU32::new(0),
            phases: UnsafeCell::new(Phases::default()),
            doors: std::array::from_fn(|_| {
                let mut door = ConditionVariable::default();
                // SAFETY: initialises memory of ours.
                unsafe { pg_sys::ConditionVariableInit(&mut door) };
                UnsafeCell::new(door)
            }),
        }
    }

    /// A few instructions under a spinlock; a process that is killed in between takes the shared memory with it.
    fn with<T>(&self, change: impl FnOnce(&mut Phases) -> T) -> T {
        /// Tries before the processor is given to the one who has the lock.
        const SPINS: u32 = 100;
        let mut spins = 0;
        while self
            .busy
            .compare_exchange_weak(false, true, Acquire, Relaxed)
            .is_err()
        {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        // SAFETY: the spinlock is ours.
        let result = change(unsafe { &mut *self.phases.get() });
        self.busy.store(false, Release);
        result
    }

    fn is_of(&self, object: i64) -> bool {
        self.object.load(Relaxed) == object
            && self.database.load(Relaxed) == backend::database().to_u32()
    }

    /// Makes the change if this is the object's gate, or `take` and nobody is there.
    fn with_object<T>(
        &self,
        object: i64,
        take: bool,
        change: &impl Fn(&mut Phases) -> T,
    ) -> Option<T> {
        if !take && !self.is_of(object) {
            return None;
        }
        self.with(|phases| {
            if !self.is_of(object) {
                if phases.present() > 0 {
                    return None;
                }
                self.object.store(object, Relaxed);
                self.database.store(backend::database().to_u32(), Relaxed);
            }
            Some(change(phases))
        })
    }

    fn door(&self, kind: Kind) -> *mut ConditionVariable {
        self.doors[kind as usize].get()
    }

    fn leave(&self) {
        if let Some(next) = self.with(|phases| phases.leave(now())) {
            // SAFETY: initialised when the server started.
            unsafe { pg_sys::ConditionVariableBroadcast(self.door(next)) };
        }
    }
}

impl Phaser {
    /// Nobody is there.
    pub fn new() -> Self {
        Phaser(std::array::from_fn(|_| Gate::new()))
    }

    /// How many are inside of gates or wait before them.
    pub fn present(&self) -> i64 {
        self.0
            .iter()
            .map(|gate| i64::from(gate.with(|phases| phases.present())))
            .sum()
    }
}

impl Default for Phaser {
    fn default() -> Self {
        Self::new()
    }
}

/// A gate that the transaction is inside of.
struct Inside {
    gate: u16,
    object: i64,
}

thread_local! {
    static INSIDE: RefCell<Vec<Inside>> = const { RefCell::new(Vec::new()) };
    /// The one it waits before, for which object.
    static BEFORE: Cell<Option<(u16, i64, Ticket)>> = const { Cell::new(None) };
}

fn gate(number: u16) -> &'static Gate {
    &PHASER.get().0[usize::from(number)]
}

/// Makes the change at the object's gate; `None` if it has none and gets none.
fn at_gate<T>(object: i64, change: impl Fn(&mut Phases) -> T) -> Option<(u16, T)> {
    let key = object as u64 ^ (u64::from(backend::database().to_u32()) << 40);
    let first = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
    // Where others of the object are comes before where nobody is.
    [false, true].into_iter().find_map(|take| {
        (0..WAYS).find_map(|way| {
            let number = ((first + way) % GATES) as u16;
            let result = gate(number).with_object(object, take, &change)?;
            Some((number, result))
        })
    })
}

/// Passes the gate of an object before asking for its lock; waits there if it is another kind's turn.
pub fn pass(object: i64, mode: Mode) {
    let Some(kind) = kind_to_pass(object, mode) else {
        return;
    };
    match at_gate(object, |phases| phases.arrive(kind, now())) {
        Some((gate, Arrival::In)) => enter(gate, object),
        Some((gate, Arrival::Wait(ticket))) => {
            waiting::note_gate(object, mode);
            wait(gate, object, ticket);
        }
        None => {}
    }
}

/// As [`pass`], without waiting: false if it is another kind's turn. Whoever then takes the lock all the same is in the way
/// of all whose turn it is.
pub fn try_pass(object: i64, mode: Mode) -> bool {
    let Some(kind) = kind_to_pass(object, mode) else {
        return true;
    };
    match at_gate(object, |phases| phases.try_enter(kind, now())) {
        Some((_, false)) => return false,
        Some((gate, true)) => enter(gate, object),
        None => {}
    }
    true
}

/// Goes inside whosever turn it is: for one who holds the row, which those inside may be waiting for.
pub fn pass_anyway(object: i64, mode: Mode) {
    let Some(kind) = kind_to_pass(object, mode) else {
        return;
    };
    if let Some((gate, ())) = at_gate(object, |phases| phases.enter_anyway(kind, now())) {
        enter(gate, object);
    }
}

/// The kind of access, unless the transaction need not pass the gate.
fn kind_to_pass(object: i64, mode: Mode) -> Option<Kind> {
    let kind = Kind::of(mode).filter(|_| settings::PHASER.get())?;
    let passed = INSIDE.with_borrow(|inside| {
        inside.len() >= MOST_INSIDE || inside.iter().any(|one| one.object == object)
    });
    (!passed).then_some(kind)
}

/// Whether the transaction is inside of any gate.
pub fn is_inside() -> bool {
    // It is gone when a process ends in the middle of something.
    INSIDE
        .try_with(|inside| !inside.borrow().is_empty())
        .unwrap_or(false)
}

fn enter(gate: u16, object: i64) {
    INSIDE.with_borrow_mut(|inside| inside.push(Inside { gate, object }));
}

/// Ends the wait, also when an ERROR does.
struct Waiting;

impl Drop for Waiting {
    fn drop(&mut self) {
        stop_waiting();
    }
}

/// Whoever waited before a gate is either inside of it afterwards, or has given up: true in the first case.
fn stop_waiting() -> bool {
    let Some((number, object, ticket)) = BEFORE.take() else {
        return false;
    };
    waiting::left_gate();
    let let_in = gate(number).with(|phases| {
        let let_in = phases.is_turn(ticket);
        if !let_in {
            phases.give_up(ticket);
        }
        let_in
    });
    if let_in {
        enter(number, object);
    }
    let_in
}

fn wait(number: u16, object: i64, ticket: Ticket) {
    BEFORE.set(Some((number, object, ticket)));
    let waiting = Waiting;
    count(&FIGURES.get().phaser_waits, 1);
    let gate = gate(number);
    let door = gate.door(ticket.kind());
    let began = now();
    // Before the gate, a transaction waits for no longer than anywhere else before PostgreSQL looks for a deadlock.
    // SAFETY: plain read of a setting.
    let patience = i64::from(unsafe { pg_sys::DeadlockTimeout }) * 1000;
    // SAFETY: initialised when the server started.
    unsafe { pg_sys::ConditionVariablePrepareToSleep(door) };
    let mut waited = 0;
    while waited < patience && !gate.with(|phases| phases.is_turn(ticket)) {
        let milliseconds = (patience - waited) / 1000 + 1;
        // SAFETY: as above; serves interrupts, so that it may raise.
        unsafe {
            pg_sys::ConditionVariableTimedSleep(door, milliseconds, pg_sys::PG_WAIT_EXTENSION)
        };
        waited = now() - began;
    }
    // SAFETY: as above.
    unsafe { pg_sys::ConditionVariableCancelSleep() };
    std::mem::forget(waiting);
    if !stop_waiting() {
        count(&FIGURES.get().phaser_timeouts, 1);
    }
}

/// Registers the end of transactions; called once when the library is loaded.
pub fn install() {
    transaction::after_locks(&Subscriber {
        concerns: |()| BEFORE.get().is_some() || is_inside() || early::has_duty(),
        tell: |()| leave(),
    });
}

/// After the locks of a transaction are released (or handed to a prepared one, which nobody waits for at the gate). Runs at
/// commit, at abort, and when a process ends in the middle of something.
fn leave() {
    stop_waiting();
    for inside in INSIDE.take() {
        gate(inside.gate).leave();
    }
    early::locks_released();
}
