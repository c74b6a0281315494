/**
 * How workloads reach a database: address, credentials, connections, SQLSTATE classes.
 *
 * <p>No workload and no measurement lives here.
 */
package org.abelian.workloads.database;
