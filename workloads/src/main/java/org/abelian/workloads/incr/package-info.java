/** INCR of the Doppel paper (Narula, Cutler, Kohler, Morris: OSDI 2014): additions to keys. */
package org.abelian.workloads.incr;
