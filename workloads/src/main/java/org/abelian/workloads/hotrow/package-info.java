/** Many clients on one row, plain bigint against {@code abelian.counter}, on one node. */
package org.abelian.workloads.hotrow;
