package org.abelian.advisor.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.trace.TraceFiles;

/**
 * Some transactions of a trace. Transactions, accesses, tuples and classes are numbered from 0; the
 * accesses of transaction t are those from {@code first(t)} to {@code first(t + 1) - 1}.
 */
public final class Workload {
  private static final int WRITE = 1;
  private static final int COMMUTES = 2;
  private static final int DECIDES = 4;

  /** Parameters of a transaction that are kept. */
  private static final int PARAMETERS = 24;

  private final Tuples tuples;
  private final List<String> parameters = new ArrayList<>();
  private final List<String> classes = new ArrayList<>();
  private final List<String> retypings = new ArrayList<>();
  private final int[] first;
  private final int[] classOf;
  private final double[] weightOfClass;
  private final boolean[] oneShot;
  private final int[] tuple;
  private final int[] flags;
  private final int[] retyped;
  private final long[] bound;
  private final int[] step;
  private final int[][] earlier;
  private final long total;

  /**
   * Reads transactions of one part.
   *
   * @param condition over the column tx
   * @param limit the most transactions to read; the others are left out by a hash of their number
   */
  public static Workload read(TraceFiles trace, Part part, String condition, int limit) {
    try (Engine engine = Engine.open()) {
      return new Workload(engine, trace, part, condition, limit);
    }
  }

  private Workload(Engine engine, TraceFiles trace, Part part, String condition, int limit) {
    tuples = new Tuples(trace.description().tables());
    String transactions = Engine.parquet(trace.transactions());
    total = engine.number("SELECT count(*) FROM " + transactions + " WHERE " + condition);
    prepare(engine, trace, part, condition, limit);

    Map<String, Integer> classNumbers = new HashMap<>();
    Ints classOfTransaction = new Ints();
    List<Boolean> shots = new ArrayList<>();
    engine.each(
        "SELECT class, one_shot, known FROM chosen ORDER BY tx",
        row -> {
          String values = row.getString(3);
          parameters.add(values == null ? "" : values);
          classOfTransaction.add(number(row.getString(1), classNumbers, classes));
          shots.add(row.getBoolean(2));
        });
    classOf = classOfTransaction.toArray();
    weightOfClass =
        classes.stream().mapToDouble(name -> trace.description().weight(name)).toArray();
    oneShot = new boolean[classOf.length];
    for (int i = 0; i < oneShot.length; i++) {
      oneShot[i] = shots.get(i);
    }

    engine.each(
        "SELECT table_name, identity FROM tuple ORDER BY id",
        row -> tuples.add(row.getString(1), row.getString(2)));
    tuples.seal();
    engine.each(
        "SELECT DISTINCT id, known FROM touched ORDER BY id, known DESC",
        row -> tuples.know(row.getInt(1), row.getString(2)));

    int count = (int) engine.number("SELECT count(*) FROM touched");
    tuple = new int[count];
    flags = new int[count];
    retyped = new int[count];
    bound = new long[count];
    step = new int[count];
    earlier = new int[count][];
    first = new int[classOf.length + 1];
    readAccesses(engine);
  }

  private void prepare(Engine engine, TraceFiles trace, Part part, String condition, int limit) {
    engine.run(
        "CREATE TABLE chosen AS SELECT tx, class, one_shot, "
            + TupleIdentity.ATTRIBUTES.replace("attributes", "parameters[1:" + PARAMETERS + "]")
            + " AS known, row_number() OVER (ORDER BY tx) - 1 AS"
            + " number FROM (SELECT * FROM "
            + Engine.parquet(trace.transactions())
            + " WHERE "
            + condition
            + " ORDER BY hash(tx, "
            + part.seed()
            + ", 'limit') LIMIT "
            + limit
            + ")",
        "CREATE TABLE seen AS SELECT number, step, table_name, "
            + TupleIdentity.SQL
            + " AS identity, "
            + TupleIdentity.ATTRIBUTES
            + " AS known, bound, write, commutes, retyped, decides, array_to_string(depends_on,"
            + " ',') AS earlier FROM "
            + Engine.parquet(trace.accesses())
            + " JOIN chosen USING (tx)",
        "CREATE TABLE tuple AS SELECT row_number() OVER (ORDER BY table_name, identity) - 1 AS id,"
            + " table_name, identity FROM (SELECT DISTINCT table_name, identity FROM seen)",
        "CREATE TABLE touched AS SELECT seen.*, id FROM seen JOIN tuple USING (table_name,"
            + " identity)",
        "DROP TABLE seen");
  }

  private void readAccesses(Engine engine) {
    Map<String, Integer> retypingNumbers = new HashMap<>();
    int[] at = {0};
    int[] transaction = {0};
    engine.each(
        "SELECT number, id, write, commutes, retyped, bound, decides, step, earlier FROM touched"
            + " ORDER BY number, step",
        row -> {
          int number = row.getInt(1);
          while (transaction[0] < number) {
            first[++transaction[0]] = at[0];
          }
          int access = at[0]++;
          tuple[access] = row.getInt(2);
          flags[access] =
              (row.getBoolean(3) ? WRITE : 0)
                  | (row.getBoolean(4) ? COMMUTES : 0)
                  | (row.getBoolean(7) ? DECIDES : 0);
          String types = row.getString(5);
          retyped[access] = types == null ? -1 : number(types, retypingNumbers, retypings);
          bound[access] = row.getLong(6);
          step[access] = row.getInt(8);
          String steps = row.getString(9);
          if (steps != null && !steps.isEmpty()) {
            earlier[access] = Arrays.stream(steps.split(",")).mapToInt(Integer::parseInt).toArray();
          }
        });
    while (transaction[0] < classOf.length) {
      first[++transaction[0]] = at[0];
    }
  }

  private static int number(String name, Map<String, Integer> numbers, List<String> names) {
    return numbers.computeIfAbsent(
        name,
        fresh -> {
          names.add(fresh);
          return names.size() - 1;
        });
  }

  /** How many transactions there are. */
  public int size() {
    return classOf.length;
  }

  /** How many transactions fulfil the condition, read or not. */
  public long total() {
    return total;
  }

  /** The tuples that they touch. */
  public Tuples tuples() {
    return tuples;
  }

  /** The names of classes. */
  public List<String> classes() {
    return classes;
  }

  /** The number of a transaction's class. */
  public int classOf(int transaction) {
    return classOf[transaction];
  }

  /** For how many transactions of the true workload one stands, in the mean 1. */
  public double weight(int transaction) {
    return weightOfClass[classOf[transaction]];
  }

  /** Whether a transaction is one call, all of whose statements are known before it begins. */
  public boolean oneShot(int transaction) {
    return oneShot[transaction];
  }

  /** The first parameters of a transaction; an unknown one is {@link TupleIdentity#UNKNOWN}. */
  public String[] parameters(int transaction) {
    String text = parameters.get(transaction);
    return text.isEmpty() ? new String[0] : text.split(String.valueOf(TupleIdentity.SEPARATOR), -1);
  }

  /** The number of a transaction's first access. */
  public int first(int transaction) {
    return first[transaction];
  }

  /** How many accesses there are. */
  public int accesses() {
    return tuple.length;
  }

  /** The tuple of an access. */
  public int tuple(int access) {
    return tuple[access];
  }

  /** Whether an access writes. */
  public boolean writes(int access) {
    return (flags[access] & WRITE) != 0;
  }

  /** Whether an access is a write that commutes. */
  public boolean commutes(int access) {
    return (flags[access] & COMMUTES) != 0;
  }

  /** Whether what an access finds may abort its transaction. */
  public boolean decides(int access) {
    return (flags[access] & DECIDES) != 0;
  }

  /** The types of columns that would make an access commute, or null. */
  public String retyped(int access) {
    return retyped[access] < 0 ? null : retypings.get(retyped[access]);
  }

  /** The attributes by which the statement names the tuple: bit i for attribute i. */
  public long bound(int access) {
    return bound[access];
  }

  /** The number of an access's statement within its transaction. */
  public int step(int access) {
    return step[access];
  }

  /** The statements whose results an access needs, or null. */
  public int[] earlier(int access) {
    return earlier[access];
  }
}
