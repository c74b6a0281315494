/**
 * Batching: operations that many sessions bring to one contended key are run as one, and reads that
 * many bring to a busy node go there together. Who waits for whom, how operands are added up, what
 * each session is told. Knows neither connections nor clients: a session runs the batch, and
 * answers (docs/design/batching.md).
 */
package org.abelian.router.batching;
