package org.abelian.router.tls;

/** Where the passphrase of an encrypted key comes from. */
@FunctionalInterface
interface Passphrase {
  /** A copy of it, which the caller overwrites; null when there is none. */
  char[] get() throws TlsException;
}
