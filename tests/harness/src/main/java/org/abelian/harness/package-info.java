/**
 * Local PostgreSQL nodes and clusters for tests. A test reaches servers, ports and faults through
 * this package and never through scripts of its own.
 */
package org.abelian.harness;
