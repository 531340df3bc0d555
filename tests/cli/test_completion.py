import shutil
import subprocess

import pytest

ASK = """
source "$HOME/.local/share/bash-completion/completions/peerjudge"
ask=$(complete -p peerjudge | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "$ask"
echo "${COMPREPLY[*]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_values(shell, tmp_path):
    """The installed script completes a command, its options, and the values that an option takes."""
    shell.env["HOME"] = str(tmp_path)
    outcome = shell("--install-completion", "--shell", "bash")
    assert outcome.code == 0, outcome.err

    def ask(*words):
        command = ["bash", "-c", ASK, "ask", "peerjudge", *words]
        done = subprocess.run(command, env=shell.env, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert set(ask("r")) == {"run", "rank", "report", "reproduce"}
    assert {"--cost-limit", "--data"} <= set(ask("run", "--"))
    assert ask("rank", "--format", "") == ["text", "latex", "csv"]
