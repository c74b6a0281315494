/**
 * One client's messages: start-up and authentication, pipelines up to Sync, the extended and the
 * simple protocol, COPY data, commands that concern the session alone. Has statements planned and
 * run; runs nothing on nodes itself.
 */
package org.abelian.router.frontend;
