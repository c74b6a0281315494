/**
 * Decides whether a recorded history is legal over plain columns. docs/design/refinement.md states
 * the rules; no SQL is sent from here.
 */
package org.abelian.histories.check;
