/**
 * Decides whether a history over lists is one that docs/protocols/README.md promises. Dependencies
 * between transactions follow from the lists, as in Elle (Kingsbury and Alvaro, VLDB 2020); a cycle
 * of them has no serial order. No SQL is sent from here.
 */
package org.abelian.histories.order;
