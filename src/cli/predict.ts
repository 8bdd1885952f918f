// `predict`: what can be known of labelled pairs before training, against what their quarantine removes (docs/lab-book/prediction.md).
// Stopped at any moment, the same command goes on: a draw is written whole, and its training from its last checkpoint.

import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { StudyEquipment } from '../experiments/kinds/study/runner.ts';
import { type Draw, JUDGED, PILOTS, runOf } from '../experiments/prediction/cells.ts';
import { measureDraw } from '../experiments/prediction/measure.ts';
import { type PredictionRow, predictionRowSchema } from '../experiments/prediction/rows.ts';
import type { LabEvent } from '../experiments/records/events.ts';
import { makeFolder } from '../storage/disk.node.ts';
import { integer, oneOf, text } from './args.ts';
import { command, EXIT } from './command.ts';
import { remakingFlags } from './device-flags.ts';
import { RowFile, type RowKind } from './files/rows.node.ts';
import type { Progress } from './progress.ts';
import { openStudyFolder, prepareStudyFolder } from './study/folder.ts';
import { openStudyHost } from './study/host.ts';

const usage = {
  name: 'predict',
  summary: 'Measures labelled pairs before training, trains, and measures what a quarantine along them removes.',
  positional: [],
  flags: {
    draws: oneOf(['pilots', 'judged'], 'The pilots made the formula; the others judge it.', 'judged'),
    steps: integer('A short check: so many steps. Its figures are not those of the question.', null, 1),
    ...remakingFlags('What to compute on.'),
    out: text('DIR', 'Folder of rows, checkpoints and kept steps.', 'prediction'),
  },
  notes: 'Writes DIR/pilots.jsonl or DIR/judged.jsonl. Ctrl-C stops cleanly; the same command goes on.',
} as const;

export const PREDICTION_ROWS: RowKind<PredictionRow> = {
  command: 'predict',
  read: (value) => {
    const { sha256: _, ...row } = value;
    const read = predictionRowSchema.safeParse(row);
    return read.success ? read.data : null;
  },
};

const sameDraw = (row: PredictionRow, { dataSeed, seed }: Draw) => row.dataSeed === dataSeed && row.seed === seed;

export const predict = command(usage, async ({ flags }, { out, progress, signal, root }) => {
  const { draws, steps, device, threads } = flags;
  const path = resolve(flags.out);
  await makeFolder(path);
  const folder = openStudyFolder(join(path, 'work'), (line) => progress.note(line));
  await prepareStudyFolder(folder.path);
  const file = await RowFile.open(join(path, `${draws}.jsonl`), PREDICTION_ROWS, (line) => progress.note(line));
  const asked = draws === 'pilots' ? PILOTS : JUDGED;
  const missing = asked.filter((draw) => !file.rows.some((row) => sameDraw(row, draw)));
  if (steps !== null && file.rows.length > 0 && missing.length < asked.length)
    throw new SpecError(`${file.path} has rows of whole runs.`, 'Give a short check a folder of its own.');
  const host = await openStudyHost({ root, device, threads, store: folder, progress, signal });
  try {
    for (const [i, draw] of missing.entries()) {
      progress.note(`Draw ${i + 1} of ${missing.length}: data seed ${draw.dataSeed}, training seed ${draw.seed}`);
      const spec = runOf(draw, steps ?? undefined);
      const { ports, shared }: StudyEquipment = await host.equip(spec);
      const own = {
        ...ports,
        experimentId: `prediction-${draw.dataSeed}-${spec.steps}`,
        checkpoints: folder.checkpoints,
        artifacts: folder.artifacts,
        steps: folder.steps,
      };
      const { commit } = host;
      const made = measureDraw(spec, {
        ports: own,
        shared,
        steps: folder.steps,
        ...(commit === undefined ? {} : { commit }),
      });
      let next = await made.next();
      for (; !next.done; next = await made.next()) tell(next.value, progress, spec.steps);
      await file.append(...next.value);
    }
  } finally {
    await host.close();
  }
  progress.end();
  out(`${file.path}: ${asked.length} draws.`);
  return EXIT.ok;
});

function tell(event: LabEvent, progress: Progress, steps: number): void {
  if (event.type === 'prepare') progress.update(event.what, event.done, event.total);
  else if (event.type === 'step') progress.update('training', event.row.step, steps);
  else if (event.type === 'phase' && event.step === steps) progress.update(event.phase, event.done, event.total);
}
