// The scenario's events as a graph, with the state of each at the selected entry, and the same in words as a list.
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { GraphNode, ScenarioView } from '../../lab/protocol/agents.ts';
import { pathOf } from '../../lib/path.ts';
import { eventOutcomes, type NodeState, stateOf, statusWords } from '../../store/agents/graph.ts';
import type { Layout } from '../../store/agents/graph-layout.ts';
import { layoutOf } from '../../store/agents/layouts.ts';
import { Button } from '../parts/Button.tsx';
import { Chips } from '../parts/Choice.tsx';
import { Section } from '../parts/Section.tsx';
import { useWidth } from '../parts/use-width.ts';
import { InParts } from './InParts.tsx';
import { PictureButton } from './PictureButton.tsx';
import { are, useAre, useDeferredAre } from './use-are.ts';

/** Size of a node, and the width below which a view is narrow, in pixels. */
const NODE = { width: 196, height: 44 };
const NARROW = 620;
/** Maximum number of nodes drawn at once. A larger graph is drawn turn by turn, with at most this many nodes per turn. */
const MOST = 240;
/** Number of list rows drawn at first, and added by each press of More. */
const PART = 40;

export default function EventGraph() {
  const scenario = useAre((state) => state.scenario);
  return scenario ? <Panel key={scenario.id} scenario={scenario} /> : null;
}

function Panel({ scenario }: { scenario: ScenarioView }) {
  const played = useDeferredAre((state) => state.played);
  const place = useDeferredAre((state) => state.place);
  const entries = useDeferredAre((state) => state.entries);
  const { graph: nodes } = scenario;
  const fates = useMemo(() => (played ? eventOutcomes(played, entries) : null), [played, entries]);
  const [turn, setTurn] = useState<number | null>(nodes.length > MOST ? 0 : null);
  const shown = useMemo(
    () => (turn === null ? nodes : nodes.filter((node) => node.turn === turn)).slice(0, MOST),
    [nodes, turn],
  );
  const states = new Map(shown.map((node) => [node.id, stateOf(node, fates, place)]));
  return (
    <Section
      id="event-graph"
      title="Event graph"
      lead="Events of user, environment and oracle, each after those it waits for. Choose one to see when it happened."
    >
      <p className="are-legend muted">
        {(['user', 'agent', 'environment'] as const).map((actor) => (
          <span key={actor}>
            <i className={`are-dot ${actor}`} /> {actor === 'agent' ? 'oracle’s call' : actor}
          </span>
        ))}
        <span>● happened</span>
        <span>○ not yet</span>
        <span>✕ never</span>
      </p>
      {scenario.turns > 1 || nodes.length > MOST ? (
        <Chips
          legend="Turn"
          className="are-turns"
          options={[
            ...(nodes.length > MOST ? [] : [[null, 'all turns'] as const]),
            ...Array.from({ length: scenario.turns }, (_, at) => [at, `turn ${at + 1}`] as const),
          ]}
          value={turn}
          onChange={setTurn}
        />
      ) : null}
      <Drawing nodes={shown} states={states} />
      <details className="fold">
        <summary>
          As a list <span className="muted">{shown.length === 1 ? '1 event' : `${shown.length} rows`}</span>
        </summary>
        <ul className="are-plain">
          <InParts
            items={shown}
            part={PART}
            draw={(node) => <Row key={node.id} node={node} state={states.get(node.id) as NodeState} />}
          />
        </ul>
      </details>
    </Section>
  );
}

interface NodeProps {
  node: GraphNode;
  state: NodeState;
}

function Row({ node, state }: NodeProps) {
  const { id, call, after, actor, events } = node;
  return (
    <li className="are-match">
      <span>
        <b>{events.length > 1 ? `${events.length} events from ${id}` : id}</b> <span className="muted">{call}</span>,{' '}
        {actor}; {after.length > 0 ? `after ${after.join(', ')}` : 'at the start'}: {statusWords(node, state)}
        {state.status === 'never' && state.why ? `. ${state.why}` : ''}
      </span>
      {state.place !== null ? (
        <Button label={`entry ${state.place + 1}`} onClick={() => are.jump(state.place as number)} />
      ) : null}
    </li>
  );
}

interface DrawingProps {
  nodes: readonly GraphNode[];
  states: ReadonlyMap<string, NodeState>;
}

function Drawing({ nodes, states }: DrawingProps) {
  const [box, width] = useWidth();
  const drawing = useRef<SVGSVGElement>(null);
  const direction = width < NARROW ? 'TB' : 'LR';
  const [layout, setLayout] = useState<{ of: readonly GraphNode[]; made: Layout } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isSized = width > 0;
  useEffect(() => {
    if (!isSized) return;
    let isStale = false;
    const request = { direction, ...NODE, nodes: nodes.map(({ id, after }) => ({ id, after })) } as const;
    layoutOf(request).then(
      (made) => isStale || setLayout({ of: nodes, made }),
      (error: Error) => isStale || setProblem(error.message),
    );
    return () => {
      isStale = true;
    };
  }, [nodes, direction, isSized]);
  const made = layout?.of === nodes ? layout.made : null;
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  return (
    <div ref={box}>
      {problem ? <p className="callout bad">{problem}</p> : null}
      {made ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <section className="are-graph" aria-label="Graph" tabIndex={0}>
          <svg
            ref={drawing}
            width={made.width}
            height={made.height}
            role="img"
            aria-label={`${nodes.length} events and ${made.arrows.length} arrows; the list below has the same`}
          >
            <Arrows made={made} />
            {made.nodes.map(({ id, x, y }) => {
              const node = byId.get(id);
              const state = states.get(id);
              return node && state ? <Node key={id} {...{ node, state, x, y }} /> : null;
            })}
          </svg>
        </section>
      ) : (
        <p className="muted are-graph">Laying out …</p>
      )}
      {made ? <PictureButton what="graph" drawing={drawing} /> : null}
    </div>
  );
}

const Arrows = memo(({ made }: { made: Layout }) =>
  made.arrows.map(({ from, to, points }) => <path key={`${from} ${to}`} className="arrow" d={arrowOf(points)} />),
);

const MARKS = { fired: '●', 'partly fired': '◐', waiting: '○', never: '✕' } as const;

interface PlacedProps extends NodeProps {
  x: number;
  y: number;
}

/** Redrawn only if its state or place has changed, because one more entry leaves most nodes unchanged. */
const Node = memo(DrawnNode, (a, b) => {
  const isSame = a.node === b.node && a.x === b.x && a.y === b.y;
  const [was, is] = [a.state, b.state];
  return isSame && was.status === is.status && was.place === is.place && was.fired === is.fired && was.why === is.why;
});

function DrawnNode({ node, state, x, y }: PlacedProps) {
  const { id, call, actor, events } = node;
  const name = events.length > 1 ? `${events.length} × ${id}…` : id;
  const place = state.place;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list below has a button for it
    <g
      className={`node ${actor} ${state.status.replace(' ', '-')}`}
      transform={`translate(${x} ${y})`}
      onClick={place === null ? undefined : () => are.jump(place)}
    >
      <title>{`${id}: ${call}; ${statusWords(node, state)}${state.why && state.status === 'never' ? `. ${state.why}` : ''}`}</title>
      <rect width={NODE.width} height={NODE.height} rx={6} />
      <rect className="side" width={4} height={NODE.height - 12} x={5} y={6} rx={2} />
      <text x={16} y={18} className="name">
        {`${MARKS[state.status]} ${truncated(name, 22)}`}
      </text>
      <text x={16} y={34}>
        {truncated(call.slice(call.lastIndexOf('.') + 1), 27)}
      </text>
    </g>
  );
}

const truncated = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Path through the points, with an arrowhead of two strokes at the last. */
function arrowOf(points: Layout['arrows'][number]['points']): string {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (!end || !before) return '';
  const angle = Math.atan2(end[1] - before[1], end[0] - before[0]);
  const wing = (turn: number) => [end[0] - 7 * Math.cos(angle + turn), end[1] - 7 * Math.sin(angle + turn)] as const;
  return pathOf(points) + pathOf([wing(0.45), end, wing(-0.45)]);
}
