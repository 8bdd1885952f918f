// Measures the gated delta rule of one layer of Qwen3.5-0.8B over 512 tokens, forward and backward: as the lab trains it, as one run of all rows;
// in its recurrent form, one call per token with every state kept; and both forms in PyTorch (torch_step.py), in the interpreter that LAB_PYTHON
// names, else python3, if it has torch. Each uses one thread, and rounds alternate; gradients must agree before a time counts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NONE } from '../src/kernels/contract/delta.ts';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { type Device, put, readFloats } from '../src/kernels/device.ts';
import { ops } from '../src/kernels/ops.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { Child } from './child.ts';
import { RULE } from './delta-calls.ts';
import { type Bench, type BenchTable, cpuMs, figure, median } from './table.ts';
import { type Algebra, algebraNote, findTorch, torchEnvironment } from './torch-algebra.ts';

const ROUNDS = 3;
const TOKENS = 512;
/** Rows of PyTorch's chunks. */
const CHUNK = 64;
/** Largest allowed ‖gradient of queries and keys − PyTorch's‖ / ‖gradient‖. */
const GAP = 1e-4;

const { keyHeads, heads, keyDim, valueDim } = RULE;
const VALUES = TOKENS * heads * valueDim;
const STATE = heads * keyDim * valueDim;

interface Inputs {
  qk: Float32Array;
  v: Float32Array;
  gates: Float32Array;
  dO: Float32Array;
}

interface Times {
  forward: number;
  backward: number;
}

interface Way {
  name: string;
  /** Processor milliseconds. */
  time(): Promise<Times>;
  /** Returns the gradient of the queries and keys, after `time`. */
  gradient(): Promise<ArrayLike<number>>;
}

function randomInputs(): Inputs {
  const rng = CounterRng.of(1, STREAMS.data, 7);
  const floats = (length: number, scale: number) =>
    Float32Array.from({ length }, () => scale * (2 * rng.uniform() - 1));
  return {
    qk: floats(TOKENS * 2 * keyHeads * keyDim, Math.sqrt(3 / keyDim)),
    v: floats(VALUES, 1),
    gates: Float32Array.from({ length: TOKENS * heads * 2 }, (_, i) => (i % 2 ? rng.uniform() : -rng.uniform())),
    dO: floats(VALUES, 1),
  };
}

/** @param runs rows of the kernels' table of runs, each in its own call */
function labWay(name: string, device: Device, inputs: Inputs, runs: readonly (readonly number[])[]): Way {
  const [qk, v, gates, dO] = [inputs.qk, inputs.v, inputs.gates, inputs.dO].map((data) => put(device, data, 'data'));
  const room = (length: number) => device.alloc(length, 'f32', 'room');
  const [o, dOV, dQk, dGates] = [VALUES, VALUES, qk.length, gates.length].map(room);
  const calls = runs.map((_, runOff) => ({ count: 1, runOff }));
  const table = put(device, Uint32Array.from(runs.flat()), 'runs');
  const shared = { qk, v, runs: table, states: room(runs.length * STATE), rows: TOKENS, ...RULE };
  return {
    name,
    time: async () => {
      const begun = cpuMs();
      for (const call of calls) ops.deltaRule(device, { ...shared, gates, o, ...call });
      const middle = cpuMs();
      ops.copy(device, { src: dO, dst: dOV, n: VALUES });
      ops.copy(device, { src: gates, dst: dGates, n: gates.length });
      for (const call of [...calls].reverse())
        ops.deltaRuleGrad(device, { ...shared, gates: dGates, dOV, dQk, ...call });
      return { forward: middle - begun, backward: cpuMs() - middle };
    },
    gradient: () => readFloats(device, dQk),
  };
}

function torchWay(name: string, child: Child, folder: string, chunk: number): Way {
  return {
    name,
    time: () => child.ask<Times>({ chunk }),
    gradient: async () => new Float32Array(readFileSync(join(folder, 'gradient.bin')).buffer.slice(0)),
  };
}

async function compared(ways: readonly Way[], rounds: number, log: (line: string) => void) {
  const times = ways.map((): Times[] => []);
  let first: ArrayLike<number> = [];
  let worst = 0;
  for (let round = -1; round < rounds; round++) {
    for (const [i, way] of ways.entries()) {
      const time = await way.time();
      if (round >= 0) times[i].push(time);
      const gradient = await way.gradient();
      if (i === 0) first = gradient;
      let [difference, size] = [0, 0];
      for (let j = 0; j < first.length; j++) {
        difference += (gradient[j] - first[j]) ** 2;
        size += first[j] ** 2;
      }
      const gap = Math.sqrt(difference / size);
      if (!(gap < GAP)) throw new Error(`${way.name}: another gradient (${gap})`);
      worst = Math.max(worst, gap);
    }
    log(`delta-rule: round ${round + 2} of ${rounds + 1}`);
  }
  return { worst, times: times.map((all) => [median(all.map((t) => t.forward)), median(all.map((t) => t.backward))]) };
}

async function ruleTable(log: (line: string) => void): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-rule-'));
  const device = await createCpuDevice();
  let child: Child | null = null;
  try {
    const inputs = randomInputs();
    const oneByOne = (t: number) => [t, t + 1, t === 0 ? NONE : t - 1, t, t + 1 < TOKENS ? 1 : 0];
    const ways = [
      labWay('this lab, a run of all rows', device, inputs, [[0, TOKENS, NONE, 0, 0]]),
      labWay(
        'this lab, a row at a time',
        device,
        inputs,
        Array.from({ length: TOKENS }, (_, t) => oneByOne(t)),
      ),
    ];
    const python = process.env.LAB_PYTHON ?? 'python3';
    const torch = findTorch(python);
    let beside = '';
    if ('missing' in torch) beside = torch.missing;
    else {
      writeFileSync(join(folder, 'rule.json'), JSON.stringify({ tokens: TOKENS, heads, keyDim, valueDim }));
      const all = [inputs.qk, inputs.v, inputs.gates, inputs.dO].map(({ buffer }) => new Uint8Array(buffer));
      writeFileSync(join(folder, 'rule.bin'), Buffer.concat(all));
      const script = join(process.env.LAB_ROOT ?? '.', 'bench', 'torch_step.py');
      const started = await Child.start<Algebra>(python, [script, folder, '1'], torchEnvironment(1));
      child = started.child;
      beside = algebraNote(started.ready);
      ways.push(
        torchWay(`PyTorch, in chunks of ${CHUNK}`, child, folder, CHUNK),
        torchWay('PyTorch, a row at a time', child, folder, 1),
      );
    }
    const { worst, times } = await compared(ways, ROUNDS, log);
    const whole = times[0][0] + times[0][1];
    return {
      title: 'The gated delta rule over 512 tokens',
      note: `One layer of Qwen3.5-0.8B (${heads} heads of ${keyDim} × ${valueDim}), one thread; processor milliseconds, medians of ${ROUNDS} rounds in turns. A row at a time is the recurrent form: a call a token, each token's state (${(4 * STATE) / 2 ** 20} MiB) kept for the gradient. ${beside} Gradients of queries and keys differ by at most ${worst.toExponential(1)}.`,
      columns: ['way', 'forward', 'backward', 'both', 'its time / ours in a run'],
      rows: times.map(([forward, backward], i) => [
        ways[i].name,
        ...[forward, backward, forward + backward, (forward + backward) / whole].map(figure),
      ]),
    };
  } finally {
    child?.end();
    device.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const deltaRuleBench: Bench = { name: 'delta-rule', run: async (log) => [await ruleTable(log)] };
