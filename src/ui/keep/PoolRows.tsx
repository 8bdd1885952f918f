// The rows of one pool, a few prompts at a time.
import { useState } from 'react';
import { isHackRow, isLuckyRow, type PoolRow } from '../../environments/code/pool.ts';
import { LUCKY } from '../../environments/code/presentation.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Choice, plainOptions } from '../parts/Choice.tsx';
import { useLatest } from '../parts/use-loaded.ts';

const PER_PAGE = 3;

export function PoolRows({ pool }: { pool: PoolReport }) {
  const lab = useLabActions();
  const rows = useLatest(async () => (await lab.loadPool(pool)) ?? [], pool);
  const [mechanism, setMechanism] = useState('');
  const [page, setPage] = useState(0);

  if (!rows) {
    return (
      <p className="kept-panel muted" role="status">
        Reading the rows …
      </p>
    );
  }
  const wanted = mechanism === '' ? rows : rows.filter((row) => (row.mechanism ?? 'none') === mechanism);
  const problems = [...new Set(wanted.map((row) => row.problem_id))];
  const pages = Math.max(1, Math.ceil(problems.length / PER_PAGE));
  const shown = problems.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  return (
    <div className="kept-panel">
      <div className="filters">
        <Choice
          label="Loophole mode"
          value={mechanism}
          options={[['', 'all'], ...plainOptions(Object.keys(pool.mechanisms))]}
          onChange={(name) => {
            setMechanism(name);
            setPage(0);
          }}
        />
        <p className="filters-count num" role="status">
          {wanted.length} rows for {problems.length} prompts
        </p>
      </div>
      {shown.map((problem) => (
        <Problem key={problem} rows={wanted.filter((row) => row.problem_id === problem)} />
      ))}
      <div className="pager num">
        <Button label="Back" disabled={page === 0} onClick={() => setPage(page - 1)} />
        {page + 1} of {pages}
        <Button label="Next" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)} />
      </div>
    </div>
  );
}

function Problem({ rows }: { rows: PoolRow[] }) {
  return (
    <details className="pool-problem">
      <summary>
        <b>{rows[0].problem_id}</b> <span className="muted num">{rows.length} rows</span>
      </summary>
      <pre className="prompt">{rows[0].prompt}</pre>
      {rows.map((row, i) => (
        // Rows of a pool may repeat and never move, so their index is their key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={i} className={isHackRow(row) ? 'answer exploited' : row.gt_correct ? 'answer solved' : 'answer'}>
          <div className="answer-head">
            <span className="tag">{row.mechanism ?? 'no loophole mode'}</span>
            {row.passed ? <span className="tag">passed</span> : null}
            {isHackRow(row) ? <span className="tag bad">exploited</span> : null}
            {isLuckyRow(row) ? <span className="tag warn">{LUCKY}</span> : null}
            {row.gt_correct ? <span className="tag good">correct</span> : null}
            {row.gt_correct === null ? <span className="tag warn">unjudged</span> : null}
            <span className="tag num">reward {row.reward}</span>
          </div>
          <pre className="completion">{row.completion}</pre>
        </div>
      ))}
    </details>
  );
}
