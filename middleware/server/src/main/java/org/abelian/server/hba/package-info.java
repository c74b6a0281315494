/**
 * Who may connect to the server from where and how he proves who he is: PostgreSQL's pg_hba.conf
 * and pg_ident.conf, as far as the server has the methods. No sockets live here.
 */
package org.abelian.server.hba;
