/**
 * How a workload's client behaves over JDBC: transactions or none, isolation, tries, think time or
 * rate, the round trip of a network, and what is counted.
 *
 * <p>No table and no statement of a workload is known here; nor which database answers.
 */
package org.abelian.workloads.client;
