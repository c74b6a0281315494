/**
 * The server's settings in a file: its lines are those of postgresql.conf, its names those of the
 * command line. What a setting means is the command line's matter.
 */
package org.abelian.server.config;
