// Tests the incremental authoring rules: on any scenario they agree with the rules that check all events again, and they check each event a
// limited number of times.
import { describe, expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { EventLog } from '../events/completed.ts';
import { actionEvent, oracleEvent } from '../events/graph.ts';
import type { ScenarioEvent } from '../events/types.ts';
import { PythonError } from '../python-error.ts';
import { checkDirectly } from '../testing/authoring-direct.ts';
import { largeEvents, largeTrace } from '../testing/large.ts';
import { incoming, mail, type SampleEvent, sampleTrace, toAgent, toUser } from '../testing/sample.ts';
import { playOracle } from '../verifier/oracle-run.ts';
import { seededDraws } from '../world.ts';
import { Authoring, type NewEvent } from './authoring.ts';
import { makeScenario } from './import.ts';
import { turnsOf } from './turns.ts';

const { apps } = makeScenario(sampleTrace([toAgent('u', 'x')]), IMPORTABLE_CLASSES);

function asNew({ type, call, after = [], delay = 0, time }: SampleEvent): NewEvent {
  const isTimed = time !== undefined;
  return {
    type,
    functionName: call.split('.')[1] ?? '',
    dependencies: after,
    delay: isTimed ? null : delay,
    time: time ?? null,
  };
}

function made(sample: SampleEvent, others: ReadonlyMap<string, ScenarioEvent>): ScenarioEvent {
  const { delay, time } = asNew(sample);
  const [appName = '', functionName = ''] = sample.call.split('.');
  const when = { id: sample.id, delay, time };
  const app = apps.find(({ name }) => name === appName);
  const tool = app?.tool(functionName);
  if (!app || !tool) throw new Error(`no ${sample.call}`);
  const event =
    sample.type === 'AGENT'
      ? oracleEvent({ ...when, appName, functionName, args: {} })
      : actionEvent({ ...when, type: sample.type as 'USER' | 'ENV', app, tool, args: {} });
  for (const id of sample.after ?? []) {
    const before = others.get(id) as ScenarioEvent;
    event.dependencies.push(before);
    before.successors.push(event);
  }
  return event;
}

const said = (run: () => void): string => {
  try {
    run();
    return 'taken';
  } catch (error) {
    if (error instanceof PythonError) return error.message;
    throw error;
  }
};

/** Draws mostly allowed events, so that graphs become deep. */
function drawn(seed: number): SampleEvent[] {
  const draws = seededDraws(seed, 'authoring');
  const below = (count: number) => draws.randint(0, count - 1);
  const events: SampleEvent[] = [toAgent('e0', 'x', below(4) === 0 ? { time: 1_728_975_500 + below(300) } : {})];
  while (events.length < 24) {
    const id = `e${events.length}`;
    const any = () =>
      `e${below(4) === 0 ? below(events.length) : events.length - 1 - below(Math.min(5, events.length))}`;
    const when: Partial<SampleEvent> =
      below(9) === 0 ? { time: 1_728_975_600 + below(200) } : { delay: below(3) === 0 ? below(40) : below(2) };
    const before = [any(), any(), any()].slice(0, 1 + below(3));
    const next = [
      () => ({ ...mail(id, before), ...when }),
      () => ({ ...mail(id, before), ...when }),
      () => ({ ...incoming(id, [any()], 1), ...when }),
      () => ({ ...toUser(id, before), ...when }),
      () => toAgent(id, 'y', { after: before, delay: 1, ...when }),
      () => toAgent(id, 'z', {}),
    ][below(12) === 0 ? 5 : below(5)];
    if (next) events.push(next());
  }
  return events;
}

describe('the authoring rules', () => {
  it('agree with the rules that check all events each time', () => {
    const texts = new Map<string, number>();
    for (let seed = 0; seed < 400; seed++) {
      const authoring = new Authoring(1_728_975_600);
      const known = new Map<string, ScenarioEvent>();
      for (const sample of drawn(seed)) {
        if (!(sample.after ?? []).every((id) => known.has(id))) continue;
        const event = asNew(sample);
        const direct = said(() => checkDirectly(event, [...known.values()], 1_728_975_600));
        expect(
          said(() => authoring.check(event)),
          `seed ${seed}, ${sample.id}`,
        ).toBe(direct);
        const kind = direct.replace(/\(.*?\)|[\d.]+|e\d+/g, '');
        texts.set(kind, (texts.get(kind) ?? 0) + 1);
        if (direct !== 'taken') continue;
        const own = made(sample, known);
        known.set(own.id, own);
        authoring.add(own);
      }
      expect(turnsOf([...known.values()]).of.size).toBe(known.size);
    }
    // The random scenarios have triggered every rule.
    for (const part of [
      'Env events can only',
      'not allowed to link',
      'Only one branch',
      'same turn',
      'should be the maximum',
      'exceeds',
      'absolute time',
    ])
      expect(
        [...texts.keys()].some((text) => text.includes(part)),
        part,
      ).toBe(true);
    expect(texts.get('taken')).toBeGreaterThan(1000);
  });

  it('take twice as many checks for twice as many events', () => {
    const looks = (mails: number, calls: number, turns: number) => {
      const authoring = new Authoring(0);
      const known = new Map<string, ScenarioEvent>();
      for (const sample of largeEvents(mails, calls, turns)) {
        authoring.check(asNew(sample));
        const own = made(sample, known);
        known.set(own.id, own);
        authoring.add(own);
      }
      return authoring.looks;
    };
    for (const turns of [1, 40]) expect(looks(1600, 400, turns)).toBeLessThan(2.1 * looks(800, 200, turns));
  });
});

describe('an oracle of a thousand events', () => {
  it('is played without sorting its log for each of them', () => {
    let lists = 0;
    const list = EventLog.prototype.list;
    EventLog.prototype.list = function (this: EventLog) {
      lists++;
      return list.call(this);
    };
    try {
      const oracle = playOracle(makeScenario(largeTrace(800, 198, 4), IMPORTABLE_CLASSES));
      expect(oracle.log.length).toBe(1006);
      expect(lists).toBeLessThan(10);
    } finally {
      EventLog.prototype.list = list;
    }
  });
});
