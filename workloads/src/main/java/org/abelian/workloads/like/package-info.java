/**
 * LIKE of the Doppel paper (Narula, Cutler, Kohler, Morris: OSDI 2014): users like pages, and look
 * at how many do.
 */
package org.abelian.workloads.like;
