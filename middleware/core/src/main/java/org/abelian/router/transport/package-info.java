/**
 * Connections as streams of bytes, plain or encrypted alike. What the bytes mean is not known here.
 */
package org.abelian.router.transport;
