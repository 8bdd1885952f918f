// Library files that the experiment uses or lacks: a basis from a file, user-provided pairs, a teacher pool. Each has a button that
// returns to the default, which needs no file.
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/spec.ts';
import { OWN_PAIRS } from '../../experiments/records/artifacts.ts';
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

export function BasisInUse() {
  const lab = useLabActions();
  const id = useLab((state) => (state.draft.fields.basisSource === 'file' ? state.draft.fields.basisFile : ''));
  const basis = useLab((state) => state.bases.find((candidate) => candidate.id === id));
  const fromPairs = useLab(({ draft: { arms, fields }, pairSets }) =>
    fields.basisSource === 'pairs' && arms.some((arm) => ARMS[arm].projection !== 'none')
      ? (pairSets.find((set) => set.id === fields.pairSet)?.name ?? fields.pairSet)
      : '',
  );
  if (id === '')
    return fromPairs === '' ? null : (
      <p className="help">
        <b>Hack basis:</b> extracted from the labelled pairs “{fromPairs}” when the run begins.
      </p>
    );
  return (
    <div className="callout">
      <p>
        <b>Basis from a file.</b>{' '}
        {basis
          ? `${basis.name}: ${basis.modules} modules, up to ${basis.k} axes each.`
          : `${id.slice(0, 12)}… is not kept here: drop its file on the page.`}
      </p>
      <Button label="Extract from pairs instead" onClick={lab.clearBasis} />
    </div>
  );
}
