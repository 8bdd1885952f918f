// T5 and T6 of a stored probe, as the user starts them in the page: the trainings, and for T6 a replay with LoRA before them. Each part is
// stored when it is done, by the settings that determine it: a stopped training resumes, and none is repeated.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EMBEDDED_MODELS } from '../../../experiments/config/preset-in.ts';
import type { Settings } from '../../../experiments/config/settings.ts';
import { resolveRuns } from '../../../experiments/config/spec.ts';
import { checkProbeModel } from '../../../experiments/kinds/probe/spec.ts';
import { TRAINING, trainingKey, trainTrajectory, withTrainings } from '../../../experiments/kinds/probe/training.ts';
import { trajectorySpec } from '../../../experiments/kinds/probe/trajectory.ts';
import type { ProbeReport, Trajectory } from '../../../experiments/kinds/probe/types.ts';
import { knowsThinkingOf } from '../../../experiments/kinds/run/experiment.ts';
import { targetOf, writingAs } from '../../equipment/equipment.ts';
import type { ProbeAsk, ProbeRecord, ProbeTraining } from '../../protocol/probe.ts';
import { APP_VERSION } from '../../protocol/version.ts';
import { LORA } from '../../records/probes.ts';
import { follow, type ProbeRunPorts, poolOfProbe, replay, specOf } from './run.ts';
import { Pace, type Phase, replayPhases, trainingWork } from './work.ts';

const LABEL = 'LoRA: ';

/** Throws SpecError, and StoppedError if stopped: finished parts stay stored. */
export async function trainRequestedProbe(
  id: string,
  settings: ProbeTraining,
  ports: ProbeRunPorts,
): Promise<ProbeRecord> {
  const { probes } = ports.records;
  const kept = await probes.need(id);
  const { ask, report } = kept;
  if (!ask || !report)
    throw new SpecError(
      ask ? 'The probe is not finished.' : 'The settings of a probe from a file are not known.',
      ask ? 'Resume it first.' : 'Run the same probe here, or train on the command line.',
    );
  await checkModelOf(kept, ports);
  // Both verdicts need trainings of the same settings, so a probe with T6 does not get T5 alone.
  const training: ProbeTraining = report.lora ? { ...settings, check: 'T6' } : settings;
  const isLora = specOf(ask).vanilla.adapter === 'lora';
  if (training.check === 'T6' && (isLora || ask.settings.basisFile))
    throw new SpecError(
      'T6 compares LoRA with the SVD adapter, each with the basis of its own pairs.',
      'Run a probe with adapter svd and a basis from pairs.',
    );
  const parts: Part[] = [
    { changes: {}, label: '' },
    ...(training.check === 'T6' ? [{ changes: loraOf(training), label: LABEL }] : []),
  ];
  const pace = new Pace(phasesOf({ ask, training }, parts));
  await probes.change(id, { training });
  ports.onStarted(id);

  const trained: { report: ProbeReport; trajectory: Trajectory | null }[] = [];
  for (const { changes, label } of parts) {
    const replayed = label === '' ? report : await replayLora(kept, changes, pace, ports);
    trained.push({
      report: replayed,
      trajectory: await train(kept, { ask, training }, { changes, label }, pace, ports),
    });
  }
  const [own, lora] = trained;
  const full = withTrainings(withoutTrainings(report), own.trajectory, lora ?? null);
  return probes.finish(id, { report: full, training: null });
}

/** A verdict combines a replay and trainings, which must use one model. Throws SpecError. */
async function checkModelOf({ model }: ProbeRecord, { opened }: ProbeRunPorts): Promise<void> {
  const loaded = (await opened()).model;
  checkProbeModel(loaded.id);
  if (model && model.sha256 !== loaded.sha256)
    throw new SpecError(`The probe replayed ${model.id}, and ${loaded.id} is loaded.`, `Load ${model.id} first.`);
}

/** Reports progress of the pool at the current fraction of the whole work. */
const atFraction = (pace: Pace, ports: ProbeRunPorts): ProbeRunPorts => ({
  ...ports,
  onProgress: (at) => ports.onProgress({ ...at, fraction: pace.fraction }),
});

const loraOf = ({ loraLr }: ProbeTraining): Partial<Settings> => ({ adapter: 'lora', lr: loraLr });

/** The report of the replay alone. */
const withoutTrainings = ({ lora: _, trajectories: __, ...report }: ProbeReport): ProbeReport => report;

interface TrainingRequest {
  ask: ProbeAsk;
  training: ProbeTraining;
}

/** Work of one adapter: its changes of settings, and the prefix of its progress. */
interface Part {
  changes: Partial<Settings>;
  label: string;
}

function phasesOf({ ask, training }: TrainingRequest, parts: readonly Part[]): Phase[] {
  return parts.flatMap(({ changes, label }): Phase[] => {
    const { vanilla } = specOf(ask, changes);
    const [run] = resolveRuns(specOfTraining({ ask, training }, changes, null));
    const replays = label === '' ? [] : replayPhases(ask.samples, ask.problems, vanilla.pairs, label);
    return [...replays, [label + TRAINING, trainingWork(training.steps, run)]];
  });
}

function specOfTraining(
  { ask, training }: TrainingRequest,
  changes: Partial<Settings>,
  pool: Parameters<typeof trajectorySpec>[0]['pool'],
) {
  const { steps, ratio, innerEpochs } = training;
  return trajectorySpec({
    steps,
    ratio,
    seed: ask.seed,
    pool,
    overrides: { ...ask.settings, innerEpochs, ...changes },
  });
}

/** Replays the same pool with LoRA's own basis, stored below the probe's own steps. */
async function replayLora(
  kept: ProbeRecord,
  changes: Partial<Settings>,
  pace: Pace,
  ports: ProbeRunPorts,
): Promise<ProbeReport> {
  const spec = specOf(kept.ask as ProbeAsk, changes);
  const equipped = await writingAs(await ports.equip(spec.vanilla), spec.vanilla);
  const pool = await poolOfProbe(kept, equipped, atFraction(pace, ports));
  return follow(replay(spec, pool, equipped, ports, kept.id, LORA), pace, ports, LABEL);
}

async function train(
  kept: ProbeRecord,
  request: TrainingRequest,
  { changes, label }: Part,
  pace: Pace,
  ports: ProbeRunPorts,
): Promise<Trajectory | null> {
  const { records, signal } = ports;
  const { vanilla } = specOf(request.ask, changes);
  const equipped = await writingAs(await ports.equip(vanilla), vanilla);
  const pool = await poolOfProbe(kept, equipped, atFraction(pace, ports));
  const { policy, chosen, codec, grader, model } = equipped;
  const spec = specOfTraining(request, changes, pool.own);
  const on = { modelSha256: model.sha256, graderVersion: grader.version, numerics: chosen.device.numerics };
  const key = await trainingKey(spec, on);
  const { trainings = [] } = await records.probes.need(kept.id);
  await records.probes.change(kept.id, { trainings: [...new Set([...trainings, key])] });
  return follow(
    trainTrajectory(spec, {
      policy,
      codec,
      grader,
      signal,
      date: () => Date.now(),
      now: () => performance.now(),
      device: chosen.device,
      about: {
        modelId: model.id,
        modelSha256: model.sha256,
        appVersion: APP_VERSION,
        ...knowsThinkingOf(EMBEDDED_MODELS.includes(model.id) ? {} : equipped.text),
      },
      artifacts: records.artifacts(targetOf(equipped), grader.version),
      store: records.probes.trainingOf(key),
    }),
    pace,
    ports,
    label,
  );
}
