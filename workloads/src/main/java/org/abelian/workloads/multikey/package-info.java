/**
 * Multi-get and multi-put: transactions that read, or change, many keys at once, over all nodes
 * that have them.
 */
package org.abelian.workloads.multikey;
