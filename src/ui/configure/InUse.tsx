// Library files that the experiment uses or lacks: a basis from a file, user-provided pairs, a teacher pool. Each has a button that
// returns to the default, which needs no file.
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/spec.ts';
import { basisCoverText, OWN_PAIRS } from '../../experiments/records/artifacts.ts';
import { poolName } from '../../store/pools/words.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export function PairsInUse() {
  const lab = useLabActions();
  const id = useLab(({ draft: { fields } }) => (fields.basisSource === 'file' ? '' : fields.pairSet));
  const own = useLab((state) => state.pairSets.find((set) => set.id === id));
  if (id === '' || builtInPairSet(id)) return null;
  return (
    <div className="callout">
      <p>
        <b>{id.startsWith(OWN_PAIRS) ? 'Pairs of your own.' : 'An unknown pair set.'}</b>{' '}
        {own
          ? `${own.name}: ${own.pairs} pairs.`
          : `The pair set ${id.slice(0, 18)}… is not kept here, and no link carries it: drop its JSON file, or the exported run, on the page.`}
      </p>
      <Button label="Use the built-in pairs instead" onClick={lab.pairs.clear} />
    </div>
  );
}

export function PoolInUse() {
  const lab = useLabActions();
  const sha256 = useLab((state) => state.draft.fields.teacherPool.trim());
  const pool = useLab((state) => state.pools.find((candidate) => candidate.sha256 === sha256));
  if (sha256 === '') return null;
  return (
    <div className="callout">
      <p>
        <b>Teacher from a pool.</b>{' '}
        {pool
          ? `${poolName(pool)}: ${pool.rows} rows for ${pool.problems} prompts.`
          : `The pool ${sha256.slice(0, 12)}… is not kept here, and no link carries it: drop its file, or the exported run, on the page.`}
      </p>
      <Button label="Use the templates instead" onClick={() => lab.choosePool(null)} />
    </div>
  );
}

/** The basis that a run extracts by itself; one from a file stands beside Run (BasisChip). */
export function BasisFromPairs() {
  const fromPairs = useLab(({ draft: { arms, fields }, pairSets }) =>
    fields.basisSource === 'pairs' && arms.some((arm) => ARMS[arm].projection !== 'none')
      ? (pairSets.find((set) => set.id === fields.pairSet)?.name ?? fields.pairSet)
      : '',
  );
  if (fromPairs === '') return null;
  return (
    <p className="help">
      <b>Hack basis:</b> extracted from the labelled pairs “{fromPairs}” when the run begins.
    </p>
  );
}

/** A basis from a file decides what every arm does, so it is named where Run is pressed, with how much of the model it covers. */
export function BasisChip() {
  const lab = useLabActions();
  const id = useLab((state) => (state.draft.fields.basisSource === 'file' ? state.draft.fields.basisFile : ''));
  const basis = useLab((state) => state.bases.find((candidate) => candidate.id === id));
  if (id === '') return null;
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
