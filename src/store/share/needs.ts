// The user's own files that an experiment needs in addition to its link, since an address has no room for them.

import { recipeOf } from '../../experiments/bases/recipe.ts';
import { OWN_PAIRS } from '../../experiments/config/environments.ts';
import { baseOf } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { LabState, Problem } from '../lab-state.ts';

type KeptArtifacts = Pick<LabState, 'pairSets' | 'bases' | 'pools'>;
type Kind = 'pair set' | 'basis' | 'teacher pool';

interface Need {
  /** Such as `the pair set “mine”`; its id if its name is unknown here. */
  what: string;
  here: boolean;
}

/** The required files in words; empty if the link is sufficient. */
export function needsOf(spec: Pick<ExperimentSpec, 'preset' | 'overrides'>, kept: KeptArtifacts): Need[] {
  const { pairSet, basisSource, basisFile, teacherPool }: Settings = { ...baseOf(spec).settings, ...spec.overrides };
  return [
    ...(pairSet.startsWith(OWN_PAIRS) ? [artifactNeed('pair set', pairSet, kept)] : []),
    ...(basisSource === 'file' ? [artifactNeed('basis', basisFile, kept)] : []),
    ...(teacherPool !== '' ? [artifactNeed('teacher pool', teacherPool, kept)] : []),
  ];
}

function artifactNeed(kind: Kind, id: string, { pairSets, bases, pools }: KeptArtifacts): Need {
  const known: { name: string | null } | undefined =
    kind === 'pair set'
      ? pairSets.find((set) => set.id === id)
      : kind === 'basis'
        ? bases.find((basis) => basis.id === id)
        : pools.find((pool) => pool.sha256 === id);
  return { what: `the ${kind} ${known?.name ? `“${known.name}”` : `${id.slice(0, 18)}…`}`, here: known !== undefined };
}

const REMEDIES: Readonly<Record<Kind, string>> = {
  'pair set': 'Drop its JSON file, or an exported run that used it, on the page; or use the built-in pairs instead.',
  basis: 'Drop its safetensors file, or an exported run that used it, on the page; or extract one from pairs instead.',
  'teacher pool': 'Drop its file, or an exported run that used it, on the page; or use the templates instead.',
};

/** Why a valid experiment cannot run here; null if every file that its runs read is stored. */
export function missingFor(spec: ExperimentSpec, kept: KeptArtifacts): Problem | null {
  const wanted = new Map<string, Kind>(resolveRuns(spec).flatMap(filesReadBy));
  const missing = [...wanted].filter(([id, kind]) => !artifactNeed(kind, id, kept).here);
  if (missing.length === 0) return null;
  const names = missing.map(([id, kind]) => artifactNeed(kind, id, kept).what).join(' and ');
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return {
    message: `${names[0].toUpperCase()}${names.slice(1)} ${are} not kept here, and no link carries ${them}.`,
    remedy: [...new Set(missing.map(([, kind]) => REMEDIES[kind]))].join(' '),
  };
}

/** Files that a run reads, including those of its quarantines. */
function filesReadBy(run: RunSpec): [string, Kind][] {
  const { basisSource, teacherPool, mix, trainOn, advantageMod, pairSet } = run;
  const controls = run.shadows.filter(({ kind }) => kind !== 'random_matched');
  // A matched control is computed from its vanilla run's steps, and reads no file.
  const own = basisSource === 'random_matched' ? [] : [null];
  const recipes = [...own, ...controls].map((control) => recipeOf(run, control));
  const pairSets = recipes.filter(({ from }) => from === 'pairs').map((recipe) => recipe.pairSet);
  if (advantageMod !== 'none') pairSets.push(pairSet);
  const ownPairs = pairSets.filter((id) => id.startsWith(OWN_PAIRS));
  return [
    ...ownPairs.map((id): [string, Kind] => [id, 'pair set']),
    ...recipes.filter(({ from }) => from === 'file').map((recipe): [string, Kind] => [recipe.basisFile, 'basis']),
    ...(teacherPool !== '' && mix > 0 && trainOn !== 'honest' ? [[teacherPool, 'teacher pool'] as [string, Kind]] : []),
  ];
}
