// Compares the clock, the queue, the graph, conditions and waiting with recorded runs of the reference.
import { SystemApp } from '../../apps/system.ts';
import { Clock, ManualClock } from '../../clock.ts';
import { Environment } from '../../environment.ts';
import { EventLog } from '../../events/completed.ts';
import { actionEvent, conditionEvent, dependsOn, schedule, stopEvent } from '../../events/graph.ts';
import { EventQueue } from '../../events/queue.ts';
import type { ScenarioEvent } from '../../events/types.ts';
import type { Verbosity } from '../../notifications/notified.ts';
import type { Value } from '../../value.ts';
import { callResult, comparedCase } from './calling.ts';
import { BoxApp } from './stand-ins.ts';
import { type Comparison, countedDraws, type ParityCase } from './types.ts';

type Dict = Readonly<Record<string, Value>>;
const dict = (value: Value | undefined): Dict => value as Dict;
const list = (value: Value | undefined): readonly Value[] => value as readonly Value[];

export const compareClock: Comparison = ({ json }) =>
  Object.entries(dict(json)).map(([name, rows]) => {
    const real = new ManualClock();
    const clock = new Clock(() => real.now);
    const seen = list(rows).map((row) => {
      const op = list(dict(row).op);
      runOp(clock, real, String(op[0]), Number(op[1]));
      return {
        op,
        time: clock.time(),
        time_passed: clock.passed(),
        real_time_passed: clock.realPassed(),
        offset: clock.offset,
        paused: clock.isPaused,
      };
    });
    return comparedCase('time_manager.json', name, list(rows), seen);
  });

function runOp(clock: Clock, real: ManualClock, op: string, value: number): void {
  if (op === 'reset') clock.reset(value);
  else if (op === 'adv') real.now += value;
  else if (op === 'pause') clock.pause();
  else if (op === 'resume') clock.resume();
  else if (op === 'add_offset') clock.addOffset(value);
  else if (op === 'set_offset') clock.offset = value;
}

const box = new BoxApp();
const boxTool = box.tools[0] as (typeof box.tools)[number];
const plainEvent = (id: string, time: number | null = null, delay: number | null = null): ScenarioEvent =>
  actionEvent({ id, time, delay, type: 'ENV', app: box, tool: boxTool, args: {} });

export const compareQueue: Comparison = ({ json }) => [
  ...list(dict(json).queue).map((row, place) => queueCase(dict(row), `queue ${place}`)),
  ...list(dict(json).dag).map((row) => graphCase(dict(row))),
];

function queueCase(row: Dict, name: string): ParityCase {
  const file = 'event_queue.json';
  if (row.log_put !== undefined) {
    const log = new EventLog();
    for (const [id, time] of list(row.log_put).map(list)) {
      log.put({ type: 'ENV', id: String(id), time: Number(time), action: null, value: null, error: null });
    }
    return comparedCase(
      file,
      name,
      row.log_view as Value,
      log.list().map(({ id }) => id),
    );
  }
  const queue = new EventQueue();
  if (typeof row.put === 'string') {
    // The recording describes only in words that an id is queued once, even after it was removed.
    queue.put(plainEvent('a', 1));
    queue.take(1);
    queue.put(plainEvent('a', 2));
    return comparedCase(
      file,
      name,
      row.list_view as Value,
      queue.list().map(({ id }) => id),
    );
  }
  for (const [id, time] of list(row.put).map(list)) queue.put(plainEvent(String(id), Number(time)));
  const listed = queue.list().map(({ id }) => id);
  const popped = queue.take(Number(row.pop_at)).map(({ id }) => id);
  return comparedCase(file, name, row as Value, {
    put: row.put as Value,
    list_view: listed,
    pop_at: row.pop_at as Value,
    popped,
    left: queue.list().map(({ id }) => id),
    peek: queue.peek()?.id ?? null,
  });
}

function graphCase(row: Dict): ParityCase {
  const rows = list(row.events).map(dict);
  const events = new Map(rows.map((event) => [String(event.id), plainEvent(String(event.id))]));
  for (const { id, deps, rel } of rows) {
    const event = events.get(String(id)) as ScenarioEvent;
    dependsOn(
      event,
      list(deps).map((dep) => events.get(String(dep)) as ScenarioEvent),
    );
    event.delay = rel as number | null;
  }
  const times = [...events.values()].map((event): Value => {
    const isDue = schedule(event, Number(row.start));
    return [event.id, isDue ? event.time : 'ERR ValueError'];
  });
  return comparedCase('event_queue.json', String(row.name), row.times_in_given_order as Value, times);
}

/** An event two seconds after a condition that becomes true at a given second. */
export const compareConditions: Comparison = ({ json }) =>
  list(json).map((item) => {
    const row = dict(item);
    const environment = new Environment({ duration: 10 });
    const condition = conditionEvent({
      id: 'cond',
      delay: 0,
      everyTicks: Number(row.every),
      timeout: row.timeout as number | null,
      predicate: () => environment.now() >= Number(row.true_from),
    });
    const next = dependsOn(plainEvent('next'), [condition], 2);
    environment.register([box]).schedule([condition, next]).begin();
    while (environment.step());
    const log = environment.log.list().map(({ id, time, value }): Value => [id, time, value]);
    return comparedCase('condition_events.json', String(row.case), row.log as Value, log);
  });

export const compareWaiting: Comparison = ({ json }) =>
  list(json).map((item) => {
    const row = dict(item);
    const environment = new Environment({
      duration: 1000,
      verbosity: row.verbosity as Verbosity,
      draws: countedDraws(),
    });
    const system = new SystemApp();
    const mail = new BoxApp('EmailClientV2');
    const events = list(row.events).map((event, place) => waitedFor(mail, list(event), place, senderIn(row)));
    environment.register([system, mail]).schedule(events).begin();
    for (let second = 0; second < Number(row.called_at); second++) environment.step();
    environment.tick();
    const { error } = callResult(environment, system.name, 'wait_for_notification', { timeout: row.timeout as number });
    const after = environment.now();
    const messages = environment.inbox.take(Number.POSITIVE_INFINITY);
    environment.real.now += 1;
    return comparedCase('wait_for_notification.json', String(row.case), row as Value, {
      ...row,
      ...(error !== undefined && { error }),
      sim_time_after: after,
      sim_time_after_plus_1s_real: environment.now(),
      messages: messages.map(({ kind, text, time }): Value => [kind, text, time]),
      log: environment.log.list().map(({ id, time }): Value => [id, time]),
    });
  });

/** `mail` notifies at MEDIUM, `silent` never, `stop` stops the environment, `user` is a message of the user. */
function waitedFor(app: BoxApp, [time, kind]: readonly Value[], place: number, sender: string): ScenarioEvent {
  const id = `ev${place}`;
  if (kind === 'stop') return stopEvent({ id, time: Number(time) });
  const name = kind === 'mail' ? 'send_email_to_user_only' : 'open_box';
  const tool = app.tool(name) as (typeof app.tools)[number];
  const args: Record<string, string> = kind === 'mail' ? { sender } : {};
  return actionEvent({ id, time: Number(time), type: 'ENV', app, tool, args });
}

/** The file lacks the mails' sender; the recorded messages contain it. */
const senderIn = (row: Dict): string =>
  /New email received from (\S+)/.exec(
    list(row.messages)
      .map((message) => String(list(message)[1]))
      .join('\n'),
  )?.[1] ?? '';
