/**
 * Clients that each break one promise on purpose, so that the checker can be seen to notice. They
 * stand in for faults of an extension and run over plain columns.
 */
package org.abelian.histories.broken;
