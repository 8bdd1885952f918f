// Invalid combinations of a basis, the projection along it, and its replacements.
import { refusePairSet } from '../../../environments/code/pair-sets/table.ts';
import { isAdamSpan, isTrustedBasis } from '../../methods/trusted-basis.ts';
import { ARMS, type Arm } from '../arms.ts';
import type { Contradiction } from '../run-spec.ts';

export const PROJECTION_CONTRADICTIONS: readonly Contradiction[] = [
  ({ pairs, nHeldout }) =>
    pairs - nHeldout < 2
      ? {
          what: `pairs = ${pairs} with nHeldout = ${nHeldout} leaves ${pairs - nHeldout}`,
          remedy: 'Keep at least 2 pairs.',
        }
      : null,
  ({ basisSource, arm }) =>
    basisSource === 'random_matched' && (ARMS[arm] as Arm).settings.basisSource !== 'random_matched'
      ? {
          what: 'basisSource = random_matched: its width is set by vanilla’s run',
          remedy:
            'Set basisSource to pairs, and add the arm random_V_matched or random_V_matched-route beside vanilla.',
        }
      : null,
  ({ basisSource, solveOrth, pairs, nHeldout }) =>
    basisSource !== 'file' && solveOrth > pairs - nHeldout
      ? {
          what: `solveOrth = ${solveOrth} axes of ${pairs - nHeldout} clean completions`,
          remedy: `Set solveOrth to at most ${pairs - nHeldout}.`,
        }
      : null,
  ({ basisSource, basisKind, k, pairs, nHeldout }) =>
    basisSource !== 'file' && !isTrustedBasis({ basisSource }) && basisKind === 'svd' && k > pairs - nHeldout
      ? {
          what: `k = ${k} axes from ${pairs - nHeldout} pairs`,
          remedy: `Set k to at most ${pairs - nHeldout}, or use more pairs.`,
        }
      : null,
  ({ basisSource, basisFile }) =>
    (basisSource === 'file') !== (basisFile !== '')
      ? {
          what: `basisSource = ${basisSource} with basisFile = ${JSON.stringify(basisFile)}`,
          remedy: 'Name an imported basis and set basisSource to file, or leave both alone.',
        }
      : null,
  ({ basisSource, shadows }) =>
    isTrustedBasis({ basisSource }) && shadows.length > 0
      ? {
          what: `basisSource = ${basisSource} beside quarantines of hack pairs`,
          remedy: 'Choose the arm trusted_subspace, or set basisSource to pairs.',
        }
      : null,
  (run) =>
    isAdamSpan(run) && run.projection !== 'none' && run.projectTarget === 'gradient'
      ? {
          what: `spanMetric = adam with ${run.projection}/gradient: the target is a gradient, not an Adam step`,
          remedy: 'Set spanMetric to plain, or choose the arms erase-update, trusted_subspace_adam.',
        }
      : null,
  (run) => {
    for (const { pairSet, pairs } of [run, ...run.shadows.map(({ settings }) => ({ ...run, ...settings }))])
      refusePairSet(pairSet, run.model, pairs);
    return null;
  },
  ({ refreshEvery, basisSource }) =>
    refreshEvery > 0 && (basisSource === 'file' || basisSource === 'random_matched')
      ? {
          what: `refreshEvery = ${refreshEvery} with basisSource = ${basisSource}: there is nothing to extract again`,
          remedy: 'Set refreshEvery to 0, or basisSource to pairs.',
        }
      : null,
  ({ preserveMagnitude, projection, projectTarget }) =>
    preserveMagnitude && (projection === 'route' || projectTarget === 'update')
      ? {
          what: `preserveMagnitude = true with ${projection}/${projectTarget}: a rescaled gradient and its removed part no longer add up`,
          remedy: 'Set preserveMagnitude to false, or keep only the arms none, erase and their controls.',
        }
      : null,
  ({ screening, rewardPenalty }) =>
    screening && rewardPenalty > 0
      ? {
          what: `screening = true with rewardPenalty = ${rewardPenalty}: what the monitor flags is dropped, and there is nothing left to penalise`,
          remedy: 'Set rewardPenalty to 0, or screening to false.',
        }
      : null,
  ({ advantageMod, rewardPenalty }) =>
    advantageMod === 'scale' && rewardPenalty > 0
      ? {
          what: `advantageMod = scale with rewardPenalty = ${rewardPenalty}: scaling a penalised, negative reward down would lift it`,
          remedy: 'Set advantageMod to subtract, or rewardPenalty to 0.',
        }
      : null,
];
