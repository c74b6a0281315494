/**
 * Judges runs of PostgreSQL's own regression scripts: cuts a script and what it printed into
 * statements, compares them with the expected output, and compares the counts with those of a
 * baseline. Nothing here talks to a database; {@code tests/parity/run} does.
 */
package org.abelian.parity;
