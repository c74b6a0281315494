/**
 * Pictures and the demo's report, made from result files. No database is spoken to, and the page
 * needs nothing from the network.
 */
package org.abelian.workloads.report;
