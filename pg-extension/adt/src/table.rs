//! The specification of a type as a Markdown table, for its documentation page.

use crate::data_type::{AnyMethod, DataType, Description, Role};
use crate::locks::Footprint;
use crate::specification::{Condition, condition, in_order};

/// What stands before the table in a page.
pub const BEGIN: &str = "<!-- commutativity: generated, see pg-extension/adt/src/table.rs -->";
/// What stands after it.
pub const END: &str = "<!-- end of commutativity -->";

const ALWAYS: &str = "always";
const NEVER: &str = "never";
const DIFFERENT: &str = "x ≠ y";

/// One row for each pair of which at least one is an operation.
///
/// "Commute" is the meaning: either order gives the same. "Run side by side" is what the locks admit, which may be less.
pub fn markdown<D: DataType>() -> String {
    let mut table = String::from("| | and | commute | run side by side |\n|---|---|---|---|\n");
    let own = D::METHODS.iter().map(|method| AnyMethod::<D>::Own(*method));
    let methods: Vec<_> = own.chain([AnyMethod::Read]).collect();
    for (i, a) in methods.iter().enumerate() {
        for b in &methods[i..] {
            if [a, b]
                .iter()
                .any(|method| method.describe().role == Role::Operation)
            {
                table.push_str(&row(*a, *b));
            }
        }
    }
    table.push_str("| `overwrite` | anything | never | never |\n");
    table
}

fn row<D: DataType>(a: AnyMethod<D>, b: AnyMethod<D>) -> String {
    let names = [Name::of(a.describe(), false), Name::of(b.describe(), true)];
    let (first, second) = if in_order(a, b) { (a, b) } else { (b, a) };
    let commute = in_words(&condition(first, second), &names);
    let operations = names
        .iter()
        .all(|name| name.description.role == Role::Operation);
    let together = match D::ADMISSION {
        Some(words) if operations => words.to_owned(),
        _ => side_by_side(&names),
    };
    let [a, b] = names.map(|name| name.signature());
    format!("| `{a}` | `{b}` | {commute} | {together} |\n")
}

/// A method under the argument names it has in its row.
struct Name {
    description: Description,
    second: bool,
}

impl Name {
    fn of(description: Description, second: bool) -> Self {
        Name {
            description,
            second,
        }
    }

    /// The second method of a row has y, w, m where the first has x, v, n.
    fn argument(&self, name: &str) -> String {
        let renamed = match name {
            "x" => "y",
            "v" => "w",
            "n" => "m",
            "o" => "p",
            other => other,
        };
        (if self.second { renamed } else { name }).to_owned()
    }

    fn signature(&self) -> String {
        let Description {
            name, arguments, ..
        } = self.description;
        let arguments: Vec<_> = arguments.iter().map(|name| self.argument(name)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    /// When it changes nothing.
    fn idle(&self) -> Option<String> {
        Some(self.fill(self.description.idle?.when))
    }

    /// The words with its arguments in their places.
    fn fill(&self, words: &str) -> String {
        let mut words = words.to_owned();
        for argument in self.description.arguments {
            words = words.replace(&format!("{{{argument}}}"), &self.argument(argument));
        }
        words
    }
}

fn in_words<D: DataType>(condition: &Condition<D>, names: &[Name; 2]) -> String {
    let idle: Vec<_> = names.iter().filter_map(Name::idle).collect();
    match condition {
        Condition::Always => ALWAYS.to_owned(),
        Condition::Never => NEVER.to_owned(),
        Condition::Different => DIFFERENT.to_owned(),
        Condition::Idle => idle.join(" and "),
        Condition::DifferentOrIdle => format!("{DIFFERENT}, or {}", idle.join(" and ")),
        Condition::When(words, _) => operation(names).fill(words),
        Condition::DifferentOrWhen(words, _) => {
            format!("{DIFFERENT}, or {}", operation(names).fill(words))
        }
    }
}

/// The one of the two that is an operation; of two, the first.
fn operation(names: &[Name; 2]) -> &Name {
    let is_operation = |name: &&Name| name.description.role == Role::Operation;
    names.iter().find(is_operation).unwrap_or(&names[0])
}

/// What the locks of both admit.
fn side_by_side(names: &[Name; 2]) -> String {
    let [a, b] = names.each_ref().map(|name| name.description);
    let footprints = |a_idle: bool, b_idle: bool| {
        let pick = |description: Description, idle: bool| match description.idle {
            Some(found) if idle => Some(found.footprint),
            _ if idle => None,
            _ => Some(description.footprint),
        };
        Some(together(pick(a, a_idle)?, pick(b, b_idle)?))
    };
    let plain = together(a.footprint, b.footprint);
    if plain == ALWAYS {
        return plain.to_owned();
    }
    let mut words = Vec::from_iter((plain != NEVER).then(|| plain.to_owned()));
    if footprints(true, false) == Some(ALWAYS) {
        words.extend(names[0].idle());
    }
    if footprints(false, true) == Some(ALWAYS) {
        words.extend(names[1].idle());
    }
    if a.name == b.name && footprints(true, true) == Some(ALWAYS) {
        words.push("both change nothing".to_owned());
    }
    if words.is_empty() {
        NEVER.to_owned()
    } else {
        words.join(", or ")
    }
}

fn together(a: Footprint, b: Footprint) -> &'static str {
    if !a.object.is_compatible_with(b.object) {
        return NEVER;
    }
    match (a.element, b.element) {
        (Some(x), Some(y)) if !x.is_compatible_with(y) => DIFFERENT,
        _ => ALWAYS,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// Compares the table in the type's page with the code; `ABELIAN_BLESS=1 cargo test -p abelian-adt` writes it.
    pub(crate) fn check_page<D: DataType>() -> Result<(), String> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../docs/reference/types/{}.md", D::NAME));
        let shown = path.display();
        let page = fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
        let (head, rest) = page
            .split_once(BEGIN)
            .ok_or(format!("{shown} lacks {BEGIN}"))?;
        let (_, tail) = rest.split_once(END).ok_or(format!("{shown} lacks {END}"))?;
        let wanted = format!("{head}{BEGIN}\n{}{END}{tail}", markdown::<D>());
        if wanted == page {
            return Ok(());
        }
        if std::env::var_os("ABELIAN_BLESS").is_some() {
            return fs::write(&path, wanted).map_err(|error| format!("{shown}: {error}"));
        }
        Err(format!(
            "{shown} has another table than the code; ABELIAN_BLESS=1 writes it:\n{}",
            markdown::<D>()
        ))
    }

    #[test]
    fn the_table_of_set_is_that_of_the_claret_paper() {
        let table = markdown::<crate::set::Set>();
        for row in [
            "| `add(x)` | `add(y)` | always | always |",
            "| `add(x)` | `remove(y)` | x ≠ y | x ≠ y |",
            "| `remove(x)` | `remove(y)` | always | x ≠ y, or both change nothing |",
            "| `add(x)` | `size()` | x is in it already | x is in it already |",
            "| `remove(x)` | `contains(y)` | x ≠ y, or x is not in it | x ≠ y, or x is not in it |",
        ] {
            assert!(table.contains(row), "{row} is not in\n{table}");
        }
    }
}
