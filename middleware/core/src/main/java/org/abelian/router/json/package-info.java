/**
 * Reading of JSON that nodes write. It depends on nothing of the router; what the JSON means is
 * known by those who read it.
 */
package org.abelian.router.json;
