/**
 * What the client is to be told, in order, and how it is got from the nodes: answers of one node
 * pass as the bytes they are, answers of several are added, put one after the other, or combined.
 * Which nodes a statement goes to is decided elsewhere; what a transaction is, is not known here.
 */
package org.abelian.router.execution;
