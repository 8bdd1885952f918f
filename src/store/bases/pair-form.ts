// What pairs and the form say to each other: the run's own modes and seed decide which pairs are read, and a set of pairs can be
// made the next experiment's.
import { PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import { COMMON } from '../../experiments/config/fields.ts';
import type { Settings } from '../../experiments/config/spec.ts';
import type { PairSetReport } from '../../lab/protocol/bases.ts';
import type { StoreContext } from '../context.ts';
import { readField } from '../draft.ts';
import type { FormActions } from '../form/actions.ts';

/** Pairs that a set shows at first, and that a built-in one is asked for. */
export const SHOWN = 24;

export function createPairForm(lab: StoreContext['store'], form: FormActions) {
  /** The run's own modes and data seed, so that the pairs on show are those that a run of the form would read. */
  function environment(): Pick<Settings, 'modes' | 'dataSeed'> {
    const { fields } = lab.getState().draft;
    const [modes, dataSeed] = [readField('modes', fields.modes), readField('dataSeed', fields.dataSeed)];
    return {
      // While one is half-typed, the usual one counts.
      modes: 'error' in modes ? COMMON.modes : (modes.value as Settings['modes']),
      dataSeed: 'error' in dataSeed ? COMMON.dataSeed : (dataSeed.value as number),
    };
  }

  /** Sets them as the next experiment's pairs. */
  function use({ id, pairs }: Pick<PairSetReport, 'id' | 'pairs'>): void {
    form.setField('basisFile', '');
    form.setField('basisSource', 'pairs');
    form.setField('pairSet', id);
    form.setField('pairs', String(pairs));
  }

  function clear(): void {
    form.setField('pairSet', PAIR_SETS[0].id);
    form.setField('pairs', String(SHOWN));
  }

  return { environment, use, clear };
}
