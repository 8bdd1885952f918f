// `probe`: replays a hacky teacher's pool through the model and asks whether the hack basis sees hacking, before any RL is paid
// for. Stopped by Ctrl-C, the same command goes on with the next step to the same bytes.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Engine } from '../engine/engine.ts';
import type { AdapterSettings } from '../engine/types.ts';
import { createNodeGrader } from '../environments/code/grader/node-grader.node.ts';
import { selfCheck } from '../environments/code/grader/self-check.ts';
import { runExperiment, runIdOf } from '../experiments/experiment.ts';
import { type ProbePool, runProbe } from '../experiments/probe/probe.ts';
import { CORRECT_ROWS, PROBE_PROBLEMS, PROBE_SAMPLES, type ProbeSpec, probeSpec } from '../experiments/probe/spec.ts';
import { type Trajectory, t5, t6, trajectoryOf, trajectorySpec } from '../experiments/probe/trajectory.ts';
import type { ProbeReport, Verdict } from '../experiments/probe/types.ts';
import type { Settings } from '../experiments/spec.ts';
import { APP_VERSION } from '../lab/version.ts';
import { SpecError, StoppedError } from '../lib/errors.ts';
import { sha256 } from '../storage/sources.ts';
import { loadCodec } from '../text/codec.ts';
import { integer, number, oneOf, parseArgs, settings, text, toggle, type Values } from './args.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { chooseNodeDevice, describeMachine, loadEmbeddedModel, writeWhole } from './ports.node.ts';
import { probeFolder } from './probe-folder.ts';
import { follow, MODEL, type ProbeLab, poolOf } from './probe-pool.ts';
import { renderProbe, renderTraining } from './probe-table.ts';
import { checkBasis, hashOf, overridesOf } from './run.ts';
import { openRunFolder } from './run-folder.ts';

const usage = {
  name: 'probe',
  summary: 'The cosine probe: does the hack basis see hacking, before any RL is run?',
  positional: [],
  flags: {
    pool: text('FILE|templates|base|DIR', 'The teacher: a pool, the templates, the model, or a kept run.', 'templates'),
    run: text('ARM-SEED', 'Which run of DIR, where there are several.', null),
    basis: text('FILE', 'A hack basis (safetensors) instead of one from the pairs.', null),
    problems: integer('Problems to replay, a step each.', PROBE_PROBLEMS, 1),
    steps: integer('The same as --problems.', null, 1),
    samples: integer('Samples of each problem (G).', PROBE_SAMPLES, 1),
    correct: integer('Of the templates’ samples, how many have the right body beside the exploit.', CORRECT_ROWS),
    seed: integer('Of the random axes, the permutations and a model’s sampling.', 41),
    set: settings('Any setting of a run (adapter, gate, pairs, lr …); `run --settings` lists them.'),
    lora: toggle('Replay the pool with the LoRA adapter too, and set its T4 beside (T6).'),
    'lora-lr': number('LoRA’s learning rate: it has far more knobs, and diverges at the others’.', 0.003, 1e-6, 1),
    trajectory: integer('Train vanilla and erase for so many steps (T5; 15 or more to decide).', 0),
    ratio: number('Share of a training group that the templates’ teacher writes.', 0.5, 0, 0.9),
    'per-module': toggle('Rows tell the cosine of every module.'),
    out: text('DIR', 'Keep step_NNN.jsonl.gz files, pool and report there.', null),
    fresh: toggle('Begin anew, even where steps are kept.'),
    json: toggle('Print the report as JSON.'),
    device: oneOf(['auto', 'cpu', 'webgpu'], 'What to compute on.', 'auto'),
  },
  notes: [
    'An embedded ONNX teacher does not exist yet: the default teacher is the environment’s templates, some of whose hacks also solve.',
    'Without --out, what is needed to go on after Ctrl-C is kept in .cache/probe until the probe is done.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

export const probe: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    if (flags.pool === 'templates' && flags.correct > flags.samples)
      throw new SpecError(`--correct ${flags.correct} of --samples ${flags.samples}.`, 'Lower it.');
    const basisFile = flags.basis === null ? null : await hashOf(flags.basis);
    const overrides = {
      ...overridesOf(flags.set),
      ...(basisFile === null ? {} : { basisSource: 'file', basisFile }),
    } as Partial<Settings>;
    const specOf = (adapter?: 'lora') =>
      probeSpec({
        problems: flags.steps ?? flags.problems,
        perProblem: flags.samples,
        seed: flags.seed,
        perModule: flags['per-module'],
        overrides: adapter ? { ...overrides, ...lora(flags) } : overrides,
      });
    const spec = specOf();
    const second = flags.lora && spec.vanilla.adapter === 'svd' ? specOf('lora') : null;
    if (flags.lora && (!second || basisFile !== null))
      throw new SpecError(
        '--lora sets LoRA beside knobs on singular directions, each with the basis of its own pairs.',
        'Leave --basis and --set adapter=… away, or --lora.',
      );
    const report = await measure(spec, second, flags, overrides, context);
    context.out(
      flags.json ? JSON.stringify({ app: APP_VERSION, machine: describeMachine(), ...report }) : renderAll(report),
    );
    return EXIT.ok;
  },
};

const lora = (flags: Options) => ({ adapter: 'lora', lr: flags['lora-lr'] }) as const;

/** With --lora and --trajectory, what they measured. */
interface FullReport extends ProbeReport {
  lora?: ProbeReport;
  trajectories?: { svd: Trajectory | null; lora: Trajectory | null };
}

function renderAll(report: FullReport): string {
  const { lora: other, trajectories } = report;
  const training = (of: Trajectory | null | undefined) => (of ? [renderTraining(of)] : []);
  return [
    renderProbe(report),
    ...training(trajectories?.svd),
    ...(other ? ['With LoRA', renderProbe(other), ...training(trajectories?.lora)] : []),
  ].join('\n\n');
}

async function measure(
  spec: ProbeSpec,
  second: ProbeSpec | null,
  flags: Options,
  overrides: Partial<Settings>,
  context: CommandContext,
): Promise<FullReport> {
  const { progress, signal, root } = context;
  const { vanilla } = spec;
  if (vanilla.model !== MODEL)
    throw new SpecError(`model = ${JSON.stringify(vanilla.model)}`, `The probe has ${MODEL}.`);
  const files = await loadEmbeddedModel(root, MODEL);
  const codec = loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const { device, report: chosen } = await chooseNodeDevice(flags.device);
  progress.note(`Device: ${chosen.name}. ${chosen.reason}`);
  const load = (adapter: AdapterSettings) =>
    Engine.create({
      device,
      config: files.config,
      weights: files.weights,
      adapter,
      signal,
      onProgress: (done, total) => progress.update('factoring the model', done, total),
    });
  const name = await sha256(
    new TextEncoder().encode(JSON.stringify([spec, second, flags.pool, flags.correct, files.sha256])),
  );
  const path = flags.out === null ? join(root, '.cache', 'probe', name.slice(0, 12)) : resolve(flags.out);
  if (flags.fresh) for (const part of OWN_PARTS) await rm(join(path, part), { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  const grader = await createNodeGrader();
  try {
    await selfCheck(grader, signal);
    const lab = { modelSha256: files.sha256, codec, device, load, grader, path, context };
    const pool = await poolOf(spec, flags, lab);
    const first = await probeWith(spec, pool, { flags, overrides }, lab);
    const other =
      second &&
      (await probeWith(
        second,
        pool,
        { flags, overrides: { ...overrides, ...lora(flags) } },
        { ...lab, path: join(path, 'lora') },
      ));
    const report: FullReport = { ...first.report };
    if (first.trajectory) report.verdicts = replaced(report.verdicts, t5(first.trajectory));
    if (other) {
      report.lora = other.report;
      if (other.trajectory) other.report.verdicts = replaced(other.report.verdicts, t5(other.trajectory));
      const t4 = { svd: verdict(first.report, 'T4'), lora: verdict(other.report, 'T4') };
      const trainings = first.trajectory && other.trajectory ? { svd: first.trajectory, lora: other.trajectory } : null;
      const compared = t6(t4, trainings);
      report.verdicts = replaced(report.verdicts, compared);
      other.report.verdicts = replaced(other.report.verdicts, compared);
    }
    if (first.trajectory) report.trajectories = { svd: first.trajectory, lora: other?.trajectory ?? null };
    if (flags.out === null) await rm(path, { recursive: true, force: true });
    else await writeWhole(join(path, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
    return report;
  } catch (error) {
    if (error instanceof StoppedError) progress.note('Stopped. The same command goes on with the next step.');
    throw error;
  } finally {
    await grader.close();
  }
}

/** What a probe writes below its folder; --fresh removes nothing else there. */
const OWN_PARTS = ['vanilla', 'projected', 'lora', 'training', 'pool.jsonl.gz', 'report.json'];

/** Stages 2, 3, 4 and 7 with one adapter; and its two trainings, where they were asked for. */
async function probeWith(
  spec: ProbeSpec,
  pool: ProbePool,
  { flags, overrides }: { flags: Options; overrides: Partial<Settings> },
  { modelSha256, codec, device, load, grader, path, context }: ProbeLab,
): Promise<{ report: ProbeReport; trajectory: Trajectory | null }> {
  const { signal } = context;
  const policy = await load(spec.vanilla);
  try {
    if (flags.basis !== null) await checkBasis(flags.basis, policy.knobs, modelSha256, context);
    const given = new Map(flags.basis === null ? [] : [[spec.vanilla.basisFile, flags.basis]]);
    const folder = openRunFolder(join(path, 'training'), policy.knobs, modelSha256, given);
    const artifacts = flags.basis === null ? null : folder.artifacts;
    const label = spec.vanilla.adapter === 'lora' ? 'LoRA: ' : '';
    const report = await follow(
      runProbe(spec, pool, { policy, device, codec, artifacts, modelSha256, store: probeFolder(path), signal }),
      ({ what, done, total }) => ({ what: label + what, done, total }),
      context,
    );
    if (flags.trajectory === 0) return { report, trajectory: null };
    const vanillaId = runIdOf('probe', { arm: 'none', seed: flags.seed });
    const training = trajectorySpec({ steps: flags.trajectory, seed: flags.seed, ratio: flags.ratio, overrides });
    let [run, step] = [0, 0];
    const ratios = await ratioFile(join(path, 'training', 'ratios.json'));
    const result = await follow(
      runExperiment(training, {
        experimentId: 'probe',
        policy,
        device,
        codec,
        grader,
        about: { modelId: MODEL, modelSha256, appVersion: APP_VERSION },
        checkpoints: folder.checkpoints,
        artifacts: folder.artifacts,
        finishedRun: folder.finishedRun,
        date: () => Date.now(),
        now: () => performance.now(),
        signal,
        onRatios: (runId, at, histogram) => {
          if (runId === vanillaId) ratios.byStep.set(at, histogram);
        },
      }),
      (event) => {
        if (event.type === 'step') step = event.row.step;
        if (event.type === 'run-end') [run, step] = [run + 1, 0];
        const done = run * flags.trajectory + step;
        return { what: `${label}training (vanilla, erase)`, done, total: 2 * flags.trajectory };
      },
      context,
      async (event) => {
        if (event.type === 'step') await ratios.save();
        if (event.type === 'run-end' && event.run.status === 'done') await folder.saveRun(event.run);
      },
    );
    return { report, trajectory: trajectoryOf(result.runs, ratios.byStep) };
  } finally {
    policy.free();
  }
}

/** Vanilla's ratio histograms, kept beside its checkpoints: no row of a run has a place for them. */
async function ratioFile(path: string) {
  const kept = await readFile(path, 'utf8').catch(() => '[]');
  const byStep = new Map(JSON.parse(kept) as [number, readonly number[]][]);
  const save = async () => {
    if (byStep.size > 0) await writeWhole(path, JSON.stringify([...byStep].sort(([a], [b]) => a - b)));
  };
  return { byStep, save };
}

function verdict({ verdicts }: ProbeReport, id: Verdict['id']): Verdict {
  return verdicts.find((other) => other.id === id) as Verdict;
}

function replaced(verdicts: readonly Verdict[], by: Verdict): Verdict[] {
  return verdicts.map((verdict) => (verdict.id === by.id ? by : verdict));
}
