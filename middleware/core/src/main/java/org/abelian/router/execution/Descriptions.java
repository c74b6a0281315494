package org.abelian.router.execution;

import org.abelian.router.pool.NodeAddress;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ObjectNumber;

/** A node's descriptions of rows and parameters, in the numbers that the client knows. */
final class Descriptions {
  private static final int TYPE = 6;
  private static final int FIELD_LENGTH = 18;

  private Descriptions() {}

  /** Changes a RowDescription or ParameterDescription in its place. */
  static void translate(ObjectNumbers numbers, NodeAddress node, byte[] array, int frame) {
    boolean row = array[frame] == BackendType.ROW_DESCRIPTION; // Most messages are others.
    if (!row && array[frame] != BackendType.PARAMETER_DESCRIPTION || numbers.areClients(node)) {
      return;
    }
    if (row) {
      columns(numbers, node, array, frame);
    } else {
      int count = BigEndian.int2(array, frame + 5) & 0xffff;
      for (int i = 0; i < count; i++) {
        type(numbers, node, array, frame + 7 + 4 * i);
      }
    }
  }

  private static void columns(ObjectNumbers numbers, NodeAddress node, byte[] array, int frame) {
    int end = frame + 1 + BigEndian.int4(array, frame + 1);
    int count = BigEndian.int2(array, frame + 5) & 0xffff;
    int at = frame + 7;
    for (int i = 0; i < count; i++) {
      at = CString.end(array, at, end) + 1;
      int table = BigEndian.int4(array, at);
      if (ObjectNumber.isUsers(table)) {
        BigEndian.putInt4(array, at, numbers.table(node, table));
      }
      type(numbers, node, array, at + TYPE);
      at += FIELD_LENGTH;
    }
  }

  private static void type(ObjectNumbers numbers, NodeAddress node, byte[] array, int at) {
    int type = BigEndian.int4(array, at);
    if (ObjectNumber.isUsers(type)) {
      BigEndian.putInt4(array, at, numbers.type(node, type));
    }
  }
}
