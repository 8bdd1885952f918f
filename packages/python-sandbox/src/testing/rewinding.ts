// Tests of rewinding for both interpreters: pairs of programs are compared with runs in new instances, and the whole state of an instance
// is compared. Each interpreter's test supplies the programs that leave something behind, and those that look for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATE } from '../meter.ts';
import type { Killed, Limits, Program } from '../protocol.ts';
import type { Vm } from '../vm.ts';
import { type BothPools, createBothPools, type Interpreter } from './reference-pool.ts';

export const value = (code: string) => ({ do: 'value' as const, code: `__out__ = ${code}` });
export const main = (source: string, ...codes: string[]): Program => ({
  source,
  steps: [{ do: 'module' }, ...codes.map(value)],
});

/** Programs that would leave something behind if that were possible, and how they end. */
export type Before = Readonly<Record<string, { program: Program; killed?: Killed; grows?: true }>>;

export interface Rewinding {
  interpreter: Interpreter;
  limits: Limits;
  before: Before;
  /** Programs that look for traces of an earlier program. */
  after: readonly Program[];
}

/**
 * `inARow`: whether all programs that look for traces run one after another, so that a fault of rewinding must escape all of them;
 * otherwise each runs directly after the first program.
 */
export function comparesPairs({ interpreter, limits, before, after }: Rewinding, inARow: boolean): void {
  describe('three hundred pairs and more, one after the other in one worker', () => {
    let pools: BothPools;
    let alone: unknown[];
    beforeAll(async () => {
      pools = await createBothPools(limits, interpreter);
      alone = await pools.fresh.run(after);
    });
    afterAll(() => pools.close());

    it('a program behaves as if it ran alone', async () => {
      const all = Object.values(before);
      expect(all.length * after.length).toBeGreaterThan(300);
      const reference = await pools.fresh.run(all.map(({ program }) => program));
      const rows = inARow ? [after] : after.map((one) => [one]);
      const results = await pools.rewound.run(all.flatMap(({ program }) => rows.flatMap((row) => [program, ...row])));
      const next = results.values();
      const take = () => next.next().value;
      for (const [i, name] of Object.keys(before).entries()) {
        const seen: unknown[] = [];
        for (const row of rows) {
          expect([name, take()]).toEqual([name, reference[i]]);
          seen.push(...row.map(take));
        }
        expect([name, seen]).toEqual([name, alone]);
      }
      expect(next.next().done).toBe(true);
      expect(reference.map(({ killed }) => killed)).toEqual(all.map(({ killed }) => killed ?? null));
    });
  });
}

/** The whole state of an instance: its globals, including imported ones, except the meter; its memory; the functions in its table. */
export interface State {
  globals: WebAssembly.Global[];
  memory: Buffer;
  functions: (string | undefined)[];
}

/** Records the instances that a test creates between `watch` and `leave`. */
export function watchInstances() {
  const { Instance } = WebAssembly;
  let last: WebAssembly.Instance;
  let given: WebAssembly.Global[];
  return {
    watch() {
      WebAssembly.Instance = new Proxy(Instance, {
        construct(target, [of, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
          const all = Object.values(imports).flatMap((names) => Object.values(names));
          given = all.filter((one) => one instanceof WebAssembly.Global);
          last = new target(of, imports);
          return last;
        },
      });
    },
    leave() {
      WebAssembly.Instance = Instance;
    },
    /** Returns the exports of the last created instance. */
    exports: () => last.exports,
    /** The globals that the instance imported. */
    given: () => given,
    state(): State {
      const named = Object.entries(last.exports).filter(([name]) => name.startsWith(STATE));
      const table = last.exports.__indirect_function_table as WebAssembly.Table;
      return {
        globals: [...named.map(([, item]) => item as WebAssembly.Global), ...given],
        memory: Buffer.from((last.exports.memory as WebAssembly.Memory).buffer),
        functions: Array.from({ length: table.length }, (_, i) => table.get(i)?.name),
      };
    },
  };
}

/** The part of a state that is the same in all instances. */
const kept = ({ globals, memory, functions }: State) => ({
  globals: globals.map(({ value }) => value),
  memory: Buffer.from(memory),
  functions,
});

function expectState(name: string, now: State, beginning: ReturnType<typeof kept>): void {
  // The state takes half a megabyte or more, so a difference is reported without it.
  expect([name, now.memory.equals(beginning.memory)]).toEqual([name, true]);
  expect([name, now.globals.map(({ value }) => value)]).toEqual([name, beginning.globals]);
  expect([name, now.functions]).toEqual([name, beginning.functions]);
}

/** `looking`: a program that reads clock, randomness, output and files. Must be called between `watch` and `leave`. */
export function rewindsWhole(
  { before }: Pick<Rewinding, 'before'>,
  instances: ReturnType<typeof watchInstances>,
  create: () => Vm,
  looking: Program,
): void {
  it('is rewound after programs that ended by themselves, and dropped after stopped ones or if its memory has grown', () => {
    let vm = create();
    const beginning = kept(instances.state());
    for (const [name, { program, killed, grows }] of Object.entries(before)) {
      expect([name, vm.run(program).killed, vm.rewind?.()]).toEqual([name, killed ?? null, !killed && !grows]);
      if (killed || grows) vm = create();
      expectState(name, instances.state(), beginning);
    }
  });

  it('is restored completely: every byte, every global, its clock, randomness, output and files', () => {
    const vm = create();
    const beginning = kept(instances.state());
    const first = vm.run(looking);
    const { globals, memory } = instances.state();
    expect(globals.length).toBeGreaterThanOrEqual(4);
    for (const global of globals) global.value = 77;
    memory.fill(0x5a);
    expect(vm.rewind?.()).toBe(true);
    expectState('overwritten', instances.state(), beginning);
    expect(first.killed).toBeNull();
    expect(vm.run(looking)).toEqual(first);
  });
}
