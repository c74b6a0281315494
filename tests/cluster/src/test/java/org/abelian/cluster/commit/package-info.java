/**
 * The coordinated commit, recovery and deadlock detection against real nodes, without sessions in
 * between.
 */
package org.abelian.cluster.commit;
