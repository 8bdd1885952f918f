// Tests scenario files: what is accepted, what is refused and with which place, turns, and writing back to a file.
import { describe, expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { ScenarioError } from '../errors.ts';
import { incoming, mail, type SampleEvent, sampleTrace, TWO_TURNS, toAgent, toUser } from '../testing/sample.ts';
import { exportApps, exportEvents, traceText } from './export.ts';
import { makeScenario } from './import.ts';
import { parseTrace, type Trace } from './schema.ts';
import { turnsOf, withTurnConditions } from './turns.ts';

const made = (events: readonly SampleEvent[]) => makeScenario(sampleTrace(events), IMPORTABLE_CLASSES);
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ScenarioError) return error.message;
    throw error;
  }
  return 'taken';
};
const refused = (events: readonly SampleEvent[]) => refusal(() => made(events));

it('limits the number of all dependencies, not only of one event', () => {
  const many = (n: number) => {
    const first = Array.from({ length: n }, (_, i) => mail(`a${i}`, ['u1']));
    const ids = first.map(({ id }) => id);
    return [toAgent('u1', 'x'), ...first, ...ids.map((id) => mail(`b${id}`, ids))];
  };
  expect(() => sampleTrace(many(2000))).toThrow('events: they have 4002000 dependencies in all, 100000 are taken');
  expect(sampleTrace(many(300)).events).toHaveLength(601);
});

describe('a file', () => {
  const change = (edit: (file: Trace) => void): string => {
    const file = JSON.parse(traceText(sampleTrace())) as Trace;
    edit(file);
    return refusal(() => makeScenario(parseTrace(JSON.stringify(file)), IMPORTABLE_CLASSES));
  };

  it('is refused with the place of the error', () => {
    expect(change((file) => Object.assign(file, { version: '2.0' }))).toBe('version: it has to be are_simulation_v1');
    expect(change((file) => Object.assign(file.events[1]?.action ?? {}, { action_id: 3 }))).toBe(
      'events[1].action.action_id: it has to be of type string',
    );
    expect(change((file) => Object.assign(file.metadata.definition, { duration: 1e9 }))).toContain(
      'metadata.definition.duration',
    );
    expect(change((file) => Object.assign(file.events[4]?.action?.args?.[3] ?? {}, { value: '["a"' }))).toBe(
      `events[4].action.args[3].value: Error converting to JSON value ["a" to list: Expecting ',' delimiter: line 1 column 5 (char 4).`,
    );
    expect(refusal(() => parseTrace('{'))).toContain('not JSON');
    // These files have more errors than a stack could hold.
    const many = Array.from({ length: 200_000 }, () => 0);
    expect(change((file) => Object.assign(file, { events: many }))).toBe('events: at most 5000 entries are taken');
    expect(change((file) => Object.assign(file, { world_logs: many.slice(0, 90_000) }))).toBe(
      'world_logs[0]: it has to be of type string',
    );
    expect(change((file) => Object.assign(file, { completed_events: many }))).toContain('at most 100000 entries');
  });

  it('is accepted with errors that the reference never checks: a time beside a delay, an argument replaced by a later one of the same name', () => {
    expect(change((file) => Object.assign(file.events[1] ?? {}, { event_time: -3 }))).toBe('taken');
    expect(change((file) => Object.assign(file.events[1] ?? {}, { event_time: -3, event_relative_time: null }))).toBe(
      'events[1]: event_time must be non-negative.',
    );
    const twice = (first: string, later: string) =>
      change((file) => {
        const action = file.events[1]?.action;
        if (action) action.args = [first, later].map((value_type) => ({ name: 'subject', value: 'Tea', value_type }));
      });
    expect(twice('Email', 'str')).toBe('taken');
    expect(twice('str', 'Email')).toBe('events[1].action.args[1].value: Unsupported type Email.');
  });

  it('of a program whose first event is the environment’s is refused, as by the reference, with a remedy', () => {
    const error = (() => {
      try {
        made([incoming('e1', [], 5)]);
      } catch (raised) {
        return raised as ScenarioError;
      }
      throw new Error('it was taken');
    })();
    expect(error.message).toContain('events[0]: Env events must have only one predecessor event');
    expect(error.remedy).toContain('Make what begins the scenario a USER event');
    expect(made([toAgent('u1', 'x'), incoming('e1', ['u1'], 5)]).events).toHaveLength(2);
  });

  it('without apps of its own names the data set that has them', () => {
    const bare = (file: Trace) => Object.assign(file, { apps: [] }).metadata.definition;
    const hf_metadata = { dataset: 'some/set', split: 'validation', revision: null };
    expect(change((file) => Object.assign(bare(file), { hf_metadata }))).toBe(
      'apps: the file has none: they are those of sample in the data set some/set, split validation',
    );
  });

  it('whose condition has an argument of unknown type is refused for the argument', () => {
    const args = [{ name: 'k', value: 'x', value_type: 'set' }];
    const said = change((file) => {
      const [event] = file.events;
      Object.assign(event ?? {}, { event_type: 'CONDITION', dependencies: [] });
      Object.assign(event?.action ?? {}, { args });
    });
    expect(said).toContain('Unsupported type set.');
  });

  it('with an app of unknown class or invalid state is loaded without that app', () => {
    const trace = sampleTrace([toAgent('u1', 'x')]);
    trace.apps.push({ name: 'Fridge', class_name: 'Fridge', app_state: {} });
    Object.assign(trace.apps.find(({ name }) => name === 'Contacts')?.app_state ?? {}, { contacts: { c0: 5 } });
    const { skipped, apps } = makeScenario(trace, IMPORTABLE_CLASSES);
    expect(skipped[0]).toMatch(/^Contacts: its state cannot be loaded/);
    expect(skipped[1]).toBe('Fridge: there is no class Fridge');
    expect(apps.map(({ name }) => name)).not.toContain('Contacts');
  });

  it('is unchanged after reading and writing', () => {
    const scenario = made(TWO_TURNS);
    const again = makeScenario(
      { ...sampleTrace(), events: exportEvents(scenario.events), apps: exportApps(scenario.apps) },
      IMPORTABLE_CLASSES,
    );
    expect(exportEvents(again.events)).toEqual(exportEvents(scenario.events));
    expect(exportApps(again.apps)).toEqual(exportApps(scenario.apps));
    expect(exportEvents(scenario.events).map(({ event_id, dependencies }) => [event_id, dependencies])).toEqual(
      TWO_TURNS.map(({ id, after = [] }) => [id, after]),
    );
  });
});

describe('the authoring rules', () => {
  const [user, asked] = [toAgent('u1', 'x'), mail('o1', ['u1'])];

  it('define which events may follow which', () => {
    expect(refused([user, asked, toUser('o2', ['o1'])])).toBe('taken');
    expect(refused([mail('o1', [])])).toContain('Agent events must have at least one predecessor event.');
    expect(refused([user, incoming('e1', [], 1)])).toContain('Env events must have only one predecessor event');
    expect(refused([user, asked, incoming('e1', ['o1'], 1)])).toContain('Env events can only have');
    expect(refused([user, asked, toUser('o2', ['o1']), mail('o3', ['o2'])])).toContain('is not allowed to link after');
    expect(refused([user, toAgent('u2', 'y')])).toContain('Only one branch');
    expect(refused([...TWO_TURNS, mail('o5', ['o1', 'e1'])])).toContain('do not belong to the same turn');
  });

  it('require the message to the user last in its turn', () => {
    const late = mail('o1', ['u1'], 'ana@x.org', { delay: 30 });
    expect(refused([user, late, toUser('o2', ['u1'], 'Done.', 10)])).toContain('should be the maximum of the turn');
    expect(refused([user, late, toUser('o2', ['u1'], 'Done.', 40)])).toBe('taken');
  });

  it('refuse a cycle, a missing event, a repeated id, a negative delay', () => {
    expect(refused([user, mail('o1', ['o2']), mail('o2', ['o1'])])).toBe(
      'events[1].dependencies: it depends on an event that is not there, or on itself (got 1 events, expected 3 events)',
    );
    expect(refused([user, mail('o1', ['gone'])])).toContain('got 1 events, expected 2 events');
    expect(refused([user, { ...asked, id: 'u1' }])).toContain('events[1].event_id');
    expect(refused([user, mail('o1', ['u1'], 'ana@x.org', { delay: -1 })])).toContain(
      'event_relative_time must be non-negative.',
    );
  });
});

describe('turns', () => {
  it('count the ends of turns on the way to an event', () => {
    const turns = turnsOf(made(TWO_TURNS).events);
    expect([turns.count, Object.fromEntries(turns.of)]).toEqual([2, { u1: 0, o1: 0, o2: 0, e1: 1, o3: 1, o4: 1 }]);
  });

  it('make the successors of an end depend on a condition, with their delay', () => {
    const { events } = made(TWO_TURNS);
    const trigger = () => ({ goesOn: true, oracleIdOf: new Map() });
    const split = withTurnConditions(events, turnsOf(events), trigger, 'sample');
    const reply = split.find(({ id }) => id === 'e1');
    expect(reply?.dependencies.map(({ id }) => id)).toEqual(['condition_turn_1-CHECK_0']);
    expect(reply?.delay).toBe(20);
    expect(split.at(-1)?.successors).toEqual([reply]);
  });
});
