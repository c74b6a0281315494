/**
 * Statement and values to nodes: pure functions over the facts of a statement, a catalogue snapshot
 * and the bytes of the bound values. No I/O, no clocks, no state lives here.
 */
package org.abelian.router.routing;
