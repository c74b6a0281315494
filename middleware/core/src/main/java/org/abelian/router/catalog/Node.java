package org.abelian.router.catalog;

/**
 * A PostgreSQL server of the cluster.
 *
 * @param id the number that the catalogue gives it; never reused
 */
public record Node(int id, String host, int port) {}
