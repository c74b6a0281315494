/** A bank: transfers between accounts, beside readers to whom the sum of all is always 0. */
package org.abelian.workloads.bank;
