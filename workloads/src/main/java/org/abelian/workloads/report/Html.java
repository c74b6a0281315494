package org.abelian.workloads.report;

import java.util.List;

/** Pieces of HTML. Text is escaped, pictures are not. */
final class Html {
  private Html() {}

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** A table whose first column is text and whose other columns are figures. */
  static String table(List<String> head, List<List<String>> rows) {
    StringBuilder html = new StringBuilder("<table>\n<thead>");
    html.append(row("th", head)).append("</thead>\n<tbody>\n");
    rows.forEach(row -> html.append(row("td", row)));
    return html.append("</tbody>\n</table>\n").toString();
  }

  private static String row(String tag, List<String> cells) {
    StringBuilder html = new StringBuilder("<tr>");
    for (String cell : cells) {
      html.append("<%s>%s</%s>".formatted(tag, escape(cell), tag));
    }
    return html.append("</tr>\n").toString();
  }

  static String paragraph(String text) {
    return "<p>" + escape(text) + "</p>\n";
  }

  static String figure(String svg) {
    return "<figure>\n" + svg + "\n</figure>\n";
  }

  /** A whole page. */
  static String page(String title, String body) {
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%1$s</title>
    <style>
    body { font: 16px/1.5 sans-serif; color: #1f2933; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
    h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
    table { border-collapse: collapse; width: 100%%; font-variant-numeric: tabular-nums; }
    th, td { padding: .3rem .6rem; border-bottom: 1px solid #d9dee3; text-align: right; }
    th:first-child, td:first-child { text-align: left; }
    figure { margin: 1rem 0; } svg { max-width: 100%%; height: auto; }
    .good { color: #1c7c3a; } .bad { color: #b42318; }
    </style>
    </head>
    <body>
    <h1>%1$s</h1>
    %2$s</body>
    </html>
    """
        .formatted(escape(title), body);
  }
}
