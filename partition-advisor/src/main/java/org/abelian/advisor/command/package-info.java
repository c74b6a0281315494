/** The command line: {@code ./abelian advise} and one sub-command for each phase. */
package org.abelian.advisor.command;
