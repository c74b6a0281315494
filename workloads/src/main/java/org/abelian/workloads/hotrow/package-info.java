/**
 * Many clients on one row, plain bigint against {@code abelian.counter}, with pgbench as the load
 * generator, since a Java client would take more of the processors that the server needs.
 */
package org.abelian.workloads.hotrow;
