/**
 * The last phase: the comparison for people (terminal, HTML), for programs (JSON) and for the
 * router (SQL).
 */
package org.abelian.advisor.report;
