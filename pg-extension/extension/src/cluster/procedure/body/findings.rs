//! What was found in a body, and the class that follows from it.

use super::super::super::analysis::functions::Functions;
use super::super::super::placement::Way;
use super::touched::Touch;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What names the key of rows, and how it leads to their node.
pub type Key = (KeySource, Way);

/// What names a key for good.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum KeySource {
    /// An argument that no statement changes.
    Argument(i32),
    /// As `operand` prints it.
    Constant(String),
    /// Of a table that lies on one node: the node, as if it were a key.
    Node(i32),
}

/// Where a value comes from, apart from arguments, constants and reference tables, which are alike on all participants.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// Rows of a table that not every node has; what names their key, if anything does.
    Rows(String, Option<Key>),
    /// A function that may give another value on another node.
    Differs,
    /// A VOLATILE function, whose value is another at each call.
    Volatile,
}

/// All sources of a value, or of the decision to run a statement.
pub type Sources = BTreeSet<Source>;

/// The findings so far. Variables are numbered as the parameters of queries; what they hold only grows, whatever the order of the
/// statements.
#[derive(Default)]
pub struct Findings {
    /// The body changes rows.
    pub writes: bool,
    /// What may raise an error, and on what that depends.
    aborts: BTreeMap<String, Sources>,
    flows: BTreeSet<String>,
    /// One of the flows gives wrong rows where several nodes take part, whatever commits them.
    crosses: bool,
    /// Keys of all rows that it touches, as far as they are named.
    pub keys: BTreeSet<Option<Key>>,
    /// What happened at one key decides on others in a way that is not followed.
    pub decides_apart: bool,
    /// Keys of the rows that values of VOLATILE functions reach.
    volatile_at: BTreeSet<Key>,
    unknown: BTreeSet<String>,
    /// Of these, what may touch rows in ways that are not known.
    pub unseen: BTreeSet<String>,
    /// It commits or rolls back, as only a CALL or DO outside a block may.
    pub ends_transactions: bool,
    /// Mentions of tables.
    pub touched: BTreeSet<Touch>,
    /// Of these, some are of tables that are not alike on every node.
    pub beyond_references: bool,
    /// What the body calls.
    pub called: Functions,
    held: HashMap<i32, Sources>,
    /// Fields of records, by number, and the record.
    pub parents: HashMap<i32, i32>,
    /// Variables that hold an argument for good, unless [`Findings::assigned`] has them.
    pub arguments: HashSet<i32>,
    assigned: HashSet<i32>,
    /// On what it depends whether the statements after a RETURN or EXIT are run.
    pub left_early: Sources,
    changed: bool,
}

impl Findings {
    /// What a variable may hold.
    pub fn held_by(&self, variable: i32) -> Sources {
        let mut sources = self.held.get(&variable).cloned().unwrap_or_default();
        if let Some(record) = self.parents.get(&variable) {
            sources.extend(self.held.get(record).into_iter().flatten().cloned());
        }
        let fields = self
            .parents
            .iter()
            .filter(|(_, record)| **record == variable);
        for (field, _) in fields {
            sources.extend(self.held.get(field).into_iter().flatten().cloned());
        }
        sources
    }

    /// A variable gets a value.
    pub fn assign(&mut self, variable: i32, sources: &Sources) {
        self.changed |= self.assigned.insert(variable);
        let held = self.held.entry(variable).or_default();
        let before = held.len();
        held.extend(sources.iter().cloned());
        self.changed |= held.len() > before;
    }

    /// A variable holds these sources and no others; `grew` when they are new to it.
    pub fn replace(&mut self, variable: i32, sources: &Sources, grew: bool) {
        self.changed |= grew | self.assigned.insert(variable);
        self.held.insert(variable, sources.clone());
    }

    /// What follows is run only when something read from these sources says so.
    pub fn leave_early(&mut self, sources: &Sources) {
        let before = self.left_early.len();
        self.left_early.extend(sources.iter().cloned());
        self.changed |= self.left_early.len() > before;
    }

    /// Whether anything was learnt that may matter for statements looked at before; asks once.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The variable, if it is an argument that no statement changes.
    pub fn argument(&self, variable: i32) -> Option<i32> {
        (self.arguments.contains(&variable) && !self.assigned.contains(&variable))
            .then_some(variable)
    }

    /// Something may raise an error, depending on these sources.
    pub fn may_abort(&mut self, why: String, sources: &Sources) {
        let known = self.aborts.entry(why).or_default();
        known.extend(sources.iter().cloned());
    }

    /// A value that is not alike on all nodes reaches the rows of a table.
    pub fn flow(&mut self, what: String) {
        self.flows.insert(what);
    }

    /// A value of one node's rows reaches the rows of another, which computes without those rows.
    pub fn cross(&mut self, what: String) {
        self.crosses = true;
        self.flow(what);
    }

    /// A value of a VOLATILE function reaches rows. At the rows of one key it is harmless, since one node has them; at those of two, each
    /// node has drawn its own.
    pub fn reach_volatile(&mut self, key: Option<Key>, what: String) {
        self.crosses |= key.is_none();
        self.volatile_at.extend(key);
        self.crosses |= self.volatile_at.len() > 1;
        self.flow(what);
    }

    /// Something that the analysis does not see through.
    pub fn not_understood(&mut self, what: String) {
        self.unseen.insert(what.clone());
        self.unknown.insert(what);
    }

    /// Something that may be otherwise on each node.
    pub fn differs(&mut self, what: String) {
        self.unknown.insert(what);
    }

    /// The body ends or goes on as rows of several keys together say, which no node sees.
    pub fn decide(&mut self, what: &str, sources: &Sources) {
        let keys: BTreeSet<Option<Key>> = sources
            .iter()
            .filter_map(|source| match source {
                Source::Rows(_, key) => Some(key.clone()),
                _ => None,
            })
            .collect();
        if keys.len() > 1 {
            self.cross(format!("{what} depends on rows of several keys"));
        }
    }

    /// The cheapest class that is right for the body; `single` when only calls whose keys are all on one node are right.
    pub fn class(&self) -> &'static str {
        let alike = self.aborts.values().all(Sources::is_empty);
        if self.crosses || self.decides_apart && self.keys.len() > 1 {
            "single"
        } else if self.unknown.is_empty() && self.flows.is_empty() && alike {
            "independent"
        } else {
            "coordinated"
        }
    }

    /// The verdict in words, one line for each reason.
    pub fn explain(&self, declared: Option<&str>) -> String {
        let class = self.class();
        let mut lines = vec![match declared {
            Some(declared) if declared != class => {
                format!("class: {declared}, as declared; the analysis says {class}")
            }
            _ => format!("class: {class}"),
        }];
        lines.push(
            match (self.writes, self.unknown.is_empty()) {
                (true, _) => "it changes rows",
                (false, true) => "it only reads",
                (false, false) => "what it changes is not known",
            }
            .to_owned(),
        );
        for what in &self.unknown {
            lines.push(format!("not understood: {what}"));
        }
        for what in &self.flows {
            lines.push(format!("a value crosses between nodes: {what}"));
        }
        for (why, sources) in &self.aborts {
            lines.push(format!("may abort: {why}{}", depends_on(sources)));
        }
        if declared.unwrap_or(class) == "single" {
            lines.push(
                "each node sees its own rows only: calls over several nodes are refused".to_owned(),
            );
        }
        if class == "independent" {
            lines.push(
                "every participant decides alike, and none needs a value of another".to_owned(),
            );
        }
        lines.join("\n")
    }
}

fn depends_on(sources: &Sources) -> String {
    if sources.is_empty() {
        return "; all participants decide alike".to_owned();
    }
    let names: BTreeSet<String> = sources
        .iter()
        .map(|source| match source {
            Source::Rows(table, _) => format!("rows of {table}"),
            Source::Differs | Source::Volatile => "a value that may differ on each node".to_owned(),
        })
        .collect();
    let names: Vec<String> = names.into_iter().collect();
    format!("; depends on {}", names.join(", "))
}
