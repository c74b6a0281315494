package org.abelian.workloads.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.abelian.workloads.measure.BenchRow;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The pictures of the report. */
final class Charts {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 380;
  private static final Color BLUE = new Color(0x2b, 0x6c, 0xb0);
  private static final Color GREY = new Color(0x8a, 0x93, 0x9c);
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 15);
  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

  private Charts() {}

  /**
   * Throughput as bars, two for each load.
   *
   * @param plain rows of bigint columns
   * @param counter rows of counter columns, in the same order
   */
  static String hotRow(List<String> loads, List<BenchRow> plain, List<BenchRow> counter) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Additions per second")
            .yAxisTitle("per second")
            .build();
    style(chart);
    chart.getStyler().setAvailableSpaceFill(0.6).setSeriesColors(new Color[] {GREY, BLUE});
    chart.getStyler().setLabelsVisible(true).setLabelsFont(TEXT);
    chart.getStyler().setDecimalPattern("#,##0");
    chart.addSeries("bigint", loads, throughput(plain));
    chart.addSeries("abelian.counter", loads, throughput(counter));
    return Svg.of(chart);
  }

  private static List<Double> throughput(List<BenchRow> rows) {
    return rows.stream().map(BenchRow::throughput).toList();
  }

  /** Transactions of each second as a line. */
  static String progress(List<? extends Number> perSecond) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("TPC-C transactions in each second")
            .xAxisTitle("second")
            .yAxisTitle("transactions")
            .build();
    style(chart);
    chart.getStyler().setLegendVisible(false);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setDecimalPattern("#,##0");
    List<Integer> seconds = IntStream.rangeClosed(1, perSecond.size()).boxed().toList();
    var series = chart.addSeries("transactions", seconds, perSecond);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineColor(BLUE);
    series.setLineStyle(new BasicStroke(2));
    return Svg.of(chart);
  }

  /** Lines over the percentage of distributed transactions, one for each way of committing. */
  static String shares(
      String title,
      String unit,
      Map<String, Map<Integer, BenchRow>> ways,
      ToDoubleFunction<BenchRow> figure) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("% distributed")
            .yAxisTitle(unit)
            .build();
    style(chart);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setDecimalPattern("#,##0.#");
    ways.forEach(
        (way, points) -> {
          List<Integer> percents = points.keySet().stream().sorted().toList();
          List<Double> values =
              percents.stream().map(each -> figure.applyAsDouble(points.get(each))).toList();
          chart.addSeries(way, percents, values).setLineStyle(new BasicStroke(2));
        });
    return Svg.of(chart);
  }

  /**
   * Lines over numbers.
   *
   * @param places where the points are on the horizontal axis
   * @param series values by name, as many as places
   */
  static String lines(
      String title, String axis, List<Double> places, Map<String, List<Double>> series) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(axis)
            .yAxisTitle("per second")
            .build();
    style(chart);
    chart.getStyler().setYAxisMin(0.0).setYAxisDecimalPattern("#,##0");
    series.forEach((name, values) -> chart.addSeries(name, places, values));
    return Svg.of(chart);
  }

  /**
   * Bars over named loads, one for each series.
   *
   * @param loads names of the groups of bars; an empty one stands for the only load
   * @param series values by name, as many as loads
   */
  static String bars(String title, List<String> loads, Map<String, List<Double>> series) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .yAxisTitle("per second")
            .build();
    style(chart);
    chart.getStyler().setAvailableSpaceFill(0.8).setDecimalPattern("#,##0");
    List<String> names = loads.stream().map(load -> load.isEmpty() ? " " : load).toList();
    series.forEach((name, values) -> chart.addSeries(name, names, values));
    return Svg.of(chart);
  }

  private static void style(Chart<?, ?> chart) {
    Styler styler = chart.getStyler();
    styler
        .setChartBackgroundColor(Color.WHITE)
        .setChartTitleBoxVisible(false)
        .setChartTitleFont(TITLE)
        .setLegendBorderColor(Color.WHITE)
        .setLegendFont(TEXT)
        .setPlotBorderVisible(false);
  }
}
