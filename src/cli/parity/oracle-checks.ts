// One reference folder (config.json, model.safetensors, inputs.json, expected.safetensors; a float64 reference's results)
// against the engine and the method on a device: every tensor, each to its tolerance. All checks are made with the fixture's singular vectors
// and with the engine's own: gradients on δS differ between them only where singular values nearly meet.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { groupAdvantages } from '../../algorithms/advantages.ts';
import { basisInUse, type HackBasis } from '../../algorithms/basis.ts';
import { differences, extractBasis, pairGradients } from '../../algorithms/extraction.ts';
import { sequenceLoss } from '../../algorithms/grpo-loss.ts';
import { initialState, type OptimizerSettings, optimizerStep } from '../../algorithms/optimizer.ts';
import { overlap } from '../../algorithms/overlap.ts';
import { Projector } from '../../algorithms/projection.ts';
import { minus, plus } from '../../algorithms/vectors.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import type { FileSource } from '../../storage/sources.ts';
import { type OracleInputs, parseInputs } from './oracle-inputs.ts';

type Vectors = 'fixture' | 'own';
export interface Check {
  vectors: Vectors;
  quantity: string;
  /** Worst error over modules. */
  error: number;
  tolerance: number;
  ok: boolean;
}

/** Relative L2 for float32: logits; everything on δS with the fixture's vectors; with the engine's own. */
const LOGITS = 1e-5;
const ADAPTER_PARAMS: Readonly<Record<Vectors, number>> = { fixture: 1e-4, own: 2e-3 };
const SVD = 1e-5;

export async function checkFolder(
  device: Device,
  source: FileSource,
  onStage: (what: string) => void,
): Promise<Check[]> {
  const model = await loadModelFiles(source);
  const inputsFile = await source.read('inputs.json');
  const expectedFile = await source.read('expected.safetensors');
  if (!inputsFile || !expectedFile) {
    throw new FormatError(
      `${source.label} has no inputs.json or no expected.safetensors.`,
      'Name a folder of reference tensors.',
    );
  }
  const inputs = parseInputs(await inputsFile.text());
  const expected = await SafetensorsFile.open(expectedFile, 'expected.safetensors');
  const checks: Check[] = [];
  for (const vectors of ['fixture', 'own'] as const) {
    onStage(`${vectors} singular vectors`);
    checks.push(...(await checkVectors(device, model, inputs, expected, vectors)));
  }
  return checks;
}

/** State shared by one pass of checks. */
class Pass {
  readonly checks: Check[] = [];
  readonly layout: AdapterLayout;
  readonly adapterTolerance: number;

  constructor(
    readonly device: Device,
    readonly engine: Engine,
    readonly expected: SafetensorsFile,
    readonly vectors: Vectors,
  ) {
    this.layout = engine.adapterLayout;
    this.adapterTolerance = ADAPTER_PARAMS[vectors];
  }

  add(quantity: string, error: number, tolerance: number): void {
    this.checks.push({ vectors: this.vectors, quantity, error, tolerance, ok: error <= tolerance });
  }

  /** Worst relative L2 error over the modules of a parameter vector. */
  async adapterParam(quantity: string, actual: Float32Array): Promise<void> {
    let worst = 0;
    for (const { name, offset, r } of this.layout.modules) {
      const reference = await this.expected.readF32(`${quantity}/${name}`);
      worst = Math.max(worst, relative(actual.subarray(offset, offset + r), reference));
    }
    this.add(quantity, worst, this.adapterTolerance);
  }

  /** A reference parameter vector, all modules end to end. */
  async reference(prefix: string): Promise<Float32Array> {
    const whole = new Float32Array(this.layout.total);
    for (const { name, offset } of this.layout.modules)
      whole.set(await this.expected.readF32(`${prefix}/${name}`), offset);
    return whole;
  }
}

async function checkVectors(
  device: Device,
  model: ModelFiles,
  inputs: OracleInputs,
  expected: SafetensorsFile,
  vectors: Vectors,
): Promise<Check[]> {
  const { config, weights } = model;
  const adapter = vectors === 'own' ? 'svd' : await fixtureFactors(expected);
  const engine = await Engine.create({ device, config, weights, adapter });
  try {
    const pass = new Pass(device, engine, expected, vectors);
    if (vectors === 'own') await checkSvd(pass, model);
    await checkForward(pass, inputs);
    const basis = await checkPairs(pass, inputs);
    const { student, teacher } = await checkGrpo(pass, inputs);
    const projector = new Projector(device, engine.adapterLayout, basis);
    await checkProjection(pass, inputs, projector, student, teacher);
    await checkSteps(pass, inputs, projector, plus(student, teacher));
    projector.free();
    return pass.checks;
  } finally {
    engine.free();
  }
}

async function fixtureFactors(expected: SafetensorsFile): Promise<Map<string, Factors>> {
  const factors = new Map<string, Factors>();
  for (const key of expected.tensors.keys()) {
    if (!key.startsWith('svd.U/')) continue;
    const name = key.slice('svd.U/'.length);
    const part = (which: string) => expected.readF32(`svd.${which}/${name}`);
    factors.set(name, { U: await part('U'), S: await part('S'), Vh: await part('Vh') });
  }
  return factors;
}

async function checkSvd(pass: Pass, { weights }: ModelFiles): Promise<void> {
  const { engine, layout, expected } = pass;
  let [values, orthogonality, reconstruction] = [0, 0, 0];
  for (const { name, r, dOut, dIn } of layout.modules) {
    const { U, S, Vh } = engine.factors.get(name)!;
    const reference = await expected.readF32(`svd.S/${name}`);
    for (let i = 0; i < r; i++) values = Math.max(values, Math.abs(S[i] - reference[i]) / reference[0]);
    for (let a = 0; a < r; a++) {
      for (let b = 0; b <= a; b++) {
        let [uu, vv] = [0, 0];
        for (let i = 0; i < dOut; i++) uu += U[i * r + a] * U[i * r + b];
        for (let j = 0; j < dIn; j++) vv += Vh[a * dIn + j] * Vh[b * dIn + j];
        const identity = a === b ? 1 : 0;
        orthogonality = Math.max(orthogonality, Math.abs(uu - identity), Math.abs(vv - identity));
      }
    }
    const rebuilt = new Float64Array(dOut * dIn);
    for (let i = 0; i < dOut; i++) {
      for (let a = 0; a < r; a++) {
        const scaled = U[i * r + a] * S[a];
        for (let j = 0; j < dIn; j++) rebuilt[i * dIn + j] += scaled * Vh[a * dIn + j];
      }
    }
    reconstruction = Math.max(reconstruction, relative(rebuilt, (await weights.read(`${name}.weight`)).data));
  }
  pass.add('svd: |S − S_ref| / S_0', values, SVD);
  pass.add('svd: ‖UᵀU − I‖, ‖Vh Vhᵀ − I‖ (max)', orthogonality, SVD);
  pass.add('svd: ‖W − U Σ Vh‖ / ‖W‖', reconstruction, SVD);
}

async function checkForward(pass: Pass, inputs: OracleInputs): Promise<void> {
  const { engine, expected } = pass;
  const { vocab } = engine.config;
  const logits = await expected.readF32('forward.logits');
  const logps = await expected.readF32('forward.logps');
  let [worst, worstLogp] = [0, 0];
  for (const [b, ids] of inputs.forward_ids.entries()) {
    const size = ids.length * vocab;
    worst = Math.max(worst, relative(await engine.logits(ids), logits.subarray(b * size, (b + 1) * size)));
    const scored = await engine.score([{ prompt: ids.slice(0, 1), completion: ids.slice(1), segment: 0 }], 1);
    worstLogp = Math.max(
      worstLogp,
      relative(scored.logprobs[0], logps.subarray(b * (ids.length - 1), (b + 1) * (ids.length - 1))),
    );
    scored.free();
  }
  pass.add('forward.logits', worst, LOGITS);
  pass.add('forward.logps', worstLogp, LOGITS);
  const [greedy] = await engine.generate({
    prompts: [inputs.greedy_prompt],
    sequences: [{ prompt: 0, key: [0, 0] }],
    maxNew: inputs.greedy_new_tokens,
    temperature: 0,
    endTokens: [],
  });
  const ids = await expected.readI32('greedy.ids');
  pass.add(
    'greedy.ids (tokens that differ)',
    ids.reduce((n, id, i) => n + Number(id !== greedy.tokens[i]), 0),
    0,
  );
}

async function checkPairs(pass: Pass, inputs: OracleInputs): Promise<HackBasis> {
  const { engine, layout, expected, adapterTolerance } = pass;
  engine.setAdapterParams(new Float32Array(layout.total));
  const gradients = await pairGradients(engine, inputs.pairs);
  const raw = extractBasis(gradients, layout, { k: inputs.top_k, tauAxis: 0 });
  const worst = { D: 0, V: 0, S: 0 };
  for (const module of layout.modules) {
    const found = raw.get(module.name)!;
    const actual = { D: differences(gradients, module), V: found.V, S: found.S };
    for (const part of ['D', 'V', 'S'] as const) {
      worst[part] = Math.max(
        worst[part],
        relative(actual[part], await expected.readF32(`pairs.${part}/${module.name}`)),
      );
    }
  }
  for (const part of ['D', 'V', 'S'] as const) pass.add(`pairs.${part}`, worst[part], adapterTolerance);
  return basisInUse(raw, layout, { k: inputs.top_k, dropBottomFrac: 0 });
}

async function checkGrpo(
  pass: Pass,
  { grpo }: OracleInputs,
): Promise<{ student: Float32Array; teacher: Float32Array }> {
  const { engine, layout, expected, adapterTolerance } = pass;
  const sequences = grpo.groups.flatMap(({ prompt, completions, is_student }) =>
    completions.map((completion, i) => ({ prompt, completion, segment: is_student[i] ? 0 : 1 })),
  );
  const advantages = grpo.groups.flatMap(({ rewards }) => groupAdvantages(rewards, 'none').advantages);
  engine.setAdapterParams(new Float32Array(layout.total));
  const reference = await engine.score(sequences, 2);
  reference.free();
  engine.setAdapterParams(plus(await pass.reference('grpo.dS0'), await pass.reference('grpo.dS_hack0')));
  const scored = await engine.score(sequences, 2);
  const losses = sequences.map((_, i) =>
    sequenceLoss(
      {
        logprobs: scored.logprobs[i],
        old: scored.logprobs[i],
        reference: reference.logprobs[i],
        advantage: advantages[i],
      },
      { clipEps: grpo.clip, klBeta: grpo.beta, denominator: grpo.denominator },
    ),
  );
  const [student, teacher] = await scored.backward(losses.map(({ coef }) => coef));
  scored.free();
  let next = 0;
  const perGroup = grpo.groups.map(({ completions }) => completions.reduce((sum) => sum + losses[next++].loss, 0));
  pass.add('grpo.loss', relative(perGroup, await expected.readF32('grpo.loss')), adapterTolerance);
  await pass.adapterParam('grpo.g_student', student);
  await pass.adapterParam('grpo.g_teacher', teacher);
  return { student, teacher };
}

async function checkProjection(
  pass: Pass,
  inputs: OracleInputs,
  projector: Projector,
  student: Float32Array,
  teacher: Float32Array,
) {
  const cin = async (g: Float32Array) => overlap(g, await projector.coefficients(g), projector.basis).mean ?? 0;
  const { overlap: expected } = inputs;
  const compare = (name: string, actual: number, reference: number) =>
    pass.add(`overlap ${name} (absolute)`, Math.abs(actual - reference), pass.adapterTolerance);
  compare('cin_student', await cin(student), expected.cin_student);
  compare('cin_teacher', await cin(teacher), expected.cin_teacher);
  const g = plus(student, teacher);
  for (const gate of ['one_sided', 'no_gate', 'reverse'] as const) {
    const { kept, removed } = await projector.project(g, gate);
    await pass.adapterParam(`project.${gate}.kept`, kept);
    await pass.adapterParam(`project.${gate}.removed`, removed);
    compare(`${gate}.cin`, await cin(g), expected.gates[gate].cin);
    compare(`${gate}.cout`, await cin(kept), expected.gates[gate].cout);
  }
}

/** Adapter parameters after one step of every arm; the adapter and the moments before it are the fixture's, the gradient is ours. */
async function checkSteps(
  pass: Pass,
  { grpo, grad_norm }: OracleInputs,
  projector: Projector,
  g: Float32Array,
): Promise<void> {
  const hack0 = await pass.reference('grpo.dS_hack0');
  const total0 = plus(await pass.reference('grpo.dS0'), hack0);
  const [m, v] = [await pass.reference('adamw.m0'), await pass.reference('adamw.v0')];
  const step = async (changes: Partial<OptimizerSettings>) => {
    const settings: OptimizerSettings = {
      projection: 'none',
      projectTarget: 'gradient',
      gate: 'one_sided',
      overshoot: 1,
      preserveMagnitude: false,
      normClip: grpo.grad_clip,
      weightDecay: grpo.weight_decay,
      beta1: grpo.betas[0],
      beta2: grpo.betas[1],
      adamEps: grpo.eps,
      ...changes,
    };
    const state = initialState(pass.layout.total, settings, []);
    state.hack = hack0.slice();
    state.total = total0.slice();
    state.moments = { m: m.slice(), v: v.slice(), t: grpo.adam_step - 1 };
    return { state, ...(await optimizerStep(state, g, grpo.lr, settings, projector, [])) };
  };
  // The lab applies weight decay to the trained parameters: δS_total without routing, δS alone with it. The fixture decays each adapter
  // parameter that has a gradient.
  const decay = 1 - grpo.lr * grpo.weight_decay;
  for (const arm of ['none', 'erase', 'route'] as const) {
    const { state, gradNorm } = await step({ projection: arm });
    pass.add(`grad_norm ${arm}`, Math.abs(gradNorm - grad_norm[arm]) / grad_norm[arm], pass.adapterTolerance);
    const routed = arm === 'route';
    const hack = routed
      ? minus(
          state.hack,
          hack0.map((x) => x * (1 - decay)),
        )
      : state.hack;
    await pass.adapterParam(`adamw.${arm}.dS`, minus(state.total, routed ? state.hack : hack0.map((x) => x * decay)));
    await pass.adapterParam(`adamw.${arm}.dS_hack`, hack);
    if (!routed) {
      // Only routing changes δS_hack: otherwise all of its bits stay.
      const touched = state.hack.reduce((n, x, i) => n + Number(x !== hack0[i]), 0);
      pass.add(`adamw.${arm}.dS_hack (numbers that were touched)`, touched, 0);
      continue;
    }
    // The step itself is compared, which is much stricter than comparing the adapter parameter after it.
    const step0 = relative(minus(hack, hack0), minus(await pass.reference('adamw.route.dS_hack'), hack0));
    pass.add('adamw.route.dS_hack, its step', step0, Math.max(pass.adapterTolerance, 1e-3));
  }
  for (const arm of ['erase', 'route'] as const) {
    const { state } = await step({ projection: arm, projectTarget: 'update', weightDecay: 0 });
    await pass.adapterParam(`update.${arm}.dS`, minus(state.total, state.hack));
    if (arm === 'erase') continue;
    await pass.adapterParam('update.route.dS_hack', state.hack);
    // The step is measured as the change of the adapter parameter, whose f32 rounding bounds the precision.
    const moved = relative(minus(total0, state.total), await pass.reference('update.step'));
    pass.add('update.step', moved, Math.max(pass.adapterTolerance, 1e-3));
  }
}

function relative(actual: ArrayLike<number>, reference: ArrayLike<number>): number {
  if (actual.length !== reference.length) return Number.POSITIVE_INFINITY;
  let [difference, size] = [0, 0];
  for (let i = 0; i < reference.length; i++) {
    difference += (actual[i] - reference[i]) ** 2;
    size += reference[i] ** 2;
  }
  if (Number.isNaN(difference)) return Number.POSITIVE_INFINITY;
  return size === 0 ? Math.sqrt(difference) : Math.sqrt(difference / size);
}
