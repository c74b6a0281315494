/** The command line: options, defaults, what is printed, exit statuses. No SQL lives here. */
package org.abelian.workloads.command;
