/**
 * The partition advisor: from a trace of a workload to a placement, with the reasons. Its phases
 * are packages (trace, graph, partitioning, explanation, validation, report); each reads files,
 * writes a folder, and knows the others by their files only.
 */
package org.abelian.advisor;
