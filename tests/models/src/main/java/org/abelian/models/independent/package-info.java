/**
 * The protocol of docs/protocols/independent-messages.md as a transition system: nodes, routers,
 * recovery and faults take steps of which each is atomic, and {@link
 * org.abelian.models.independent.Exploration} goes through every order of them, looking at the
 * promises in every state. Steps have the names that the page gives them.
 */
package org.abelian.models.independent;
