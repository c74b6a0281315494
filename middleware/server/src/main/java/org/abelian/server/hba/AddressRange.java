package org.abelian.server.hba;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;

/** The addresses of clients that a rule is about. */
final class AddressRange {
  private static final AddressRange ALL = new AddressRange(null, null);
  private static final AddressRange SAME_HOST = new AddressRange(null, null);

  private final byte[] network;
  private final byte[] mask;

  private AddressRange(byte[] network, byte[] mask) {
    this.network = network;
    this.mask = mask;
  }

  /** Reads all, samehost, an address, or an address with the length of its prefix. */
  static AddressRange parse(int line, Words.Word word) throws ConfigurationException {
    if (word.is("all")) {
      return ALL;
    }
    if (word.is("samehost")) {
      return SAME_HOST;
    }
    int slash = word.text().indexOf('/');
    String address = slash < 0 ? word.text() : word.text().substring(0, slash);
    byte[] network = literal(line, address);
    byte[] mask = new byte[network.length];
    int bits = slash < 0 ? network.length * 8 : bits(line, word.text().substring(slash + 1));
    if (bits < 0 || bits > network.length * 8) {
      throw new ConfigurationException(
          line, "invalid CIDR mask in address \"" + word.text() + "\"");
    }
    for (int i = 0; i < bits; i++) {
      mask[i / 8] |= (byte) (0x80 >> i % 8);
    }
    return new AddressRange(network, mask);
  }

  /** Reads an address and a mask from fields of their own. */
  static AddressRange parse(int line, Words.Word address, Words.Word mask)
      throws ConfigurationException {
    byte[] network = literal(line, address.text());
    byte[] bits = literal(line, mask.text());
    if (network.length != bits.length) {
      throw new ConfigurationException(line, "address and mask are of different families");
    }
    return new AddressRange(network, bits);
  }

  private static int bits(int line, String text) throws ConfigurationException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new ConfigurationException(line, "invalid CIDR mask \"" + text + "\"");
    }
  }

  /** Names are not looked up: an answer of the DNS is no reason to let somebody in. */
  private static byte[] literal(int line, String text) throws ConfigurationException {
    if (!text.matches("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
      throw new ConfigurationException(
          line,
          "\""
              + text
              + "\" is not an address; host names, samenet and reverse lookups are not supported");
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      throw new ConfigurationException(line, "invalid IP address \"" + text + "\"");
    }
  }

  /** True when a client with that address is meant. */
  boolean contains(InetAddress client) {
    if (this == ALL) {
      return true;
    }
    if (this == SAME_HOST) {
      return isOwn(client);
    }
    byte[] address = client.getAddress();
    if (address.length != network.length) {
      return false;
    }
    byte[] masked = network.clone();
    for (int i = 0; i < masked.length; i++) {
      masked[i] &= mask[i];
      address[i] &= mask[i];
    }
    return Arrays.equals(masked, address);
  }

  private static boolean isOwn(InetAddress client) {
    try {
      return client.isLoopbackAddress() || NetworkInterface.getByInetAddress(client) != null;
    } catch (SocketException e) {
      return false;
    }
  }
}
