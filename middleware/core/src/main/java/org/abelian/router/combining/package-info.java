/**
 * What many sessions bring to one object, or to the same nodes, run as one: who waits for whom, how
 * operands are added up, what each session is told. Knows neither connections nor clients: a
 * session runs what has gathered, and answers (docs/design/combining.md).
 */
package org.abelian.router.combining;
