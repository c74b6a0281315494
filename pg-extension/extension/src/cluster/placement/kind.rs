//! How values of a distribution column are brought into canonical form.

/// By the type of the column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Integer,
    Text,
    BlankPadded,
    Uuid,
    Boolean,
    Date,
}

impl Kind {
    /// By the name that the catalogue gives it.
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "integer" => Kind::Integer,
            "text" => Kind::Text,
            "blank_padded" => Kind::BlankPadded,
            "uuid" => Kind::Uuid,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            _ => return None,
        })
    }

    /// The kinds of several columns, their names joined by commas. `None` when one is unknown.
    pub fn list(names: &str) -> Option<Vec<Kind>> {
        names.split(',').map(Kind::named).collect()
    }

    /// Whether its values are texts.
    pub fn is_text(self) -> bool {
        matches!(self, Kind::Text | Kind::BlankPadded)
    }
}
