"""What a job under test is given of this process's environment."""

import os


def job_environment(build, **settings):
    """Without settings of the recorder and the simulator but these; what is run is of that build."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MFUSHIM_", "MFUSIM_"))}
    return environment | {"MFUSHIM_BUILD_DIR": str(build)} | settings
