/**
 * Generated concurrent histories and the checker that decides whether they are legal over plain
 * columns.
 */
package org.abelian.histories;
