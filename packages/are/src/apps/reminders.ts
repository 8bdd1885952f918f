// Reminders (ARE's ReminderApp): texts that appear at a time, once or repeatedly. Only programs can have this app; a scenario file cannot,
// and its state is never saved.
import { StatelessApp } from '../app.ts';
import { assertionError, valueError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Value } from '../value.ts';
import { DAY, HOUR, isoFormat, MINUTE, monthsLater, parseDateTime, spacedIso, WEEK } from './support/clock.ts';

type Reminder = {
  reminder_id: string;
  title: string;
  /** Seconds since 1970. */
  due: number;
  description: string;
  repetition_unit: string | null;
  repetition_value: number | null;
  time_notified: number | null;
};

/** Seconds of a repetition's unit; null for a month, which has no fixed length. */
const UNITS: Readonly<Record<string, number | null>> = {
  second: 1,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: WEEK,
  month: null,
};
const MAX_REPETITIONS = 100;
/** Longest time from the app's first moment to a repetition. */
const HORIZON = 12 * WEEK;

export class ReminderApp extends StatelessApp {
  readonly tools: readonly Tool[] = TOOLS;
  reminders = new Map<string, Reminder>();
  private horizon: number | null = null;

  constructor(name?: string) {
    super('ReminderApp', name);
  }

  override reset(): void {
    this.reminders.clear();
  }

  override connect(): void {
    this.horizon ??= this.world.now() + HORIZON;
  }

  /** Notifies of reminders that became due since the last tick. Each check is a logged call, as in the reference. */
  override poll(): string | null {
    this.call('get_due_reminders');
    const news = this.due().filter(({ time_notified }) => time_notified === null);
    for (const reminder of news) reminder.time_notified = this.world.now();
    return news.length === 0 ? null : `${this.name}: New due reminders:\n${reminderList(news)}`;
  }

  due(): Reminder[] {
    return [...this.reminders.values()].filter(({ due }) => due <= this.world.now());
  }

  add(reminder: Omit<Reminder, 'reminder_id' | 'time_notified'>): string {
    const unit = reminder.repetition_unit;
    if (unit && !Object.hasOwn(UNITS, unit)) throw assertionError('Invalid repetition interval');
    const reminder_id = this.draws.id();
    let last: Reminder | null = { ...reminder, reminder_id, time_notified: null };
    this.reminders.set(reminder_id, last);
    for (let count = 0; unit && last && count < MAX_REPETITIONS; count++) last = this.repeat(last);
    return reminder_id;
  }

  /** Adds the next repetition, whose id extends the previous one; null beyond the horizon. */
  private repeat(reminder: Reminder): Reminder | null {
    const { repetition_unit: unit, repetition_value: value } = reminder;
    if (!unit || !value) throw assertionError(`No repetition for this reminder: ${text(reminder)}`);
    const length = UNITS[unit];
    const due = length ? reminder.due + value * length : monthsLater(reminder.due, value);
    if (due >= (this.horizon as number)) return null;
    const next = { ...reminder, reminder_id: `${reminder.reminder_id}_rep_1`, due, time_notified: null };
    this.reminders.set(next.reminder_id, next);
    return next;
  }

  /** Removes a reminder with its first repetition only: the reference looks for ids that later repetitions do not have. */
  remove(id: string): void {
    const reminder = this.reminders.get(id);
    if (!reminder) throw valueError(`Reminder ${id} not found.`);
    this.reminders.delete(id);
    if (!reminder.repetition_unit || !reminder.repetition_value) return;
    for (let count = 1; count <= MAX_REPETITIONS; count++) this.reminders.delete(`${id}_rep_${count}`);
  }
}

const written = (seconds: number): string => spacedIso(isoFormat(seconds));
const text = ({ title, description, due }: Reminder): string =>
  `Reminder: ${title}\nDescription: ${description}\nDue Date: ${written(due)}`;
const reminderList = (reminders: readonly Reminder[]): string => reminders.map(text).join('\n\n');
const value = ({ due, ...reminder }: Reminder): Value => ({ ...reminder, due_datetime: written(due) });
/** The text that an agent reads for a list of reminders. */
const reminderWords = (result: Value): string =>
  (result as readonly Record<string, Value>[])
    .map((row) => `Reminder: ${row.title}\nDescription: ${row.description}\nDue Date: ${row.due_datetime}`)
    .join('\n\n');

const tool = toolsOf<ReminderApp>();
const TOOLS: readonly Tool[] = [
  tool({
    name: 'add_reminder',
    operation: 'WRITE',
    isUnchecked: true,
    returns: 'str',
    params: {
      title: { type: 'str', about: 'Title of the reminder.' },
      due_datetime: { type: 'str', about: 'When it comes up, as YYYY-MM-DD HH:MM:SS.' },
      description: { type: 'str', about: 'What to be reminded of.' },
      repetition_unit: { type: 'str | None', default: null, about: 'second, minute, hour, day, week or month.' },
      repetition_value: { type: 'int | None', default: 1, about: 'How many units lie between repetitions.' },
    },
    about: 'Adds a reminder, repeated where a unit is given, and returns its id.',
    run: (app, { due_datetime, ...rest }) => app.add({ ...rest, due: parseDateTime(due_datetime) }),
  }),
  tool({
    name: 'delete_reminder',
    operation: 'WRITE',
    isUnchecked: true,
    returns: null,
    params: { reminder_id: { type: 'str', about: 'Id of the reminder.' } },
    about: 'Removes a reminder.',
    run: (app, { reminder_id }) => {
      app.remove(reminder_id);
      return null;
    },
  }),
  tool({
    name: 'delete_all_reminders',
    operation: 'WRITE',
    isUnchecked: true,
    returns: null,
    params: {},
    about: 'Removes all reminders.',
    run: (app) => {
      app.reset();
      return null;
    },
  }),
  tool({
    name: 'get_due_reminders',
    operation: 'READ',
    isUnchecked: true,
    returns: 'list[Reminder]',
    params: {},
    about: 'Lists the reminders that have come up.',
    tells: reminderWords,
    run: (app) => app.due().map(value),
  }),
  tool({
    name: 'get_all_reminders',
    operation: 'READ',
    isUnchecked: true,
    returns: 'list[Reminder]',
    params: {},
    about: 'Lists all reminders.',
    tells: reminderWords,
    run: (app) => [...app.reminders.values()].map(value),
  }),
];
