// Prepares a started interpreter before its memory is stored for all programs: it imports the modules that real solutions use, once, and
// adapts a few things to 64-bit machines.
// WebAssembly's CPython counts in 32 bits, and solutions are written for 64: they use sys.maxsize as infinity, and bisect over range(10 **
// 16) to search for a smallest value. A recursion through C takes 5 kB of the thread's stack per call, one of Python functions takes none:
// so @cache returns a Python function here, and solutions recurse as deep in a page as elsewhere.

/** Run in its own namespace, which no program overwrites. */
const HELPERS = `
import bisect, functools, sys
def wide(plain, right):
    @functools.wraps(plain)
    def search(a, x, lo=0, hi=None, *, key=None):
        if type(a) is not range:
            return plain(a, x, lo, hi, key=key)
        if hi is None:
            hi = max(0, (a.stop - a.start + a.step - (1 if a.step > 0 else -1)) // a.step)
        while lo < hi:
            mid = (lo + hi) // 2
            value = a[mid] if key is None else key(a[mid])
            if x < value if right else not value < x:
                hi = mid
            else:
                lo = mid + 1
        return lo
    return search
def unbounded(function, info):
    cache, missing, mark = {}, object(), object()
    hits = misses = 0
    def wrapper(*args, **kwds):
        nonlocal hits, misses
        key = (args, mark, *kwds.items()) if kwds else args
        result = cache.get(key, missing)
        if result is not missing:
            hits += 1
            return result
        misses += 1
        result = cache[key] = function(*args, **kwds)
        return result
    def cache_clear():
        nonlocal hits, misses
        cache.clear()
        hits = misses = 0
    wrapper.cache_info = lambda: info(hits, misses, None, len(cache))
    wrapper.cache_clear = cache_clear
    return wrapper
def memoised(function, maxsize, typed, info, bounded=functools._lru_cache_wrapper):
    return unbounded(function, info) if maxsize is None and not typed else bounded(function, maxsize, typed, info)
functools._lru_cache_wrapper = memoised
bisect.bisect_left = wide(bisect.bisect_left, False)
bisect.bisect = bisect.bisect_right = wide(bisect.bisect_right, True)
sys.maxsize = 2 ** 63 - 1
sys.setrecursionlimit(20000)
`;

export const PYODIDE_WARM = `
import random, functools, collections, string, math, datetime, typing, itertools, heapq, bisect, operator
import dataclasses, re, json, copy, enum, time, fractions, decimal, statistics, abc, contextlib, sys, os
exec(${JSON.stringify(HELPERS)}, {'__name__': 'functools'})
for name in list(globals()):
    if not name.startswith('__'): del globals()[name]
del name
`;
