package org.abelian.router.transaction.simulation;

/** Something that the world can do next. */
record Move(String name, Runnable action) {}
