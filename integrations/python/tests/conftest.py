import os

from hypothesis import HealthCheck, settings

# The peer is pure Python and slow: few examples on every change, VERSHINA_TEST_LONG=1 for many. The seed of a failure
# is printed.
settings.register_profile(
    "vershina",
    max_examples=300 if os.environ.get("VERSHINA_TEST_LONG") else 25,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("vershina")
