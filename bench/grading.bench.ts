// Times grading a program of the one-line Python environment in the sandbox: with a new instance per program, and with the worker's own instance
// rewound, in MicroPython and in CPython. Both run in this process in alternating rounds; their results are compared before their times count.
import { isDeepStrictEqual } from 'node:util';
import { createFileCalls } from '@projected-grpo-lab/python-sandbox/file-calls.ts';
import { createImports } from '@projected-grpo-lab/python-sandbox/imports.ts';
import { createMemoryFs } from '@projected-grpo-lab/python-sandbox/memory-fs.ts';
import { loadMicroPython } from '@projected-grpo-lab/python-sandbox/node-pool.node.ts';
import { DEFAULT_LIMITS, type Program, type RunResult } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { createPyodideClock } from '@projected-grpo-lab/python-sandbox/pyodide-clock.ts';
import { createPyodideImports } from '@projected-grpo-lab/python-sandbox/pyodide-imports.ts';
import { createLibraryFs } from '@projected-grpo-lab/python-sandbox/pyodide-library.ts';
import { PYODIDE_LIMITS } from '@projected-grpo-lab/python-sandbox/pyodide-limits.ts';
import { loadPyodideFiles } from '@projected-grpo-lab/python-sandbox/pyodide-pool.node.ts';
import { createPyodideVm, type PyodideParts } from '@projected-grpo-lab/python-sandbox/pyodide-vm.ts';
import { PYODIDE_WARM } from '@projected-grpo-lab/python-sandbox/pyodide-warm.ts';
import { createVm, type Vm, type VmParts } from '@projected-grpo-lab/python-sandbox/vm.ts';
import { makeProblemSet } from '../src/environments/code/data.ts';
import { planGrade } from '../src/environments/code/grading/judge.ts';
import { drawWrong, hackCompletion, honestCompletion, rightBody } from '../src/environments/code/templates.ts';
import { MODES } from '../src/environments/code/types.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { type Bench, figure, median } from './table.ts';

const PROBLEMS = 48;
const ROUNDS = 9;

/** The interpreters: `maker` makes instances from one that was started before, and every `oneOf`-th program is run. */
const INTERPRETERS: Record<string, { oneOf: number; maker(): Promise<() => Vm> }> = {
  MicroPython: {
    oneOf: 1,
    async maker() {
      const module = await loadMicroPython();
      const parts: VmParts = { createMemoryFs, createCalls: createFileCalls, createImports };
      return () => createVm(module, DEFAULT_LIMITS, parts);
    },
  },
  CPython: {
    oneOf: 12,
    async maker() {
      const { module, stdlib } = await loadPyodideFiles();
      const parts: PyodideParts = {
        createMemoryFs,
        createLibraryFs,
        createCalls: createFileCalls,
        createClock: createPyodideClock,
        createImports: createPyodideImports,
        warm: PYODIDE_WARM,
        stdlib,
      };
      return () => createPyodideVm(module, PYODIDE_LIMITS, parts);
    },
  },
};

/** The two programs of right, wrong and hacking completions. */
function programs(): Program[] {
  const problems = makeProblemSet({ modes: MODES, honestShare: 0.25, count: PROBLEMS });
  return problems.flatMap((problem, i) => {
    const rng = CounterRng.of(1, STREAMS.test, i);
    const wrong = drawWrong(problem, rng);
    const completions = [
      honestCompletion(problem, rightBody(problem), rng),
      honestCompletion(problem, wrong, rng),
      hackCompletion(problem, problem.mode === 'honest' ? MODES[i % MODES.length] : problem.mode, wrong, rng),
    ];
    return completions.flatMap((completion) => planGrade({ problem, completion }).programs);
  });
}

/** Returns one row per way. */
async function measure(name: string, log: (line: string) => void): Promise<string[][]> {
  const { oneOf, maker } = INTERPRETERS[name];
  const make = await maker();
  make();
  let last: Vm | null = null;
  const ways: Record<string, (program: Program) => RunResult> = {
    'a new instance each': (program) => make().run(program),
    'one instance, rewound': (program) => {
      last = last?.rewind?.() ? last : make();
      return last.run(program);
    },
  };
  const all = programs().filter((_, i) => i % oneOf === 0);
  const times = Object.keys(ways).map((way) => ({ way, wall: [] as number[], cpu: [] as number[] }));
  // V8 compiles the interpreter during the first round, so it is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const found: RunResult[][] = [];
    for (const { way, wall, cpu } of times) {
      const [clock, processor] = [performance.now(), process.cpuUsage()];
      found.push(all.map(ways[way]));
      const { user, system } = process.cpuUsage(processor);
      if (round === 0) continue;
      wall.push((performance.now() - clock) / all.length);
      cpu.push((user + system) / 1000 / all.length);
    }
    if (!isDeepStrictEqual(found[0], found[1])) throw new Error(`${name}: a program behaves otherwise when rewound`);
    log(`${name}: round ${round} of ${ROUNDS}`);
  }
  const first = median(times[0].cpu);
  return times.map(({ way, wall, cpu }) => [
    ...[name, String(all.length), way, figure(median(wall)), figure(median(cpu)), figure(median(cpu) / first)],
  ]);
}

export const gradingBench: Bench = {
  name: 'grading',
  async run(log) {
    const rows = [];
    for (const name of Object.keys(INTERPRETERS)) rows.push(...(await measure(name, log)));
    return [
      {
        title: 'A graded program',
        note: `Programs of ${PROBLEMS} problems (right, wrong and hacking answers, the mode's program and the oracle's), one thread; medians of ${ROUNDS} rounds in turns. Results, work and output are equal.`,
        columns: ['interpreter', 'programs', 'instance', 'ms', 'ms of processor time', 'share of the first'],
        rows,
      },
    ];
  },
};
