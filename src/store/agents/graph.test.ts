// Tests the graph of events: which events share a node, where nodes are placed, and each node's state at a given entry of a run.

import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { largeTrace } from '@projected-grpo-lab/are/testing/large.ts';
import { sampleTrace } from '@projected-grpo-lab/are/testing/sample.ts';
import { atOnce } from '@projected-grpo-lab/base/parts.ts';
import { describe, expect, it } from 'vitest';
import { playRecipe } from '../../lab/agents/play.ts';
import { graphOf, loadFromSource } from '../../lab/agents/scenario.ts';
import { recordingHost } from '../../lab/testing/agents.ts';
import { eventOutcomes, stateOf, statusWords } from './graph.ts';
import { layOutGraph } from './graph-layout.ts';

const load = (trace: Trace) => atOnce(loadFromSource({ kind: 'trace', trace, name: 'x' }, 'usual'));
const oracleOf = (trace: Trace) => load(trace).oracle;

async function play(trace: Trace, agent: 'oracle' | 'silent') {
  const recording = recordingHost();
  const about = {
    seed: 0,
    noise: 'none',
    window: 'usual',
    maxSteps: 80,
    edits: [],
    temperature: 0,
    a2a: 0,
    mcp: null,
    known: null,
  } as const;
  const { view } = await playRecipe(load(trace), { agent, ...about }, recording);
  return { fates: eventOutcomes(view, recording.entries), last: recording.entries.length - 1 };
}

describe('the event graph', () => {
  it('has one node per event, but a single node for many similar events without successors', () => {
    const trace = sampleTrace();
    const nodes = graphOf(trace.events, oracleOf(trace).turnOf);
    expect(nodes.map(({ id, actor, turn, after }) => [id, actor, turn, after])).toEqual([
      ['u1', 'user', 0, []],
      ['o1', 'agent', 0, ['u1']],
      ['o2', 'agent', 0, ['o1']],
      ['e1', 'environment', 1, ['o2']],
      ['o3', 'agent', 1, ['e1']],
      ['o4', 'agent', 1, ['o3']],
    ]);
    const large = largeTrace(60, 10);
    const grouped = graphOf(large.events, oracleOf(large).turnOf);
    expect(grouped).toHaveLength(13);
    expect(grouped.find(({ actor }) => actor === 'environment')?.events).toHaveLength(60);
  });

  it('is laid out without overlaps, each node after its predecessors, and always in the same way', () => {
    const trace = largeTrace(3, 12, 2);
    const nodes = graphOf(trace.events, oracleOf(trace).turnOf);
    const size = { width: 100, height: 40 };
    const layout = layOutGraph({ direction: 'LR', ...size, nodes });
    expect(layOutGraph({ direction: 'LR', ...size, nodes })).toEqual(layout);
    const at = new Map(layout.nodes.map((node) => [node.id, node]));
    for (const { from, to } of layout.arrows)
      expect(at.get(to)?.x).toBeGreaterThanOrEqual((at.get(from)?.x ?? 0) + 100);
    for (const [place, a] of layout.nodes.entries()) {
      for (const b of layout.nodes.slice(place + 1)) {
        expect(Math.abs(a.x - b.x) >= 100 || Math.abs(a.y - b.y) >= 40).toBe(true);
      }
    }
    const down = layOutGraph({ direction: 'TB', ...size, nodes });
    expect(down.height).toBeGreaterThan(down.width);
  });

  it('shows at an entry which events have happened, which wait, and which never fire and why', async () => {
    const trace = sampleTrace();
    const nodes = graphOf(trace.events, oracleOf(trace).turnOf);
    const words = (fates: ReturnType<typeof eventOutcomes> | null, place: number) =>
      nodes.map((node) => statusWords(node, stateOf(node, fates, place)));
    expect(words(null, 0)).toEqual(['waiting', 'not yet', 'not yet', 'waiting', 'not yet', 'not yet']);
    const { fates, last } = await play(trace, 'oracle');
    expect(words(fates, last)).toEqual(['fired', 'done', 'done', 'fired', 'done', 'done']);
    const mail = fates.get('o1')?.place as number;
    expect(words(fates, mail)).toEqual(['fired', 'done', 'not yet', 'waiting', 'not yet', 'not yet']);
    const { fates: silent } = await play(trace, 'silent');
    expect(words(silent, 99).slice(0, 4)).toEqual(['fired', 'not looked at', 'not looked at', 'never fires']);
    expect(silent.get('e1')?.why).toMatch(/^It belongs to turn 2/);
  });
});
