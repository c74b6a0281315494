/**
 * The fifth phase: what each placement would do to transactions that nothing was learnt from, and
 * which one to take.
 */
package org.abelian.advisor.validation;
