package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.partitioning.PartitioningDescription;
import org.abelian.advisor.partitioning.PartitioningFiles;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.Numbers;
import org.abelian.advisor.placement.Rule;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.Part;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/** Makes placements of all kinds from a trace and its partitioning. */
public final class ExplanationPhase {
  /** Transactions that keys are looked for in. */
  private static final int SEARCHED = 2500;

  /** Transactions whose tuples' attributes are read. */
  private static final int READ = 200_000;

  /** Rows of one table that a tree is learnt from. */
  private static final int LEARNT = 3000;

  /** Other keys that are shown beside the best. */
  private static final int OTHER_KEYS = 4;

  private final PartitioningDescription cut;
  private final Map<String, String> present;
  private final Workload workload;
  private final Tuples tuples;
  private final UsableColumns usable;
  private final Workload searched;
  private final Lookups lookups = new Lookups();
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();
  private final Map<String, Double> accuracy = new TreeMap<>();
  private final Map<String, Map<String, Integer>> groups = new TreeMap<>();
  private final List<String> notes = new ArrayList<>();
  private final int[] partition;
  private final int[] weight;

  private ExplanationPhase(TraceFiles trace, PartitioningFiles partitioning) {
    cut = partitioning.description();
    present = trace.description().present();
    Part part = new Part(cut.partitionSeed(), cut.heldOut());
    workload = Workload.read(trace, part, part.training(), READ);
    searched = Workload.read(trace, part, part.training(), SEARCHED);
    if (workload.total() > READ) {
      notes.add("rules are learnt from " + READ + " of " + workload.total() + " transactions");
    }
    if (workload.total() > SEARCHED) {
      notes.add("keys are looked for in " + SEARCHED + " of " + workload.total() + " transactions");
    }
    tuples = workload.tuples();
    usable = new UsableColumns(workload);
    partition = new int[tuples.size()];
    weight = new int[tuples.size()];
    readPartitioning(partitioning);
  }

  /** Reads a trace and its partitioning, and writes placements. */
  public static Explanation run(
      TraceFiles trace, PartitioningFiles partitioning, OutputFolder output) {
    return new ExplanationPhase(trace, partitioning).run(output);
  }

  private Explanation run(OutputFolder output) {
    addPresent();
    addForAll("primary-key", "hash of each primary key", Candidate.Kind.PRIMARY_KEY, byRow());
    addForAll(
        "replication",
        "everything on every node",
        Candidate.Kind.REPLICATION,
        (number, table) -> new TablePlacement.Reference());
    addKeys();
    addTrees();
    addForAll(
        "row-lookup",
        "a table of rows, others by the hash of their primary keys",
        Candidate.Kind.ROW_LOOKUP,
        (number, table) -> new TablePlacement.RowLookup(table.id()));
    ExplanationFiles files = new ExplanationFiles(output.path());
    Explanation explanation =
        new Explanation(
            cut.parts(),
            cut.partitionSeed(),
            cut.heldOut(),
            List.copyOf(candidates.values()),
            accuracy,
            groups,
            notes);
    JsonFile.write(files.explanationFile(), explanation);
    lookups.write(files.lookups());
    output.finish();
    return explanation;
  }

  private void readPartitioning(PartitioningFiles partitioning) {
    java.util.Arrays.fill(partition, Integer.MIN_VALUE);
    Map<String, Integer> numbers = new HashMap<>();
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      numbers.put(name(tuples, tuple), tuple);
    }
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT table_name, identity, partition, accesses FROM "
              + Engine.parquet(partitioning.tuples()),
          row -> {
            lookups.map(row.getString(1)).put(row.getString(2), row.getInt(3));
            Integer tuple = numbers.get(row.getString(1) + '\u001f' + row.getString(2));
            if (tuple != null) {
              partition[tuple] = row.getInt(3);
              weight[tuple] = row.getInt(4);
            }
          });
    }
  }

  private BiFunction<Integer, TraceTable, TablePlacement> byRow() {
    return (number, table) ->
        table.primaryKey().size() == 1
            ? new TablePlacement.Hash(table.primaryKey().get(0))
            : new TablePlacement.RowHash();
  }

  private void addForAll(
      String name,
      String title,
      Candidate.Kind kind,
      BiFunction<Integer, TraceTable, TablePlacement> place) {
    Map<String, TablePlacement> placed = new TreeMap<>();
    for (int i = 0; i < tuples.tables().size(); i++) {
      placed.put(tuples.tables().get(i).id(), place.apply(i, tuples.tables().get(i)));
    }
    candidates.put(name, new Candidate(name, title, kind, placed));
  }

  /** What is placed by nothing lies on the first node. */
  private void addPresent() {
    if (present == null) {
      return;
    }
    addForAll(
        "present",
        "as it is",
        Candidate.Kind.PRESENT,
        (number, table) -> {
          String column = present.get(table.id());
          if (column == null) {
            return new TablePlacement.Rules(new Rule.Then(0));
          }
          return column.equals(TraceDescription.REFERENCE)
              ? new TablePlacement.Reference()
              : new TablePlacement.Hash(column);
        });
  }

  private void addKeys() {
    Places keys = Places.ofKeys(searched.tuples());
    List<KeySearch.Found> loadable = new KeySearch(searched, usable, cut.parts(), true, keys).run();
    List<KeySearch.Found> any = new KeySearch(searched, usable, cut.parts(), false, keys).run();
    if (!loadable.isEmpty()) {
      addKeys("keys", loadable.get(0), Candidate.Kind.KEYS);
      loadable.stream()
          .skip(1)
          .limit(OTHER_KEYS)
          .forEach(found -> addKeys("keys from " + found.root(), found, Candidate.Kind.KEYS));
    }
    if (any.isEmpty()) {
      notes.add("no column is named by most statements of its table: there are no keys to hash");
      return;
    }
    if (loadable.isEmpty()
        || !java.util.Arrays.equals(loadable.get(0).choice(), any.get(0).choice())) {
      addKeys("columns", any.get(0), Candidate.Kind.COLUMNS);
    }
    Places parts =
        Places.ofPartitions(
            searched.tuples(),
            ofSearched(partition, Integer.MIN_VALUE),
            ofSearched(weight, 0),
            cut.parts());
    addLookup(new KeySearch(searched, usable, cut.parts(), false, parts).run().get(0));
  }

  private void addKeys(String name, KeySearch.Found found, Candidate.Kind kind) {
    addForKeys(
        found,
        name,
        "hash of a column, from " + found.root(),
        kind,
        (number, column) -> new TablePlacement.Hash(column));
  }

  private void rememberGroups(String name, int[] choice) {
    Colocations colocations = new Colocations(searched, choice);
    Map<String, Integer> numbers = new TreeMap<>();
    for (int i = 0; i < choice.length; i++) {
      if (choice[i] >= 0) {
        numbers.put(tuples.tables().get(i).id(), colocations.of(i));
      }
    }
    groups.put(name, numbers);
  }

  /** From the keys' votes: a table of all of them, and, where keys are numbers, ranges. */
  private void addLookup(KeySearch.Found found) {
    Colocations colocations = new Colocations(searched, found.choice());
    Map<Integer, KeyVotes> votes = new TreeMap<>();
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      int column = found.choice()[tuples.table(tuple)];
      if (column >= 0 && partition[tuple] >= 0 && tuples.value(tuple, column) >= 0) {
        votes
            .computeIfAbsent(colocations.of(tuples.table(tuple)), fresh -> new KeyVotes())
            .add(tuples.text(tuple, column), partition[tuple], weight[tuple]);
      }
    }
    votes.forEach((group, keys) -> lookups.map("group " + group).putAll(keys.winners()));
    addForKeys(
        found,
        "lookup",
        "a table of keys, others by their hash",
        Candidate.Kind.LOOKUP,
        (number, column) -> new TablePlacement.Lookup(column, "group " + colocations.of(number)));
    if (votes.values().stream().allMatch(KeyVotes::numeric)) {
      Map<Integer, Rule> ranges = new HashMap<>();
      votes.forEach((group, keys) -> ranges.put(group, keys.ranges(cut.partitionSeed(), LEARNT)));
      addForKeys(
          found,
          "ranges",
          "ranges of a column",
          Candidate.Kind.RANGES,
          (number, column) ->
              ranges.containsKey(colocations.of(number))
                  ? new TablePlacement.Rules(
                      KeyVotes.named(ranges.get(colocations.of(number)), column))
                  : new TablePlacement.Hash(column));
    }
  }

  /** Numbers of all tuples as numbers of the tuples that keys are looked for in. */
  private int[] ofSearched(int[] all, int missing) {
    Map<String, Integer> numbers = new HashMap<>();
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      numbers.put(name(tuples, tuple), all[tuple]);
    }
    int[] some = new int[searched.tuples().size()];
    for (int tuple = 0; tuple < some.length; tuple++) {
      some[tuple] = numbers.getOrDefault(name(searched.tuples(), tuple), missing);
    }
    return some;
  }

  private static String name(Tuples tuples, int tuple) {
    return tuples.tables().get(tuples.table(tuple)).id() + '\u001f' + tuples.identity(tuple);
  }

  private void addForKeys(
      KeySearch.Found found,
      String name,
      String title,
      Candidate.Kind kind,
      BiFunction<Integer, String, TablePlacement> place) {
    addForAll(
        name,
        title,
        kind,
        (number, table) ->
            found.choice()[number] == KeyCost.REFERENCE
                ? new TablePlacement.Reference()
                : place.apply(number, table.attributes().get(found.choice()[number]).name()));
    rememberGroups(name, found.choice());
  }

  private void addTrees() {
    Map<Integer, List<Integer>> byTable = new HashMap<>();
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      if (partition[tuple] != Integer.MIN_VALUE) {
        byTable.computeIfAbsent(tuples.table(tuple), fresh -> new ArrayList<>()).add(tuple);
      }
    }
    addForAll(
        "rules",
        "decision rules over columns",
        Candidate.Kind.RULES,
        (number, table) -> tree(number, table, byTable.getOrDefault(number, List.of())));
  }

  private TablePlacement tree(int number, TraceTable table, List<Integer> rows) {
    if (rows.isEmpty()) {
      notes.add("no row of " + table.id() + " is in the graph: its rule is the hash of its key");
      return byRow().apply(number, table);
    }
    List<Integer> numeric = new ArrayList<>();
    List<Integer> textual = new ArrayList<>();
    for (int column : usable.of(number, UsableColumns.ALMOST_ALL, false)) {
      (isNumeric(rows, column) ? numeric : textual).add(column);
    }
    List<Labelled> labelled = new ArrayList<>();
    for (int tuple : rows) {
      labelled.add(
          new Labelled(
              numeric.stream().mapToDouble(column -> numberOf(tuple, column)).toArray(),
              textual.stream().map(column -> tuples.text(tuple, column)).toArray(String[]::new),
              partition[tuple],
              Math.max(1, weight[tuple])));
    }
    TreeLearner.Learnt learnt =
        new TreeLearner(
                names(table, numeric),
                names(table, textual),
                TreeLearner.sample(labelled, LEARNT, cut.partitionSeed()),
                cut.partitionSeed())
            .learn();
    if (!Double.isNaN(learnt.accuracy())) {
      accuracy.put(table.id(), learnt.accuracy());
    }
    return learnt.rule() instanceof Rule.Then then && then.partition() == Rule.EVERYWHERE
        ? new TablePlacement.Reference()
        : new TablePlacement.Rules(learnt.rule());
  }

  private boolean isNumeric(List<Integer> rows, int column) {
    boolean any = false;
    for (int tuple : rows) {
      String text = tuples.text(tuple, column);
      if (text != null) {
        if (Numbers.parse(text) == null) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  private double numberOf(int tuple, int column) {
    Double number = Numbers.parse(tuples.text(tuple, column));
    return number == null ? Double.NaN : number;
  }

  private static List<String> names(TraceTable table, List<Integer> columns) {
    return columns.stream().map(column -> table.attributes().get(column).name()).toList();
  }
}
