//! Ordered sharing of an object (Agrawal and El Abbadi, *Locks with Constrained Sharing*, PODS 1990): a transaction that wants a value
//! for itself goes before others that have added to it and wait for this very transaction. They commit after it.
//!
//! Whoever has added in a slice and then wants the value alone waits for all others who have added. Where these wait for it in turn, it
//! takes [`Tag::Order`] instead of the lock, which says: I see the value without what you have added. Who has added and is about to
//! commit asks for that lock, and so waits for whoever has gone before it; so does who is new at the object. The argument is in
//! `docs/design/waits.md`.
//!
//! Most of the time nobody has gone before anybody, which a count tells.

use super::holders::{self, Holder, Locks, Transaction};
use super::{LockTimeout, Mode, ORDER_CLASS, Part, Tag, acquire, level, waiting};
use crate::backend;
use crate::boundary::{self, functions};
use crate::error::Error;
use crate::harmless;
use crate::hooks::utility::{self, Around, Command};
use crate::identity::Object;
use crate::shared_memory::{FIGURES, ORDERS};
use crate::statistics;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst, fence};

/// Places for backends; two with the same remainder share one, which makes some wait that need not.
const PLACES: usize = 1024;

/// What processes tell each other.
pub struct Orders {
    /// How many running transactions may have gone before others.
    ahead: AtomicU32,
    /// How many prepared ones may have: in the lower half. In the upper one, how often that has risen.
    prepared: AtomicU64,
    /// Whether it was looked if any was left from before the server started; until then they count as one.
    known: AtomicBool,
    /// Who has looked whether it may commit, and who works on one snapshot: nobody goes before them.
    firm: [Place; PLACES],
}

impl Orders {
    /// How many transactions may have gone before others, for views.
    pub fn count(&self) -> i64 {
        i64::from(self.ahead.load(SeqCst)) + i64::from(self.prepared.load(SeqCst) as u32)
    }
}

/// On a line of the cache for itself.
#[repr(align(64))]
#[derive(Default)]
struct Place(AtomicU32);

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Orders {}

impl Default for Orders {
    fn default() -> Self {
        Orders {
            ahead: AtomicU32::new(0),
            prepared: AtomicU64::new(1),
            known: AtomicBool::new(false),
            firm: std::array::from_fn(|_| Place::default()),
        }
    }
}

thread_local! {
    /// This transaction is counted as one that may have gone before others.
    static AHEAD: Cell<bool> = const { Cell::new(false) };
    /// It works on one snapshot, and has told so.
    static FIRM: Cell<bool> = const { Cell::new(false) };
    /// It has looked whether it may commit.
    static COMMITTING: Cell<bool> = const { Cell::new(false) };
    /// The objects that it has locked by Add, some of them perhaps given back since.
    static ADDED: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

/// Whether anybody may have gone before others. Meaningful once the caller holds Add, or has told that it commits.
fn exist() -> bool {
    fence(SeqCst);
    let orders = ORDERS.get();
    if !orders.known.load(SeqCst) && !orders.known.swap(true, SeqCst) {
        recount_prepared();
    }
    orders.ahead.load(SeqCst) > 0 || prepared_exist()
}

fn prepared_exist() -> bool {
    ORDERS.get().prepared.load(SeqCst) as u32 > 0
}

/// Counts prepared transactions from 0 again if nobody has gone before others at this moment. Who has keeps the lock that tells so from
/// before it is counted until it has ended.
fn recount_prepared() {
    const RISES: u64 = !(u32::MAX as u64);
    let prepared = &ORDERS.get().prepared;
    let before = prepared.load(SeqCst);
    if before as u32 > 0 && !Locks::look().has(ORDER_CLASS, Mode::Overwrite) {
        // If another was counted meanwhile, its end will come, too.
        let _ = prepared.compare_exchange(before, before & RISES, SeqCst, SeqCst);
    }
}

/// Registers for the ends of prepared transactions; called once when the library is loaded.
pub(super) fn install() {
    utility::subscribe(Around {
        concerns: |command| ends_prepared(command) && prepared_exist(),
        around: |command, run| {
            run(command);
            recount_prepared();
        },
    });
}

/// Whether it is COMMIT PREPARED or ROLLBACK PREPARED.
fn ends_prepared(command: &Command) -> bool {
    use pg_sys::TransactionStmtKind::{TRANS_STMT_COMMIT_PREPARED, TRANS_STMT_ROLLBACK_PREPARED};
    let kinds = [TRANS_STMT_COMMIT_PREPARED, TRANS_STMT_ROLLBACK_PREPARED];
    let statement = command.node().cast::<pg_sys::TransactionStmt>();
    // SAFETY: a node with this tag is that.
    command.tag() == pg_sys::NodeTag::T_TransactionStmt
        && kinds.contains(unsafe { &(*statement).kind })
}

/// Whether this transaction has gone before others at the object, and so sees its value as if it held it alone.
pub fn holds(id: i64) -> bool {
    AHEAD.get() && id != 0 && super::holds(Tag::Order(id), Mode::Overwrite)
}

/// The transaction has just taken Add on the object: false if somebody has gone before those who add, so that it must be given back.
pub(super) fn may_add(id: i64) -> bool {
    // What it adds to must be what its snapshot shows, additions of others aside: nobody overwrites that before it ends.
    if backend::has_one_snapshot() && !FIRM.replace(true) {
        // SAFETY: a process that runs a transaction.
        place(unsafe { backend::number() }).fetch_add(1, SeqCst);
    }
    ADDED.with_borrow_mut(|added| added.push(id));
    !exist() || is_free(id)
}

/// Nobody but this transaction has gone before others at the object.
fn is_free(id: i64) -> bool {
    let tag = super::tag(Tag::Order(id));
    let free = acquire(&tag, Mode::Read, true);
    if free {
        super::unlock(Tag::Order(id), Mode::Read);
    }
    free
}

/// Waits until whoever has gone before others at the object has ended.
pub(super) fn wait_for_turn(object: Option<&Object>, id: i64) {
    let tag = super::tag(Tag::Order(id));
    waiting::note(&tag, object);
    acquire(&tag, Mode::Read, false);
    super::unlock(Tag::Order(id), Mode::Read);
}

/// Waits for those who have added to the object and still run, for one who is going to queue for the row, as writers of plain columns do, and
/// has nothing of it. If it had the row and waited for them elsewhere, one of them who wants to read could not go on. A prepared transaction,
/// whose end may be far, is not waited for.
pub fn wait_for_those_who_add(object: &Object) {
    /// Others may come while some are waited for.
    const ROUNDS: u32 = 3;
    if object.id == 0 {
        return;
    }
    let tag = super::tag(Tag::Object(object.id));
    for _ in 0..ROUNDS {
        let others = holders::running(&tag, Mode::Overwrite);
        if others.is_empty() {
            return;
        }
        for other in others.iter().filter(|other| other.backend() > 0) {
            // SAFETY: a transaction that ran a moment ago.
            unsafe { functions::VirtualXactLock(other.0, true) };
        }
    }
}

/// How a transaction has a value for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// By the Overwrite lock.
    Alone,
    /// Before others who have operated.
    Before,
}

impl Turn {
    /// Gives back what was taken. A lock on the table instead stays.
    pub fn release(self, object: &Object) {
        match self {
            Turn::Alone => super::unlock_part(object, Part::Value, Mode::Overwrite),
            Turn::Before => super::unlock(Tag::Order(object.id), Mode::Overwrite),
        }
    }
}

/// Takes the Overwrite lock on the value of an object, which is not to be had at once, for one who has operated on it, or has its row,
/// under READ COMMITTED. If all who hold it wait for this transaction, and nobody has seen it, it goes before them. Where that cannot be,
/// it waits in PostgreSQL's queue to the end, and PostgreSQL finds the deadlocks.
pub fn overwrite(object: &Object) -> Result<Turn, Error> {
    /// As often as this, somebody may have come between, or may be committing.
    const ROUNDS: u32 = 20;
    let tag = super::tag(Tag::Object(object.id));
    let mut patience = Patience::begin();
    let mut refused = 0;
    statistics::count(&FIGURES.get().waits, 1);
    while refused < ROUNDS {
        match wait_for_others(object, &tag, &mut patience)? {
            Others::Ended => return Ok(Turn::Alone),
            Others::Running => {}
            Others::Behind(waiting) => match go_before(object.id, &tag, &waiting) {
                Gone::Before => return Ok(Turn::Before),
                Gone::WaitFor { order, is_circle } => {
                    // It may see in a moment that it can go before this transaction elsewhere, too.
                    refused += u32::from(is_circle);
                    if patience.wait(Wait::Lock(order, Mode::Read))? {
                        super::unlock(Tag::Order(object.id), Mode::Read);
                    }
                }
                Gone::Never => break,
                Gone::Not(other) => {
                    refused += 1;
                    patience.wait(Wait::For(other))?;
                }
            },
        }
    }
    let _rest = patience.rest()?;
    super::overwrite(object);
    Ok(Turn::Alone)
}

enum Others {
    /// The lock is taken.
    Ended,
    /// All who hold it wait for us: these.
    Behind(Vec<Holder>),
    /// Not all of them; some time has passed.
    Running,
}

/// Waits for a while, unless all others who hold the lock wait for this transaction.
fn wait_for_others(
    object: &Object,
    tag: &pg_sys::LOCKTAG,
    patience: &mut Patience,
) -> Result<Others, Error> {
    waiting::note(tag, Some(object));
    if holders::running(tag, Mode::Overwrite).is_empty() {
        // PostgreSQL's queue lets whoever holds something pass those who wait for that.
        return match patience.wait(Wait::Lock(*tag, Mode::Overwrite))? {
            true => Ok(Others::Ended),
            false => Ok(Others::Running),
        };
    }
    let mut locks = Locks::look();
    let (waiting, running): (Vec<Holder>, Vec<Holder>) = locks
        .holders(tag, Mode::Overwrite)
        .into_iter()
        .partition(|other| locks.waits_for_us(other));
    match running.first() {
        // They have given it back meanwhile: there is nobody to go before.
        None if waiting.is_empty() => Ok(Others::Running),
        None => Ok(Others::Behind(waiting)),
        // In the queue of the lock, this transaction and one who waits there for it would be a deadlock at once.
        Some(other) if !waiting.is_empty() => {
            patience.wait(Wait::For(other.transaction))?;
            Ok(Others::Running)
        }
        Some(_) => match patience.wait(Wait::Lock(*tag, Mode::Overwrite))? {
            true => Ok(Others::Ended),
            false => Ok(Others::Running),
        },
    }
}

enum Gone {
    Before,
    /// Somebody else has gone before others here, this transaction among them perhaps; and waits for this one all the same, if it is a circle.
    WaitFor {
        order: pg_sys::LOCKTAG,
        is_circle: bool,
    },
    /// This one does not wait for us by now, or may be about to commit.
    Not(Transaction),
    /// Somebody has seen the value.
    Never,
}

/// Goes before all who hold the object, if these are no others than those who wait for this transaction, and none has seen it. Nobody new sees
/// or changes it then: this transaction has the row, which an exclusive access needs, or Add.
fn go_before(id: i64, tag: &pg_sys::LOCKTAG, waiting: &[Holder]) -> Gone {
    if waiting.iter().any(Holder::has_seen) {
        return Gone::Never;
    }
    if !AHEAD.replace(true) {
        ORDERS.get().ahead.fetch_add(1, SeqCst);
    }
    let order = super::tag(Tag::Order(id));
    if !acquire(&order, Mode::Overwrite, true) {
        return Gone::WaitFor {
            order,
            is_circle: holder_waits_for_us(&order),
        };
    }
    // Who comes now, or is going to commit, finds the lock taken. Who had looked for it before is found here: it tells that it commits, or
    // does not wait for this transaction.
    fence(SeqCst);
    let mut behind = waiting.to_vec();
    behind.retain(|other| !is_firm(&other.transaction));
    let gone = match first_not_behind(tag, &behind) {
        None => {
            statistics::count(&FIGURES.get().ordered, 1);
            return Gone::Before;
        }
        Some(Between::Seen) => Gone::Never,
        Some(Between::Running(other)) => Gone::Not(other),
    };
    super::unlock(Tag::Order(id), Mode::Overwrite);
    gone
}

/// What keeps from going before others.
enum Between {
    /// Somebody has seen the value.
    Seen,
    /// This transaction does not wait for us.
    Running(Transaction),
}

/// The first other one that holds the lock and is not one of these, or does not wait for this transaction any more, or has seen the value.
fn first_not_behind(tag: &pg_sys::LOCKTAG, behind: &[Holder]) -> Option<Between> {
    let mut locks = Locks::look();
    let holders = locks.holders(tag, Mode::Overwrite);
    if holders.iter().any(Holder::has_seen) {
        return Some(Between::Seen);
    }
    // After the look, in which those that have ended since may still have their locks.
    let running = holders::running(tag, Mode::Overwrite);
    let mut is_behind = |other: &Transaction| {
        let is_it = |one: &&Holder| one.transaction == *other;
        behind.iter().any(|one| is_it(&one))
            && holders
                .iter()
                .find(is_it)
                .is_some_and(|one| locks.waits_for_us(one))
    };
    running
        .into_iter()
        .find(|other| !is_behind(other))
        .map(Between::Running)
}

/// Whether somebody who has gone before this transaction waits for it all the same.
fn holder_waits_for_us(order: &pg_sys::LOCKTAG) -> bool {
    let mut locks = Locks::look();
    let holders = locks.holders(order, Mode::Overwrite);
    holders.iter().any(|other| locks.waits_for_us(other))
}

fn is_firm(other: &Transaction) -> bool {
    place(other.backend()).load(SeqCst) > 0
}

fn place(backend: i32) -> &'static AtomicU32 {
    &ORDERS.get().firm[backend as usize % PLACES].0
}

/// What is waited for, for some time.
#[derive(Clone, Copy)]
enum Wait {
    Lock(pg_sys::LOCKTAG, Mode),
    /// Another transaction's end.
    For(Transaction),
}

/// Waits in portions: between them it is looked whether the others wait for this transaction. Each is a wait in PostgreSQL's lock
/// queue, which views and the deadlock detector see.
struct Patience {
    began: i64,
    /// Milliseconds.
    portion: i32,
    /// Whose end was waited for last, and since when.
    other: Option<(Transaction, i64)>,
}

/// Milliseconds. Most transactions are shorter; and where two wait for each other at one object, the one who comes last finds that at once.
const FIRST_PORTION: i32 = 10;

/// Microseconds. So long one who still runs is looked at without being waited for.
const ACQUAINTED: i64 = 20_000;

/// Milliseconds between two such looks.
const GLANCE: i64 = 1;

impl Patience {
    fn begin() -> Self {
        Patience {
            began: backend::now(),
            portion: FIRST_PORTION,
            other: None,
        }
    }

    /// Whether the transaction was met a moment ago. Most often it is about to wait for us; were it waited for in PostgreSQL's queue then,
    /// somebody whose look for deadlocks came in that moment would find a circle that the next look here resolves.
    fn has_just_met(&mut self, other: Transaction) -> bool {
        let now = backend::now();
        match self.other {
            Some((before, since)) if before == other => now - since < ACQUAINTED,
            _ => {
                self.other = Some((other, now));
                true
            }
        }
    }

    /// The next portion in milliseconds. They double, but stay short: a circle that is closed meanwhile must not last until somebody in it looks
    /// for deadlocks.
    fn next(&mut self) -> Result<i32, Error> {
        /// Of `deadlock_timeout`.
        const PART: i32 = 20;
        // SAFETY: plain read of a setting.
        let most = unsafe { (pg_sys::DeadlockTimeout / PART).max(1) };
        let portion = self.portion.min(most);
        self.portion = portion.saturating_mul(2);
        Ok(self.left()?.map_or(portion, |left| portion.min(left)))
    }

    /// How much of `lock_timeout` is left, in milliseconds; `None` if there is no such limit.
    fn left(&self) -> Result<Option<i32>, Error> {
        // SAFETY: plain read of a setting.
        let limit = unsafe { pg_sys::LockTimeout };
        if limit == 0 {
            return Ok(None);
        }
        let waited = i32::try_from((backend::now() - self.began) / 1000).unwrap_or(i32::MAX);
        match limit - waited {
            left if left > 0 => Ok(Some(left)),
            _ => Err(Error::LockTimeout),
        }
    }

    /// What is left is the limit for one wait more.
    fn rest(&self) -> Result<Option<LockTimeout>, Error> {
        Ok(self.left()?.map(LockTimeout::of))
    }

    /// Whether what was waited for has come.
    fn wait(&mut self, wait: Wait) -> Result<bool, Error> {
        if let Wait::For(other) = wait
            && self.has_just_met(other)
        {
            self.left()?;
            backend::sleep(GLANCE);
            return Ok(false);
        }
        let portion = self.next()?;
        let has_limit = harmless::statement_timeout_runs();
        let timeout = LockTimeout::of(portion);
        let waited = boundary::attempt_wait(|| boundary::caught(|| wait_for(&wait)));
        drop(timeout);
        match waited {
            Ok(()) => {
                if let Wait::Lock(tag, mode) = wait {
                    own(&tag, mode);
                }
                Ok(true)
            }
            // Of two timeouts that fire at the same time, PostgreSQL tells the first and forgets the other.
            Err(error) if is_no_answer(error.sqlstate()) => {
                match has_limit && !harmless::statement_timeout_runs() {
                    true => Err(Error::StatementTimeout),
                    false => Ok(false),
                }
            }
            Err(error) => Err(Error::Postgres(error)),
        }
    }
}

/// Makes a lock that was taken in a subtransaction, and now is the transaction's, the statement's, which may give it back.
fn own(tag: &pg_sys::LOCKTAG, mode: Mode) {
    acquire(tag, mode, true);
    // SAFETY: of the two times that it is held, the first is the transaction's.
    unsafe {
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::CurrentResourceOwner = pg_sys::CurTransactionResourceOwner;
        pg_sys::LockRelease(tag, level(mode), false);
        pg_sys::CurrentResourceOwner = owner;
    }
}

/// The portion is over, or the wait would have been part of a circle, which is looked at again.
fn is_no_answer(sqlstate: i32) -> bool {
    use pgrx::PgSqlErrorCode::{ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_T_R_DEADLOCK_DETECTED};
    [ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_T_R_DEADLOCK_DETECTED]
        .iter()
        .any(|code| *code as i32 == sqlstate)
}

/// Waits for as long as `lock_timeout` says.
fn wait_for(wait: &Wait) {
    // SAFETY: a valid tag, transaction-scoped.
    unsafe {
        match wait {
            Wait::Lock(tag, mode) => {
                functions::LockAcquire(tag, level(*mode), false, false);
            }
            Wait::For(other) => {
                functions::VirtualXactLock(other.0, true);
            }
        }
        // The time may be up although the lock was had: that must not be noticed later, when nobody expects it.
        if pg_sys::InterruptPending != 0 {
            functions::ProcessInterrupts();
        }
    }
}

/// The transaction is going to commit or to be prepared: waits for whoever has gone before it, and lets nobody do so any more. For
/// callbacks of PostgreSQL.
pub(super) fn before_end() {
    let added = ADDED.try_with(|added| added.try_borrow().is_ok_and(|added| !added.is_empty()));
    if added.unwrap_or(false) {
        settle();
    }
}

fn settle() {
    // SAFETY: a process that runs a transaction.
    let place = place(unsafe { backend::number() });
    let mut added = ADDED.take();
    loop {
        if !COMMITTING.replace(true) {
            place.fetch_add(1, SeqCst);
        }
        if !exist() {
            return;
        }
        added.sort_unstable();
        added.dedup();
        // What was given back is not its any more.
        added.retain(|id| super::holds(Tag::Object(*id), Mode::Add));
        let Some(taken) = added.iter().find(|id| !is_free(**id)) else {
            return;
        };
        // Those who have gone before it may go before it elsewhere while it waits.
        place.fetch_sub(1, SeqCst);
        COMMITTING.set(false);
        wait_for_turn(None, *taken);
    }
}

/// The transaction has given back Add on the object.
pub(super) fn given_back(id: i64) {
    ADDED.with_borrow_mut(|added| {
        added.pop_if(|last| *last == id);
    });
}

/// The transaction has ended, or, if `prepared`, lives on without this process. For callbacks of PostgreSQL.
pub(super) fn ended(prepared: bool) {
    for told in [&COMMITTING, &FIRM] {
        if told.replace(false) {
            // SAFETY: a process that runs a transaction.
            place(unsafe { backend::number() }).fetch_sub(1, SeqCst);
        }
    }
    if AHEAD.replace(false) {
        let orders = ORDERS.get();
        if prepared {
            orders.prepared.fetch_add(1 << 32 | 1, SeqCst);
        }
        orders.ahead.fetch_sub(1, SeqCst);
    }
    // It is gone when a process ends in the middle of something.
    let _ = ADDED.try_with(|added| {
        if let Ok(mut added) = added.try_borrow_mut() {
            added.clear();
        }
    });
}
