// The table of all records stored in this browser, sorted by a column and searched by words, tags and status. Several can be compared,
// exported or deleted at once.

import { useMemo, useState } from 'react';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { bytesText } from '../../lib/numbers.ts';
import {
  filterInAddress,
  filterParams,
  type KeptEntry,
  listKept,
  NO_FILTER,
  ORDERS,
  type Order,
  tagsOf,
} from '../../store/kept/list.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { dropFiles } from '../models/drop.ts';
import { useAddressChoice } from '../parts/address-choice.ts';
import { Button } from '../parts/Button.tsx';
import { choicesOf, optionsOf, plainOptions } from '../parts/Choice.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { KEPT_COLUMNS, type KeptColumn } from './kinds/kept-columns.ts';
import { ProbeRow } from './kinds/ProbeRow.tsx';
import { RunRow } from './kinds/RunRow.tsx';
import { Selected } from './Selected.tsx';

const ALL = ['', 'all'] as const;
const STATUSES = ['done', 'running', 'waiting', 'stopped', 'failed'] as const;

export default function Kept() {
  const lab = useLabActions();
  const kept = useLab((state) => state.kept);
  const total = KIND_IDS.reduce((sum, kind) => sum + kept[kind].length, 0);
  const [filter, change] = useAddressChoice(filterInAddress, filterParams);
  const shown = useMemo(() => listKept(kept, filter), [kept, filter]);
  const tags = useMemo(() => tagsOf(kept), [kept]);
  const choice = choicesOf(filter, (changes) => change((before) => ({ ...before, ...changes })));
  const isFiltered = filter.text !== '' || filter.kind !== '' || filter.status !== '' || filter.tag !== '';
  return (
    <Section
      id="kept"
      title="Kept runs"
      lead="In this browser only, from their first step."
      actions={
        <>
          <FileButton
            label="Import a run"
            what="Exported run"
            accept=".zip"
            multiple
            onFiles={(files) => void dropFiles(lab, files)}
          />
          <FileButton
            label="Open an Inspect log"
            what="Log of Inspect"
            accept=".eval,.json"
            onFiles={(files) => void dropFiles(lab, files)}
          />
        </>
      }
    >
      <StorageMeter />
      {total === 0 ? (
        <Empty title="Nothing kept yet">
          <p>
            Every experiment is kept here from its first step on, and is still here after a reload. One that was
            exported elsewhere can be dropped anywhere on this page.
          </p>
        </Empty>
      ) : (
        <>
          <search className="filters">
            <label className="choice grow">
              <span>Find</span>
              <input
                type="search"
                value={filter.text}
                placeholder="name, arm, tag, note …"
                onChange={(event) => change((before) => ({ ...before, text: event.target.value }))}
              />
            </label>
            {total > kept.run.length
              ? choice('kind', 'Kind', [ALL, ...KIND_IDS.map((kind) => [kind, KINDS[kind].plural] as const)])
              : null}
            {choice('status', 'Status', [ALL, ...plainOptions(STATUSES)])}
            {tags.length > 0 ? choice('tag', 'Tag', [ALL, ...plainOptions(tags)]) : null}
            {choice('order', 'Order', optionsOf(ORDERS))}
            <p className="filters-count num" role="status">
              {shown.length} of {total}
            </p>
          </search>
          {shown.length === 0 ? (
            <p className="none">
              None of them matches.{' '}
              {isFiltered ? (
                <Button label="Show all" onClick={() => change(() => ({ ...NO_FILTER, order: filter.order }))} />
              ) : null}
            </p>
          ) : (
            <KeptTable
              shown={shown}
              order={filter.order}
              onOrder={(order) => change((before) => ({ ...before, order }))}
            />
          )}
        </>
      )}
    </Section>
  );
}

const keyOf = ({ kind, entry }: KeptEntry) => `${kind}:${entry.id}`;

interface KeptTableProps {
  shown: readonly KeptEntry[];
  order: Order;
  onOrder: (order: Order) => void;
}

function KeptTable({ shown, order, onOrder }: KeptTableProps) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  // Records that were deleted or filtered out are no longer selected.
  const chosen = shown.filter((one) => keys.has(keyOf(one)));
  const isAll = chosen.length === shown.length;
  const toggle = (one: KeptEntry) => {
    const next = new Set(keys);
    if (!next.delete(keyOf(one))) next.add(keyOf(one));
    setKeys(next);
  };
  return (
    <>
      {chosen.length > 0 ? <Selected chosen={chosen} onDone={() => setKeys(new Set())} /> : null}
      <TableBox label="Kept experiments">
        <table className="result kept-table" aria-label="Kept experiments">
          <thead>
            <tr>
              <th scope="col" className="kept-check">
                <input
                  type="checkbox"
                  aria-label="Select all"
                  checked={isAll}
                  onChange={() => setKeys(new Set(isAll ? [] : shown.map(keyOf)))}
                />
              </th>
              {KEPT_COLUMNS.map((column) => (
                <Head key={column.head} column={column} order={order} onOrder={onOrder} />
              ))}
            </tr>
          </thead>
          {shown.map((one) => {
            const common = { isChosen: keys.has(keyOf(one)), onChoose: () => toggle(one) };
            return one.kind === 'run' ? (
              <RunRow key={keyOf(one)} entry={one.entry} {...common} />
            ) : (
              <ProbeRow key={keyOf(one)} entry={one.entry} {...common} />
            );
          })}
        </table>
      </TableBox>
    </>
  );
}

interface HeadProps {
  column: KeptColumn;
  order: Order;
  onOrder: (order: Order) => void;
}

function Head({ column: { head, order: own, reversed }, order, onOrder }: HeadProps) {
  if (own === null) return <th scope="col">{head}</th>;
  const isOwn = order === own || order === reversed;
  return (
    <th
      scope="col"
      aria-sort={
        isOwn
          ? order === 'name' || order === 'question' || order === 'hack' || order === 'oldest'
            ? 'ascending'
            : 'descending'
          : undefined
      }
    >
      <button
        type="button"
        title={ORDERS[order === own && reversed ? reversed : own]}
        onClick={() => onOrder(order === own && reversed ? reversed : own)}
      >
        {head}
      </button>
    </th>
  );
}

const Deleted = lazyPart(() => import('./Deleted.tsx'));

const TIGHT = 0.8;

/** Use of the browser's quota, and advice before it is exhausted. */
function StorageMeter() {
  const storage = useLab((state) => state.storage);
  const hasDeleted = useLab((state) => state.deleted.length > 0);
  if (storage?.usedBytes == null) return null;
  const { usedBytes, quotaBytes, persisted } = storage;
  const share = quotaBytes ? usedBytes / quotaBytes : null;
  return (
    <div className="storage">
      <p className="num">
        {bytesText(usedBytes)} used{quotaBytes ? ` of the ${bytesText(quotaBytes)} that the browser allows` : ''}.{' '}
        <span className="muted">
          {persisted
            ? 'The browser promised to keep it.'
            : 'The browser may clear it when the disk is full: export what matters.'}
        </span>
      </p>
      {share === null ? null : (
        <meter aria-label="Storage used" min={0} max={1} high={TIGHT} value={Math.min(1, share)}>
          {Math.round(100 * share)}%
        </meter>
      )}
      {share !== null && share > TIGHT ? (
        <p className="error">
          Little room is left. Delete what is no longer needed; “Largest first” shows where it is.
        </p>
      ) : null}
      {hasDeleted ? <Deleted /> : null}
    </div>
  );
}
