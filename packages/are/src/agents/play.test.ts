// Tests whole runs: correct, mistaken, random and silent agents, the verifier's verdict on each, and repeated runs.
import { describe, expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { OracleError } from '../errors.ts';
import { exportCompleted } from '../scenario/export.ts';
import { incoming, mail, type SampleEvent, sampleTrace, TWO_TURNS, toAgent, toUser } from '../testing/sample.ts';
import type { Args } from '../value.ts';
import { beginJudgedRun } from '../verifier/judged-run.ts';
import type { Verdict } from '../verifier/verifier.ts';
import { type PlayOptions, playScripted, SCRIPTED_AGENTS, type ScriptedName } from './play.ts';
import { ReplayAgent } from './replay.ts';
import { runAgent } from './run.ts';
import type { Agent, AgentAction } from './types.ts';

const play = (name: ScriptedName, events?: readonly SampleEvent[], options: Partial<PlayOptions> = {}) =>
  playScripted(sampleTrace(events), name, { classes: IMPORTABLE_CLASSES, ...options });

const EMAIL: Args = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
describe('the controls', () => {
  it.each(['fixed', 'instant'] as const)(
    'the oracle passes, the others fail, each for its own reason (%s time)',
    async (mode) => {
      const generation = mode === 'fixed' ? { mode, seconds: 1 } : { mode };
      const verdicts = new Map<string, Verdict>();
      for (const name of SCRIPTED_AGENTS) verdicts.set(name, (await play(name, TWO_TURNS, { generation })).verdict);
      expect([...verdicts].map(([name, { success }]) => [name, success])).toEqual([
        ['oracle', true],
        ['oracle-mistake', false],
        ['random', false],
        ['silent', false],
      ]);
      expect(verdicts.get('silent')?.failure?.kind).toBe('turns');
      expect(verdicts.get('random')?.failure?.kind).toBe('counts');
    },
  );

  it('have their mistake found by the verifier', async () => {
    const single = [toAgent('u1', 'x'), mail('o1', ['u1']), toUser('o2', ['o1'])];
    const { verdict, mistake } = await play('oracle-mistake', single);
    expect(mistake).toBe('o1 has another recipients');
    expect(verdict.failure).toMatchObject({
      kind: 'oracle event',
      oracleEventId: 'o1',
      attempts: [{ reason: 'already matched' }, { mismatch: { kind: 'argument', name: 'recipients' } }],
    });
  });

  it('give the same bytes for the same seed', async () => {
    const bytes = async (seed: number) =>
      JSON.stringify(exportCompleted((await play('random', TWO_TURNS, { seed })).environment.log.list()));
    expect(await bytes(3)).toBe(await bytes(3));
    expect(await bytes(3)).not.toBe(await bytes(4));
  });

  it('give no verdict if the scenario’s oracle fails', async () => {
    const broken = [toAgent('u1', 'x'), mail('o1', ['u1'], 'no address'), toUser('o2', ['o1'])];
    await expect(play('oracle', broken)).rejects.toThrow(OracleError);
  });
});

describe('a run', () => {
  const tireless: Agent = {
    name: 'tireless',
    act: () => ({ action: { kind: 'call', app: 'Emails', tool: 'list_emails', args: {} } }),
  };

  it('ends an agent that never stops acting, with a message to the user', async () => {
    const { environment } = beginJudgedRun(sampleTrace(), { classes: IMPORTABLE_CLASSES });
    const { end, steps } = await runAgent(environment, tireless, { turns: 2, maxSteps: 5 });
    expect([end, steps.length]).toEqual(['steps up', 5]);
    expect(environment.log.list().at(-1)?.action?.args.content).toBe('Max iterations (5) reached. Stopping.');
  });

  it('charges thinking time: fixed, measured or none', async () => {
    const passed = async (generation: PlayOptions['generation'], seconds: number) => {
      const { environment } = beginJudgedRun(sampleTrace(), { classes: IMPORTABLE_CLASSES });
      const agent: Agent = { name: 'x', act: (view) => ({ ...tireless.act(view), seconds }) } as Agent;
      await runAgent(environment, agent, { turns: 1, maxSteps: 4, ...(generation && { generation }) });
      return environment.clock.passed();
    };
    // The first message arrives after a second.
    expect(await passed({ mode: 'fixed', seconds: 3 }, 9)).toBe(13);
    expect(await passed({ mode: 'measured' }, 9)).toBe(37);
    expect(await passed({ mode: 'instant' }, 9)).toBe(1);
  });

  it('calls only tools that the agent has', async () => {
    const { environment } = beginJudgedRun(sampleTrace(), { classes: IMPORTABLE_CLASSES });
    const cheat: Agent = {
      name: 'cheat',
      act: () => ({ action: { kind: 'call', app: 'Emails', tool: 'send_email_to_user_only', args: {} } }),
    };
    const { steps } = await runAgent(environment, cheat, { turns: 1, maxSteps: 1 });
    expect(steps[0]?.outcome).toHaveProperty('error');
  });
});

describe('a replay', () => {
  const events = [
    toAgent('u1', 'x'),
    mail('o1', ['u1']),
    incoming('e1', ['u1'], 40),
    toUser('o2', ['o1'], 'Done.', 45),
  ];
  const generation = { mode: 'measured' } as const;
  const begin = () => beginJudgedRun(sampleTrace(events), { classes: IMPORTABLE_CLASSES });
  const send = (to: string): AgentAction => ({
    kind: 'call',
    app: 'Emails',
    tool: 'send_email',
    args: { ...EMAIL, recipients: [to] },
  });
  const acting = (...actions: readonly AgentAction[]): Agent => {
    const left = [...actions];
    // Each act takes longer than the previous one.
    return { name: 'x', act: () => ({ action: left.shift() ?? { kind: 'idle' }, seconds: 2 * (4 - left.length) }) };
  };
  const tellUser: AgentAction = {
    kind: 'call',
    app: 'AgentUserInterface',
    tool: 'send_message_to_user',
    args: { content: 'Done.' },
  };

  it('gives the same bytes, including waits and thinking time', async () => {
    const first = begin();
    const run = await runAgent(first.environment, acting(send('ana@x.org'), { kind: 'idle' }, tellUser), {
      turns: 1,
      generation,
    });
    expect(run.acts.map(({ action, seconds }) => [action.kind, seconds])).toEqual([
      ['call', 4],
      ['idle', 6],
      ['call', 8],
    ]);
    const again = begin();
    await runAgent(again.environment, new ReplayAgent(run.acts), { turns: 1, generation });
    expect(JSON.stringify(again.environment.log.list())).toBe(JSON.stringify(first.environment.log.list()));
  });

  it('passes control to the agent after its recorded acts', async () => {
    const { environment, verifier } = begin();
    const acts = [{ action: send('ana@x.org'), seconds: 4 }];
    await runAgent(environment, new ReplayAgent(acts, acting({ kind: 'idle' }, tellUser)), { turns: 1, generation });
    expect(verifier.judgeEnd(environment.log.list()).rationale).toBe('None');
  });
});
