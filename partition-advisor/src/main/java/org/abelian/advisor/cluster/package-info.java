/** A running cluster, as the phases see it that look at one: its catalogue, and its nodes. */
package org.abelian.advisor.cluster;
