/**
 * What every workload is: tables in plain or in Abelian columns, what a client does, what must hold
 * afterwards; how its tables are made and its clients are started.
 *
 * <p>Each workload is a package of its own above this one. How a client behaves is in {@code
 * client}, how several variants are compared in {@code evaluate}.
 */
package org.abelian.workloads.workload;
