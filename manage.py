#!/usr/bin/env python
"""The door to Django's commands; it knows the settings' name and nothing else."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "numbers_site.settings")
    execute_from_command_line(sys.argv)
