"""``python -m fairdeal_cli``: the same as ``fairdeal``."""

import sys

from fairdeal_cli.app import main

sys.exit(main())
