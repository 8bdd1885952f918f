// Choice of the projecting arms' basis: labelled pairs, from which a basis is extracted when the run starts, or a basis from the library.
// Hidden if no chosen arm projects.
import { useId } from 'react';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Options } from '../parts/Choice.tsx';
import { ViewLink } from '../parts/links.tsx';

export function BasisField() {
  const lab = useLabActions();
  const projects = useLab(({ draft }) => draft.arms.some((arm) => ARMS[arm].projection !== 'none'));
  const source = useLab((state) => state.draft.fields.basisSource);
  const file = useLab((state) => state.draft.fields.basisFile);
  const pairs = useLab(
    ({ draft: { fields }, pairSets }) =>
      pairSets.find((set) => set.id === fields.pairSet)?.name ??
      builtInPairSet(fields.pairSet)?.label ??
      fields.pairSet,
  );
  const bases = useLab((state) => state.bases);
  const id = useId();
  if (!projects) return null;
  const chosen = source === 'file' ? file : '';
  const isKept = chosen === '' || bases.some((basis) => basis.id === chosen);
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={id}>Hack basis</label>
        <ViewLink view="bases" className="note">
          Bring a file
        </ViewLink>
      </div>
      <select
        id={id}
        value={chosen}
        onChange={({ target }) => (target.value === '' ? lab.clearBasis() : lab.chooseBasis(target.value))}
      >
        <Options
          of={[
            ['', source === 'pairs' || source === 'file' ? `from pairs: ${pairs}` : `control: ${source}`],
            ...bases.map((basis) => [basis.id, basis.name] as const),
            ...(isKept ? [] : [[chosen, `${chosen.slice(0, 12)}… (not kept here)`] as const]),
          ]}
        />
      </select>
    </div>
  );
}
