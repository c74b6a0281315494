/** Models of protocols. Nothing here runs the code of the router or needs a node. */
package org.abelian.models;
