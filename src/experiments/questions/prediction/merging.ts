// P5: whether merging with vanilla adds more than its controls. The rule is the arena's (../../arena/merging.ts).

import { two } from '../../../lib/numbers.ts';
import {
  MERGE_CONTROL_NAMES,
  MERGING_NAMES,
  MERGING_RULE,
  type MergingKey,
  mergingEstimates,
} from '../../arena/merging.ts';
import { narrowCells, ratesOf } from '../../arena/narrow.ts';
import { MERGE_CONTROLS } from '../../config/controls.ts';
import { withDefaults } from '../../config/spec.ts';
import { dotChart, eachLine, madeOf } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns, sharesTable } from './shares.ts';

const FILE = 'arena/merging.runs.json.gz';
/** P4's: repaired graders in the same cells. */
const LINES = 'arena/narrow.runs.json.gz';

const isOwn = ({ spec }: RunRecord) => withDefaults(spec).alsoEvaluate.includes('merge_controls');

const MODELS = [
  ['vanilla', 'none', 'total'],
  ['RL on trusted strings', 'trusted-only', 'total'],
  ['merged with vanilla', 'trusted-only', 'merge'],
  ...MERGE_CONTROLS.map((name) => [MERGE_CONTROL_NAMES[name], 'trusted-only', `merge_${name}`] as const),
] as const;

export const MERGING: Question<readonly RunRecord[], MergingKey> = {
  id: 'P5',
  title: 'Does merging with vanilla add more than its controls?',
  hypothesis:
    'Where all trusted problems take strings, merging RL on them with vanilla’s update where signs agree solves more honest prompts than the same rule with vanilla’s signs made random, and than the trusted update alone at the norm of the merged one.',
  falsified: 'Random signs add as much, within a point or by an interval below.',
  unit: 'draws',
  caveat:
    'One model of .85 M parameters, one flawed grader (sentinel), the eight draws and the seed of P4: what merging comes to was known when the rule was written, its controls were not.',
  section: 'Does merging with vanilla add more than its controls?',
  files: [FILE, LINES],
  commands: ['npm run lab -- findings --series prediction --dry'],
  says: {
    holds: 'What merging with vanilla adds is more than random signs or a longer trusted update add.',
    'in part: more than one of its two controls':
      'What merging with vanilla adds is more than one of its two controls adds.',
    'fails: random signs add as much': 'Random signs add as much as merging with vanilla does.',
    open: 'Merging with vanilla is not shown to add more than its controls.',
  },
  read: (rows) => [...rows.runs(FILE), ...rows.runs(LINES)],
  names: MERGING_NAMES,
  rule: MERGING_RULE,
  show: two,
  estimates: (runs) => (runs.some(isOwn) ? mergingEstimates(runs) : null),
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
    const cells = narrowCells(runs);
    const differences = MERGE_CONTROLS.flatMap((name) => estimates[`over:${name}`] ?? []);
    return {
      tables: [
        sharesTable(
          `${cells.length} draws`,
          MODELS.map(([label, arm, model]) => [label, ratesOf(cells, arm, model)] as const),
        ),
      ],
      chart: dotChart(
        'Honest solve of merged above its controls, a dot a draw',
        'difference in honest solve',
        differences,
        'trusted-only',
      ),
      made: madeOf(runs),
      runs: () => namedRuns(runs.filter(isOwn)),
      limits: [],
      inDocs: [
        `**P5: ${verdict.status}`,
        ...(estimates['over:random'] ? [eachLine(estimates['over:random'], two)] : []),
      ],
    };
  },
};
