/** Reads of several nodes that are validated instead of locked (docs/protocols/reads.md). */
package org.abelian.models.reads;
