//! Commuting data types, their operations and laws. Nothing here knows PostgreSQL.
