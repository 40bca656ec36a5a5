"""Every package in scripts/packages.txt has a group and a reason, and none is listed twice; every library that the build
asks pkg-config for is in it; no other script installs."""
import re

from . import append, at, files, lines, run

LINE = re.compile(r"(build|run|test|e2e) ([a-z0-9][a-z0-9+.-]+)( [\w.-]+)? +# \S.*")


def package_of(module):
    """Returns the Debian package that a pkg-config module comes from."""
    _, folder = run(["pkg-config", "--variable=pcfiledir", module], ".")
    _, owner = run(["dpkg", "--search", f"{folder.strip()}/{module}.pc"], ".")
    return owner.split(":")[0]


def find(root):
    found, seen = [], {}
    listing = root / "scripts/packages.txt"
    for number, line in lines(listing):
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if not match:
            found.append(at(root, listing, number, "not 'GROUP PACKAGE [COMMAND]  # why'"))
        elif match.group(2) in seen:
            found.append(at(root, listing, number, f"{match.group(2)} is on line {seen[match.group(2)]} already"))
        else:
            seen[match.group(2)] = number
    for path in files(root, "CMakeLists.txt", "*.cmake"):
        for number, line in lines(path):
            match = re.search(r"pkg_check_modules\((.*)\)", line)
            for module in re.findall(r"\b[a-z][\w.+-]*", match.group(1)) if match else ():
                if package_of(module) not in seen:
                    found.append(at(root, path, number, f"{package_of(module)} (of {module}) is not in {listing.name}"))
    for path in files(root, "scripts/*", ".ci/*"):
        if path.name == "setup":
            continue
        for number, line in lines(path):
            if re.search(r"\bapt(-get)? .*\binstall\b", line.split("#")[0]):
                found.append(at(root, path, number, "packages are installed by scripts/setup"))
    return found


def no_reason(root):
    append(root, "scripts/packages.txt", "build sl\n")


def twice(root):
    append(root, "scripts/packages.txt", "test cmake # again\n")


def hidden_install(root):
    append(root, "scripts/test", "apt-get -y install sl\n")


def unlisted_library(root):
    append(root, "daemon/CMakeLists.txt", "pkg_check_modules(PLANTED REQUIRED IMPORTED_TARGET sqlite3)\n")


PLANTS = [unlisted_library, no_reason, twice, hidden_install]
