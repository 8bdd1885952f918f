// Tests that a rewound CPython equals a new one: whatever ran before, a program behaves as in a new instance, to the last counter.
// rewind.test.ts does so for MicroPython; these tests also use features that only a full CPython has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileCalls } from './file-calls.ts';
import { createMemoryFs } from './memory-fs.ts';
import { METER, STATE } from './meter.ts';
import type { Program } from './protocol.ts';
import { createPyodideClock } from './pyodide-clock.ts';
import { createPyodideImports } from './pyodide-imports.ts';
import { createLibraryFs } from './pyodide-library.ts';
import { PYODIDE_LIMITS } from './pyodide-limits.ts';
import { loadPyodideFiles } from './pyodide-pool.node.ts';
import { createPyodideVm, type PyodideParts } from './pyodide-vm.ts';
import { PYODIDE_WARM } from './pyodide-warm.ts';
import { ADD_THREE } from './testing/programs.ts';
import { type Before, comparesPairs, main, rewindsWhole, value, watchInstances } from './testing/rewinding.ts';

const LIMITS = { ...PYODIDE_LIMITS, work: 30_000_000 };

/** Programs that would leave something behind if that were possible, and how they end. */
const BEFORE: Before = {
  builtins: { program: main("import builtins\nbuiltins.len = lambda x: 7\nbuiltins.stain = 1\nprint('passed')") },
  'no builtins': { program: main('import builtins\nbuiltins.__dict__.clear()') },
  modules: { program: main("import sys\nsys.modules['math'] = sys\nsys.modules.clear()\nsys.path.append('/x')") },
  'a loaded module': { program: main('import textwrap\ntextwrap.stain = 1') },
  'a changed module': {
    program: main('import collections, math, random\ncollections.deque = list\nmath.pi = 3\nrandom.seed(5)'),
  },
  'streams and arguments': { program: main("import sys\nsys.argv.append('x')\nsys.stdout = sys.stderr = None") },
  'hooks and limits': {
    program: main(
      'import sys, atexit\nsys.setrecursionlimit(50)\nsys.set_int_max_str_digits(0)\nsys.excepthook = print\nsys.settrace(lambda *a: None)\natexit.register(print, "left")',
    ),
  },
  'collector off': { program: main('import gc\ngc.disable()\ngc.freeze()\ngc.set_threshold(1)') },
  'cycles with finalisers': {
    program: main(
      'class A:\n    def __del__(self): print("gone")\nfor i in range(200):\n    a, b = A(), A()\n    a.b, b.a = b, a',
    ),
  },
  generators: { program: main('def g():\n    while True: yield 1\na = [g() for i in range(50)]\nfor x in a: next(x)') },
  'interned names and caches': {
    program: main("import re\nexec(';'.join('name%d = %d' % (i, i) for i in range(3000)))\nre.compile('a+b')"),
  },
  types: { program: main('for i in range(300): type("T%d" % i, (int,), {"x": i})') },
  'clock and randomness': {
    program: main('import time, random, os\nfor i in range(100): time.time(); random.random(); os.urandom(8)'),
  },
  files: { program: main("import os\nos.mkdir('d')\nos.chdir('d')\nopen('result.txt', 'w').write('PASS' * 500)") },
  'open files': { program: main("a = [open('f%d' % i, 'w') for i in range(60)]") },
  environment: { program: main("import os\nos.environ['HOME'] = '/x'\nos.putenv('A', 'b')\nos.umask(0)") },
  decimals: { program: main('import decimal\ndecimal.getcontext().prec = 3\ndecimal.setcontext(decimal.Context(2))') },
  'an error that is kept': {
    program: main('import sys\ntry: 1 / 0\nexcept ZeroDivisionError as e: kept = e\nsys.exit(3)'),
  },
  'left past Python': { program: main('import os\nprint("x", flush=False)\nos._exit(5)') },
  'a deep recursion': { program: main('def f(n): return f(n + 1)\nf(0)') },
  'much memory': { program: main('a = [bytearray(1 << 20) for i in range(64)]'), grows: true },
  'more memory than there is': { program: main('a = bytearray(1 << 30)') },
  'killed in a loop': { program: main('try:\n    while True: pass\nfinally: pass'), killed: 'work' },
  'killed in C': { program: main('x = list(range(20000))\nwhile True: -1 in x'), killed: 'work' },
  'killed in a sort': {
    program: main('class K:\n    def __lt__(self, o):\n        while True: pass\nsorted([K(), K(), K()])'),
    killed: 'work',
  },
  'too much output': { program: main("while True: print('x' * 1000)"), killed: 'output' },
  'no bridge': { program: main('try: import _pyodide_core\nexcept ImportError: import js') },
  'broken syntax': { program: main("def f(:\n  '''") },
  'a setup': { program: { ...main('y = x', 'y'), setup: 'import heapq\nx = 3' } },
};

/** Programs that look for traces of an earlier program. */
const AFTER: Program[] = [
  main(ADD_THREE, 'Solution().solve(4)', 'len([1, 2])'),
  main('pass', '__name__', 'sorted(globals())'),
  main(
    'import time, random, gc, sys, os\nclass A: pass\na = A()',
    '[time.time(), time.monotonic(), random.random(), os.urandom(9).hex()]',
    '[id(a), hash(a), hash("some text"), repr(a), id([]), id(len), id(A)]',
    '[gc.isenabled(), gc.get_threshold(), gc.get_count(), len(gc.get_objects())]',
    '[sorted(globals()), sorted(sys.modules), sys.path, sys.argv, sys.getrecursionlimit(), sys.get_int_max_str_digits()]',
    '[os.getcwd(), os.listdir(), os.listdir("/"), sorted(os.environ.items()), sys.getallocatedblocks()]',
  ),
  main(
    'import builtins, collections, math, decimal, re',
    'dir(builtins)',
    '[math.pi, repr(collections.deque), decimal.getcontext().prec, sorted(map(str, int.__subclasses__()))]',
  ),
  main(
    'import gc\nfound = sorted(type(x).__name__ for x in gc.get_objects())',
    'len(found)',
    'str(hash(tuple(found)))',
  ),
  main('n = 0\ndef f():\n    global n\n    n += 1\n    f()\ntry: f()\nexcept RecursionError: pass', 'n'),
  main("open('result.txt', 'a').write('x')\nf = open('result.txt')\nprint(f.read())", 'f.fileno()'),
  main("import sys\nfor i in range(64): print('z' * 1000)\nsys.stderr.write('y' * 500)\nraise SystemExit(4)"),
  main('import textwrap\nt = textwrap.wrap("a b c " * 30, 20)', 'len(t)', 'id(textwrap)', 'dir(textwrap)'),
  main('a = []\nfor i in range(2000): a.append([i] * 20)', 'id(a[-1])', 'sum(map(len, a))'),
  { source: 'x = 1', steps: [{ do: 'module' }, value('1 / 0'), value('[x, 1 << 90, 1.5, "é", (1,), {}, None]')] },
];

const REWINDING = { interpreter: 'cpython', limits: LIMITS, before: BEFORE, after: AFTER } as const;

// A pair takes longer than with MicroPython, so several programs follow one another; a fault of rewinding must then escape all of them.
comparesPairs(REWINDING, true);

describe('a VM', () => {
  const instances = watchInstances();
  let own: PyodideParts;
  let module: WebAssembly.Module;
  beforeAll(async () => {
    const files = await loadPyodideFiles();
    module = files.module;
    own = {
      createMemoryFs,
      createLibraryFs,
      createCalls: createFileCalls,
      createClock: createPyodideClock,
      createImports: createPyodideImports,
      warm: PYODIDE_WARM,
      stdlib: files.stdlib,
    };
    instances.watch();
    // This is the started instance, from whose memory all others continue.
    createPyodideVm(module, LIMITS, own);
  });
  afterAll(instances.leave);

  it('is fully restored: nothing else in it can change', () => {
    const mutable = Object.entries(instances.exports()).filter(
      ([name, item]) =>
        item instanceof WebAssembly.Global && name !== METER && !name.startsWith(STATE) && changes(item),
    );
    // A restored global has another name here.
    expect(mutable.map(([name]) => name)).toEqual(['__stack_pointer']);
    expect(instances.given().length).toBeGreaterThan(200);
  });

  const looking = main(
    "import os, time, random\nprint('x' * 60000)\nfound = os.listdir()\nopen('a', 'w').write('b')",
    '[found, time.time(), os.urandom(4).hex()]',
  );
  rewindsWhole(REWINDING, instances, () => createPyodideVm(module, LIMITS, own), looking);
});

/** Whether a global may be written. */
function changes(global: WebAssembly.Global): boolean {
  try {
    const { value } = global;
    global.value = value;
    return true;
  } catch {
    return false;
  }
}
