/**
 * Operations of many sessions on one object as one statement: who waits for whom, how operands are
 * added up, what each session is told. Knows neither connections nor clients: a session runs the
 * statement and answers (docs/design/combining.md).
 */
package org.abelian.router.combining;
