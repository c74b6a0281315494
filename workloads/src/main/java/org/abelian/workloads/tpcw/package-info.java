/**
 * TPC-W's bookshop: the fourteen web interactions of the specification's revision 1.8, each a
 * transaction, in its browsing, shopping and ordering mixes. It is no TPC result: no pages, no
 * sessions, no think times unless they are asked for.
 *
 * <p>Ours: amounts are in cents; what belongs to a customer carries the customer's number, so that
 * it is placed with the customer; items are drawn by Zipf's law; best sellers are computed from the
 * latest 3,333 orders each time. Who would buy without a cart fills one first. A stock is reduced,
 * looked at, and filled up by 21 when fewer than 10 are left, in a statement each.
 */
package org.abelian.workloads.tpcw;
