/**
 * What the router costs: the same single-partition statements by pgjdbc directly on the node, by
 * our driver, and by pgjdbc through our server.
 */
package org.abelian.workloads.router;
