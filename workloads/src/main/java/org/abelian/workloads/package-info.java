/**
 * The benchmarks as code and their command line.
 *
 * <p>What lives here: {@link org.abelian.workloads.Main} and the commands that join the parts
 * below. What never may: knowledge of the router's insides. A workload speaks JDBC, and nothing but
 * the URL tells it whether a router or one plain PostgreSQL answers.
 */
package org.abelian.workloads;
