// Tests that a rewound VM equals a new one: whatever ran before, a program behaves as in a new instance, to the last counter.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileCalls } from './file-calls.ts';
import { createImports } from './imports.ts';
import { createMemoryFs } from './memory-fs.ts';
import { loadMicroPython } from './node-pool.node.ts';
import { DEFAULT_LIMITS, type Program } from './protocol.ts';
import { ADD_THREE } from './testing/programs.ts';
import { type Before, comparesPairs, main, rewindsWhole, value, watchInstances } from './testing/rewinding.ts';
import { createVm, type VmParts } from './vm.ts';

const LIMITS = { ...DEFAULT_LIMITS, work: 3_000_000, memoryBytes: 1024 * 1024 };

/** Programs that would leave something behind if that were possible, and how they end. */
const BEFORE: Before = {
  builtins: {
    program: main("import builtins\nbuiltins.len = lambda x: 7\nbuiltins.stain = 1\nprint('all tests passed')"),
  },
  'no builtins': {
    program: main(
      'import builtins\nfor n in dir(builtins):\n    try: delattr(builtins, n)\n    except Exception: pass',
    ),
  },
  modules: {
    program: main("import sys\nsys.modules['math'] = sys\nsys.modules.clear()\nsys.path.append('/x')\nsys.stain = 1"),
  },
  'streams and arguments': { program: main("import sys\nsys.argv.append('x')\nsys.stdout = None\nsys.ps1 = 'x'") },
  'collector off': {
    program: main('import gc\ngc.disable()\ngc.threshold(1)\na = [[i] for i in range(2000)]\ngc.collect()'),
  },
  'optimised code': { program: main('import micropython\nmicropython.opt_level(3)') },
  'a locked heap': { program: main('import micropython\nmicropython.heap_lock()'), killed: 'work' },
  generators: {
    program: main(
      'def g():\n    try:\n        while True: yield 1\n    finally: print("closed")\na = [g() for i in range(50)]\nfor x in a: next(x)',
    ),
  },
  'clock and randomness': {
    program: main(
      'import time, random\nrandom.seed(5)\nfor i in range(100): time.time(); random.random(); time.ticks_ms()',
    ),
  },
  'interned names': { program: main("exec(';'.join('name%d = %d' % (i, i) for i in range(300)))", 'name299') },
  classes: {
    program: main(
      'class A(Exception):\n    def __del__(self): print("gone")\n    def __repr__(self): raise self\na = [A() for i in range(100)]\nraise A(a)',
    ),
  },
  'a handler of its own end': {
    program: main('import sys\ntry: raise KeyError(1)\nexcept KeyError as e: kept = e\nsys.exit(3)'),
  },
  files: {
    program: main(
      "import os\nos.mkdir('d')\nos.chdir('d')\nf = open('result.txt', 'w')\nf.write('PASS' * 500)\ng = open('../y', 'w')",
    ),
  },
  'open files': {
    program: main("a = [open('f%d' % i, 'w') for i in range(60)]\nopen('one more', 'w')\nopen('x'); open('y')"),
  },
  'no open file left': { program: main("a = []\nwhile True: a.append(open('x', 'w'))") },
  'scratched memory': {
    program: main('import uctypes\nfor a in range(440000, 480000, 64): uctypes.bytearray_at(a, 64)[:] = b"\\x5a" * 64'),
  },
  'smashed memory': {
    program: main(
      'import uctypes\nfor a in range(0, 1 << 19, 1 << 12):\n    uctypes.bytearray_at(a, 1 << 12)[:] = bytes(1 << 12)',
    ),
    killed: 'crash',
  },
  'a smashed stack': {
    program: main('import uctypes\nuctypes.bytearray_at(0, 65536)[:] = b"\\x01" * 65536'),
    killed: 'work',
  },
  'a caught memory error': { program: main('try: a = bytearray(10 ** 8)\nexcept MemoryError: a = 1') },
  'grown memory': { program: main('a = [bytearray(100000) for i in range(4)]'), grows: true },
  'exhausted memory': { program: main("a = []\nwhile True: a.append('x' * 30000)"), grows: true },
  'memory in small pieces': { program: main('while True: x = float(3)'), killed: 'memory' },
  'a full frame stack': { program: main('def f(n): return f(n + 1)\nf(0)') },
  'a full C stack': { program: main('a = []\nfor i in range(1500): a = [a]\nprint(a)') },
  'killed in a loop': { program: main('try:\n    while True: pass\nfinally: pass'), killed: 'work' },
  'killed in a C function': { program: main('x = list(range(20000))\nwhile True: -1 in x'), killed: 'work' },
  'killed in a sort': {
    program: main('class K:\n    def __lt__(self, o):\n        while True: pass\nsorted([K(), K(), K()])'),
    killed: 'work',
  },
  'killed while it compiles': { program: main(`x = ${'['.repeat(20_000)}`), killed: 'work' },
  'too much output': { program: main("while True: print('x' * 1000)"), killed: 'output' },
  'almost too much output': {
    program: main("for i in range(65): print('x' * 1000)\nimport sys\nsys.stderr.write('y')"),
  },
  'the bridge': { program: main('import jsffi\njsffi.to_js([1])'), killed: 'bridge' },
  'broken syntax': { program: main("def f(:\n  '''") },
};

/** Programs that look for traces of an earlier program. */
const AFTER: Program[] = [
  main(ADD_THREE, 'Solution().solve(4)', 'Solution().run_tests()', 'len([1, 2])'),
  main('pass', '__name__', 'sorted(globals())'),
  main(
    'import time, random, gc, sys, os\nclass A: pass\na = A()',
    '[time.time(), time.ticks_ms(), random.random(), random.getrandbits(30)]',
    '[id(a), hash(a), hash("some text"), repr(a), id([]), id(len)]',
    '[gc.mem_alloc(), gc.mem_free(), gc.isenabled(), gc.threshold()]',
    '[sorted(globals()), sorted(sys.modules), sys.path, sys.argv, os.getcwd(), os.listdir(), os.listdir("/")]',
  ),
  // This overwrites the whole memory, including the stack and the interpreter's own data.
  main(
    'import uctypes\nsums = [hash(bytes(uctypes.bytearray_at(a, 2048))) for a in range(0, 1 << 19, 2048)]',
    'sums',
    'bytes(uctypes.bytearray_at(65536, 4096)).hex()',
  ),
  main('n = 0\ndef f():\n    global n\n    n += 1\n    f()\ntry: f()\nexcept RuntimeError: pass', 'n'),
  main('a = []\ntry:\n    while True: a.append(bytearray(20000))\nexcept MemoryError: n = len(a); a = None', 'n'),
  main(
    'import builtins, micropython\nn = micropython.opt_level()\nassert True',
    'dir(builtins)',
    'n',
    'micropython.qstr_info()',
  ),
  main(
    "import os\nopen('result.txt', 'a').write('x')\nf = open('result.txt')\nprint(f.read())",
    'os.stat("result.txt")',
    'f.fileno()',
  ),
  main("import sys\nfor i in range(64): print('z' * 1000)\nsys.stderr.write('y' * 500)\nraise SystemExit(4)"),
  main('try: raise ValueError("a")\nexcept ValueError as e: text = repr(e)\nraise KeyError(text)'),
  { source: 'x = 1', steps: [{ do: 'module' }, value('1 / 0'), value('[x, 1 << 90, 1.5, "é", (1,), {}, None]')] },
];

const REWINDING = { interpreter: 'micropython', limits: LIMITS, before: BEFORE, after: AFTER } as const;

comparesPairs(REWINDING, false);

describe('a VM', () => {
  const parts: VmParts = { createMemoryFs, createCalls: createFileCalls, createImports };
  const instances = watchInstances();
  let module: WebAssembly.Module;
  beforeAll(async () => {
    module = await loadMicroPython();
    instances.watch();
  });
  afterAll(instances.leave);

  const looking = main(
    "import os, time, random\nprint('x' * 60000)\nfound = os.listdir()\nopen('a', 'w').write('b')",
    '[found, time.ticks_ms(), random.getrandbits(30)]',
  );
  rewindsWhole(REWINDING, instances, () => createVm(module, LIMITS, parts), looking);

  it('consists of four globals, a memory and a table', () => {
    createVm(module, LIMITS, parts);
    expect(instances.state().globals).toHaveLength(4);
  });
});
