// Tests noise: it has the given rate, does not change the verdict, and is the same for the same seed.
import { describe, expect, it } from 'vitest';
import { playScripted, playWith } from '../agents/play.ts';
import { runAgent } from '../agents/run.ts';
import { OracleAgent } from '../agents/scripted.ts';
import type { Agent, AgentAction } from '../agents/types.ts';
import { APP_CLASSES } from '../apps/registry.ts';
import { generateScenario, generateScenarios } from '../generate/generate.ts';
import { universeOf } from '../generate/universe.ts';
import { makeScenario } from '../scenario/import.ts';
import { persistent } from '../testing/persistent.ts';
import type { World } from '../types.ts';
import { beginJudgedRun } from '../verifier/judged-run.ts';
import { appAgents, type Expert, expertApps } from './app-agents.ts';
import { addEnvironmentNoise, type EnvironmentNoise } from './environment-noise.ts';
import { toolFailures } from './levels.ts';
import { noiseOfTrace, noiseOfUniverse } from './noise-source.ts';
import { toolWordsOf, withToolWords } from './tool-names.ts';

const source = noiseOfUniverse(universeOf(1, true));
const noisy = (noise: Partial<EnvironmentNoise>) => {
  const { trace } = generateScenario({ split: 'search', seed: 1, index: 0 });
  const scenario = addEnvironmentNoise(makeScenario(trace, APP_CLASSES), source, { perMinute: 2, seed: 1, ...noise });
  return scenario.events.filter(({ id }) => id.startsWith('env_expansion_'));
};
const lines = (noise: Partial<EnvironmentNoise>) =>
  noisy(noise).map((event) => `${event.delay} ${event.kind === 'action' && event.tool.name}`);

describe('noise of the environment', () => {
  it('is the same for the same seed, and comes at its rate until its material is used up', () => {
    expect(lines({})).toEqual(lines({}));
    expect(lines({})).not.toEqual(lines({ seed: 2 }));
    // 5 mails, 6 flats, 4 products of 2 items: 23 in all.
    expect(lines({ perMinute: 100 })).toHaveLength(23);
    const counts = Array.from({ length: 60 }, (_, seed) => noisy({ seed, perMinute: 0.2 }).length);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    // The rate is 6 per half hour; the mean of 60 draws is within 4 standard errors.
    expect(Math.abs(mean - 6)).toBeLessThan((4 * Math.sqrt(6)) / Math.sqrt(60));
    expect(noisy({ perMinute: 0 })).toEqual([]);
  });

  it('comes only from apps with a weight', () => {
    const tools = new Set(lines({ weights: { product: 0, flat: 0 } }).map((line) => line.split(' ')[1]));
    expect([...tools]).toEqual(['send_email_to_user_only']);
  });

  it('does not change the verdict of the oracle', async () => {
    for (const { trace, template } of generateScenarios(10, 2)) {
      const played = await playScripted(trace, 'oracle', {
        classes: APP_CLASSES,
        augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: 10, seed: 3 }),
      });
      expect({ id: template.id, ...played.verdict }).toMatchObject({ success: true });
    }
  });

  it('takes place without an error', async () => {
    const { trace } = generateScenario({ split: 'time', seed: 2, index: 0 });
    const { environment } = await playScripted(trace, 'oracle', {
      classes: APP_CLASSES,
      augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: 10, seed: 3 }),
    });
    const noise = environment.log.list().filter(({ id }) => id.startsWith('env_expansion_'));
    expect(noise.length).toBeGreaterThan(10);
    expect(noise.filter(({ error }) => error !== null)).toEqual([]);
  });

  it('can be supplied by a file', () => {
    const { trace } = generateScenario({ split: 'search', seed: 1, index: 0 });
    expect(noiseOfTrace(trace)).toBeNull();
    const found = noiseOfTrace({ ...trace, augmentation: { apps: trace.apps as never } });
    expect([found?.mails.length, found?.products.length, found?.flats.length]).toEqual([5, 4, 6]);
    expect(found?.products[0]?.items[0]?.price).toBeGreaterThan(0);
  });
});

describe('noise of the tools', () => {
  it('fails its share of calls, before they take effect', async () => {
    const fails = toolFailures(0.1, 1);
    const failed = Array.from({ length: 2000 }, () => fails('Emails', 'send_email')).filter((error) => error !== null);
    expect(Math.abs(failed.length - 200)).toBeLessThan(4 * Math.sqrt(2000 * 0.1 * 0.9));
    expect(failed[0]?.message).toBe('Calling Emails__send_email failed with error: Internal error - Retry again later');
    const { trace } = generateScenario({ split: 'execution', seed: 1, index: 0 });
    const options = { classes: APP_CLASSES, interferes: toolFailures(1, 1), maxSteps: 5 };
    const { environment, verdict } = await playScripted(trace, 'oracle', options);
    expect(environment.log.list().filter(({ id }) => id.includes('send_email'))).toEqual([]);
    expect(verdict.success).toBe(false);
  });
});

it('with both kinds of noise an oracle that retries can still solve each split', async () => {
  const fails = toolFailures(0.3, 4);
  let failed = 0;
  const options = {
    classes: APP_CLASSES,
    maxSteps: 400,
    augment: (scenario: ReturnType<typeof makeScenario>) =>
      addEnvironmentNoise(scenario, source, { perMinute: 10, seed: 3 }),
    // A failed wait or message also pauses the agent (docs/reference/are.md), and nothing may come to wake it.
    interferes(app: string, tool: string) {
      const error = ['SystemApp', 'AgentUserInterface'].includes(app) ? null : fails(app, tool);
      if (error) failed++;
      return error;
    },
  };
  for (const { trace, template } of generateScenarios(4, 5)) {
    const { oracle } = beginJudgedRun(trace, options);
    const agent = persistent(new OracleAgent(makeScenario(trace, APP_CLASSES).events, oracle));
    const { verdict } = await playWith(trace, agent, options);
    expect({ id: template.id, ...verdict }).toMatchObject({ success: true });
  }
  expect(failed).toBeGreaterThan(0);
});

describe('agent-to-agent', () => {
  const { trace } = generateScenario({ split: 'execution', seed: 1, index: 0 });
  const apps = makeScenario(trace, APP_CLASSES).apps;

  it('replaces a share of the apps, never those of the user and the clock', () => {
    expect(expertApps(apps, 0.5, 1)).toHaveLength(4);
    expect(expertApps(apps, 0.5, 1)).toEqual(expertApps(apps, 0.5, 1));
    expect(expertApps(apps, 0.1, 1)).toEqual([]);
    const all = expertApps(apps, 1, 1);
    expect(all).toHaveLength(8);
    expect(all).not.toContain('AgentUserInterface');
    expect(all).not.toContain('SystemApp');
  });

  it('leaves the agent one tool for each, and judges the expert’s actions', async () => {
    const [write] = trace.events.filter(({ action }) => action?.function === 'send_email');
    const args = Object.fromEntries(
      write!.action!.args!.map(({ name, value, value_type }) => [
        name,
        value_type === 'list' ? JSON.parse(value!) : value,
      ]),
    );
    const plan: AgentAction[] = [
      { kind: 'call', app: 'Emails', tool: 'send_email', args },
      { kind: 'call', app: 'Emails', tool: 'expert_agent', args: { task: 'Send it.' } },
      { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content: 'It is done.' } },
    ];
    const play = async (expert: Expert) => {
      const steps = [...plan];
      const agent: Agent = { name: 'planned', act: () => ({ action: steps.shift() ?? { kind: 'idle' } }) };
      const judged = beginJudgedRun(trace, { classes: APP_CLASSES });
      const experts = (world: World) => appAgents(world, ['Emails'], expert);
      const run = await runAgent(judged.environment, agent, { turns: 1, experts });
      return { run, verdict: judged.verifier.judgeEnd(judged.environment.log.list()) };
    };
    const able = await play(async (_, app) => `Sent as ${app.call('send_email', args)}.`);
    const [own, asked] = able.run.steps;
    expect(own?.outcome).toMatchObject({ error: { message: 'unknown tool Emails__send_email' } });
    expect(asked?.outcome).toMatchObject({ value: expect.stringMatching(/^Sent as \w{32}\.$/) });
    expect(able.verdict).toMatchObject({ success: true });
    const unable = await play(() => Promise.reject(new Error('I am lost.')));
    expect(unable.run.steps[1]?.outcome).toMatchObject({ error: { kind: 'Exception', message: 'I am lost.' } });
    expect(unable.verdict).toMatchObject({ success: false });
  });
});

describe('other names of tools', () => {
  const { trace } = generateScenario({ split: 'execution', seed: 1, index: 0 });
  const withWords = (names: Record<string, string>, abouts: Record<string, string> = {}) =>
    toolWordsOf({ ...trace, augmentation: { tool_names_mapping: names, tool_descriptions_mapping: abouts } });

  it('are shown to the agent and called by it; log and verdict have the original names', async () => {
    const words = withWords(
      { Emails__send_email: 'Post__dispatch', AgentUserInterface__send_message_to_user: 'User__tell' },
      { Emails__send_email: 'Sends it off.' },
    )!;
    const [write] = trace.events.filter(({ action }) => action?.function === 'send_email');
    const args = Object.fromEntries(
      write!.action!.args!.map(({ name, value, value_type }) => [
        name,
        value_type === 'list' ? JSON.parse(value!) : value,
      ]),
    );
    const plan: AgentAction[] = [
      { kind: 'call', app: 'Emails', tool: 'send_email', args },
      { kind: 'call', app: 'Post', tool: 'dispatch', args },
      { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content: 'It is done.' } },
    ];
    const tools = new Map<string, string>();
    const agent: Agent = {
      name: 'planned',
      act({ apps }) {
        for (const app of apps) for (const { name, about } of app.tools) tools.set(`${app.name}__${name}`, about);
        return { action: plan.shift() ?? { kind: 'idle' } };
      },
    };
    const judged = beginJudgedRun(trace, { classes: APP_CLASSES });
    const run = await runAgent(judged.environment, withToolWords(agent, words), { turns: 1 });
    expect(tools.get('Post__dispatch')).toBe('Sends it off.');
    expect(tools.has('Emails__send_email')).toBe(false);
    expect(tools.has('Emails__delete_email')).toBe(true);
    expect(run.steps[0]?.outcome).toMatchObject({ error: { message: 'unknown tool __Emails__send_email' } });
    expect(run.steps[1]).toMatchObject({ app: 'Emails', tool: 'send_email' });
    expect(judged.verifier.judgeEnd(judged.environment.log.list())).toMatchObject({ success: true });
  });

  it('are refused if they cannot be called, or are names of two tools', () => {
    expect(toolWordsOf(trace)).toBeNull();
    expect(() => withWords({ Emails__send_email: 'dispatch' })).toThrow('augmentation.tool_names_mapping');
    expect(() => withWords({ Emails__send_email: 'A__b', Emails__delete_email: 'A__b' })).toThrow('another tool');
    expect(() => toolWordsOf({ ...trace, augmentation: { tool_names_mapping: ['x'] } })).toThrow('no table of texts');
  });
});
