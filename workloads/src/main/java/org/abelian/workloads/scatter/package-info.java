/** Reads of several nodes, alone and beside transactions over several nodes. */
package org.abelian.workloads.scatter;
