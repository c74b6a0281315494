package org.abelian.advisor.report;

import java.util.List;
import java.util.Locale;
import org.abelian.advisor.placement.RuleText;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.TransactionKind;

/** The report as one HTML page that needs nothing else. */
final class HtmlReport {
  private static final String[] COLOURS = {"#4c9f70", "#8fb8de", "#f2c14e", "#f78154", "#b4436c"};
  private static final int WIDTH = 640;
  private static final int BAR = 22;
  private static final int LABEL = 230;

  /** Of the script. */
  private static final int MOST_LINES = 200;

  private final Advice advice;
  private final StringBuilder html = new StringBuilder();

  HtmlReport(Advice advice) {
    this.advice = advice;
  }

  String text() {
    Judgement chosen = advice.validation().judgement(advice.validation().chosen());
    html.append(
        "<!DOCTYPE html>\n"
            + "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Placement"
            + " advice</title><style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em"
            + " auto;padding:0 1em;color:#222}table{border-collapse:collapse}td,th{padding:.2em"
            + " .7em;border-bottom:1px solid"
            + " #ddd;text-align:right}td:first-child,th:first-child{text-align:left}pre{background:#f6f6f6;padding:1em;overflow:auto}.key"
            + " span{display:inline-block;margin-right:1.2em}.key"
            + " i{display:inline-block;width:.9em;height:.9em;margin-right:.4em}</style></head><body>\n");
    html.append("<h1>Placement advice</h1>\n<p>")
        .append(escape(advice.trace().source()))
        .append("; ")
        .append(advice.explanation().nodes())
        .append(" nodes; judged by ")
        .append(advice.validation().transactions())
        .append(" transactions that nothing was learnt from.</p>\n");
    html.append("<h2>What to do</h2>\n<pre>")
        .append(escape(shortened(new PlacementSql(advice).text())))
        .append("</pre>\n");
    rules();
    comparison();
    list("What would change the verdict", Verdict.changes(advice.validation()));
    classes(chosen);
    apart(chosen);
    retypings(chosen);
    list("Nodes that follow from arguments", Summary.routing(advice));
    list("Notes", Summary.notes(advice));
    html.append("</body></html>\n");
    return html.toString();
  }

  /** A lookup table may be long. */
  private static String shortened(String sql) {
    List<String> lines = sql.lines().toList();
    return lines.size() <= MOST_LINES
        ? sql
        : String.join("\n", lines.subList(0, MOST_LINES))
            + "\n-- ... and "
            + (lines.size() - MOST_LINES)
            + " more lines in placement.sql\n";
  }

  private void rules() {
    html.append("<h2>Where rows lie</h2>\n<table><tr><th>table</th><th>advised</th></tr>\n");
    for (TraceTable table : advice.trace().tables()) {
      html.append("<tr><td>")
          .append(escape(table.id()))
          .append("</td><td style=\"text-align:left\">")
          .append(
              RuleText.lines(advice.chosen().tables().get(table.id())).stream()
                  .map(HtmlReport::escape)
                  .reduce((a, b) -> a + "<br>" + b)
                  .orElse(""))
          .append("</td></tr>\n");
    }
    html.append("</table>\n");
  }

  private void comparison() {
    List<Judgement> judgements = advice.validation().judgements();
    html.append("<h2>Compared</h2>\n<p class=\"key\">");
    for (TransactionKind kind : TransactionKind.values()) {
      html.append("<span><i style=\"background:")
          .append(COLOURS[kind.ordinal()])
          .append("\"></i>")
          .append(kind.name().toLowerCase(Locale.ROOT))
          .append("</span>");
    }
    html.append("</p>\n");
    openPicture(judgements.size(), "Shares of transactions by what they cost");
    for (int i = 0; i < judgements.size(); i++) {
      Judgement one = judgements.get(i);
      label(i, one.name());
      double x = LABEL;
      for (TransactionKind kind : TransactionKind.values()) {
        double width = (WIDTH - LABEL) * one.shares().getOrDefault(kind, 0.0);
        bar(i, x, width, COLOURS[kind.ordinal()]);
        x += width;
      }
    }
    html.append(
        "</svg>\n<table><tr><th>placement</th><th>distributed</th><th>sent to"
            + " all</th><th>nodes each</th><th>load, greatest over mean</th><th>rows, greatest over"
            + " mean</th><th>loadable</th></tr>\n");
    for (Judgement one : judgements) {
      boolean advised = one.name().equals(advice.validation().chosen());
      html.append(advised ? "<tr style=\"font-weight:bold\"><td>" : "<tr><td>")
          .append(escape(one.name()))
          .append("</td><td>")
          .append(Percent.of(one.distributed()))
          .append("</td><td>")
          .append(Percent.of(one.misrouted()))
          .append("</td><td>")
          .append(Percent.ratio(one.nodes()))
          .append("</td><td>")
          .append(Percent.ratio(one.loadBalance()))
          .append("</td><td>")
          .append(Percent.ratio(one.rowBalance()))
          .append("</td><td>")
          .append(one.loadable() ? "yes" : "no")
          .append("</td></tr>\n");
    }
    html.append("</table>\n<p>Of those whose distributed share is within ")
        .append(Percent.of(advice.validation().tolerance()))
        .append(
            " of the least, or no further than chance explains, and whose busiest node has at most"
                + " ")
        .append(Percent.ratio(advice.validation().mostBalance()))
        .append(" times the mean load, the simplest is advised.</p>\n");
  }

  private void classes(Judgement chosen) {
    List<Judgement.OfClass> classes = chosen.classes().stream().limit(20).toList();
    html.append("<h2>Cut transactions by class</h2>\n");
    openPicture(classes.size(), "Share of each class that is distributed");
    for (int i = 0; i < classes.size(); i++) {
      Judgement.OfClass one = classes.get(i);
      label(i, one.name() + " (" + Percent.of(one.share()) + ")");
      bar(i, LABEL, (WIDTH - LABEL) * one.distributed(), COLOURS[3]);
      html.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
              WIDTH - 4,
              i * BAR + 15,
              Percent.of(one.distributed())));
    }
    html.append("</svg>\n");
    advice
        .trace()
        .classes()
        .forEach(
            (name, what) ->
                html.append("<p><b>")
                    .append(escape(name))
                    .append("</b> ")
                    .append(escape(what))
                    .append("</p>\n"));
  }

  /** A square for each pair of nodes: the darker, the more transactions use both. */
  private void apart(Judgement chosen) {
    long[][] together = chosen.trafficApart();
    long most = 1;
    for (long[] row : together) {
      for (long count : row) {
        most = Math.max(most, count);
      }
    }
    int cell = Math.max(6, Math.min(30, 480 / together.length));
    html.append("<h2>Which nodes transactions use together</h2>\n")
        .append(
            String.format(
                "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"Pairs of nodes\">\n",
                cell * together.length, cell * together.length));
    for (int a = 0; a < together.length; a++) {
      for (int b = 0; b < together.length; b++) {
        long count = together[Math.min(a, b)][Math.max(a, b)];
        html.append(
            String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#b4436c\""
                    + " fill-opacity=\"%.2f\"><title>nodes %d and %d: %d</title></rect>\n",
                b * cell,
                a * cell,
                cell - 1,
                cell - 1,
                a == b ? 0 : 0.05 + 0.95 * count / most,
                a + 1,
                b + 1,
                count));
      }
    }
    html.append("</svg>\n");
  }

  private void retypings(Judgement chosen) {
    html.append("<h2>What other column types would save</h2>\n");
    if (chosen.retypings().isEmpty()) {
      html.append(
          "<p>No distributed transaction has only writes that another column type would make"
              + " commute.</p>\n");
      return;
    }
    list(
        null,
        chosen.retypings().stream()
            .map(
                one ->
                    one.types()
                        + ": "
                        + Percent.of(one.saved())
                        + " of transactions would commute instead of being coordinated")
            .toList());
  }

  private void list(String title, List<String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    if (title != null) {
      html.append("<h2>").append(title).append("</h2>\n");
    }
    html.append("<ul>");
    lines.forEach(line -> html.append("<li>").append(escape(line)).append("</li>\n"));
    html.append("</ul>\n");
  }

  private void openPicture(int rows, String title) {
    html.append(
        String.format(
            "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\""
                + " font-size=\"13\" font-family=\"sans-serif\">\n",
            WIDTH, rows * BAR, title));
  }

  private void label(int row, String text) {
    html.append(
        String.format(
            "<text x=\"0\" y=\"%d\">%s</text>\n",
            row * BAR + 15, escape(text.length() > 34 ? text.substring(0, 33) + "…" : text)));
  }

  private void bar(int row, double x, double width, String colour) {
    html.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
            x,
            row * BAR + 2,
            width,
            BAR - 4,
            colour));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
