/**
 * A phase for running clusters: which few keys should lie elsewhere, by a trace of what happens
 * now. In the manner of incremental repartitioners, one key after the other.
 */
package org.abelian.advisor.proposals;
