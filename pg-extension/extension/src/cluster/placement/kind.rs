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
    Timestamp,
    Timestamptz,
    Time,
    Float,
    Decimal,
    Bytea,
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
            "timestamp" => Kind::Timestamp,
            "timestamptz" => Kind::Timestamptz,
            "time" => Kind::Time,
            "float" => Kind::Float,
            "decimal" => Kind::Decimal,
            "bytea" => Kind::Bytea,
            _ => return None,
        })
    }

    /// The kinds of several columns, their names joined by commas. `None` when one is unknown.
    pub fn list(names: &str) -> Option<Vec<Kind>> {
        names.split(',').map(Kind::named).collect()
    }

    /// Whether rules and lookups may name its values. Of other kinds there is nothing but the hash.
    pub fn is_named(self) -> bool {
        use Kind::{BlankPadded, Boolean, Date, Integer, Text, Uuid};
        matches!(self, Integer | Text | BlankPadded | Uuid | Boolean | Date)
    }

    /// Whether its values are texts.
    pub fn is_text(self) -> bool {
        matches!(self, Kind::Text | Kind::BlankPadded)
    }
}
