/**
 * Placement functions: from the canonical values of a row's distribution columns to a partition.
 * They are pure, and part of the data format of a cluster: nodes evaluate the same. Nothing here
 * knows tables, nodes or statements.
 */
package org.abelian.router.placement;
