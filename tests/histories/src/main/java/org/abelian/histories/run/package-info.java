/**
 * Executes programs on a node and records histories: when each statement was sent and answered, and
 * with what. No judgement about them lives here.
 */
package org.abelian.histories.run;
