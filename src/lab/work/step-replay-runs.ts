// "Replay with this basis" for stored experiments: all finished runs of one arm, so that the new quarantine covers the same seeds as the
// rest of the table. Either every run gets its row, or none does.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { adapterOf, describeAdapter } from '../../engine/adapter-layout.ts';
import { buildTable } from '../../experiments/analysis/table.ts';
import { verdicts } from '../../experiments/analysis/verdicts.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import { Preparation } from '../../experiments/environments/preparation.ts';
import { REPLAYING, replaySteps } from '../../experiments/kinds/run/step-replay.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { keepsSteps } from '../../experiments/records/steps.ts';
import { type Equipped, targetOf, writingAs } from '../equipment/equipment.ts';
import { checkModel } from '../equipment/kept-model.ts';
import type { LoadedExperiment } from '../protocol/experiments.ts';
import type { Records } from '../records/records.ts';
import { drainUntilStopped, turnOrStop } from './drain.ts';

/** Names that fit into a table and identify a row. */
const NAME = /^[\w][\w ,.=+-]{0,39}$/;

/** Runs that can be replayed: finished, and trained as vanilla is. Throws SpecError if there are none, or the name is taken. */
export function replayableRuns(runs: readonly RunRecord[], arm: ArmName, { id }: ControlSpec): RunRecord[] {
  if (!NAME.test(id))
    throw new SpecError(
      `A quarantine cannot be called ${JSON.stringify(id.slice(0, 60))}.`,
      'Use up to 40 letters, digits, spaces and , . = + - signs.',
    );
  const ofArm = runs.filter(({ spec }) => spec.arm === arm);
  const finished = ofArm.filter(({ status, spec }) => status === 'done' && keepsSteps(spec));
  if (finished.length === 0)
    throw new SpecError(
      `No run of the arm ${arm} can be replayed.`,
      'Choose a finished vanilla or route (update) arm.',
    );
  if (finished.some(({ evals }) => evals.some(({ model }) => model === id)))
    throw new SpecError(`There is a model ${JSON.stringify(id)} already.`, 'Give the quarantine another name.');
  return finished;
}

export async function stepReplayRuns(
  request: { experimentId: string; arm: ArmName; shadow: ControlSpec },
  records: Records,
  equipped: Equipped,
  signal: AbortSignal,
  onProgress: (what: string, fraction: number) => void,
): Promise<LoadedExperiment> {
  const { experimentId, arm, shadow: control } = request;
  const runs = await records.runs(await records.experiment(experimentId));
  const wanted = replayableRuns(runs, arm, control);
  const { policy, chosen, codec, grader, model } = await writingAs(equipped, wanted[0].spec);
  const artifacts = records.artifacts(targetOf({ policy, model }), grader.version);
  // Judged as in training: all runs use this model.
  const thinking = wanted.find((run) => run.thinking)?.thinking;
  const knowsThinking = thinking === undefined ? {} : { knowsThinking: thinking === 'strip' };
  const about = { modelSha256: model.sha256, ...knowsThinking };
  const preparation = new Preparation({ policy, codec, grader, artifacts, ...about, signal });
  const made: RunRecord[] = [];
  for (const [i, run] of wanted.entries()) {
    checkModel(run, { model }, 'Load the model that it was trained on.');
    const adapter = describeAdapter(adapterOf(policy.adapterLayout));
    if (adapter !== describeAdapter(run.spec))
      throw new SpecError(`${run.id} trains another adapter than ${adapter}.`, 'Load the model with that adapter.');
    const steps = await records.steps.load(run.id);
    if (!steps)
      throw new SpecError(
        `The optimizer steps of ${run.id} are not kept.`,
        'Runs of earlier versions have none; train it again.',
      );
    const { spec } = run;
    const stream = replaySteps(
      { runId: run.id, spec, steps, shadows: [control], finalEvaluation: true },
      { policy, device: chosen.device, codec, preparation, signal },
    );
    let share = 0;
    const {
      own,
      shadows: controls,
      evals,
    } = await drainUntilStopped(stream, signal, (event) => {
      if (event.type !== 'prepare' && event.type !== 'phase') return;
      const what = event.type === 'prepare' ? event.what : event.phase;
      // The steps may be replayed twice after a short preparation; the progress never goes back.
      if (event.type === 'phase') share = 0.5;
      else if (what === REPLAYING) share = Math.max(share, 0.5 * (event.done / event.total));
      onProgress(`run ${i + 1} of ${wanted.length}: ${what}`, (i + share) / wanted.length);
    });
    const { removed } = controls[control.id];
    const note = `Σ‖removed‖ ${removed.toPrecision(4)}, the run’s own V ${own.removed.toPrecision(4)}`;
    const rows = evals.map((row) => ({ ...row, note: row.note ?? note }));
    const again = { shadow: control, removed, ownRemoved: own.removed, device: chosen.report.name };
    made.push({ ...run, evals: [...run.evals, ...rows], rerouted: [...(run.rerouted ?? []), again] });
  }
  await turnOrStop(signal);
  onProgress('keeping the rows', 1);
  return keepReplays(experimentId, made, records);
}

/** The experiment is read again, since it may have been renamed meanwhile. */
async function keepReplays(id: string, made: readonly RunRecord[], records: Records): Promise<LoadedExperiment> {
  const record = await records.experiment(id);
  const runs = (await records.runs(record)).map((run) => made.find((other) => other.id === run.id) ?? run);
  for (const run of made) await records.saveRun(run);
  if (record.result) {
    const table = buildTable(runs);
    record.result = { ...record.result, runs, table, verdicts: verdicts(runs, table) };
    await records.saveExperiment(record);
  }
  return { record, runs };
}
