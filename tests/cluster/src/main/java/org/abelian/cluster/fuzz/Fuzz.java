package org.abelian.cluster.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Messages and start-up packets, most of them broken in some way; all of it follows from a seed.
 */
public final class Fuzz {
  private static final int LENGTH_AT = 1;
  private static final int CANCEL = 80_877_102;
  private static final int[] LENGTHS = {
    0, 1, 3, 4, 5, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 30, 65_536
  };

  private final SplittableRandom random;

  /** A source whose messages follow from the seed. */
  public Fuzz(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A message whose frame is sound, so that the server can go on behind it. */
  public byte[] framed() {
    byte[] message = WellFormed.message(random);
    return switch (random.nextInt(6)) {
      case 0 -> message;
      case 1, 2 -> flipped(message, 5);
      case 3 -> resized(message);
      case 4 -> withNumber(message);
      default -> withOtherType(message);
    };
  }

  /** Bytes behind which nobody knows where the next message begins. */
  public byte[] unframed() {
    byte[] message = WellFormed.message(random);
    return switch (random.nextInt(4)) {
      case 0 -> withLength(message, LENGTHS[random.nextInt(LENGTHS.length)]);
      case 1 -> flipped(message, 0);
      case 2 -> Arrays.copyOf(message, random.nextInt(message.length));
      default -> noise(random.nextInt(1, 200));
    };
  }

  /** What a connection begins with, or should. */
  public byte[] startup() {
    byte[] parameters =
        WellFormed.joined(
            WellFormed.text("user"),
            WellFormed.text("app"),
            WellFormed.text("database"),
            WellFormed.text("abelian"),
            new byte[1]);
    int[] codes = {196_608, 196_610, 80_877_103, 80_877_102, 80_877_104, 131_072, 0, -1};
    int code = codes[random.nextInt(codes.length)];
    byte[] packet =
        WellFormed.joined(
            WellFormed.int4(parameters.length + 8), WellFormed.int4(code), parameters);
    return switch (random.nextInt(8)) {
      case 0 -> packet;
      case 1 -> flipped(packet, 0);
      case 2 -> Arrays.copyOf(packet, random.nextInt(packet.length));
      case 3 -> WellFormed.joined(packet, framed());
      case 4, 5 -> WellFormed.joined(withCode(packet, codes[0]), proofs());
      case 6 -> WellFormed.joined(WellFormed.int4(16), WellFormed.int4(CANCEL), noise(8), noise(3));
      default -> noise(random.nextInt(1, 100));
    };
  }

  private static byte[] withCode(byte[] packet, int code) {
    byte[] result = packet.clone();
    ByteBuffer.wrap(result).putInt(4, code);
    return result;
  }

  /** What proves a password, or does not; or something else in its place. */
  private byte[] proofs() {
    byte[] first = WellFormed.firstProof(random);
    byte[] last = WellFormed.lastProof(random);
    return switch (random.nextInt(6)) {
      case 0 -> WellFormed.joined(first, last);
      case 1 -> WellFormed.joined(flipped(first, 5), last);
      case 2 -> WellFormed.joined(first, flipped(last, 5));
      case 3 -> WellFormed.joined(resized(first), resized(last));
      case 4 -> WellFormed.joined(withNumber(first), last);
      default -> withLength(first, LENGTHS[random.nextInt(LENGTHS.length)]);
    };
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] flipped(byte[] message, int from) {
    byte[] result = message.clone();
    for (int i = random.nextInt(1, 4); i > 0 && result.length > from; i--) {
      result[random.nextInt(from, result.length)] = (byte) random.nextInt(256);
    }
    return result;
  }

  /** Shorter or longer, with a length that says so. */
  private byte[] resized(byte[] message) {
    int body = message.length - 5;
    byte[] result = Arrays.copyOf(message, 5 + random.nextInt(body + 8));
    return withLength(result, result.length - 1);
  }

  /** With a number that does not fit somewhere in the body. */
  private byte[] withNumber(byte[] message) {
    byte[] result = message.clone();
    if (result.length >= 9) {
      int at = random.nextInt(5, result.length - 3);
      ByteBuffer.wrap(result).putInt(at, LENGTHS[random.nextInt(LENGTHS.length)]);
    }
    return result;
  }

  /** Of another type; not Terminate, and not one whose frame is another's. */
  private byte[] withOtherType(byte[] message) {
    byte[] result = message.clone();
    String types = "QPBDECSHdcfFp";
    result[0] = (byte) types.charAt(random.nextInt(types.length()));
    return result;
  }

  private static byte[] withLength(byte[] message, int length) {
    byte[] result = message.clone();
    ByteBuffer.wrap(result).putInt(LENGTH_AT, length);
    return result;
  }
}
