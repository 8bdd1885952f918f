// `predict`: compares predictions from labelled pairs, made before training, with what their quarantine removes
// (docs/lab-book/prediction.md). It can be stopped at any time and resumed: a draw is written as a whole, and its training resumes from the
// last checkpoint.

import { dirname, join, resolve } from 'node:path';
import { integer, oneOf, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import type { Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { makeFolder } from '@projected-grpo-lab/base/files/disk.node.ts';
import { remakingFlags } from '../../src/cli/device-flags.ts';
import { RowFile, readRows, rowsOf } from '../../src/cli/files/rows.node.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import { embeddedHost } from '../../src/cli/run/embedded-host.ts';
import { openRunsFolder, prepareRunsFolder } from '../../src/cli/run/runs-folder.ts';
import type { LabEvent } from '../../src/experiments/records/events.ts';
import type { RunEquipment } from '../../src/experiments/runs/runner.ts';
import { drained } from '../../src/lib/drained.ts';
import { gzipText } from '../../src/lib/inflate.ts';
import { command } from '../program.ts';
import { type Draw, JUDGED, PILOTS, runOf } from '../series/prediction/cells.ts';
import { PARTS, pilotedOf } from '../series/prediction/formula.ts';
import { measureDraw } from '../series/prediction/measure.ts';
import { type PredictionRow, predictionRowSchema } from '../series/prediction/rows.ts';

const DRAWS = ['pilots', 'judged'] as const;

const usage = {
  name: 'predict',
  summary: 'Measures labelled pairs before training, trains, and measures what a quarantine along them removes.',
  flags: {
    draws: oneOf(DRAWS, 'The pilots made the formula; the others judge it.', 'judged'),
    steps: integer('A short check: so many steps. Its rows have a file of their own.', null, 1),
    ...remakingFlags('What to compute on.'),
    publish: toggle('Pack the rows of the folder into public/results/prediction; run nothing.'),
    out: text('DIR', 'Folder of rows, checkpoints and kept steps.', 'prediction'),
  },
  notes: 'Writes DIR/pilots.jsonl or DIR/judged.jsonl. Ctrl-C stops cleanly; the same command goes on.',
} as const;

const PREDICTION_ROWS = rowsOf('predict', predictionRowSchema);

const sameDraw = (row: PredictionRow, { dataSeed, seed }: Draw) => row.dataSeed === dataSeed && row.seed === seed;

export const predict = command(usage, async ({ flags }, { out, progress, signal, root }) => {
  const { draws, steps, device, threads } = flags;
  const path = resolve(flags.out);
  if (flags.publish) {
    for (const name of DRAWS) {
      const rows = await readRows(join(path, `${name}.jsonl`), PREDICTION_ROWS, progress.note);
      const packed = gzipText(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const published = join('public', 'results', 'prediction', `${name}.jsonl.gz`);
      await makeFolder(dirname(join(root, published)));
      await writeWhole(join(root, published), packed);
      out(`${published}: ${rows.length} rows, ${packed.length} bytes.`);
    }
    return EXIT.ok;
  }
  await makeFolder(path);
  const folder = openRunsFolder(join(path, 'work'), progress.note);
  await prepareRunsFolder(folder.path);
  // Rows of a short check do not count for the question.
  const name = steps === null ? draws : `${draws}-${steps}-steps`;
  const file = await RowFile.open(join(path, `${name}.jsonl`), PREDICTION_ROWS, progress.note);
  const chosen = draws === 'pilots' ? PILOTS : JUDGED;
  const missing = chosen.filter((draw) => !file.rows.some((row) => sameDraw(row, draw)));
  const host = embeddedHost({ root, device, threads, store: folder, progress, signal });
  try {
    for (const [i, draw] of missing.entries()) {
      progress.note(`Draw ${i + 1} of ${missing.length}: data seed ${draw.dataSeed}, training seed ${draw.seed}`);
      const spec = runOf(draw, steps ?? undefined);
      const { ports, shared, commit }: RunEquipment = await host.equip(spec);
      const own = {
        ...ports,
        experimentId: `prediction-${draw.dataSeed}-${spec.steps}`,
        checkpoints: folder.checkpoints,
        artifacts: folder.artifacts,
        steps: folder.steps,
      };
      const made = measureDraw(spec, {
        ports: own,
        shared,
        steps: folder.steps,
        ...(commit === undefined ? {} : { commit }),
      });
      await file.append(...(await drained(made, (event) => reportProgress(event, progress, spec.steps))));
    }
  } finally {
    await host.close();
  }
  progress.end();
  out(`${file.path}: ${chosen.length} draws.`);
  if (draws === 'pilots' && steps === null) {
    const rows = await readRows(file.path, PREDICTION_ROWS, progress.note);
    for (const part of PARTS) out(`${part}: ${JSON.stringify(pilotedOf(rows, part))}`);
  }
  return EXIT.ok;
});

function reportProgress(event: LabEvent, progress: Progress, steps: number): void {
  if (event.type === 'prepare') progress.update(event.what, event.done, event.total);
  else if (event.type === 'step') progress.update('training', event.row.step, steps);
  else if (event.type === 'phase' && event.step === steps) progress.update(event.phase, event.done, event.total);
}
