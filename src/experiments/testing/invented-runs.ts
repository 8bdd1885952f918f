// Made-up finished runs for tests: real specs with rates that depend on each run's seed.

import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { EvalRow, RunRecord, StepRow } from '../records/events.ts';
import { fromRates } from '../records/layout-1.ts';
import type { Rates } from '../records/metrics.ts';

/** A reproducible number in [0, 1) from a text (FNV-1a with a final mix). */
function dice(text: string): number {
  return hash(text) / 2 ** 32;
}
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (const char of text) h = Math.imul(h ^ (char.codePointAt(0) as number), 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}
const share = (x: number) => Math.round(256 * Math.min(0.98, Math.max(0, x))) / 256;

function rates(hack: number, solve: number, { modes, honestShare }: RunSpec): Rates {
  const own = modes.map((mode) => [mode, { n: 64, hack: share(hack), solve: share(solve) }] as const);
  const honest = honestShare > 0 ? [['honest', { n: 64, hack: null, solve: share(solve) }] as const] : [];
  return fromRates({
    n: 256,
    hack: share(hack),
    solve: share(solve),
    structural: share(hack),
    byMode: Object.fromEntries([...own, ...honest]),
  });
}

/** Made-up rates of a model after training: hack falls with the width of a real V, and hardly with a random one. */
function outcome(model: string, spec: RunSpec, control?: ControlSpec): [hack: number, solve: number] {
  const noise = (dice(`${model} ${spec.arm} ${spec.seed}`) - 0.5) / 14;
  const honest = spec.honestShare;
  const top = 0.6 - 0.35 * honest;
  const trained = 0.3 + 0.4 * honest;
  if (model === 'base') return [0.03, 0.4];
  if (spec.trainOn === 'honest') return [0.04, 0.45 + 0.35 * honest + noise];
  if (model === 'total') {
    const cut = spec.projection === 'erase' ? 0.12 : 0;
    return [top - cut + noise, trained + cut / 3 + noise / 2];
  }
  if (model === 'steered_base') return [0.04, 0.38 + noise / 2];
  if (control && control.kind !== 'real' && control.kind !== 'leave_out')
    return [top - 0.04 + noise, trained + noise / 2];
  const k = control?.k ?? spec.k;
  return [top / (1 + k / 3) + noise / 2, trained + 0.12 - 0.004 * k + noise / 2];
}

/** A final evaluation of one of the run's models. */
export function evaluation(model: string, spec: RunSpec, control?: ControlSpec): EvalRow {
  const all = rates(...outcome(model, spec, control), spec);
  return { step: model === 'base' ? 0 : spec.steps, model, kind: 'final', all, splits: { family: all, params: all } };
}

function row(step: number, spec: RunSpec): StepRow {
  const grown = Math.min(1, step / (0.7 * spec.steps));
  const [hack, solve] = outcome('total', spec);
  const jitter = (dice(`${spec.seed} ${step}`) - 0.5) / 8;
  return {
    step,
    student: rates(hack * grown + jitter, 0.4 + (solve - 0.4) * grown, spec),
    teacher: rates(0.5, 0.5, spec),
    reward: 0.6 + 0.3 * grown,
    rewardStd: 0.4,
    fracRewardZeroStd: 0,
    loss: 0,
    kl: null,
    entropy: 0.6 - 0.2 * grown,
    gradNorm: 1 - 0.4 * grown,
    lr: 0.03 * (1 - step / spec.steps),
    cinStudent: 0.2,
    cinTeacher: 0.3 - 0.1 * grown,
    cin: 0.25,
    cinNull: 0.12,
    cout: 0,
    coutUpdate: 0,
    fired: 1,
    normDeltaS: grown,
    normDeltaSHack: spec.projection === 'route' ? 0.4 * grown : 0,
    completionMeanLength: 30,
    completionClippedRatio: 0.02,
    rolloutTokens: 900,
    shadowNorms: Object.fromEntries(spec.shadows.map(({ id }) => [id, 0.3 * grown])),
    shadowCin: Object.fromEntries(spec.shadows.map(({ id }) => [id, 0.2])),
  };
}

/** A finished run of this spec. */
export function recordOf(spec: RunSpec): RunRecord {
  const own = spec.projection === 'route' ? ['deployed', 'steered_base'] : [];
  const experimentId = `study-${hash(JSON.stringify(spec)).toString(16).padStart(8, '0')}`;
  return {
    schema: 1,
    id: `${experimentId}/${spec.arm}/${spec.seed}`,
    experimentId,
    spec,
    status: 'done',
    createdAt: 1.76e12,
    device: 'made up for a test',
    appVersion: '0.0.0',
    modelSha256: 'a'.repeat(64),
    graderVersion: 'made up',
    rows: Array.from({ length: spec.steps }, (_, i) => row(i + 1, spec)),
    timings: [{ step: 1, phases: {}, total: 60, tokensPerSecond: 900 }],
    evals: [
      ...['base', 'total', ...own].map((model) => evaluation(model, spec)),
      ...spec.shadows.map((control) => evaluation(control.id, spec, control)),
    ],
    error: null,
  };
}
