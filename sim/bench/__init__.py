"""``tapmat bench``: what the drivers and a tap cost, beside the stock libraries.

Room: sim. The production drivers and the unmodified ``mfrc522`` and ``adafruit_ssd1306`` run over
the same emulated chips in the same run. Times are the virtual clock's, where every bus byte and
every bit on air is charged and Python is the 20 us a transfer, so they are exact and repeatable;
CPU times are this machine's. docs/bench.md says what each act is.
"""

from sim.bench.report import Effort as Effort
from sim.bench.report import run_bench as run_bench
