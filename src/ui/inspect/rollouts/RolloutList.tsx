// The groups in a scrolling box that draws only what is near its visible part, so that thousands of answers scroll like a few.
// The keyboard moves from rollout to rollout.
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import type { RolloutHead } from '../../../lab/protocol/rollout-index.ts';
import { type RolloutRef, refKey } from '../../../store/rollouts/link.ts';
import type { RolloutGroup } from '../../../store/rollouts/rollouts.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import type { Shading } from '../../../store/rollouts/tokens.ts';
import { GroupCard } from './GroupCard.tsx';
import { useWindow } from './use-window.ts';

interface RolloutListProps {
  groups: readonly RolloutGroup[];
  /** The groups' rollouts, one after the other. */
  flat: readonly RolloutHead[];
  runs: readonly RolloutRun[];
  shading: Shading;
  /** Index of the selected rollout in `flat`, or −1. */
  at: number;
  onMove: (by: 1 | -1) => void;
  onOpen: (ref: RolloutRef) => void;
}

/** Number of frames that the list waits for a group's texts before it gives up scrolling to an answer in the group. */
const PATIENCE = 40;

export default function RolloutList({ groups, flat, runs, shading, at, onMove, onOpen }: RolloutListProps) {
  const keys = useMemo(() => groups.map((group) => group.key), [groups]);
  const guess = useCallback((i: number) => HEAD + answersHeight(groups[i]), [groups]);
  const list = useWindow({ keys, guess });
  const { box, first, end, scrollTo } = list;
  const drawn = useRef({ first, end, scrollTo });
  drawn.current = { first, end, scrollTo };
  const head = at >= 0 ? flat[at] : undefined;
  const key = head ? refKey(head) : null;
  const groupKey = head ? groupKeyOf(head) : null;

  // Brings the selected answer into view: first its group, then, once its text is loaded, the answer itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection scrolls, not a change of the list
  useEffect(() => {
    if (groupKey === null) return;
    const { first, end, scrollTo } = drawn.current;
    const group = keys.indexOf(groupKey);
    if (group < first || group >= end) scrollTo(group);
    let frame = 0;
    let left = PATIENCE;
    const show = () => {
      const answer = box.current?.querySelector('[aria-current="true"]');
      if (answer) answer.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      else if (left-- > 0) frame = requestAnimationFrame(show);
    };
    frame = requestAnimationFrame(show);
    return () => cancelAnimationFrame(frame);
  }, [key]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOwn = event.target === event.currentTarget;
    if (event.key === 'j' || (isOwn && event.key === 'ArrowDown')) onMove(1);
    else if (event.key === 'k' || (isOwn && event.key === 'ArrowUp')) onMove(-1);
    else if (isOwn && event.key === 'Enter' && head) onOpen(head);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <p className="keys muted">
        <span>
          In the list: <kbd>j</kbd> <kbd>k</kbd> or <kbd>↓</kbd> <kbd>↑</kbd> next and previous rollout,{' '}
          <kbd>Enter</kbd> its details.
        </span>
        <span className="sr" role="status">
          {head
            ? `Rollout ${at + 1} of ${flat.length}: ${head.source}, ${head.outcome}, reward ${head.reward}, step ${head.step}`
            : ''}
        </span>
      </p>
      <section
        ref={box}
        className="rollout-box"
        aria-label="List of rollouts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: list.before }} />
        {groups.slice(first, end).map((group) => (
          <div key={group.key} ref={list.measure(group.key)} className="rollout-item">
            <GroupCard
              group={group}
              run={runs.find((run) => run.id === group.runId)}
              shading={shading}
              selected={groupKey === group.key ? key : null}
              onOpen={onOpen}
              place={answersHeight(group)}
            />
          </div>
        ))}
        <div style={{ height: list.after }} />
      </section>
    </>
  );
}

const groupKeyOf = ({ runId, step, promptIndex }: RolloutHead) => `${runId}:${step}:${promptIndex}`;

/** Estimated heights in pixels of a card's parts, used until the card is drawn and measured. */
const HEAD = 64;
const PROMPT = 130;
const ANSWER = 96;
const LINE = 18.6;
const COLUMN = 312;

function answersHeight({ rollouts }: RolloutGroup): number {
  const width = window.innerWidth;
  // A phone puts all answers side by side. Wider pages wrap them into rows.
  const columns = width <= 640 ? rollouts.length : Math.max(1, Math.floor((Math.min(width, 1440) - 480) / COLUMN));
  let height = PROMPT;
  for (let i = 0; i < rollouts.length; i += columns) {
    height += ANSWER + LINE * Math.max(...rollouts.slice(i, i + columns).map(({ lines }) => lines));
  }
  return height;
}
