package org.abelian.router.tls;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The armour in which OpenSSL keeps keys and certificates: labelled blocks of Base64 in a text. */
final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\R(.*?)-----END \\1-----", Pattern.DOTALL);

  private static final Pattern HEADER = Pattern.compile("([A-Za-z-]+): *(.*)");

  /**
   * One block.
   *
   * @param label such as CERTIFICATE
   * @param headers of old encrypted keys (RFC 1421), usually none
   * @param content what the Base64 stands for
   */
  record Block(String label, Map<String, String> headers, byte[] content) {
    @Override
    public String toString() {
      return "Block[" + label + "]";
    }
  }

  private Pem() {}

  /** The blocks of a file in order; none when it is not of this form. */
  static List<Block> blocks(byte[] file) throws TlsException {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(new String(file, StandardCharsets.ISO_8859_1));
    while (matcher.find()) {
      blocks.add(block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static Block block(String label, String body) throws TlsException {
    Map<String, String> headers = new HashMap<>();
    StringBuilder base64 = new StringBuilder();
    for (String line : body.split("\\R")) {
      Matcher header = HEADER.matcher(line);
      if (header.matches()) {
        headers.put(header.group(1), header.group(2).strip());
      } else {
        base64.append(line.strip());
      }
    }
    try {
      return new Block(label, headers, Base64.getDecoder().decode(base64.toString()));
    } catch (IllegalArgumentException e) {
      throw new TlsException("the block " + label + " is not valid Base64", e);
    }
  }
}
