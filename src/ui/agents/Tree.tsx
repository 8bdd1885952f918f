// A value as a tree that unfolds: folded parts are not drawn, and long lists are drawn in parts.

import type { Value } from '@projected-grpo-lab/are/value.ts';
import { useState } from 'react';
import { clippedJson, entriesOf, isLeaf, readableValue, sizeOf } from '../../store/agents/shape.ts';
import { InParts } from './InParts.tsx';

/** Number of entries drawn at first, and added by each press of More. */
const PART = 50;

export function Tree({ value }: { value: Value }) {
  if (isLeaf(value)) return <Leaf value={value} />;
  const entries = entriesOf(value);
  if (entries.length === 0) return <p className="muted">empty</p>;
  return (
    <ul className="are-tree">
      <InParts
        items={entries}
        part={PART}
        draw={([key, item]) => (
          <li key={key}>
            {isLeaf(item) || entriesOf(item).length === 0 ? (
              <>
                <span className="are-key">{key}</span>{' '}
                {isLeaf(item) ? <Leaf value={readableValue(key, item)} /> : <i className="muted">empty</i>}
              </>
            ) : (
              <Fold name={key} value={item} />
            )}
          </li>
        )}
      />
    </ul>
  );
}

function Fold({ name, value }: { name: string; value: Value }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="are-key">{name}</span>{' '}
        <span className="muted">
          {sizeOf(value)} {isOpen ? '' : clippedJson(value, 60)}
        </span>
      </summary>
      {isOpen ? <Tree value={value} /> : null}
    </details>
  );
}

export function Leaf({ value }: { value: Value }) {
  if (value === null) return <i className="muted">none</i>;
  return <span className={typeof value === 'string' ? 'are-text' : 'are-number'}>{String(value)}</span>;
}
