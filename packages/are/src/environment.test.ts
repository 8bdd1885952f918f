// Tests the rules of the event loop, each on a small scenario: the six types of events, joins, conditions, placeholders, notifications,
// time.
import { describe, expect, it } from 'vitest';
import { ReminderApp } from './apps/reminders.ts';
import { SystemApp } from './apps/system.ts';
import { countedDraws } from './cli/parity/types.ts';
import { Environment } from './environment.ts';
import type { CompletedEvent } from './events/completed.ts';
import { conditionEvent, dependsOn, oracleEvent, stopEvent, validationEvent } from './events/graph.ts';
import { PendingAnswer } from './pending.ts';
import { EmailApp, emailEvent, environmentOf, played } from './testing/mailbox.ts';
import { AgentValidator } from './validation.ts';
import type { Value } from './value.ts';

const seen = ({ log }: Environment): Value[] => log.list().map(({ id, type, time }) => [id, type, time]);

describe('the six types of events', () => {
  it('ENV and USER: their calls happen at their time', () => {
    const app = new EmailApp();
    const environment = played(
      [
        emailEvent(app, 'env', 'ENV', { text: 'a' }, { delay: 2 }),
        emailEvent(app, 'user', 'USER', { text: 'b' }, { time: 5 }),
      ],
      app,
    );
    expect(seen(environment)).toEqual([
      ['env', 'ENV', 2],
      ['user', 'USER', 5],
    ]);
    expect(app.texts).toEqual(['a', 'b']);
  });

  it('AGENT: in an agent’s run an oracle event does nothing and its successors never fire; in the oracle’s run it is played', () => {
    const graph = (app: EmailApp) => {
      const oracle = oracleEvent({ id: 'o', delay: 1, appName: app.name, functionName: 'write', args: { text: 'o' } });
      return [oracle, dependsOn(emailEvent(app, 'after', 'ENV', { text: 'x' }), [oracle], 2)];
    };
    const [app, other] = [new EmailApp(), new EmailApp()];
    expect(seen(played(graph(app), app))).toEqual([]);
    const environment = environmentOf(graph(other), other, { isOracle: true });
    environment.runQueue();
    expect(seen(environment)).toEqual([
      ['o', 'AGENT', 1],
      ['after', 'ENV', 3],
    ]);
    expect(other.texts).toEqual(['o', 'x']);
  });

  it('CONDITION: it is checked at its interval of ticks until it is true; dependent events count from then', () => {
    const app = new EmailApp();
    const condition = conditionEvent({ id: 'c', everyTicks: 2, predicate: (run) => run.now() >= 5 });
    const after = dependsOn(emailEvent(app, 'after', 'ENV', { text: 'x' }), [condition], 3);
    const environment = played([condition, after], app);
    expect(seen(environment)).toEqual([
      ['c-CHECK_0', 'CONDITION', 0],
      ['c-CHECK_1', 'CONDITION', 2],
      ['c-CHECK_2', 'CONDITION', 4],
      ['c-CHECK_3', 'CONDITION', 6],
      ['after', 'ENV', 9],
    ]);
  });

  it('CONDITION: after its timeout it is not checked again, and dependent events never fire', () => {
    const app = new EmailApp();
    const condition = conditionEvent({ id: 'c', timeout: 3, predicate: () => false });
    const environment = played(
      [condition, dependsOn(emailEvent(app, 'after', 'ENV', { text: 'x' }), [condition])],
      app,
    );
    expect(seen(environment).map((row) => (row as Value[])[0])).toEqual([
      'c-CHECK_0',
      'c-CHECK_1',
      'c-CHECK_2',
      'c-CHECK_3',
    ]);
    expect(environment.notes[0]).toContain('timed out');
  });

  it('VALIDATION: milestones within the timeout, minefields never', () => {
    const app = new EmailApp();
    const has = (text: string) => ({ name: `has ${text}`, holds: () => app.texts.includes(text) });
    const write = (time: number, text: string) => emailEvent(app, text, 'ENV', { text }, { time });
    const state = (milestones: string[], minefields: string[], timeout: number) => {
      app.reset();
      const event = validationEvent({
        id: 'v',
        milestones: milestones.map(has),
        minefields: minefields.map(has),
        timeout,
      });
      return played([write(2, 'good'), write(4, 'bad'), event], app).state;
    };
    expect(state(['good'], [], 5)).toBe('STOPPED');
    expect(state(['good'], [], 2)).toBe('FAILED');
    expect(state([], ['bad'], 10)).toBe('FAILED');
    expect(state([], ['bad'], 3)).toBe('STOPPED');
  });

  it('VALIDATION: one that is not met when the run ends counts as failed', () => {
    const event = (timeout: number | null) =>
      validationEvent({ id: 'v', timeout, milestones: [{ name: 'never', holds: () => false }] });
    expect(played([event(null)]).state).toBe('FAILED');
    const environment = environmentOf([]);
    environment.validators.push(new AgentValidator({ milestones: [{ name: 'never', holds: () => false }] }));
    while (environment.step());
    expect(environment.state).toBe('FAILED');
  });

  it('VALIDATION of the agent’s actions: each of its calls is checked', () => {
    const app = new EmailApp();
    const environment = environmentOf([], app);
    const isNamed = (name: string) => ({ name, holds: ({ action }: CompletedEvent) => action?.args.text === name });
    environment.validators.push(
      new AgentValidator({ milestones: [isNamed('wanted')], minefields: [isNamed('banned')] }),
    );
    app.call('write', { text: 'wanted' });
    expect(environment.state).toBe('RUNNING');
    app.call('write', { text: 'banned' });
    expect(environment.state).toBe('FAILED');
  });

  it('STOP: nothing happens after it', () => {
    const app = new EmailApp();
    const environment = played(
      [stopEvent({ id: 's', time: 3 }), emailEvent(app, 'late', 'ENV', { text: 'x' }, { time: 4 })],
      app,
    );
    expect(app.texts).toEqual([]);
    expect(environment.clock.passed()).toBeLessThan(5);
    expect(environment.inbox.list().at(-1)?.kind).toBe('ENVIRONMENT_STOP');
  });
});

describe('the graph', () => {
  it('a join fires once, its delay after the last of its dependencies', () => {
    const app = new EmailApp();
    const [a, b] = [
      emailEvent(app, 'a', 'ENV', { text: 'a' }, { delay: 1 }),
      emailEvent(app, 'b', 'ENV', { text: 'b' }, { delay: 7 }),
    ];
    const join = dependsOn(emailEvent(app, 'join', 'ENV', { text: 'j' }), [a, b], 2);
    expect(seen(played([a, b, join], app))).toEqual([
      ['a', 'ENV', 1],
      ['b', 'ENV', 7],
      ['join', 'ENV', 9],
    ]);
    expect(app.texts).toEqual(['a', 'b', 'j']);
  });

  it('a chain without delays takes one tick, and a negative delay is refused', () => {
    const app = new EmailApp();
    const a = emailEvent(app, 'a', 'ENV', { text: 'a' }, { delay: 1 });
    const b = dependsOn(emailEvent(app, 'b', 'ENV', { text: 'b' }), [a]);
    const c = dependsOn(emailEvent(app, 'c', 'ENV', { text: 'c' }), [b]);
    const environment = environmentOf([a, b, c], app);
    environment.step();
    environment.step();
    expect(app.texts).toEqual(['a', 'b', 'c']);
    expect(() => dependsOn(c, [a], -1)).toThrow(RangeError);
  });

  it('a tick of several seconds fires due events in order of time', () => {
    const app = new EmailApp();
    const at = (id: string, time: number) => emailEvent(app, id, 'ENV', { text: id }, { time });
    const environment = environmentOf([at('c', 9), at('a', 1), at('b', 4)], app, { increment: 10 });
    environment.step();
    environment.step();
    expect(app.texts).toEqual(['a', 'b', 'c']);
  });
});

describe('placeholders', () => {
  it('stand for the result of a past event, or for a value at its keys', () => {
    const app = new EmailApp();
    const first = emailEvent(app, 'first', 'ENV', { text: 'hello' });
    const whole = dependsOn(emailEvent(app, 'whole', 'ENV', { text: '{{first}}' }), [first]);
    const key = dependsOn(emailEvent(app, 'key', 'ENV', { text: ' {{box.size}} ' }), [first], 1);
    const box = dependsOn(emailEvent(app, 'box', 'ENV', {}, {}, 'count'), [first]);
    const part = dependsOn(emailEvent(app, 'part', 'ENV', { text: 'x {{first}}' }), [first], 2);
    played([first, whole, key, box, part], app);
    expect(app.texts).toEqual(['hello', 'hello!', '1', 'x {{first}}']);
  });

  it('leave out the remaining arguments if a key is missing', () => {
    const app = new EmailApp();
    const box = emailEvent(app, 'box', 'ENV', {}, {}, 'count');
    const wrong = dependsOn(emailEvent(app, 'wrong', 'ENV', { text: '{{box.none}}', more: 'y' }), [box]);
    const environment = played([box, wrong], app);
    expect(app.texts).toEqual(['{{box.none}}']);
    expect(environment.log.list().at(-1)?.action?.resolved).toEqual({ text: '{{box.none}}' });
  });
});

describe('notifications', () => {
  const notifiedAt = (verbosity: 'LOW' | 'MEDIUM' | 'HIGH') => {
    const app = new EmailApp();
    const call = (id: string, tool: string) =>
      emailEvent(app, id, 'ENV', { sender: 'a@x.org', subject: '', content: '' }, { delay: 1 }, tool);
    return played([call('m', 'send_email_to_user_only'), emailEvent(app, 'w', 'ENV', { text: 'x' })], app, {
      verbosity,
    })
      .inbox.list()
      .filter(({ kind }) => kind === 'ENVIRONMENT_NOTIFICATION')
      .map(({ text, time }) => [text, time]);
  };

  it('depend on verbosity and tool', () => {
    expect(notifiedAt('LOW')).toEqual([]);
    expect(notifiedAt('MEDIUM')).toEqual([['EmailClientV2: New email received from a@x.org', 1]]);
    expect(notifiedAt('HIGH')).toEqual(notifiedAt('MEDIUM'));
  });
});

describe('a pending answer', () => {
  /** A condition that waits for an answer every second, and reminders whose polls are logged. */
  function run(isAwaited: boolean, go: (environment: Environment) => void): Value {
    const answered = new Set<number>();
    const app = new EmailApp();
    const asked = conditionEvent({
      id: 'c',
      predicate: (run) => {
        const now = run.now();
        if (isAwaited && !answered.has(now)) throw new PendingAnswer(async () => void answered.add(now));
        return now >= 4;
      },
    });
    const after = dependsOn(emailEvent(app, 'after', 'ENV', { text: 'x' }), [asked], 3);
    const environment = new Environment({ duration: 60, draws: countedDraws() });
    environment.register([app, new SystemApp(), new ReminderApp()]).schedule([asked, after]).begin();
    insist(() => environment.step());
    go(environment);
    return {
      now: environment.now(),
      log: environment.log.list().map(({ id, time }): Value => [id, time]),
      messages: environment.inbox.list().map(({ text, time }): Value => [text, time]),
      next: environment.world.id(),
    };
  }
  /** Like `settled`, for answers that are there at once. */
  function insist<T>(run: () => T): T {
    for (;;) {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof PendingAnswer)) throw error;
        void error.settle();
      }
    }
  }
  const same = (go: (environment: Environment) => void) => expect(run(true, go)).toEqual(run(false, go));

  it('changes nothing in ordinary steps', () => {
    same((environment) => {
      for (let second = 0; second < 12; second++) insist(() => environment.step());
    });
  });

  it('changes nothing when a run resumes after thinking: the tick is repeated', () => {
    same((environment) => {
      environment.pause();
      insist(() => environment.resume(5));
      expect(environment.log.list().map(({ id }) => id)).toContain('c-CHECK_1');
    });
  });

  it('changes nothing in a wait: its end, its id and its time stay the same', () => {
    for (const timeout of [2, 20])
      same((environment) => {
        insist(() => environment.world.app('SystemApp')?.call('wait_for_notification', { timeout }));
      });
  });
});
