// The clock that the agent reads and waits with (ARE's SystemApp). It has no state of its own: the time is the world's.
import { StatelessApp } from '../app.ts';
import { assertionError } from '../python-error.ts';
import { pythonInt } from '../python-type.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import { formatDateTime, weekdayOf } from './support/clock.ts';

export class SystemApp extends StatelessApp {
  readonly tools: readonly Tool[] = TOOLS;

  constructor(name?: string) {
    super('SystemApp', name);
  }
}

const tool = toolsOf<SystemApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'get_current_time',
    operation: 'READ',
    returns: 'dict',
    params: {},
    about: 'The current time: seconds since 1970, date and time as YYYY-MM-DD HH:MM:SS, and the day of the week.',
    run: (app) => {
      const now = app.world.now();
      return { current_timestamp: now, current_datetime: formatDateTime(now), current_weekday: weekdayOf(now) };
    },
  }),
  tool({
    name: 'wait_for_notification',
    operation: 'READ',
    returns: 'NoneType',
    isUnchecked: true,
    params: { timeout: { type: 'int', default: 0, about: 'Seconds to wait at most.', isConverted: true } },
    about: 'Waits until a notification comes or the timeout is over, whichever is first.',
    run: (app, args) => {
      const timeout = pythonInt(args.timeout);
      if (timeout < 0) throw assertionError('Timeout must be non-negative');
      app.world.wait(timeout);
      return null;
    },
  }),
];
