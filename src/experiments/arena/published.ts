// From the runs of the arena's sweeps to the sheet that is published of them (sheet.ts).
import { isComplete } from '../analysis/compare.ts';
import { withDefaults } from '../config/spec.ts';
import { experimentOfRun } from '../judge/question.ts';
import type { Opening } from '../judge/sheet.ts';
import type { LabRun } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { judgedRows } from './estimates.ts';
import { methodOf } from './methods.ts';
import type { ArenaSheet } from './sheet.ts';

/** Only complete runs; empty where no cell has repaired graders beside vanilla. */
export async function arenaSheet(
  runs: readonly RunRecord[],
  open: (run: LabRun) => Promise<string>,
): Promise<ArenaSheet> {
  const complete = runs.filter(isComplete);
  const points = judgedRows(complete).filter(({ arm, model }) => isShown(arm, model));
  const arms = [...new Set(points.map(({ arm }) => arm))];
  const sheet: ArenaSheet = { made: [...new Set(complete.map(madeBy))], points, runs: [] };
  for (const arm of arms) {
    const openings: Opening[] = [];
    for (const record of complete.filter(({ spec }) => spec.arm === arm)) {
      const name = nameOfCell(record);
      const hash = await open({ group: arm, name, spec: experimentOfRun(record), record });
      openings.push({ group: arm, name, hash });
    }
    sheet.runs.push({ arm, openings });
  }
  return sheet;
}

/** What an arm trains or deploys, what is made of it by a method, and the way to what it deploys: not, say, a merge of repaired graders. */
const isShown = (arm: string, model: string): boolean =>
  model === 'total' || /^deployed(_|$)/.test(model) || methodOf(arm, model)?.model !== undefined;

const madeBy = ({ device, appVersion, modelSha256, spec }: RunRecord): string =>
  `${device}; lab ${appVersion}; ${spec.model} ${modelSha256.slice(0, 8)}`;

function nameOfCell({ spec }: RunRecord): string {
  const { modes, dataSeed } = withDefaults(spec);
  return `${modes.join(', ')}, seed ${spec.seed}, data seed ${dataSeed}`;
}
