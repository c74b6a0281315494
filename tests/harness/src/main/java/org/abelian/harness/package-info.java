/**
 * Local nodes, clusters and router servers for tests: started through {@code scripts/node} on free
 * ports under unique names, killed and restarted at will, and removed afterwards, also when a test
 * fails or an earlier run was killed.
 *
 * <p>Nothing of the product may depend on this package, and no assertion about the product belongs
 * here.
 */
package org.abelian.harness;
