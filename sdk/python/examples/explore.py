"""An explorer over a repository by shell: it looks at much and changes nothing.

The folder is attached to a home, so that the tools of the shell, `grep` and the search of the home
all work on it. What the explorer changes is kept by the home, and the folder stays as it is.

    python explore.py STORE FOLDER
"""

from __future__ import annotations

import sys

import homefs

#: What a model would ask for, one script after the other; the session keeps its directory.
SCRIPTS = [
    "cd /repo && ls",
    "find . -name '*.py' | wc -l",
    "grep -rn 'LATER' . | sort | head -5",
    "head -3 README.md",
    "sed -i 's/LATER/DONE/' src/app.py && cat src/app.py",
    "mkdir -p /notes && grep -rl LATER . > /notes/later.txt; wc -l < /notes/later.txt",
]


def main(store: str, folder: str) -> None:
    """Attaches a folder and runs the scripts on it."""
    # A folder of the host is attached by an operator; the agent then has it as its own.
    with homefs.open(agent="explorer", store=store, operator=True) as operator:
        operator.attach(folder, "/repo")
    with homefs.open(agent="explorer", store=store) as home:
        for script in SCRIPTS:
            print(f"$ {script}")
            output = home.sh(script, session="explorer", timeout=30)
            print(output.stdout, end="")
            if output.status != 0:
                print(f"[{output.status}] {output.stderr}", end="")
        for change in home.changes("/repo"):
            print("changed here only:", change.path)
        home.detach("/repo")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
