// Teacher pools: graded once by the real grader, then frozen and kept; listed, read, exported and imported.
import { useState } from 'react';
import type { PoolFormat, PoolReport } from '../../lab/protocol.ts';
import { bytes, moment } from '../../store/format.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { saveFile } from '../parts/save-file.ts';
import { PoolRows } from './PoolRows.tsx';

export function Pools() {
  const lab = useLabActions();
  const pools = useLab((state) => state.pools);
  return (
    <Section
      id="pools"
      title="Teacher pools"
      lead="Known hacks for the training problems, graded once and frozen."
      actions={
        <FileButton
          label="Import a pool"
          what="Pool files"
          accept=".jsonl,.gz,.zip"
          multiple
          onFiles={(files) => void lab.dropFiles(files)}
        />
      }
    >
      {pools.length === 0 ? (
        <Empty title="No pool kept yet">
          <p>
            The first run builds one from templates, five hacks per hackable problem, and the next runs use it again.
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
  const [isOpen, setOpen] = useState(false);
  const name = pool.name ?? `Pool ${shortId(pool)}`;

  async function save(format: PoolFormat): Promise<void> {
    const blob = await lab.exportPool(pool, format);
    if (blob) saveFile(`pool-${shortId(pool)}.${format}`, blob);
  }

  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b className={pool.name ? undefined : 'mono'}>{name}</b>{' '}
          <span className="tag">{pool.origin === 'file' ? 'from a file' : 'built here'}</span>
        </p>
        <p className="muted num">
          {pool.rows} rows for {pool.problems} prompts · {pool.exploited} exploit · {pool.solved} solve
        </p>
        <p className="muted num">
          {Object.entries(pool.mechanisms)
            .map(([mechanism, count]) => `${mechanism} ${count}`)
            .join(' · ')}
        </p>
        <p className="muted num">
          {bytes(pool.bytes)} · {moment(pool.createdAt)} ·{' '}
          {pool.graderVersion ? `grader ${pool.graderVersion}` : 'grader not said'}
        </p>
      </div>
      <div className="kept-tools">
        <button
          type="button"
          className="btn small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          aria-label={`Rows of ${name}`}
        >
          <Icon name="open" size={14} />
          Rows
        </button>
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
            {FORMATS.map(([format, label]) => (
              <option key={format} value={format}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <button
          type="button"
          className="btn small icon"
          disabled={busy}
          onClick={() => void lab.removePool(pool)}
          aria-label={`Delete ${name}`}
          title={busy ? 'Not while a run uses pools' : 'Delete'}
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
      {isOpen ? <PoolRows pool={pool} /> : null}
    </li>
  );
}

function shortId({ id }: PoolReport): string {
  return id.replace('file-', '').slice(0, 12);
}
