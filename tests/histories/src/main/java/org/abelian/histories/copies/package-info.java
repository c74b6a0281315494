/**
 * Copies of values: random expressions that take values out of their rows, random places to keep
 * them, and two schemas with the same tables, one of plain columns and one of columns whose
 * operations commute. A copy must be the same over both, and stay so.
 */
package org.abelian.histories.copies;
