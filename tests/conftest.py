"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

from ml4c.counting import schedule
from ml4c.search import directions

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

# Compiling and a busy machine must not fail a test, so nothing has a deadline; examples are drawn from a fixed
# seed, so that a failure is the same for everyone.
settings.register_profile(
    "ml4c",
    deadline=None,
    derandomize=True,
    max_examples=100 if JIT else 15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# For one property at a time, with new examples in every run: pytest --hypothesis-profile=thorough -k NAME
settings.register_profile("thorough", settings.get_profile("ml4c"), derandomize=False, max_examples=10_000)
settings.load_profile("ml4c")

# Tables of tests are small: without this, one thread would answer all of their questions.
schedule.SMALLEST_PIECE = 1

if not JIT:  # as plain Python a walk takes seconds
    directions.LOOKS = 5
