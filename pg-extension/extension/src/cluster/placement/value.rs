//! Values of distribution columns in canonical form: their hash, order and text.

use super::kind::Kind;

/// A canonical value. Values of one column are all numbers or all bytes. Numbers are ordered as they are, bytes as in the collation "C".
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// An integer; a date as days since 2000-01-01; false as 0 and true as 1.
    Number(i64),
    /// A text in UTF-8, one of `char(n)` without the blanks at its end; the 16 bytes of a uuid; the digits of a numeric, without zeros that
    /// say nothing; the 8 bytes of a floating-point number, or of the microseconds of a time or timestamp; a `bytea`.
    Bytes(Vec<u8>),
}

pub const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// Days from 0000-03-01 to 2000-01-01.
const DAYS_TO_2000: i64 = 730_425;
const DAYS_OF_ERA: i64 = 146_097;
/// How PostgreSQL stores them.
const INFINITE_FUTURE: i64 = i32::MAX as i64;
const INFINITE_PAST: i64 = i32::MIN as i64;

/// The 64-bit FNV-1a hash.
pub fn hash_of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_OFFSET, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

impl Value {
    /// What is scaled to the number of partitions.
    pub fn hash(&self) -> u64 {
        match self {
            Value::Number(number) => *number as u64,
            Value::Bytes(bytes) => hash_of_bytes(bytes),
        }
    }

    /// The value of a text in the output form of its kind; `None` when it is no such text, or rules cannot name such values.
    pub fn parse(kind: Kind, text: &str) -> Option<Value> {
        Some(match kind {
            Kind::Integer => Value::Number(text.parse().ok()?),
            Kind::Boolean => Value::Number(match text {
                "true" => 1,
                "false" => 0,
                _ => return None,
            }),
            Kind::Date => Value::Number(days(text)?),
            Kind::Text => Value::Bytes(text.as_bytes().to_vec()),
            Kind::BlankPadded => Value::Bytes(without_blanks(text.as_bytes()).to_vec()),
            Kind::Uuid => Value::Bytes(uuid(text)?),
            _ => return None,
        })
    }

    /// The output form.
    pub fn print(&self, kind: Kind) -> String {
        match (self, kind) {
            (Value::Number(number), Kind::Boolean) => (*number != 0).to_string(),
            (Value::Number(days), Kind::Date) => date(*days),
            (Value::Number(number), _) => number.to_string(),
            (Value::Bytes(bytes), Kind::Uuid) => print_uuid(bytes),
            (Value::Bytes(bytes), _) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// The 8 bytes that stand for a floating-point number: equal numbers have the same.
pub fn float_bytes(number: f64) -> [u8; 8] {
    let canonical = match number {
        _ if number.is_nan() => f64::from_bits(0x7FF8_0000_0000_0000),
        _ if number == 0.0 => 0.0,
        _ => number,
    };
    canonical.to_bits().to_be_bytes()
}

/// A numeric as PostgreSQL prints it, without the zeros behind the point that do not count.
pub fn decimal(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// The same without the blanks at the end; other white space stays.
pub fn without_blanks(bytes: &[u8]) -> &[u8] {
    let length = bytes
        .iter()
        .rposition(|byte| *byte != b' ')
        .map_or(0, |last| last + 1);
    &bytes[..length]
}

fn uuid(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    let pairs = digits.chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    let bytes: Option<Vec<u8>> = pairs
        .map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    bytes.filter(|bytes| bytes.len() == 16 && digits.len() == 32)
}

fn print_uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&i) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The days since 2000-01-01 of an ISO date such as `2026-11-23`, `0044-03-15 BC` or `infinity`.
fn days(text: &str) -> Option<i64> {
    match text {
        "infinity" => return Some(INFINITE_FUTURE),
        "-infinity" => return Some(INFINITE_PAST),
        _ => {}
    }
    let (text, before_christ) = match text.strip_suffix(" BC") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_date = (1..=5_874_897).contains(&year) && (1..=12).contains(&month);
    if !is_date || !(1..=31).contains(&day) {
        return None;
    }
    // There is no year 0. The year begins in March, so that the day that comes and goes is its last.
    let year = if before_christ { 1 - year } else { year } - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_2000)
}

fn date(days: i64) -> String {
    match days {
        INFINITE_FUTURE => return "infinity".to_owned(),
        INFINITE_PAST => return "-infinity".to_owned(),
        _ => {}
    }
    let days = days + DAYS_TO_2000;
    let (era, of_era) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    let year = era * 400 + year + i64::from(month <= 2);
    match year {
        ..=0 => format!("{:04}-{month:02}-{day:02} BC", 1 - year),
        _ => format!("{year:04}-{month:02}-{day:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_hash_of_bytes_is_fnv() {
        assert_eq!(hash_of_bytes(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(hash_of_bytes(b"foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn dates_are_counted_as_postgresql_does() {
        for (text, count) in [
            ("2000-01-01", 0),
            ("1999-12-31", -1),
            ("2000-02-29", 59),
            ("2000-03-01", 60),
            ("1900-03-01", -36_465),
            ("0001-01-01", -730_119),
            ("0001-12-31 BC", -730_120),
            ("4713-01-01 BC", -2_451_507),
            ("5874897-12-31", 2_145_031_948),
            ("infinity", i64::from(i32::MAX)),
            ("-infinity", i64::from(i32::MIN)),
        ] {
            assert_eq!(days(text), Some(count), "{text}");
            assert_eq!(date(count), text);
        }
        for text in [
            "",
            "2000",
            "2000-13-01",
            "2000-00-01",
            "2000-01-32",
            "0000-01-01",
            "today",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    #[test]
    fn values_are_read_in_their_output_form_only() {
        assert_eq!(Value::parse(Kind::Integer, "-5"), Some(Value::Number(-5)));
        assert_eq!(Value::parse(Kind::Integer, "9223372036854775808"), None);
        assert_eq!(Value::parse(Kind::Boolean, "t"), None);
        assert_eq!(
            Value::parse(Kind::BlankPadded, "a  "),
            Some(Value::Bytes(b"a".to_vec()))
        );
        assert_eq!(Value::parse(Kind::Uuid, "0-0"), None);
    }

    #[test]
    fn equal_numbers_have_one_form() {
        assert_eq!(float_bytes(-0.0), [0; 8]);
        assert_eq!(float_bytes(-f64::NAN), [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]);
        assert_eq!(float_bytes(1.0), [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]);
        for (printed, canonical) in [
            ("1.50", "1.5"),
            ("-2.000", "-2"),
            ("0.00", "0"),
            ("1200", "1200"),
            ("NaN", "NaN"),
            ("-Infinity", "-Infinity"),
        ] {
            assert_eq!(decimal(printed), canonical);
        }
    }

    #[test]
    fn bytes_are_ordered_without_sign_and_shorter_first() {
        let bytes = |text: &str| Value::parse(Kind::Text, text);
        assert!(bytes("a") < bytes("ab") && bytes("z") < bytes("é") && bytes("B") < bytes("a"));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_the_same(number in any::<i64>(), days in -2_451_507_i64..2_145_031_949, id in any::<[u8; 16]>(), text in "[a-zé ]{0,9}") {
            for (kind, value) in [
                (Kind::Integer, Value::Number(number)),
                (Kind::Boolean, Value::Number(number & 1)),
                (Kind::Date, Value::Number(days)),
                (Kind::Uuid, Value::Bytes(id.to_vec())),
                (Kind::Text, Value::Bytes(text.clone().into_bytes())),
                (Kind::BlankPadded, Value::Bytes(without_blanks(text.as_bytes()).to_vec())),
            ] {
                prop_assert_eq!(Value::parse(kind, &value.print(kind)), Some(value));
            }
        }
    }
}
