"""Other processors' kernels of OpenBLAS and torch, as environments that this processor can run."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Processor:
    """The kernels of one generation of processors."""

    blas: str
    """OPENBLAS_CORETYPE."""
    torch: str
    """ATEN_CPU_CAPABILITY."""
    needs: frozenset[str]
    """Flags of /proc/cpuinfo without which they cannot run."""

    def environment(self) -> dict[str, str]:
        return os.environ | {"OPENBLAS_CORETYPE": self.blas, "ATEN_CPU_CAPABILITY": self.torch}

    def lacking(self) -> str:
        """Why this machine cannot run them, or nothing."""
        cpu = Path("/proc/cpuinfo")
        if platform.machine() not in ("x86_64", "AMD64") or not cpu.exists():
            return f"{self.blas} kernels are of x86 processors under Linux; this is {platform.machine()}"
        flags = next((line.split() for line in cpu.read_text().splitlines() if line.startswith("flags")), [])
        missing = sorted(self.needs - set(flags))
        return f"{self.blas} kernels need {', '.join(missing)}, which this processor lacks" if missing else ""


MOST_DIFFERENT = Processor("Haswell", "avx2", frozenset({"avx2", "fma"}))
PROCESSORS = (
    MOST_DIFFERENT,
    Processor("Nehalem", "default", frozenset({"sse4_2"})),
    Processor("SkylakeX", "default", frozenset({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})),
)
