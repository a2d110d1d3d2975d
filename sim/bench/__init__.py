"""``tapmat bench``: measures drivers and taps, and compares them with the stock libraries.

Our drivers and the *stock* libraries, the unmodified ``mfrc522`` and ``adafruit_ssd1306``, run on
the same emulated chips. Times come from the virtual clock, which counts every bus byte, every bit
on air and 20 us of Python per transfer. So these times are exact and repeatable. CPU times are this
machine's.

An *act* is one thing that is measured; docs/bench.md describes every act. To *poll* a reader is to
ask it once for tags. An *inventory* is a poll that finds a stack of tags, and a *sweep* polls every
reader once. A *pass* is one run through the program's main loop.

This room may import every room of the firmware, and ``sim.people``, ``sim.mat`` and ``fakepi``.
"""

from sim.bench.report import Effort as Effort
from sim.bench.report import run_bench as run_bench
