package org.abelian.router.execution;

import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeStatement;

/**
 * The numbers (OIDs) of users' types and tables. Each node has given its own; clients know those of
 * the first node, where what they ask the catalogues is answered.
 */
public interface ObjectNumbers {
  /** Where all numbers are alike. */
  ObjectNumbers ALIKE =
      new ObjectNumbers() {
        @Override
        public boolean areClients(NodeAddress node) {
          return true;
        }

        @Override
        public int type(NodeAddress node, int number) {
          return number;
        }

        @Override
        public int typeThere(NodeAddress node, int number) {
          return number;
        }

        @Override
        public int table(NodeAddress node, int number) {
          return number;
        }
      };

  /** True when the node's numbers are those that clients know. */
  boolean areClients(NodeAddress node);

  /** The number by which clients know the type that the node has under that one. */
  int type(NodeAddress node, int number);

  /** The same for tables, views and other relations. */
  int table(NodeAddress node, int number);

  /** The number that the node has for the type that clients know by that one; 0 for none. */
  int typeThere(NodeAddress node, int number);

  /** The statement as the node is to get it. */
  default NodeStatement there(NodeAddress node, NodeStatement statement) {
    return statement.hasUsersTypes() && !areClients(node)
        ? statement.on(node, type -> typeThere(node, type))
        : statement;
  }
}
