"""Pairwise methods: the direction of every edge of a skeleton from its two columns (D2C: and their blankets).

CDS compares two spreads; Jarfo, D2C, RCC and NCC are trained on synthetic networks (`supervised`). Every edge is
decided on its own (`direction`), all but D2C's from the table of joint counts (`tables`), and exchanging its columns
turns the verdict round.
"""

from ml4c.baselines.pairwise.cds import cds
from ml4c.baselines.pairwise.d2c import D2C
from ml4c.baselines.pairwise.jarfo import JARFO
from ml4c.baselines.pairwise.ncc import NCC
from ml4c.baselines.pairwise.rcc import RCC
from ml4c.baselines.protocol import Method

METHODS = (
    JARFO.method("Jarfo", "Fonollosa 2016, arXiv 1601.06680 (features of the cause-effect pairs challenge)"),
    D2C.method("D2C", "Bontempi, Flauder 2015, JMLR 16 (linear errors)"),
    RCC.method("RCC", "Lopez-Paz, Muandet, Schoelkopf, Tolstikhin 2015, ICML"),
    NCC.method("NCC", "Lopez-Paz, Nishihara, Chintala, Schoelkopf, Bottou 2017, CVPR", needs=("torch",)),
    Method(
        "cds",
        "CDS",
        "pairwise",
        "Fonollosa 2016, arXiv 1601.06680, as in the Causal Discovery Toolbox",
        "ml4c",
        "given",
        cds,
    ),
)
