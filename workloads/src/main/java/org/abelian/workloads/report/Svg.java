package org.abelian.workloads.report;

import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.internal.chartpart.Chart;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Charts as SVG elements that can stand within an HTML page. */
final class Svg {
  private static final String NAMESPACE = "http://www.w3.org/2000/svg";

  private Svg() {}

  /** Draws a chart in its own size; the picture shrinks with the page. */
  static String of(Chart<?, ?> chart) {
    try {
      Document document =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .getDOMImplementation()
              .createDocument(NAMESPACE, "svg", null);
      SVGGraphics2D graphics = new SVGGraphics2D(document);
      chart.paint(graphics, chart.getWidth(), chart.getHeight());
      Element root = graphics.getRoot();
      root.setAttribute("viewBox", "0 0 " + chart.getWidth() + " " + chart.getHeight());
      root.setAttribute("role", "img");
      root.setAttribute("aria-label", chart.getTitle());
      return text(root);
    } catch (ParserConfigurationException | TransformerException e) {
      throw new IllegalStateException("the JDK's own XML tools failed", e);
    }
  }

  private static String text(Element root) throws TransformerException {
    Transformer transformer = TransformerFactory.newInstance().newTransformer();
    transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
    StringWriter text = new StringWriter();
    transformer.transform(new DOMSource(root), new StreamResult(text));
    return text.toString();
  }
}
