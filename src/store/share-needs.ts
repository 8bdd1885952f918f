// What an experiment needs besides its link: files of a person's own, which no address has room for.
import { OWN_PAIRS } from '../experiments/artifacts.ts';
import { type ExperimentSpec, PRESETS, type Settings } from '../experiments/spec.ts';
import type { LabState } from './lab-state.ts';

export interface Need {
  /** `the pair set “mine”`, or its id where it is not known here. */
  what: string;
  here: boolean;
}

/** In words for the reader; empty where the link is enough. */
export function needsOf(
  spec: Pick<ExperimentSpec, 'preset' | 'overrides'>,
  { pairSets, bases, pools }: Pick<LabState, 'pairSets' | 'bases' | 'pools'>,
): Need[] {
  const { pairSet, basisSource, basisFile, teacherPool }: Settings = {
    ...PRESETS[spec.preset].settings,
    ...spec.overrides,
  };
  const need = (kind: string, id: string, known: { name: string | null } | undefined): Need => ({
    what: `the ${kind} ${known?.name ? `“${known.name}”` : `${id.slice(0, 18)}…`}`,
    here: known !== undefined,
  });
  return [
    ...(pairSet.startsWith(OWN_PAIRS)
      ? [
          need(
            'pair set',
            pairSet,
            pairSets.find(({ id }) => id === pairSet),
          ),
        ]
      : []),
    ...(basisSource === 'file'
      ? [
          need(
            'basis',
            basisFile,
            bases.find(({ id }) => id === basisFile),
          ),
        ]
      : []),
    ...(teacherPool !== ''
      ? [
          need(
            'teacher pool',
            teacherPool,
            pools.find((pool) => pool.sha256 === teacherPool),
          ),
        ]
      : []),
  ];
}
