// A program of the one-line Python environment in the sandbox: a new instance for each, against the worker's own instance rewound.
// Both in this process, a round of each in turns; what they found is compared before their times count.
import { isDeepStrictEqual } from 'node:util';
import { createFileCalls } from '@projected-grpo-lab/python-sandbox/file-calls.ts';
import { createImports } from '@projected-grpo-lab/python-sandbox/imports.ts';
import { createMemoryFs } from '@projected-grpo-lab/python-sandbox/memory-fs.ts';
import { loadMicroPython } from '@projected-grpo-lab/python-sandbox/node-pool.node.ts';
import { DEFAULT_LIMITS, type Program, type RunResult } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { createVm, type Vm, type VmParts } from '@projected-grpo-lab/python-sandbox/vm.ts';
import { drawWrong, rightBody } from '../src/environments/code/bodies.ts';
import { planGrade } from '../src/environments/code/grading/judge.ts';
import { makeProblemSet } from '../src/environments/code/problem-sets.ts';
import { hackCompletion, honestCompletion } from '../src/environments/code/templates.ts';
import { MODES } from '../src/environments/code/types.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { type Bench, figure, median } from './table.ts';

const PROBLEMS = 48;
const ROUNDS = 9;

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

export const gradingBench: Bench = {
  name: 'grading',
  async run(log) {
    const module = await loadMicroPython();
    const parts: VmParts = { createMemoryFs, createCalls: createFileCalls, createImports };
    createVm(module, DEFAULT_LIMITS, parts);
    let last: Vm | null = null;
    const ways: Record<string, (program: Program) => RunResult> = {
      'a new instance each': (program) => createVm(module, DEFAULT_LIMITS, parts).run(program),
      'one instance, rewound': (program) => {
        last = last?.rewind?.() ? last : createVm(module, DEFAULT_LIMITS, parts);
        return last.run(program);
      },
    };
    const all = programs();
    const times = Object.keys(ways).map((way) => ({ way, wall: [] as number[], cpu: [] as number[] }));
    // The first round does not count: V8 compiles the interpreter meanwhile.
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
      if (!isDeepStrictEqual(found[0], found[1])) throw new Error('a program behaves otherwise in a rewound instance');
      log(`round ${round} of ${ROUNDS}`);
    }
    const rows = times.map(({ way, wall, cpu }) => ({ way, wall: median(wall), cpu: median(cpu) }));
    return [
      {
        title: 'A graded program',
        note: `${all.length} programs of ${PROBLEMS} problems (right, wrong and hacking answers, the mode's program and the oracle's), MicroPython, one thread; medians of ${ROUNDS} rounds in turns. Results, work and output are equal.`,
        columns: ['interpreter', 'ms', 'ms of processor time', 'share of the first'],
        rows: rows.map(({ way, wall, cpu }) => [way, figure(wall), figure(cpu), figure(cpu / rows[0].cpu)]),
      },
    ];
  },
};
