// Tests files without an oracle: metadata decides when later turns begin, and the complete file judges the run.
import { describe, expect, it } from 'vitest';
import { playWith } from '../agents/play.ts';
import { OracleAgent, silentAgent } from '../agents/scripted.ts';
import { IMPORTABLE_CLASSES as classes } from '../apps/registry.ts';
import { generateScenario } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { sampleTrace } from '../testing/sample.ts';
import { outcomeOf } from '../verifier/explain.ts';
import { playOracle } from '../verifier/oracle-run.ts';
import { strictEngine } from '../verifier/strict/strict.ts';
import { Verifier } from '../verifier/verifier.ts';
import { traceText } from './export.ts';
import { makeScenario } from './import.ts';
import { parseTrace, type Trace } from './schema.ts';
import { turnsOf } from './turns.ts';
import { withoutOracle } from './without-oracle.ts';

const oracleOf = (trace: Trace) => playOracle(makeScenario(trace, classes));
/** Plays the file without its oracle by an agent that has the oracle. */
async function played(whole: Trace) {
  const bare = parseTrace(traceText(withoutOracle(whole, classes)));
  const agent = new OracleAgent(makeScenario(whole, classes).events, oracleOf(whole));
  const result = await playWith(bare, agent, { classes });
  const judged = new Verifier(oracleOf(whole), strictEngine).judgeAll(result.environment.log.list());
  return { ...result, bare, judged, turns: oracleOf(whole).turns.length };
}

describe('a scenario without its oracle', () => {
  it.each([
    ...SPLITS.map((split) => [split, generateScenario({ split, seed: 5, index: 1 }).trace] as const),
    ['two turns', sampleTrace()] as const,
  ])('has all its turns, which are judged afterwards: %s', async (_, whole) => {
    const { bare, run, verdict, verifier, environment, judged, turns } = await played(whole);
    expect(bare.events.filter(({ class_name }) => class_name === 'OracleEvent')).toEqual([]);
    expect([run.turns, run.end, verifier.turnCount]).toEqual([turns, 'turns done', turns]);
    expect(outcomeOf(verdict)).toBe('nothing to judge');
    expect(judged.rationale).toBe('None');
    // User and environment act as in the complete file.
    const acted = (log: readonly { type: string; id: string }[]) =>
      log.flatMap(({ type, id }) => (type === 'USER' || type === 'ENV' ? [id] : [])).sort();
    expect(acted(environment.log.list())).toEqual(acted(oracleOf(whole).log));
  });

  it('gives a silent agent no second turn', async () => {
    const bare = withoutOracle(sampleTrace(), classes);
    expect(turnsOf(makeScenario(bare, classes).events).count).toBe(2);
    const { run, environment } = await playWith(bare, silentAgent, { classes });
    expect(run.turns).toBe(0);
    expect(environment.log.list().some(({ id }) => id === 'e1')).toBe(false);
  });

  it('stores the ids of earlier calls for later events, and reports a tool that was called twice in a turn', async () => {
    const found = SPLITS.flatMap((split) =>
      Array.from({ length: 12 }, (_, index) => generateScenario({ split, seed: 5, index }).trace),
    ).map((trace) => ({ trace, ...withoutOracle(trace, classes).metadata.execution }));
    const stored = found.filter(({ placeholders }) => (placeholders?.length ?? 0) > 0);
    expect(stored.length).toBeGreaterThan(0);
    for (const { trace, placeholders, has_placeholder_conflicts } of stored) {
      const parent = trace.events.find(({ event_id }) => event_id === placeholders?.[0]?.parent_event_id);
      expect(placeholders?.[0]?.parent_tool_name).toBe(`${parent?.action?.app}__${parent?.action?.function}`);
      expect(has_placeholder_conflicts).toBe(false);
    }
    const [{ trace }] = stored as [(typeof stored)[number]];
    const { judged, environment } = await played(trace);
    expect(judged.rationale).toBe('None');
    expect(environment.log.list().filter(({ error, type }) => error !== null && type !== 'AGENT')).toEqual([]);
    const parentId = withoutOracle(trace, classes).metadata.execution?.placeholders[0]?.parent_event_id as string;
    const twin = trace.events.find(({ event_id }) => event_id === parentId);
    const twice = { ...trace, events: [...trace.events, { ...twin, event_id: 'twin' } as Trace['events'][number]] };
    expect(withoutOracle(twice, classes).metadata.execution?.has_placeholder_conflicts).toBe(true);
  });
});
