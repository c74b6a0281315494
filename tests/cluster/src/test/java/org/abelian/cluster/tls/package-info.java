/** TLS between clients, the router and the nodes: who gets in, and what stays out. */
package org.abelian.cluster.tls;
