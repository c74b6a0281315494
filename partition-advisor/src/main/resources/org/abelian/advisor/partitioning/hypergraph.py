"""Cuts a hypergraph in hMETIS's format by Mt-KaHyPar: FILE PARTS IMBALANCE OUTPUT.

It gives the same cut each time, on any number of threads. Prints the weight of the nets that are cut.
"""
import sys

import mtkahypar

source, parts, imbalance, target = sys.argv[1:]
program = mtkahypar.initialize(2)
context = program.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
context.set_partitioning_parameters(int(parts), float(imbalance), mtkahypar.Objective.CUT)
context.logging = False
hypergraph = program.hypergraph_from_file(source, context, mtkahypar.FileFormat.HMETIS)
cut = hypergraph.partition(context)
with open(target, "w") as out:
    for vertex in range(hypergraph.num_nodes()):
        out.write(f"{cut.block_id(vertex)}\n")
print("Cut:", int(cut.cut()))
