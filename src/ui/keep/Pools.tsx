// Teacher pools, graded once by the real grader and then unchanged. This view builds, lists, displays, exports, imports and deletes them,
// and selects one for the next run.
import { useState } from 'react';
import type { PoolFormat, PoolReport } from '../../lab/protocol/protocol.ts';
import { bytesText, moment, percent } from '../../lib/numbers.ts';
import { poolName } from '../../store/pools/words.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { dropFiles } from '../models/drop.ts';
import { Button } from '../parts/Button.tsx';
import { Options } from '../parts/Choice.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { PoolRows } from './PoolRows.tsx';

const BuildPool = lazyPart(() => import('./BuildPool.tsx'), <p>Loading …</p>);

export default function Pools() {
  const lab = useLabActions();
  const pools = useLab((state) => state.pools);
  const building = useLab((state) => state.poolWork !== null);
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      id="pools"
      title="Teacher pools"
      lead="Graded completions of the training problems. A run mixes them with its live rollouts."
      actions={
        <>
          <Button
            label="Build a pool"
            aria-expanded={isOpen || building}
            disabled={building}
            onClick={() => setOpen(!isOpen)}
          />
          <FileButton
            label="Import a pool"
            what="Pool files"
            accept=".jsonl,.gz,.zip"
            multiple
            onFiles={(files) => void dropFiles(lab, files)}
          />
        </>
      }
    >
      {isOpen || building ? <BuildPool onDone={() => setOpen(false)} /> : null}
      {pools.length === 0 ? (
        <Empty title="No pool kept yet">
          <p>
            The first run builds one from templates, five hacks per hackable problem, and the next runs use it again. A
            pool can also be written by the model, as it is or after a run, or come from a file.
          </p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept teacher pools">
          {pools.map((pool) => (
            <PoolEntry key={pool.id} pool={pool} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const FORMATS: readonly [PoolFormat, string][] = [
  ['jsonl', 'JSONL'],
  ['jsonl.gz', 'JSONL.gz'],
  ['zip', 'One .jsonl.gz per prompt'],
];

function PoolEntry({ pool }: { pool: PoolReport }) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const inUse = useLab((state) => state.draft.fields.teacherPool === pool.sha256);
  const [isOpen, setOpen] = useState(false);
  const name = poolName(pool);

  async function save(format: PoolFormat): Promise<void> {
    const blob = await lab.exportPool(pool, format);
    if (blob) saveFile(`pool-${pool.sha256.slice(0, 12)}.${format}`, blob);
  }

  async function remove(): Promise<void> {
    // Only the deletion of a pool written by a model needs a confirmation: templates are rebuilt quickly, and the user has the file of an
    // imported pool.
    const isWork = pool.origin === 'model';
    const text = `A model wrote its ${pool.rows} rows here. You can undo this only until the page closes.`;
    const { confirmAction } = await import('../parts/ask.ts');
    if (!isWork || (await confirmAction({ title: `Delete ${name}?`, text, yes: 'Delete' }))) lab.removePool(pool);
  }

  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b>{name}</b> <span className="tag">{ORIGINS[pool.origin]}</span>{' '}
          {inUse ? <span className="tag own">next run’s teacher</span> : null}
        </p>
        <p className="muted num">
          {pool.rows} rows for {pool.problems} prompts · exploit {share(pool.exploited, pool)} · solve{' '}
          {share(pool.solved, pool)}
          {pool.unjudged ? ` · unjudged ${share(pool.unjudged, pool)}` : ''}
          {pool.lucky ? ` · passed by luck ${share(pool.lucky, pool)}` : ''}
          {pool.exploitedAtMost ? ` · exploited at most ${share(pool.exploitedAtMost, pool)}` : ''}
          {pool.withLogprobs > 0 ? ` · ${pool.withLogprobs} with log-probabilities` : ''}
        </p>
        <p className="muted num">
          {Object.entries(pool.mechanisms)
            .map(([mechanism, count]) => `${mechanism} ${count}`)
            .join(' · ')}
        </p>
        <p className="muted num">
          {bytesText(pool.bytes)} · {moment(pool.createdAt)} ·{' '}
          {pool.graderVersion ? `grader ${pool.graderVersion}` : 'grader unknown'} ·{' '}
          <span className="mono" title={pool.sha256}>
            {pool.sha256.slice(0, 12)}
          </span>
        </p>
      </div>
      <div className="kept-tools">
        {pool.origin === 'built' && !inUse ? null : (
          <Button
            label={inUse ? 'Use templates' : 'Use'}
            onClick={() => lab.choosePool(inUse ? null : pool)}
            aria-label={inUse ? `Use templates instead of ${name}` : `Use ${name}`}
          />
        )}
        <Button
          icon="open"
          label="Rows"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          aria-label={`Rows of ${name}`}
        />
        <div className="choice inline">
          <select
            aria-label={`Export ${name}`}
            value=""
            onChange={(event) => {
              void save(event.target.value as PoolFormat);
            }}
          >
            <option value="" disabled>
              Export …
            </option>
            <Options of={FORMATS} />
          </select>
        </div>
        <Button
          icon="trash"
          disabled={busy}
          onClick={() => void remove()}
          aria-label={`Delete ${name}`}
          title={busy ? 'Not while a run uses pools' : 'Delete'}
        />
      </div>
      {isOpen ? <PoolRows pool={pool} /> : null}
    </li>
  );
}

const ORIGINS: Readonly<Record<PoolReport['origin'], string>> = {
  built: 'templates',
  file: 'from a file',
  model: 'built here',
};

const share = (count: number, { rows }: PoolReport) => `${count} (${percent(rows === 0 ? null : count / rows, 0)})`;
