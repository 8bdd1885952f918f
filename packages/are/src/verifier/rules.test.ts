// Tests the verifier's rules, each with calls at given seconds: turns, counts, events that are too early or too late, and which judge decides on
// texts.
import { describe, expect, it } from 'vitest';
import { playScripted, type ScriptedName } from '../agents/play.ts';
import { runAgent } from '../agents/run.ts';
import type { Agent, AgentAction } from '../agents/types.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { settled } from '../pending.ts';
import { incoming, mail, type SampleEvent, sampleTrace, TWO_TURNS, toAgent, toUser } from '../testing/sample.ts';
import type { Args } from '../value.ts';
import { AnswerBook } from './answer-book.ts';
import { DEFAULT_CONFIG, PAPER_CONFIG } from './compare-calls.ts';
import { ConstantEngine, wordsEngine } from './engines.ts';
import { verdictText } from './explain.ts';
import { beginJudgedRun, type JudgedRunOptions } from './judged-run.ts';
import type { SoftEngine } from './soft.ts';
import { strictEngine } from './strict/strict.ts';
import type { Verdict } from './verifier.ts';

const play = (name: ScriptedName, events: readonly SampleEvent[]) =>
  playScripted(sampleTrace(events), name, { classes: IMPORTABLE_CLASSES });

const EMAIL: Args = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
const TEA: Args = {
  title: 'Tea',
  start_datetime: '2024-10-18 15:00:00',
  end_datetime: '2024-10-18 16:00:00',
  attendees: ['Ana Ruiz'],
};

/** Runs calls at the given seconds after the start, with a tick every second. */
function judged(
  events: readonly SampleEvent[],
  calls: readonly (readonly [number, string, Args])[],
  options: Partial<JudgedRunOptions> = {},
): Verdict {
  const { environment, verifier } = beginJudgedRun(sampleTrace(events), { classes: IMPORTABLE_CLASSES, ...options });
  const left = [...calls];
  for (let second = 0; second < 400 && !environment.isOver; second++) {
    environment.real.now = second;
    environment.tick();
    for (let next = left[0]; next !== undefined && next[0] < second + 1; next = left[0]) {
      left.shift();
      environment.real.now = next[0];
      const [app = '', tool = ''] = next[1].split('.');
      environment.world.app(app)?.call(tool, next[2]);
    }
  }
  return verifier.judgeEnd(environment.log.list());
}
const tell = (time: number, content = 'Done.') =>
  [time, 'AgentUserInterface.send_message_to_user', { content }] as const;

describe('turn by turn', () => {
  it('a wrong turn stops the run, and its reason is the verdict', () => {
    const verdict = judged(TWO_TURNS, [
      [2.1, 'Emails.send_email', { ...EMAIL, recipients: ['bo@x.org'] }],
      tell(3.1),
      tell(40.1),
    ]);
    expect(verdict.failure).toMatchObject({ kind: 'oracle event', oracleEventId: 'o1' });
  });

  it('nothing happens after a wrong turn', async () => {
    const { environment, run } = await play('random', TWO_TURNS);
    expect([run.end, environment.isOver]).toEqual(['stopped', true]);
    expect(environment.log.list().some(({ id }) => id === 'e1')).toBe(false);
  });

  it('a correct turn lets the next begin, and its events get the oracle’s ids', () => {
    const right = [
      [2.1, 'Emails.send_email', EMAIL],
      tell(3.1),
      [26.1, 'Calendar.add_calendar_event', TEA],
      tell(27.1),
    ] as const;
    expect(judged(TWO_TURNS, right).success).toBe(true);
    // The right call comes before the answer, so its order is wrong.
    const early = judged(TWO_TURNS, [right[0], right[1], [5.1, 'Calendar.add_calendar_event', TEA], tell(27.1)]);
    expect(early.failure).toMatchObject({ kind: 'oracle event', oracleEventId: 'o3' });
    expect(early.rationale).toContain('reason: causality');
  });

  it('two messages to the user within one tick leave the turn unjudged', () => {
    const verdict = judged(TWO_TURNS, [[2.1, 'Emails.send_email', EMAIL], tell(3.1), tell(3.2), tell(40.1)]);
    expect(verdict.rationale).toBe('Validation called at turn -1 but nb_turns is 2');
  });
});

describe('an oracle that makes no call', () => {
  it('leaves nothing to judge, so that the result is neither passed nor failed', () => {
    const idle = [toAgent('u1', 'x'), incoming('e1', ['u1'], 5)];
    for (const calls of [[], [tell(8.1)]]) {
      const verdict = judged(idle, calls);
      expect(verdict).toMatchObject({ success: false, failure: { kind: 'no oracle' } });
      expect(verdictText(verdict)).toMatch(/^Nothing to judge\.\nThe oracle makes no call/);
    }
  });
});

describe('counts', () => {
  const one = [toAgent('u1', 'x'), mail('o1', ['u1']), toUser('o2', ['o1'])];

  it('too many, too few or no actions fail; reads do not count', () => {
    const right = [[2.1, 'Emails.send_email', EMAIL], tell(3.1)] as const;
    expect(judged(one, right).success).toBe(true);
    expect(judged(one, [[1.1, 'Emails.list_emails', {}], ...right]).success).toBe(true);
    expect(judged(one, [[1.1, 'Emails.send_email', EMAIL], ...right]).failure?.kind).toBe('counts');
    expect(judged(one, [right[1]]).rationale).toContain(
      "Tool 'EmailClientV2__send_email': Agent count 0, Oracle count 1",
    );
    expect(judged(one, [right[0]]).rationale).toContain('Oracle sent 1 more message(s) than agent.');
  });

  it('the environment’s events count too: a turn that ends before one of them lacks it', () => {
    const events = [...one.slice(0, 2), incoming('e1', ['u1'], 30), toUser('o2', ['o1'], 'Done.', 60)];
    const sent = [2.1, 'Emails.send_email', EMAIL] as const;
    expect(judged(events, [sent, tell(62.1)]).success).toBe(true);
    expect(judged(events, [sent, tell(20.1)]).failure?.kind).toBe('counts');
  });
});

describe('time windows', () => {
  const events = (more: Partial<SampleEvent>) => [
    toAgent('u1', 'x'),
    mail('o1', ['u1'], 'ana@x.org', { delay: 180, ...more }),
    toUser('o2', ['o1']),
  ];
  const passes = (time: number, more: Partial<SampleEvent> = {}, config = DEFAULT_CONFIG) =>
    judged(events(more), [[time, 'Emails.send_email', EMAIL], tell(time + 1)], { config }).success;

  it('allow 10 seconds before to 25 after, from the event’s dependencies; the paper’s allow 5 before', () => {
    expect([169.9, 170.1, 204.9, 205.1].map((time) => passes(time))).toEqual([false, true, true, false]);
    expect([174.9, 175.1, 204.9].map((time) => passes(time, {}, PAPER_CONFIG))).toEqual([false, true, true]);
  });

  it('do not apply to a delay of a second', () => {
    expect([5.1, 300.1].map((time) => passes(time, { delay: 1 }))).toEqual([true, true]);
  });

  it('have one side with a comparator', () => {
    expect([20.1, 204.9, 205.1].map((time) => passes(time, { comparator: 'LESS_THAN' }))).toEqual([true, true, false]);
    expect([169.9, 170.1, 300.1].map((time) => passes(time, { comparator: 'GREATER_THAN' }))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('count from the last of several dependencies, and for the agent from its matched events', () => {
    const second = mail('o2', ['u1'], 'bo@x.org', { delay: 100 });
    const join = mail('o3', ['o1', 'o2'], 'cy@x.org', { delay: 50 });
    const graph = [toAgent('u1', 'x'), mail('o1', ['u1']), second, join, toUser('o4', ['o3'])];
    const to = (time: number, address: string) =>
      [time, 'Emails.send_email', { ...EMAIL, recipients: [address] }] as const;
    const passesAt = (first: number, third: number) =>
      judged(graph, [
        ...[to(first, 'ana@x.org'), to(100.1, 'bo@x.org'), to(third, 'cy@x.org')].sort((a, b) => a[0] - b[0]),
        tell(third + 1),
      ]).success;
    expect([passesAt(1.1, 150.1), passesAt(1.1, 180.1), passesAt(1.1, 120.1)]).toEqual([true, false, false]);
    // The first call was late, but its time is not checked, so the third does not count from it.
    expect([passesAt(130.1, 150.1), passesAt(130.1, 180.1)]).toEqual([true, false]);
  });

  it('count an absolute time from nothing but the scenario itself', () => {
    const at = { time: 1_728_975_600 + 100, delay: null };
    expect([89.9, 90.1, 124.9, 125.1].map((time) => passes(time, at))).toEqual([false, true, true, false]);
  });
});

describe('the soft judge', () => {
  const one = [toAgent('u1', 'x'), mail('o1', ['u1']), toUser('o2', ['o1'])];
  const said = (content: string, options: Partial<JudgedRunOptions>) =>
    judged(one, [[2.1, 'Emails.send_email', { ...EMAIL, content }], tell(3.1)], options).success;

  it('is not asked if texts differ only in case, accents and punctuation', () => {
    const engine = new ConstantEngine(false);
    expect(said('tea on FRIDAY, at 15:00!', { engine })).toBe(true);
    expect(engine.calls).toBe(0);
    expect(said('Coffee?', { engine })).toBe(false);
    expect(engine.calls).toBeGreaterThan(0);
  });

  it.each([
    ['words', wordsEngine],
    ['strict', strictEngine],
  ])('%s, without a model, looks for facts', (_, engine) => {
    expect(said('Hello Ana, would you come for tea on Friday at 15:00?', { engine })).toBe(true);
    expect(said('Hello Ana, would you come for tea on Friday at 16:00?', { engine })).toBe(false);
    expect(said('Hello Ana, tea on Friday at 15:00? Best,\nYour Name', { engine })).toBe(false);
    expect(said('{"tea": "Friday 15:00"} <b>tea</b>', { engine })).toBe(false);
  });

  it('is replaced by scripted checks if these are given', () => {
    const engine = new ConstantEngine(false);
    const check = {
      toolName: 'EmailClientV2__send_email',
      argName: 'content',
      checker: 'contain_all_checker',
      targets: ['friday'],
    } as const;
    const config = { ...DEFAULT_CONFIG, scripted: { o1: [check] } };
    expect(said('Friday then', { engine, config })).toBe(true);
    expect(said('Sunday then', { engine, config })).toBe(false);
    expect(engine.calls).toBe(0);
  });

  it('may be a slow model: each question is asked once, and the result is the same', async () => {
    const asked: string[] = [];
    const model = (answer: boolean) =>
      new AnswerBook({
        judge: async ({ checker, agentCall }) => {
          asked.push(`${checker} ${agentCall}`);
          return answer;
        },
        subtask: async ({ task }) => task,
      });
    const events = TWO_TURNS.map((event) => (event.id === 'o1' ? mail('o1', ['u1']) : event));
    const run = (engine: SoftEngine) => {
      const judged = beginJudgedRun(sampleTrace(events), { classes: IMPORTABLE_CLASSES, engine });
      const said = ['Hello!', 'Tea is noted.'];
      const calls: AgentAction[] = [
        { kind: 'call', app: 'Emails', tool: 'send_email', args: { ...EMAIL, content: 'Friday?' } },
        { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content: said[0] as string } },
        { kind: 'call', app: 'Calendar', tool: 'add_calendar_event', args: TEA },
        { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content: said[1] as string } },
      ];
      const agent: Agent = { name: 'x', act: () => ({ action: calls.shift() ?? { kind: 'idle' } }) };
      return runAgent(judged.environment, agent, { turns: 2 })
        .then(() => settled(() => judged.verifier.judgeEnd(judged.environment.log.list())))
        .then((verdict) => ({ verdict, log: judged.environment.log.list(), matches: [...judged.verifier.matches] }));
    };
    const waited = await run(model(true));
    expect(waited.verdict.success).toBe(true);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.map((line) => line.split(' ')[0])).toEqual([
      ...['signature_checker', 'tone_checker', 'email_checker', 'sanity_checker', 'user_message_checker'],
      ...['sanity_checker', 'user_message_checker'],
    ]);
    expect(JSON.stringify(await run(new ConstantEngine(true)))).toBe(JSON.stringify(waited));
    const refused = await run(model(false));
    expect(refused.verdict.failure).toMatchObject({ kind: 'oracle event', oracleEventId: 'o1' });
  });

  it('reports a tool without a judge as the verdict’s exception', async () => {
    const folder: SampleEvent = {
      id: 'o1',
      type: 'AGENT',
      call: 'Files.makedirs',
      args: { path: 'a/b' },
      after: ['u1'],
      delay: 1,
    };
    const trace = sampleTrace([toAgent('u1', 'x'), folder, toUser('o2', ['o1'])]);
    trace.apps.push({ name: 'Files', class_name: 'Files', app_state: {} });
    const { verdict } = await playScripted(trace, 'oracle', { classes: IMPORTABLE_CLASSES });
    expect(verdict).toMatchObject({
      success: false,
      rationale: 'Exception',
      exception: { kind: 'ValueError', text: 'Tool Files__makedirs not supported' },
    });
  });
});
