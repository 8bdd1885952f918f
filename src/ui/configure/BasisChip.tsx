// A basis from a file affects every arm, so it is shown beside the Run button, with the part of the model that it covers and a button that
// removes it. Loaded when the form names one.
import { basisCoverText } from '../../experiments/records/artifacts.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function BasisChip() {
  const lab = useLabActions();
  const id = useLab((state) => (state.draft.fields.basisSource === 'file' ? state.draft.fields.basisFile : ''));
  const basis = useLab((state) => state.bases.find((candidate) => candidate.id === id));
  const isPartial = basis !== undefined && basis.modules < basis.modelModules;
  const name = basis?.name ?? `${id.slice(0, 12)}…`;
  return (
    <p className={isPartial || !basis ? 'basis-chip warn' : 'basis-chip'}>
      <span className="basis-cover">
        <b title={name}>{name}</b>{' '}
        {basis
          ? `${basisCoverText(basis)}, ${basis.origin === 'file' ? 'dropped file' : 'extracted here'}`
          : 'is not kept here: drop its file on the page'}
      </span>
      <Button
        icon="close"
        tone="quiet"
        onClick={lab.clearBasis}
        aria-label={`Do not use the basis ${name}: extract one from pairs`}
        title="Extract one from pairs instead"
      />
    </p>
  );
}
