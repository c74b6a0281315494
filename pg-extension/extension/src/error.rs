//! Every error the extension raises itself, with its SQLSTATE. Errors of PostgreSQL pass through untouched.

use crate::boundary::PostgresError;
use abelian_adt::bounded_counter::BadBounds;
use abelian_adt::data_type::Refused;
use abelian_adt::encoding::{Corrupt, Unmergeable};
use abelian_adt::unique_id::Exhausted;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode};
use thiserror::Error;

/// What can go wrong, in the user's terms.
#[derive(Debug, Error)]
pub enum Error {
    /// The library was loaded by a session instead of the postmaster.
    #[error("abelian must be loaded via shared_preload_libraries")]
    NotPreloaded,
    /// The types are in use, but their extension is not installed in this database.
    #[error("extension \"abelian\" is not installed in this database")]
    NotInstalled,
    /// The sum would leave bigint: PostgreSQL's own message and code.
    #[error("bigint out of range")]
    OutOfRange,
    /// A REPEATABLE READ or SERIALIZABLE transaction needs a state newer than its snapshot.
    #[error("could not serialize access due to concurrent update")]
    ConcurrentUpdate,
    /// A SERIALIZABLE transaction that might not fit with others: PostgreSQL's own message and code, and why.
    #[error("could not serialize access due to read/write dependencies among transactions")]
    RwConflicts(&'static str),
    /// PostgreSQL's own, with all its fields.
    #[error("{}", .0.message())]
    Postgres(PostgresError),
    /// NOWAIT, and another transaction operates on the row's objects.
    #[error("could not obtain lock on object")]
    LockNotAvailable,
    /// NOWAIT, and another transaction holds the row.
    #[error("could not obtain lock on row")]
    RowLockNotAvailable,
    /// `lock_timeout` is over: PostgreSQL's own message and code.
    #[error("canceling statement due to lock timeout")]
    LockTimeout,
    /// `statement_timeout` is over: as above.
    #[error("canceling statement due to statement timeout")]
    StatementTimeout,
    /// A function or trigger of the statement changed a row that the statement then meets.
    #[error(
        "tuple to be updated was already modified by an operation triggered by the current command"
    )]
    ModifiedByTrigger,
    /// CREATE INDEX, or a constraint that needs one, over an Abelian column.
    #[error("an Abelian column cannot be indexed")]
    IndexOnObject,
    /// A type modifier of `bounded_counter` that is no bound.
    #[error("invalid bounds of type abelian.bounded_counter: \"{0}\"")]
    NotABound(String),
    /// Bounds that cannot be.
    #[error("invalid bounds of type abelian.bounded_counter: {0}")]
    Bounds(BadBounds),
    /// A number that has too many digits for a `bounded_decimal`, or is none.
    #[error("value out of range for type abelian.bounded_decimal")]
    DecimalOutOfRange,
    /// A type modifier of `bounded_decimal` that is no number of digits.
    #[error("invalid scale of type abelian.bounded_decimal: \"{0}\"")]
    NotAScale(String),
    /// An aggregate that no type can be made over.
    #[error("a type cannot be made over this aggregate")]
    UnusableAggregate(String),
    /// A command would change, rename or drop what the label of a type names; the type, and why it could not be used any more.
    #[error("type {0} is over an aggregate that this command would take from it")]
    TypeWouldLose(String, String),
    /// SECURITY LABEL FOR abelian with something else than an aggregate for a type, or `operation` for a function.
    #[error("this is not a label of a type over an aggregate, or of an operation")]
    InvalidLabel,
    /// `abelian.collect_orphans` of another's table.
    #[error("must be owner of the table, or a superuser, to collect orphans")]
    OwnersOnly,
    /// SECURITY LABEL FOR abelian by an ordinary user.
    #[error("only a superuser can set a label of abelian")]
    LabelPrivilege,
    /// The functions of an aggregate were given to somebody whom whoever reads the type cannot trust.
    #[error("a superuser must own the functions of the aggregate that a type is over")]
    UntrustedAggregate,
    /// Fewer than no rows: PostgreSQL's own message and code.
    #[error("LIMIT must not be negative")]
    NegativeLimit,
    /// A function of the types over aggregates was declared for another type.
    #[error("the function is declared for a type that is not one over an aggregate")]
    NotAggregated,
    /// A type over an aggregate whose states are of another type than when the type was made.
    #[error("the aggregate that the type is over has other states now than those that are stored")]
    OtherStates,
    /// A combine function gave NULL for two states.
    #[error("the aggregate's functions gave no state")]
    NoState,
    /// `c OR NULL`, `c AND NULL`.
    #[error("null value in an operation on a boolean that commutes")]
    NullOperand,
    /// An operation with an argument that cannot be.
    #[error("{0}")]
    Refused(#[from] Refused),
    /// A function of the types with elements was declared for another type, or for an operation that the type has not.
    #[error("the function is declared for a type that has no such operation on elements")]
    NoSuchOperation,
    /// Arrays of which each element of one belongs to one of the other.
    #[error("the arrays have different lengths")]
    LengthsDiffer,
    /// No numbers are left: as for a sequence that has reached its end.
    #[error("{0}")]
    Exhausted(#[from] Exhausted),
    /// Bytes that no state was stored as.
    #[error("{0}")]
    Corrupt(#[from] Corrupt),
    /// One update for several, of a table where each must be seen by itself.
    #[error("the operations of several sessions cannot be run as one here")]
    NotCombinable,
    /// A user's call of an aggregate's function with bytes that are no state.
    #[error("invalid state of an aggregate: {0}")]
    NotAState(Corrupt),
    /// Input of a type over an aggregate that its functions cannot take apart.
    #[error("this is no state of the aggregate that the type is over")]
    NotSerialized,
    /// A user's call of a function that only rewritten statements may call.
    #[error("this function is called by rewritten statements only")]
    NotForUsers,
    /// `abelian.is_local()` of a value that the distribution column cannot be compared with.
    #[error("a key of this type is not one of the table's")]
    KeyType,
    /// `abelian.is_local()` of a table whose rows lie by several columns.
    #[error("the table is distributed by several columns")]
    SeveralKeys,
    /// A transaction's name that no router gives, or that does not name the node among its participants.
    #[error("this is not an independent transaction of this node")]
    IndependentName,
    /// A fragment in a transaction that reads from one snapshot, which may be older than its turn.
    #[error("an independent transaction runs at READ COMMITTED")]
    IndependentIsolation,
    /// A fragment that is settled, or about to be, by someone else than its router.
    #[error("the independent transaction is being settled by recovery")]
    IndependentSettled,
    /// A coordinated commit, or a read of several nodes, waited too long for independent transactions.
    #[error("independent transactions of this node did not come to rest")]
    LaneBusy,
    /// The same, at once: an independent transaction waits for a lock of the one that waits for it.
    #[error("independent transactions of this node did not come to rest")]
    LaneWaitsForUs,
    /// What only a router may say, from somebody else.
    #[error("permission denied: only a router can say this")]
    NotSealed,
    /// A router's key, asked for by another role than the one that has it.
    #[error("permission denied: this router belongs to another role")]
    NotYourRouter,
    /// What is to be run for another is not what such records hold.
    #[error("this cannot be run for another role")]
    NotRunnable(&'static str),
    /// Running something as a role of which the router's role is no member.
    #[error("permission denied to act as another role")]
    NotAMember(String),
    /// A statement that another role has run, of which this one is no member.
    #[error("permission denied to analyse a statement as another role")]
    OthersStatement,
    /// A commuting transaction that another router has ended, or is about to.
    #[error("the transaction is over")]
    IntentOver,
    /// A function for tables was given something else.
    #[error("this is not a table")]
    NotATable,
    /// A function for the owner of a table was called by somebody else.
    #[error("must be owner of the table")]
    NotOwner,
    /// A statement under strict reads names a row as a whole.
    #[error("abelian.strict_reads cannot read a row as a whole")]
    WholeRow,
    /// A summary has no such figure.
    #[error("a summary has no such figure")]
    UnknownFigure,
    /// What would be stored is a column of objects by which rows are grouped as well as made distinct.
    #[error("an Abelian column cannot be copied by a query that groups by it and has DISTINCT")]
    GroupedAndDistinct,
    /// GENERATED ALWAYS AS with an Abelian column, of which the result would keep the object.
    #[error("a generated column cannot keep an Abelian column")]
    GeneratedOfObject,
    /// An index over an expression whose result would keep an object.
    #[error("an index cannot keep an Abelian column")]
    IndexKeepsObject,
    /// A value that would take more room than one may.
    #[error("a value of a type over an aggregate may not take more than {} MB", .0 >> 20)]
    TooLarge(usize),
    /// A state that the code excludes.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// The SQLSTATE that clients see.
    pub fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Error::NotPreloaded => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Error::NotInstalled => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Error::Exhausted(_) => PgSqlErrorCode::ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
            Error::OutOfRange | Error::DecimalOutOfRange => {
                PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
            }
            Error::KeyType => PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            Error::IndependentName => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            Error::IndependentSettled | Error::LaneBusy | Error::LaneWaitsForUs => {
                PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE
            }
            Error::ConcurrentUpdate | Error::RwConflicts(_) | Error::IntentOver => {
                PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE
            }
            Error::NotATable => PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            Error::NotForUsers
            | Error::NotOwner
            | Error::NotSealed
            | Error::NotYourRouter
            | Error::NotRunnable(_)
            | Error::NotAMember(_)
            | Error::OthersStatement
            | Error::OwnersOnly
            | Error::LabelPrivilege
            | Error::UntrustedAggregate => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Error::TypeWouldLose(..) => PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST,
            // its own code is raised with it
            Error::Postgres(_) | Error::Internal(_) => PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
            Error::LockNotAvailable | Error::RowLockNotAvailable | Error::LockTimeout => {
                PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
            }
            Error::StatementTimeout => PgSqlErrorCode::ERRCODE_QUERY_CANCELED,
            Error::IndexOnObject
            | Error::IndexKeepsObject
            | Error::GeneratedOfObject
            | Error::GroupedAndDistinct
            | Error::WholeRow
            | Error::UnusableAggregate(_)
            | Error::OtherStates
            | Error::SeveralKeys
            | Error::IndependentIsolation
            | Error::NotCombinable => PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            Error::InvalidLabel
            | Error::NotAggregated
            | Error::UnknownFigure
            | Error::NoSuchOperation
            | Error::NotABound(_)
            | Error::NotAScale(_)
            | Error::Bounds(_) => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            Error::Refused(Refused::OutOfRange) => {
                PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
            }
            Error::Refused(Refused::OutOfBounds) => PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            Error::Refused(_) => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            Error::LengthsDiffer => PgSqlErrorCode::ERRCODE_ARRAY_ELEMENT_ERROR,
            Error::Corrupt(_) => PgSqlErrorCode::ERRCODE_DATA_CORRUPTED,
            Error::NegativeLimit => PgSqlErrorCode::ERRCODE_INVALID_ROW_COUNT_IN_LIMIT_CLAUSE,
            Error::NotAState(_) => PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION,
            Error::NotSerialized => PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
            Error::NoState => PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_INVOCATION_EXCEPTION,
            Error::TooLarge(_) => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            Error::NullOperand => PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
            Error::ModifiedByTrigger => PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Error::RwConflicts(_) => Some("The transaction might succeed if retried."),
            Error::NotPreloaded => Some(
                "Add abelian to shared_preload_libraries in postgresql.conf and restart the server.",
            ),
            Error::NotABound(_) => Some(
                "Write bounded_counter(floor) or bounded_counter(floor, ceiling); '-infinity' is no floor.",
            ),
            Error::NotAScale(_) => Some(
                "Write bounded_decimal(scale), the number of digits behind the point: 0 to 15.",
            ),
            Error::Bounds(BadBounds::TooPrecise) => Some(
                "One bound, or a ceiling beside the floor 0, may have 7 digits followed by zeros; otherwise the floor may have 2 and the ceiling 3.",
            ),
            Error::SeveralKeys => Some(
                "abelian.is_local() takes a single key: ask for a table that is distributed by one column.",
            ),
            Error::NotInstalled => Some("CREATE EXTENSION abelian;"),
            Error::GroupedAndDistinct => Some("Cast the column to the type of its value."),
            Error::GeneratedOfObject => Some(
                "Its value changes without a change of the row. Compute the column in a view, or from a bigint or numeric column.",
            ),
            Error::IndexOnObject | Error::IndexKeepsObject => Some(
                "Its value changes without a change of the row. Of a counter, index abelian.base(column) and abelian.counter_object(column); for other types, use a plain column for what is searched.",
            ),
            Error::TooLarge(_) => Some(
                "Each operation reads and writes the whole. Keep large collections in a table, one row for each element.",
            ),
            Error::LabelPrivilege => Some("abelian.create_type() labels the types that it makes."),
            Error::UntrustedAggregate => Some(
                "Have a superuser look at them, and take them over by ALTER FUNCTION ... OWNER TO.",
            ),
            Error::NotSerialized => Some(
                "What the aggregate gives does not say how it came about. A state is made by abelian.add(column, ...).",
            ),
            Error::LengthsDiffer => Some("Give each element its number."),
            Error::WholeRow => Some("Name its columns."),
            Error::NotSealed => Some(
                "Connect to a router. A role that is to do this by itself must be a member of abelian_router.",
            ),
            Error::NotAMember(_) => Some("GRANT it to the router's role."),
            Error::OthersStatement => Some("Ask as a member of the role that has run it."),
            Error::LaneBusy | Error::LaneWaitsForUs => Some("Run the transaction again."),
            Error::TypeWouldLose(..) => Some(
                "Make a new aggregate and a new type over it, give the columns that type, and drop the former one.",
            ),
            Error::OtherStates => Some(
                "Where the aggregate was replaced, bring it back as it was. Before an upgrade of PostgreSQL that changes it, give columns of the type a plain one.",
            ),
            Error::NullOperand => Some(
                "Its result is NULL or not, depending on the value: test the argument for NULL, or use coalesce().",
            ),
            _ => None,
        }
    }

    fn detail(&self) -> Option<&str> {
        match self {
            Error::UnusableAggregate(why) | Error::NotAMember(why) => Some(why),
            Error::TypeWouldLose(_, why) => Some(why),
            Error::NotRunnable(why) | Error::RwConflicts(why) => Some(why),
            Error::LaneWaitsForUs => {
                Some("One of them waits for a lock that this transaction holds.")
            }
            _ => None,
        }
    }

    /// Raises this error: unwinds to where PostgreSQL has called us, where it becomes an ERROR (see [`crate::boundary`]).
    #[track_caller]
    pub fn raise(self) -> ! {
        if let Error::Postgres(error) = self {
            error.raise();
        }
        let mut report = ErrorReport::new(self.sqlstate(), self.to_string(), "abelian");
        if let Some(hint) = self.hint() {
            report = report.set_hint(hint);
        }
        if let Some(detail) = self.detail() {
            report = report.set_detail(detail.to_owned());
        }
        report.report(PgLogLevel::ERROR);
        unreachable!("ERROR does not return")
    }
}

impl From<Unmergeable> for Error {
    fn from(why: Unmergeable) -> Self {
        match why {
            Unmergeable::Corrupt(corrupt) => Error::Corrupt(corrupt),
            Unmergeable::OutOfRange => Error::OutOfRange,
        }
    }
}
