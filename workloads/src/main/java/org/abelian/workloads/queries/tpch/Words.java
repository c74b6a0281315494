package org.abelian.workloads.queries.tpch;

import java.util.List;

/** The lists of words that columns and comments of TPC-H are made of (clause 4.2.2.13). */
final class Words {
  static final List<String> COLORS =
      words(
          """
          almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood
          burnished chartreuse chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim
          dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey honeydew
          hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium
          metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach
          peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna
          sky slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow
          """);

  static final List<String> TYPE_SIZES = words("STANDARD SMALL MEDIUM LARGE ECONOMY PROMO");
  static final List<String> TYPE_FINISHES = words("ANODIZED BURNISHED PLATED POLISHED BRUSHED");
  static final List<String> TYPE_METALS = words("TIN NICKEL BRASS STEEL COPPER");
  static final List<String> CONTAINER_SIZES = words("SM LG MED JUMBO WRAP");
  static final List<String> CONTAINERS = words("CASE BOX BAG JAR PKG PACK CAN DRUM");

  static final List<String> SEGMENTS = words("AUTOMOBILE BUILDING FURNITURE MACHINERY HOUSEHOLD");

  static final List<String> PRIORITIES =
      phrases("1-URGENT, 2-HIGH, 3-MEDIUM, 4-NOT SPECIFIED, 5-LOW");

  static final List<String> INSTRUCTIONS =
      phrases("DELIVER IN PERSON, COLLECT COD, NONE, TAKE BACK RETURN");

  static final List<String> MODES = phrases("REG AIR, AIR, RAIL, SHIP, TRUCK, MAIL, FOB");

  static final List<String> NOUNS =
      phrases(
          """
          foxes, ideas, theodolites, pinto beans, instructions, dependencies, excuses, platelets,
          asymptotes, courts, dolphins, multipliers, sauternes, warthogs, frets, dinos, attainments,
          somas, Tiresias, patterns, forges, braids, hockey players, frays, warhorses, dugouts,
          notornis, epitaphs, pearls, tithes, waters, orbits, gifts, sheaves, depths, sentiments,
          decoys, realms, pains, grouches, escapades, packages, requests, accounts, deposits
          """);

  static final List<String> VERBS =
      words(
          """
          sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was lose
          sublate solve thrash promise engage hinder print x-ray breach eat grow impress mold poach
          serve run dazzle snooze doze unwind kindle play hang believe doubt
          """);

  static final List<String> ADJECTIVES =
      words(
          """
          furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring brave
          stealthy permanent enticing idle busy regular final ironic even bold silent special
          pending express unusual
          """);

  static final List<String> ADVERBS =
      words(
          """
          sometimes always never furiously slyly carefully blithely quickly fluffily slowly quietly
          ruthlessly thinly closely doggedly daringly bravely stealthily permanently enticingly idly
          busily regularly finally ironically evenly boldly silently
          """);

  static final List<String> PREPOSITIONS =
      phrases(
          """
          about, above, according to, across, after, against, along, among, around, at, atop,
          before, behind, beneath, beside, between, beyond, by, despite, during, except, for, from,
          in place of, inside, instead of, into, near, of, on, outside, over, past, since, through,
          throughout, to, toward, under, until, up, upon, without, with, within
          """);

  private Words() {}

  private static List<String> words(String text) {
    return List.of(text.strip().split("\\s+"));
  }

  private static List<String> phrases(String text) {
    return List.of(text.strip().split(",\\s+"));
  }
}
