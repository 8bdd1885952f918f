// Tests that a VM which continues from a started interpreter's memory behaves as one that started itself, to the last counter.
import { beforeAll, expect, it } from 'vitest';
import { createFileCalls } from './file-calls.ts';
import { createImports } from './imports.ts';
import { createMemoryFs } from './memory-fs.ts';
import { loadMicroPython } from './node-pool.node.ts';
import { DEFAULT_LIMITS, type Program, type RunResult } from './protocol.ts';
import { ADD_THREE } from './testing/programs.ts';
import { createVm, type VmParts } from './vm.ts';

const value = (code: string) => ({ do: 'value' as const, code: `__out__ = ${code}` });
const PROGRAMS: Program[] = [
  { source: ADD_THREE, steps: [{ do: 'module' }, value('Solution().solve(4)'), value('Solution().solve("x")')] },
  {
    // A program can see these parts of its VM's past: the clock, randomness, addresses, hashes, the heap, names, modules, files.
    source: 'import time, random, gc, sys, os\nclass A: pass\na = A()',
    steps: [
      { do: 'module' },
      value('[time.time(), time.ticks_ms(), random.random(), random.getrandbits(30)]'),
      value('[id(a), hash(a), hash("some text"), repr(a), id([]), id(len)]'),
      value('[gc.mem_alloc(), gc.mem_free()]'),
      value('[sorted(globals()), sorted(sys.modules), sys.path, os.getcwd(), os.listdir()]'),
    ],
  },
  { source: "print('a' * 70000)", steps: [{ do: 'module' }] },
  { source: "with open('x', 'w') as f: f.write('y' * 100)\nprint(open('x').read())", steps: [{ do: 'module' }] },
  { source: 'def f(n): return f(n + 1)\nf(0)', steps: [{ do: 'module' }, value('1')] },
  { source: 'a = [bytearray(100000) for i in range(20)]', steps: [{ do: 'module' }, value('len(a)')] },
  { source: "a = []\nwhile True: a.append('x' * 100000)", steps: [{ do: 'module' }] },
  { source: 'import sys\nsys.exit(3)', steps: [{ do: 'module' }, value('1')] },
  { source: 'import js', steps: [{ do: 'module' }] },
  { source: 'while True: pass', steps: [{ do: 'module' }] },
  {
    source: 'len = exec = print = None\nimport builtins\nbuiltins.exec = 1',
    steps: [{ do: 'module' }, value('[1, {}]')],
  },
];

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await loadMicroPython();
});

it('from the memory of a started interpreter, whatever ran before', () => {
  const limits = { ...DEFAULT_LIMITS, work: 20_000_000, memoryBytes: 4 * 1024 * 1024 };
  const fresh = (): VmParts => ({ createMemoryFs, createCalls: createFileCalls, createImports });
  const alone = PROGRAMS.map((program): RunResult => createVm(module, limits, fresh()).run(program));
  expect(alone.map(({ killed }) => killed)).toEqual([
    null,
    null,
    'output',
    null,
    null,
    null,
    null,
    null,
    'bridge',
    'work',
    null,
  ]);
  expect(alone[6]?.outcomes).toEqual([{ end: 'raise', type: 'MemoryError' }]);
  expect(alone[1]?.outcomes.map(({ end }) => end)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  const parts = fresh();
  createVm(module, limits, parts);
  const { boot } = parts;
  const before = JSON.stringify(boot, (_, item) => (item instanceof Uint8Array ? [...item] : item));
  for (const order of [PROGRAMS, [...PROGRAMS].reverse()])
    for (const program of order)
      expect(createVm(module, limits, parts).run(program)).toEqual(alone[PROGRAMS.indexOf(program)]);
  expect(parts.boot).toBe(boot);
  expect(JSON.stringify(boot, (_, item) => (item instanceof Uint8Array ? [...item] : item))).toBe(before);
});

it('a byte order mark is an ordinary character in an answer, in a file, and in its name', () => {
  const source =
    "with open('\\ufeffa', 'w') as f: f.write('marked')\nwith open('a', 'w') as f: f.write('\\ufeffplain')\nprint('\\ufeffout')";
  const { outcomes, files, stdout } = createVm(module, DEFAULT_LIMITS, {
    createMemoryFs,
    createCalls: createFileCalls,
    createImports,
  }).run({ source, steps: [{ do: 'module' }, value("'\\ufeffab'")] });
  expect(outcomes[1]).toEqual({ end: 'ok', value: ['str', '\ufeffab'] });
  expect(files.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'a', text: '\ufeffplain' },
    { name: '\ufeffa', text: 'marked' },
  ]);
  expect(stdout).toMatch(/^\ufeffout\r?\n$/);
});
