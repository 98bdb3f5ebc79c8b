"""Numba kernels: arrays in, arrays out.

No class, no validation, no names. A kernel trusts its caller; `counting`, `citest`, `scores` and the
sampling of `bayesnet` are the callers. Every kernel has a slow, obvious twin in `tests/naive.py`.
"""
