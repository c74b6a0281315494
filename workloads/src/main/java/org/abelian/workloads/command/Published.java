package org.abelian.workloads.command;

import java.util.function.BiFunction;
import org.abelian.workloads.auctionmark.AuctionMarkOptions;
import org.abelian.workloads.auctionmark.AuctionMarkWorkload;
import org.abelian.workloads.bank.BankWorkload;
import org.abelian.workloads.epinions.EpinionsOptions;
import org.abelian.workloads.epinions.EpinionsWorkload;
import org.abelian.workloads.incr.IncrWorkload;
import org.abelian.workloads.like.LikeOptions;
import org.abelian.workloads.like.LikeWorkload;
import org.abelian.workloads.multikey.MultiKeyOptions;
import org.abelian.workloads.multikey.MultiKeyWorkload;
import org.abelian.workloads.retwis.RetwisMix;
import org.abelian.workloads.retwis.RetwisOptions;
import org.abelian.workloads.retwis.RetwisWorkload;
import org.abelian.workloads.rubis.RubisMix;
import org.abelian.workloads.rubis.RubisOptions;
import org.abelian.workloads.rubis.RubisWorkload;
import org.abelian.workloads.tpcw.TpcwOptions;
import org.abelian.workloads.tpcw.TpcwWorkload;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Workload;

/** The workloads by their names on the command line. */
enum Published {
  RUBIS(
      (size, columns) ->
          new RubisWorkload(
              RubisOptions.of(
                  size.scale(), size.writesMuch() ? RubisMix.BID_HEAVY : RubisMix.READ_HEAVY),
              columns)),
  RETWIS(
      (size, columns) ->
          new RetwisWorkload(
              RetwisOptions.of(
                  size.graphScale(),
                  size.writesMuch() ? RetwisMix.POST_HEAVY : RetwisMix.READ_HEAVY),
              columns)),
  LIKE(
      (size, columns) ->
          new LikeWorkload(LikeOptions.of(size.scale(), size.readPercent()), columns)),
  INCR((size, columns) -> new IncrWorkload(size.keys(), size.hotPercent(), columns)),
  MULTIKEY(
      (size, columns) ->
          new MultiKeyWorkload(
              new MultiKeyOptions(size.keys(), size.transactionKeys(), size.readPercent()),
              columns)),
  EPINIONS((size, columns) -> new EpinionsWorkload(EpinionsOptions.of(size.scale()), columns)),
  AUCTIONMARK(
      (size, columns) -> new AuctionMarkWorkload(AuctionMarkOptions.of(size.scale()), columns)),
  TPCW((size, columns) -> new TpcwWorkload(TpcwOptions.of(size.scale(), size.tpcwMix()), columns)),
  BANK((size, columns) -> new BankWorkload(size.keys(), size.readPercent(), columns));

  private final BiFunction<WorkloadSize, Columns, Workload> maker;

  Published(BiFunction<WorkloadSize, Columns, Workload> maker) {
    this.maker = maker;
  }

  /** The workload of a size. */
  Workload make(WorkloadSize size, Columns columns) {
    try {
      return maker.apply(size, columns);
    } catch (IllegalArgumentException wrong) {
      throw new UsageException(wrong.getMessage());
    }
  }
}
