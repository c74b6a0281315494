/**
 * Retwis, a Twitter clone, as the Claret paper (Holt, Zhang, Ports, Oskin, Ceze, section 6.3) uses
 * it: a Kronecker graph of followers, posts that are written to the timelines of all followers, and
 * users who repost what is popular.
 *
 * <p>A timeline is one value, as in the paper: an array in plain columns, a {@code top_k} in
 * Abelian ones. Ours are: the {@value org.abelian.workloads.retwis.RetwisTables#KEPT} newest posts
 * are kept, a view shows {@value org.abelian.workloads.retwis.RetwisTables#SHOWN} and reads them by
 * one statement, every user has one post at the start, and all users are equally active.
 */
package org.abelian.workloads.retwis;
