// Tests time in the event loop: waits, when messages arrive, a clock that stops while an agent thinks, and the end of a run.
import { describe, expect, it } from 'vitest';
import { Clock, ManualClock } from './clock.ts';
import { conditionEvent } from './events/graph.ts';
import { Inbox } from './notifications/inbox.ts';
import { EmailApp, emailEvent, environmentOf, played } from './testing/mailbox.ts';

describe('a wait', () => {
  const waited = (time: number, seconds: number) => {
    const app = new EmailApp();
    const args = { sender: 'a@x.org', subject: '', content: '' };
    const environment = environmentOf([emailEvent(app, 'm', 'ENV', args, { time }, 'send_email_to_user_only')], app, {
      duration: 100,
    });
    environment.step();
    environment.world.wait(seconds);
    return [environment.now(), environment.inbox.take(environment.now()).map(({ text }) => text.split(':')[0])];
  };

  it('ends with a message, and an event at its very end replaces the timeout', () => {
    expect(waited(10, 30)).toEqual([10, ['EmailClientV2']]);
    expect(waited(31, 30)).toEqual([31, ['EmailClientV2']]);
    expect(waited(31.5, 30)).toEqual([31, ['SystemApp']]);
  });
});

describe('time', () => {
  it('a message is visible from its own moment on', () => {
    const inbox = new Inbox('MEDIUM');
    inbox.put('USER_MESSAGE', 'x', 5.1);
    expect([inbox.hasNew(5.0999), inbox.hasNew(5.1), inbox.take(5.1).length, inbox.take(9).length]).toEqual([
      false,
      true,
      1,
      0,
    ]);
  });

  it('a clock that is paused before anything has passed runs on, as in the reference', () => {
    const real = new ManualClock();
    const clock = new Clock(() => real.now);
    clock.reset(10);
    clock.pause();
    real.now = 3;
    expect(clock.time()).toBe(13);
    clock.resume();
    expect(clock.time()).toBe(10);
  });

  it('nothing happens while the agent thinks, and its thinking time passes afterwards', () => {
    const app = new EmailApp();
    const environment = environmentOf([emailEvent(app, 'e', 'ENV', { text: 'x' }, { time: 4 })], app);
    environment.step();
    environment.pause();
    environment.real.now += 100;
    expect([environment.now(), environment.step()]).toEqual([1, true]);
    environment.resume(5);
    expect([environment.now(), app.texts]).toEqual([6, ['x']]);
  });

  it('the run ends after its duration', () => {
    const environment = played([], new EmailApp(), { duration: 12 });
    expect([environment.state, environment.ticks, environment.isTimeUp]).toEqual(['STOPPED', 13, true]);
  });

  it('a wait ends with the run’s duration, however long it is and whatever condition is checked every second', () => {
    const app = new EmailApp();
    const polled = conditionEvent({ id: 'c', predicate: () => false });
    for (const events of [[], [polled]]) {
      const environment = environmentOf(events, app, { duration: 50 });
      environment.world.wait(1e15);
      expect([environment.isTimeUp, environment.clock.passed()]).toEqual([true, 51]);
      expect(environment.step()).toBe(false);
    }
  });

  it('the same calls give the same bytes', () => {
    const bytes = () => {
      const app = new EmailApp();
      const environment = played([emailEvent(app, 'e', 'ENV', { text: 'x' })], app, { seed: 5 });
      app.call('write', { text: 'y' });
      return JSON.stringify(environment.log.list());
    };
    expect(bytes()).toBe(bytes());
  });
});
