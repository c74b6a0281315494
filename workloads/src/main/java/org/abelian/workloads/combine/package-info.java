/** Many sessions on one counter through the router server, with combining and without. */
package org.abelian.workloads.combine;
