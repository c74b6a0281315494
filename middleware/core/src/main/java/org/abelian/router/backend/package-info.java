/**
 * One client's connections to the nodes: which it holds, what is prepared and set on them, how far
 * its transaction has come on each. Knows neither the client's messages nor what is run.
 */
package org.abelian.router.backend;
