/** Tests of combining: each session gets what it would have got alone, in some order. */
package org.abelian.router.batching;
