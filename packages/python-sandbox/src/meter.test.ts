// Tests the meter in the interpreters' WebAssembly: its counts are independent of the machine and its load.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST_TABLE, METER, metered, STATE } from './meter.ts';
import { createNodePool, loadMicroPython } from './node-pool.node.ts';
import type { SandboxPool } from './protocol.ts';
import { DEFAULT_LIMITS, type Program } from './protocol.ts';
import { PYODIDE_METER } from './pyodide-limits.ts';
import { createPyodideNodePool } from './pyodide-pool.node.ts';
import { ADD_THREE } from './testing/programs.ts';
import { runOne } from './testing/run-one.ts';

const WASM = '@micropython/micropython-webassembly-pyscript/micropython.wasm';
const main = (source: string): Program => ({ source, steps: [{ do: 'module' }] });
const limits = { work: 20_000_000 };
const TIME = { workers: 1, timeLimitMs: 110_000, limits, equalOnce: false };

let pools: Record<'micropython' | 'cpython', SandboxPool>;
beforeAll(async () => {
  pools = { micropython: await createNodePool(TIME), cpython: await createPyodideNodePool(TIME) };
});
afterAll(() => Promise.all(Object.values(pools).map((pool) => pool.close())));

describe.each(['micropython', 'cpython'] as const)('in %s', (name) => {
  const run = (source: string) => runOne(pools[name], main(source));

  it('counts the same for the same program on an idle or a busy machine', async () => {
    const program = `${ADD_THREE}\nfor i in range(3000): sorted([Solution().solve(j) for j in range(9)])`;
    const alone = await run(program);
    expect(alone.killed).toBeNull();
    expect(alone.work).toBeGreaterThan(10_000);
    const other =
      name === 'cpython' ? await createPyodideNodePool(TIME) : await createNodePool({ ...TIME, workers: 3 });
    const busy = other.run(Array.from({ length: name === 'cpython' ? 1 : 6 }, (_, i) => main(`${program}\n# ${i}`)));
    const beside = await run(program);
    await busy;
    expect(beside.work).toBe(alone.work);
    await other.close();
  });

  it('ends endless programs, whatever exceptions they catch and wherever they loop', async () => {
    for (const source of [
      'while True: pass',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
      'max(range(10 ** 9))',
      '3 ** (3 ** 15)',
      'x = list(range(20000))\nwhile True: -1 in x',
      "x = b'x' * 3000000\nwhile True: x + b'y'",
      'def f(): f()\nwhile True:\n    try: f()\n    except BaseException: pass',
    ]) {
      const { killed, outcomes, work } = await run(source);
      // MicroPython collects no garbage within a call, so an endlessly allocating program runs out of memory first.
      expect([source, killed]).toEqual([source, expect.stringMatching(source.includes("b'") ? /work|memory/ : /work/)]);
      expect(outcomes).toEqual([{ end: 'skipped' }]);
      if (killed === 'work') expect(work).toBeGreaterThan(limits.work);
    }
  });

  it('keeps ordinary programs far from their limit', async () => {
    const { work } = await run(ADD_THREE);
    expect(work).toBeLessThan(DEFAULT_LIMITS.work / 1000);
  });
});

/** A module with a table, a memory, a global and one function with the body `code`; its only type is 0. */
function smallModule(code: readonly number[], tableOf = 0x70, type = 0): Uint8Array {
  const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
  return Uint8Array.from([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0),
    ...section(2, 0),
    ...section(3, 1, type),
    ...section(4, 1, tableOf, 0, 1),
    ...section(5, 1, 0, 1),
    ...section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
    ...section(7, 0),
    ...section(12, 1),
    ...section(10, 1, code.length + 2, 0, ...code, 0x0b),
    ...section(11, 1, 1, 1, 0),
  ]);
}

describe('the rewritten module', () => {
  it('has the imports and exports of the original, the meter, and all state of an instance besides its memory', async () => {
    const plain = await WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve(WASM)));
    const module = await loadMicroPython();
    expect(WebAssembly.Module.imports(module)).toEqual(WebAssembly.Module.imports(plain));
    expect(WebAssembly.Module.exports(module)).toEqual([
      ...WebAssembly.Module.exports(plain),
      { name: METER, kind: 'global' },
      // The stack pointer, the high word of a result, the stack's end and its base.
      ...[0, 1, 2, 3].map((global) => ({ name: `${STATE}${global}`, kind: 'global' })),
    ]);
  });

  it('is refused if the file is damaged or contains unknown parts', async () => {
    const bytes = new Uint8Array(await readFile(createRequire(import.meta.url).resolve(WASM)));
    for (const length of [8, 1000, bytes.length >> 1])
      expect(() => metered(bytes.slice(0, length))).toThrow(/cannot be metered/);
    // (module (func)) without globals, exports and imports.
    const bare = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 4, 1, 2, 0, 0x0b];
    expect(() => metered(Uint8Array.from(bare))).toThrow(/no import section/);
    expect(() => metered(smallModule([], 0x70, 1))).toThrow(/function 0 has an unknown type/);
  });

  it('is refused if an instance could not be restored', async () => {
    const cpython = new Uint8Array(await readFile(createRequire(import.meta.url).resolve('pyodide/pyodide.asm.wasm')));
    expect(() => metered(cpython, { rewindable: true })).toThrow(/globals that are not its own/);
    expect(() => metered(cpython, PYODIDE_METER)).not.toThrow();
    // One module's function writes its table, another one drops a segment; without these instructions both are metered.
    const TABLE_SET = [0x41, 0, 0xd0, 0x70, 0x26, 0];
    const DATA_DROP = [0xfc, 9, 0];
    for (const code of [TABLE_SET, DATA_DROP]) {
      const small = smallModule(code);
      for (const rewindable of [true, PYODIDE_METER.rewindable])
        expect(() => metered(small, { rewindable })).toThrow(/whose effect would last/);
      expect(WebAssembly.validate(metered(small))).toBe(true);
    }
    expect(WebAssembly.validate(metered(smallModule([]), { rewindable: true }))).toBe(true);
    // The host may declare that it restores a table of its own objects.
    const ofHost = smallModule([0x41, 0, 0xd0, 0x6f, 0x26, 0], 0x6f);
    expect(() => metered(ofHost, { rewindable: true })).toThrow(/whose effect would last/);
    const module = new WebAssembly.Module(metered(ofHost, { rewindable: 'by its host' }));
    expect(WebAssembly.Module.exports(module)).toContainEqual({ name: `${HOST_TABLE}0`, kind: 'table' });
  });
});
