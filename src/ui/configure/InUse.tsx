// Library files that the experiment uses or lacks: the user's own pairs, or a teacher pool. Each has a button that returns to the default,
// which needs no file. Loaded when the form names one. A basis from a file is shown beside Run instead (BasisChip.tsx).
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { OWN_PAIRS } from '../../experiments/config/environments.ts';
import { poolName } from '../../store/pools/words.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function InUse() {
  return (
    <>
      <PairsInUse />
      <PoolInUse />
    </>
  );
}

function PairsInUse() {
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

function PoolInUse() {
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
