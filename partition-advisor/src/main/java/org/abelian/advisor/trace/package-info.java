/**
 * The first phase: what transactions read and wrote. The format of a trace, and how it is made from
 * what PostgreSQL logs.
 */
package org.abelian.advisor.trace;
