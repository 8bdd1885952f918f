// One draw of the prediction question: vanilla is trained once, the predictors are measured at the untrained model, and vanilla's recorded steps
// are routed along every form of pairs. The quarantines share the rollouts, so that two forms differ by their pairs alone.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import type { RunBases } from '../../../src/experiments/bases/bases.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import { type ExperimentPorts, runOne, type Shared } from '../../../src/experiments/kinds/run/experiment.ts';
import { replaySteps } from '../../../src/experiments/kinds/run/step-replay.ts';
import { evaluateModel, type Measured } from '../../../src/experiments/loop/evaluate.ts';
import type { LabEvent, RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow, metricValue, ofKind } from '../../../src/experiments/records/metrics.ts';
import type { StepStore } from '../../../src/experiments/records/steps.ts';
import { FORMS, formId, quarantines, SHOWN } from './cells.ts';
import { formBases } from './form-bases.ts';
import { poolsByMode, predictorsOf } from './predictors.ts';
import type { PredictionRow } from './rows.ts';

export interface PredictionPorts {
  ports: ExperimentPorts;
  shared: Pick<Shared, 'preparation' | 'base'>;
  steps: StepStore;
  /** Commit of the running code, if known. */
  commit?: string;
}

/** Yields one row per form, in their order. Throws StoppedError after a stop. */
export async function* measureDraw(
  spec: RunSpec,
  { ports, shared, steps, commit }: PredictionPorts,
): AsyncGenerator<LabEvent, PredictionRow[]> {
  const { policy, device, codec, signal } = ports;
  const controls = quarantines(spec);
  const routed: RunSpec = { ...spec, projection: 'route', projectTarget: 'update', shadows: controls };
  const bases = yield* formBases(routed, { policy, codec, signal });
  const pools = await poolsByMode(spec, { policy, codec, signal });
  const before: PredictionRow['before'][] = [];
  for (const { basis, pairs } of bases) before.push(await predictorsOf(basis, pairs, pools, { policy, device }));
  const record = yield* runOne(spec, ports, { ...shared, runs: [], steps });
  const kept = await steps.load(record.id);
  if (kept?.length !== spec.steps)
    throw new LabError(`the steps of ${record.id} were not kept`, 'Check that the folder can be written.');
  async function* given(): AsyncGenerator<LabEvent, RunBases> {
    const shadows = bases.map(({ basis }, i) => ({ spec: controls[i], basis }));
    return { own: shadows[0].basis, shadows };
  }
  const { shadows: quarantined } = yield* replaySteps(
    { runId: record.id, spec, steps: kept, shadows: controls, finalEvaluation: false },
    {
      policy,
      device,
      codec,
      preparation: { environment: (run) => shared.preparation.environment(run), bases: given },
      signal,
    },
  );
  const environment = yield* shared.preparation.environment(spec);
  const rows: PredictionRow[] = [];
  for (const [i, form] of FORMS.entries()) {
    yield { type: 'phase', runId: record.id, step: spec.steps, phase: 'evaluation', done: i, total: FORMS.length };
    const { deployed } = quarantined[formId(form)];
    const final = environment.evaluation.final;
    const measured = await evaluateModel({ policy, codec, environment }, deployed, final, { ...spec, signal });
    rows.push({
      schema: 1,
      dataSeed: spec.dataSeed,
      seed: spec.seed,
      ...form,
      before: before[i],
      base: ratesOf(rowOf(record, 'base')),
      whole: ratesOf(rowOf(record, 'total')),
      deployed: ratesOf(measured),
      problems: final.length / SHOWN.length,
      createdAt: record.createdAt,
      device: record.device,
      appVersion: record.appVersion,
      ...(commit === undefined ? {} : { commit }),
    });
  }
  return rows;
}

function rowOf(record: RunRecord, model: string): Measured {
  const row = finalRow(record, model);
  if (!row) throw new LabError(`${record.id} has no evaluation of ${model}`, 'Train it again.');
  return row;
}

function ratesOf({ all }: Pick<Measured, 'all'>): PredictionRow['deployed'] {
  const of = (id: string): number => {
    const value = metricValue(all, id);
    if (value === null)
      throw new LabError(`the evaluation has no ${id}`, 'This is a fault in the lab; please report it.');
    return value;
  };
  return { hack: SHOWN.map((mode) => of(ofKind('hack', mode))), solve: of('solve') };
}
