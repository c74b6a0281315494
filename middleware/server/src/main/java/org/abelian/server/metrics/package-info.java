/**
 * Figures of a router for those who watch it: Prometheus' text format over HTTP, and a check
 * whether the router serves. What is counted is counted elsewhere; nothing here is on the way of a
 * statement, but for one histogram.
 */
package org.abelian.server.metrics;
