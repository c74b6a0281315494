package org.abelian.router.execution;

import java.math.BigDecimal;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.FrameWriter;

/** One row of which each column is the sum of that column; NULL when it is NULL everywhere. */
public final class SumOfRows extends ResultMerge {
  private final NumberForm[] forms;
  private final BigDecimal[] sums;
  private boolean any;

  /**
   * @param types OIDs of the columns' types
   * @param formats as in Bind
   */
  public SumOfRows(List<Integer> types, int[] formats) {
    forms = new NumberForm[types.size()];
    sums = new BigDecimal[types.size()];
    for (int i = 0; i < forms.length; i++) {
      int format = formats.length == 0 ? 0 : formats.length == 1 ? formats[0] : formats[i];
      forms[i] = NumberForm.of(types.get(i), format == 1);
    }
  }

  @Override
  void row(ClientOutput output, byte[] array, int at, int length) {
    byte[][] values = NodeCall.row(array, at);
    if (values.length != sums.length) {
      throw AbelianException.internal("a row has " + values.length + " columns", null);
    }
    any = true;
    for (int i = 0; i < sums.length; i++) {
      if (values[i] != null) {
        var value = forms[i].read(values[i]);
        sums[i] = sums[i] == null ? value : sums[i].add(value);
      }
    }
  }

  @Override
  long rows(ClientOutput output) {
    if (!any) {
      return 0;
    }
    FrameWriter writer = output.writer();
    writer.begin(BackendType.DATA_ROW).int2(sums.length);
    for (int i = 0; i < sums.length; i++) {
      if (sums[i] == null) {
        writer.int4(-1);
      } else {
        byte[] value = forms[i].write(sums[i]);
        writer.int4(value.length).bytes(value);
      }
    }
    writer.end();
    return 1;
  }
}
