// Tests the generator: every scenario is a valid file, its oracle passes its own verifier, and the controls fail.
import { describe, expect, it } from 'vitest';
import { playScripted, type ScriptedName } from '../agents/play.ts';
import { APP_CLASSES } from '../apps/registry.ts';
import { exportApps, exportCompleted } from '../scenario/export.ts';
import { parseTrace, type Trace } from '../scenario/schema.ts';
import { generateScenario, generateScenarios, PARTS, TEMPLATES } from './generate.ts';
import { SPLITS } from './template.ts';

const verdictOf = async (trace: Trace, agent: ScriptedName) => {
  const { verdict, mistake } = await playScripted(trace, agent, { classes: APP_CLASSES, seed: 1 });
  return { ...verdict, mistake };
};

describe('generated scenarios', () => {
  it('have at least ten training templates per split, and held-out ones', () => {
    for (const split of SPLITS) {
      const of = TEMPLATES.filter((template) => template.split === split);
      expect(of.filter(({ isHeldOut }) => !isHeldOut).length).toBeGreaterThanOrEqual(10);
      expect(of.filter(({ isHeldOut }) => isHeldOut).length).toBeGreaterThanOrEqual(3);
    }
    expect(new Set(TEMPLATES.map(({ id }) => id)).size).toBe(TEMPLATES.length);
  });

  it('are the same for the same seed, and differ for another', () => {
    const text = (seed: number) => JSON.stringify(generateScenarios(20, seed).map(({ trace }) => trace));
    expect(text(1)).toBe(text(1));
    expect(text(1)).not.toBe(text(2));
  });

  it.each(PARTS)('are passed by the oracle, and failed by a silent agent (%s)', async (part) => {
    for (const { trace, template } of generateScenarios(34, 7, part)) {
      const read = parseTrace(JSON.stringify(trace));
      const name = `${template.id} ${trace.metadata.definition.scenario_id}`;
      expect({ name, ...(await verdictOf(read, 'oracle')) }).toMatchObject({ name, success: true });
      expect({ name, ...(await verdictOf(read, 'silent')) }).toMatchObject({ name, success: false });
    }
  });

  it('are failed by one mistake, for a reason that names the call, and by random calls', async () => {
    for (const { trace, template } of generateScenarios(20, 3)) {
      const wrong = await verdictOf(trace, 'oracle-mistake');
      expect({ id: template.id, ...wrong }).toMatchObject({ success: false });
      const missed = trace.events.find(({ event_id }) => wrong.mistake?.startsWith(`${event_id} `));
      expect(wrong.rationale).toContain(missed?.action?.function);
      expect({ id: template.id, ...(await verdictOf(trace, 'random')) }).toMatchObject({ success: false });
    }
  });

  it('give the same bytes for the same agent and seed', async () => {
    const bytes = async (seed: number) => {
      const runs = SPLITS.map(async (split) => {
        const { trace } = generateScenario({ split, seed: 11, index: 4 });
        const { environment, scenario, run } = await playScripted(trace, 'random', { classes: APP_CLASSES, seed });
        const log = exportCompleted(environment.log.list());
        return JSON.stringify([
          log,
          run.steps.map(({ time, tool, args }) => [time, tool, args]),
          exportApps(scenario.apps),
        ]);
      });
      return (await Promise.all(runs)).join('\n');
    };
    expect(await bytes(1)).toBe(await bytes(1));
    expect(await bytes(1)).not.toBe(await bytes(2));
  });

  it('separate the held-out words from the others', () => {
    const text = (part: 'training' | 'held out') =>
      JSON.stringify(generateScenario({ split: 'search', seed: 1, index: 0, part }).trace);
    expect(text('held out')).not.toMatch(/Ruiz|Okoye|Old Town|Rain Jacket/);
  });
});
