/**
 * What the router costs: the same single-partition statements by pgjdbc directly on the node, by
 * our driver, and by pgjdbc through our server. And what sessions of the server cost that do
 * nothing. And what sessions of the server cost that do nothing.
 */
package org.abelian.workloads.router;
