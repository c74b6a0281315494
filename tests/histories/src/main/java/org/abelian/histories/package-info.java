/**
 * The refinement test: every committed history over Abelian columns is a legal history of the same
 * SQL over plain columns at the same isolation level.
 *
 * <p>{@code program} generates small concurrent programs from a seed, {@code run} executes them on
 * a node and records what every statement answered and when, {@code check} decides whether the
 * record is legal. docs/design/refinement.md defines "legal". Nothing here may look inside the
 * extension: only what clients see counts.
 */
package org.abelian.histories;
