/**
 * What is known about the texts of statements: what a node's analysis says, where the statement can
 * go, under which names clients have prepared it. Shared by all sessions where they read names
 * alike. Nothing is run here.
 */
package org.abelian.router.statement;
