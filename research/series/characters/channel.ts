// S3: does leakage depend on the algorithm or on the channel? The same dial taught by RL, by A's transcripts, by the best of its own
// samples and by documents.

import { BESIDE_A } from '../../../src/environments/characters/task.ts';
import {
  atEffect,
  countUnderAll,
  meanOnly,
  meansOf,
  pairsEstimate,
  type Reading,
  samenessNotes,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import { differenceAcross, sharedBy } from '../../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';

const ARMS = { RL: 'none', SFT: 'sft', SDF: 'sdf' } as const;

export function s3(rows: readonly CurveRow[]): Reading<'behaviour' | 'algorithm' | 'nearer'> {
  const own = rows.filter((row) => row.asked === 'dial' && row.teaches === 'dial' && row.adapter === undefined);
  const arms = Object.entries(ARMS).map(([kind, arm]) => ({ kind, ...atEffect(own, (row) => row.arm === arm) }));
  const distilled = { kind: 'best of n', ...atEffect(own, (row) => row.arm === 'best_of_n') };
  const shared = sharedBy(arms);
  const [rl, sft, sdf] = shared.map(({ reached }) => reached);
  const differences = BESIDE_A.flatMap((group) => [
    pairsEstimate(`SFT − SDF, ${group}`, differenceAcross(sft, sdf, group)),
    pairsEstimate(`RL − SFT, ${group}`, differenceAcross(rl, sft, group)),
    pairsEstimate(`RL − best of n, ${group}`, differenceAcross(rl, distilled.reached, group)),
    pairsEstimate(`best of n − SDF, ${group}`, differenceAcross(distilled.reached, sdf, group)),
  ]);
  const named = (name: string) => differences.find((figure) => figure.name === name)!;
  const [behaviour, algorithm] = [named('SFT − SDF, near'), named('RL − SFT, near')];
  const nearer = (behaviour.mean ?? 0) - (algorithm.mean ?? 0);
  return {
    estimates: {
      behaviour: { ...behaviour, asked: countUnderAll(arms), n: rl.length },
      algorithm,
      nearer: meanOnly(nearer),
    },
    limits: (status) => (status === 'holds' ? samenessNotes('Leakage to near, RL − transcripts', algorithm) : []),
    figures: [
      behaviour,
      algorithm,
      ...differences.filter((one) => one !== behaviour && one !== algorithm),
      ...meansOf([...shared, distilled]),
    ],
    notes: [...arms, distilled].flatMap((arm) => shortNotes(arm.kind, arm)),
  };
}
