/**
 * EPinions, a site of opinions: users review items and tell whom they trust. Five tables and nine
 * types of transactions, in the shares of BenchBase's sample configuration.
 *
 * <p>Ours are two totals that the benchmark computes anew in each query, or not at all: an item
 * keeps the sum and the number of its ratings, a user the number of those who trust it. Updates
 * concern reviews and trusts that are there. How many reviews an item has, how often it is asked
 * for, and who is trusted follow Zipf's law.
 */
package org.abelian.workloads.epinions;
