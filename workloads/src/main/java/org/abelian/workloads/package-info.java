/**
 * The benchmarks. A workload sees a database only through JDBC; nothing here may reach into the
 * router.
 */
package org.abelian.workloads;
