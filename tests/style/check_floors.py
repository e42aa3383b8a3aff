"""Floors: a file includes its own floor and those below it, never above; third-party headers have one home.

Rooms: the rooms of a folder include each other in one direction only, and no folder holds more than 30 files.

    check_floors.py [ROOT]      exit code 1 and one line per breach, or 0

The table of floors is explained in CONTRIBUTING.md.
"""

import pathlib
import re
import sys

import repository

NUMERICS = {"lib/linalg", "lib/krylov", "lib/multigrid", "lib/amg", "lib/time", "lib/fields"}
MOST_FILES = 30  # of one folder
# Folder: what its files may include besides itself.
FLOORS = {
    "lib/base": set(),
    "lib/expression": {"lib/base"},
    "gpu": {"lib/base"},
    "mpi": {"lib/base", "gpu"},
    "io": {"lib/base", "lib/expression", "mpi"},
    **{folder: {"lib/base", "gpu", "mpi"} | NUMERICS for folder in NUMERICS},
    "lib/fields": {"lib/base", "gpu", "lib/expression", "mpi"} | NUMERICS,
    "lib/problems": {"lib/base", "gpu", "lib/expression", "mpi"} | NUMERICS,
    "app": {"lib/base", "gpu", "lib/expression", "mpi", "io", "lib/problems"} | NUMERICS,
}
# Readers of data files, which problems may use although they use nothing else of io.
DATA_READERS = {"io/matrix_market.hpp", "io/petsc_binary.hpp", "io/hdf5_matrix.hpp", "io/triplets.hpp",
                "io/raster/raster_file.hpp", "io/input_file.hpp"}
# What they read, which numerics may take as it is.
PLAIN_DATA = {"io/triplets.hpp"}

# Third-party headers and the paths (beginnings) that may include them.
HOMES = [
    (r"mpi(-ext)?\.h", ("mpi/", "app/main.cpp", "io/h5/")),
    (r"cairo.*\.h", ("io/image/canvas.cpp",)),
    (r"(hdf5|H5).*\.h|yaml-cpp/.*|nlohmann/.*|png\.h", ("io/",)),
    (r"(lapack|lapacke|cblas|openblas).*\.h", ("lib/linalg/lapack.hpp",)),
    (r"CLI/.*", ("app/cli.cpp",)),
    (r"spdlog/.*", ("lib/base/log.cpp",)),
    (r"fmt/.*", ("lib/base/format.hpp",)),
    (r"(cuda|cublas|cusparse|cusolver|cufft|curand|nvrtc|nvml|mma).*", ("gpu/",)),
    (r"(cub|thrust|nvtx3|cooperative_groups)[/.].*", ("gpu/",)),
    (r"(gtest|gmock|rapidcheck)/.*", ()),
]
# The C++ library (no extension, no folder), POSIX, compilers.
SYSTEM = re.compile(
    r"[a-z_0-9]+|(sys|arpa|netinet|linux|sanitizer)/\w+\.h|"
    r"(unistd|fcntl|dirent|signal|dlfcn|link|sched|pthread|spawn|poll|time|errno|execinfo|malloc|ucontext|cxxabi|immintrin|"
    r"x86intrin|cpuid|omp|stdint|stddef|string|math|stdio|stdlib|limits)\.h"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CUDA_SWITCH = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*\bHALOCLINE_CUDA\b")


def floor_of(path):
    """The floor a path of the program belongs to, or None."""
    parts = pathlib.PurePosixPath(path).parts
    folder = "/".join(parts[:2]) if parts[0] == "lib" else parts[0]
    return folder if folder in FLOORS else None


def check_own(path, target, root):
    """The fault of including a file of the repository, or None."""
    floor, wanted = floor_of(path), floor_of(target)
    if not (root / target).exists() and not (root / (target + ".in")).exists():
        return "is no path from the repository root"
    if str(path).endswith("kernels.hpp") and wanted != "lib/base" and not target.endswith(("kernels.hpp", "layout.hpp")):
        return "kernel bodies include lib/base, layouts and other kernels only"
    if str(path).endswith("layout.hpp") and wanted != "lib/base" and not target.endswith("layout.hpp"):
        return "layouts include lib/base and other layouts only"
    if wanted == floor or wanted in FLOORS[floor]:
        return None
    if (floor == "lib/problems" and target in DATA_READERS) or (floor in NUMERICS and target in PLAIN_DATA):
        return None
    return f"{floor} may not include {wanted or 'what is no part of the program'}"


def check_foreign(path, header):
    """The fault of including a header from outside the repository, or None."""
    for pattern, homes in HOMES:
        if re.fullmatch(pattern, header):
            if any(str(path).startswith(home) for home in homes):
                return None
            return "belongs in " + (", ".join(homes) or "tests") + " only"
    return None if SYSTEM.fullmatch(header) else "has no home; add it to HOMES in check_floors.py"


def check_file(path, root):
    faults = []
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        fault = None
        if match:
            own = match.group(1) == '"'
            fault = check_own(path, match.group(2), root) if own else check_foreign(path, match.group(2))
        elif CUDA_SWITCH.match(line) and floor_of(path) != "gpu":
            fault = "HALOCLINE_CUDA is asked for outside gpu/"
        if fault:
            faults.append(f"{path}:{number}: {line.strip()}: {fault}")
    return faults


def rooms_of(path, target):
    """The two rooms of one folder that an include joins, or None."""
    here, there = pathlib.PurePosixPath(path).parent, pathlib.PurePosixPath(target).parent
    return (here, there) if here.parent == there.parent and here != there and floor_of(here) == floor_of(there) else None


def check_rooms(root, paths):
    """Rooms that include each other, whether directly or by way of others."""
    joined = {}
    for path in paths:
        for line in (root / path).read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            rooms = match and match.group(1) == '"' and rooms_of(path, match.group(2))
            if rooms:
                joined.setdefault(rooms[0], set()).add(rooms[1])
    faults = []
    for room in joined:
        seen, ahead = set(), set(joined[room])
        while ahead:
            there = ahead.pop()
            seen.add(there)
            ahead |= joined.get(there, set()) - seen
        if room in seen:
            others = sorted(str(there) for there in seen if room in joined.get(there, set()))
            faults.append(f"{room}: a circle of includes with {', '.join(others)}")
    return faults


def check_sizes(root):
    """Folders of the program or its tests that hold too many files."""
    counts = {}
    for path in repository.files(root):
        counts[path.parent] = counts.get(path.parent, 0) + 1
    return [f"{folder}: {count} files, {MOST_FILES} at most; give it rooms"
            for folder, count in sorted(counts.items()) if count > MOST_FILES]


def check(root):
    """All breaches under root, one line each."""
    paths = list(repository.code(root))
    faults = check_rooms(root, [path for path in paths if floor_of(path)]) + check_sizes(root)
    for path in paths:
        if floor_of(path):
            faults += check_file(path, root)
        elif path.parts[0] == "lib":
            faults.append(f"{path}: the first level of lib/ is closed; adding a name is a decision (see FLOORS)")
    return faults


if __name__ == "__main__":
    breaches = check(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else repository.ROOT)
    print("\n".join(breaches) or "every include stays on its floor")
    sys.exit(1 if breaches else 0)
