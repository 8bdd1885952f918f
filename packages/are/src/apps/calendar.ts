// The calendar (ARE's CalendarApp and its class Calendar): events with a start, an end and attendees, by id. Other people can also add and
// remove events, so an agent's plan may become outdated.

import { AppBase } from '../app.ts';
import { indexError, valueError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import type { Value, Values } from '../value.ts';
import { DAY, dateOf, formatDateTime, givenDateTime, HOUR, secondsOfDay, weekdayOf } from './support/clock.ts';
import { asDict, copyOf, dict, list, nullable, num, record, str, text, withDefault } from './support/state.ts';
import { holds, sortedSet } from './support/text.ts';

type CalendarEvent = {
  event_id: string;
  title: string;
  /** Seconds since 1970. */
  start_datetime: number;
  end_datetime: number;
  tag: string | null;
  description: string | null;
  location: string | null;
  attendees: string[];
  /** `Tuesday, 2024-10-15 09:00:00` */
  start_strftime: string;
  end_strftime: string;
};

const readEvent = record({
  event_id: str,
  title: withDefault(text, 'Event'),
  start_datetime: num,
  end_datetime: num,
  tag: nullable(str),
  description: nullable(str),
  location: nullable(str),
  attendees: (value, at) => nullable(list(str))(value, at) ?? [],
});
const readState = record({ events: dict(readEvent) });

/** The displayed times are computed from the numeric ones, whatever a file contains. */
function calendarEvent(event: Omit<CalendarEvent, 'start_strftime' | 'end_strftime'>): CalendarEvent {
  if (event.start_datetime > event.end_datetime) throw valueError('Start time cannot be after end time.');
  const shown = (seconds: number) => `${weekdayOf(seconds)}, ${formatDateTime(seconds)}`;
  return { ...event, start_strftime: shown(event.start_datetime), end_strftime: shown(event.end_datetime) };
}

interface NewEvent {
  title: string;
  start_datetime: string | null;
  end_datetime: string | null;
  tag: string | null;
  description: string | null;
  location: string | null;
  attendees: readonly string[] | null;
}

export class CalendarApp extends AppBase {
  readonly tools: readonly Tool[] = CALENDAR_TOOLS;
  events = new Map<string, CalendarEvent>();

  constructor(name?: string, className = 'CalendarApp') {
    super(className, name);
  }

  getState(): Values {
    return { events: asDict(this.events, copyOf) };
  }

  loadState(state: Values): void {
    const { events } = readState(state, '');
    this.events = new Map([...events].map(([key, event]) => [key, calendarEvent(event)]));
  }

  reset(): void {
    this.events.clear();
  }

  /** Default start: now. Default end: an hour from now, whatever the start is. */
  add(given: NewEvent): string {
    const now = this.world.now();
    const event = calendarEvent({
      event_id: this.draws.id(),
      title: given.title,
      start_datetime: givenDateTime(given.start_datetime ?? formatDateTime(now)),
      end_datetime: givenDateTime(given.end_datetime ?? formatDateTime(now + HOUR)),
      tag: given.tag,
      description: given.description,
      location: given.location,
      attendees: [...(given.attendees ?? [])],
    });
    this.events.set(event.event_id, event);
    return event.event_id;
  }

  event(id: string): CalendarEvent {
    const event = this.events.get(id);
    if (!event) throw valueError(`Calendar Event with id ${id} does not exist.`);
    return event;
  }

  found(matches: (event: CalendarEvent) => boolean): CalendarEvent[] {
    return copyOf([...this.events.values()].filter(matches));
  }

  /** Events that overlap a span by more than a moment. */
  between(from: string, to: string, offset: number, limit: number): Value {
    const start = givenDateTime(from);
    const end = givenDateTime(to);
    if (start > end) throw valueError('Start time cannot be after end time.');
    const events = this.found((event) => event.start_datetime < end && event.end_datetime > start);
    return {
      events: events.slice(offset, offset + limit),
      range: [offset, Math.min(offset + limit, events.length)],
      total: events.length,
    };
  }
}

const EVENT_PARAMS = {
  title: { type: 'str', default: 'Event', about: 'Title of the event.' },
  start_datetime: { type: 'str | None', default: null, about: 'Start as YYYY-MM-DD HH:MM:SS; now if not given.' },
  end_datetime: { type: 'str | None', default: null, about: 'End as YYYY-MM-DD HH:MM:SS; in an hour if not given.' },
  tag: { type: 'str | None', default: null, about: 'Tag of the event.' },
  description: { type: 'str | None', default: null, about: 'What the event is about.' },
  location: { type: 'str | None', default: null, about: 'Where the event takes place.' },
  attendees: { type: 'list[str] | None', default: null, about: 'Full names of the attendees.' },
} as const;
const EVENT_ID = { event_id: { type: 'str', about: 'Id of the event.' } } as const;

const tool = toolsOf<CalendarApp>();
const CALENDAR_TOOLS: readonly Tool[] = [
  tool({
    name: 'add_calendar_event',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: EVENT_PARAMS,
    about: 'Adds an event to the calendar and returns its id. A week begins on Monday unless the task says otherwise.',
    run: (app, args) => app.add(args),
  }),
  tool({
    name: 'add_calendar_event_by_attendee',
    roles: ['env', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: { who_add: { type: 'str', about: 'Who adds the event; becomes an attendee.' }, ...EVENT_PARAMS },
    about: 'Somebody else adds an event to the calendar.',
    run: (app, { who_add, ...event }) => {
      const attendees = event.attendees ?? [];
      const prefix = `Event created by ${who_add}`;
      return app.add({
        ...event,
        title: `${prefix}: ${event.title}`,
        description: event.description ? `${prefix}: ${event.description}` : prefix,
        attendees: attendees.includes(who_add) ? attendees : [...attendees, who_add],
      });
    },
  }),
  tool({
    name: 'get_calendar_event',
    operation: 'READ',
    returns: 'CalendarEvent',
    params: EVENT_ID,
    about: 'Reads one event of the calendar.',
    run: (app, { event_id }) => copyOf(app.event(event_id)),
  }),
  tool({
    name: 'delete_calendar_event_by_attendee',
    roles: ['env'],
    operation: 'WRITE',
    returns: 'str',
    params: { ...EVENT_ID, who_delete: { type: 'str', about: 'The attendee who removes the event.' } },
    about: 'One of its attendees removes an event from the calendar.',
    run: (app, { event_id, who_delete }) => {
      if (!app.event(event_id).attendees.includes(who_delete))
        throw valueError(`${who_delete} is not an attendee of the event.`);
      app.events.delete(event_id);
      return `Event ${event_id} successfully deleted by ${who_delete}.`;
    },
  }),
  tool({
    name: 'delete_calendar_event',
    roles: ['agent', 'data'],
    operation: 'WRITE',
    returns: 'str',
    params: EVENT_ID,
    about: 'Removes an event from the calendar.',
    run: (app, { event_id }) => {
      app.event(event_id);
      app.events.delete(event_id);
      return `Event ${event_id} successfully deleted.`;
    },
  }),
  tool({
    name: 'get_calendar_events_from_to',
    operation: 'READ',
    returns: 'CalendarEventsResult',
    params: {
      start_datetime: { type: 'str', about: 'Start of the span as YYYY-MM-DD HH:MM:SS.' },
      end_datetime: { type: 'str', about: 'End of the span as YYYY-MM-DD HH:MM:SS.' },
      offset: { type: 'int', default: 0, about: 'How many events to skip.' },
      limit: { type: 'int', default: 10, about: 'How many events to return at most.' },
    },
    about:
      'Lists the events that overlap a span of time, with the range shown and the total. Touching it is no overlap.',
    run: (app, { start_datetime, end_datetime, offset, limit }) =>
      app.between(start_datetime, end_datetime, offset, limit),
  }),
  tool({
    name: 'read_today_calendar_events',
    operation: 'READ',
    isUnchecked: true,
    returns: 'list[CalendarEvent]',
    params: {},
    about: "Lists today's events.",
    run: (app) => {
      const today = dateOf(app.world.now());
      const start = secondsOfDay(today.getUTCFullYear(), today.getUTCMonth() + 1, today.getUTCDate());
      return app.call('get_calendar_events_from_to', {
        start_datetime: formatDateTime(start),
        end_datetime: formatDateTime(start + DAY),
      });
    },
  }),
  tool({
    name: 'get_all_tags',
    operation: 'READ',
    returns: 'list[str]',
    params: {},
    about: 'Lists the tags that events have.',
    run: (app) => sortedSet([...app.events.values()].flatMap(({ tag }) => tag || [])),
  }),
  tool({
    name: 'get_calendar_events_by_tag',
    operation: 'READ',
    returns: 'list[CalendarEvent]',
    params: { tag: { type: 'str', about: 'The tag to look for.' } },
    about: 'Lists the events with a tag.',
    run: (app, { tag }) => {
      if (tag === '') throw valueError('Tag cannot be empty.');
      return app.found((event) => event.tag === tag);
    },
  }),
  tool({
    name: 'search_events',
    roles: ['agent', 'data'],
    operation: 'READ',
    returns: 'list[CalendarEvent]',
    params: { query: { type: 'str', about: 'A part of the text to find.' } },
    about: 'Finds events by a part of their title, description, location or of an attendee, whatever the case.',
    run: (app, { query }) => {
      const sought = query.toLowerCase();
      return app.found(({ title, description, location, attendees }) =>
        [title, description, location, ...attendees].some((text) => holds(text, sought)),
      );
    },
  }),
];

// The calendar with editable events (ARE's CalendarV2): CalendarApp and one more tool. As in the reference the tool is logged as a READ, so
// no verdict checks it; an empty value leaves a field unchanged, and fields set before an error stay set.

const EDIT = toolsOf<CalendarV2>()({
  name: 'edit_calendar_event',
  roles: ['agent', 'data'],
  operation: 'READ',
  returns: 'str',
  params: { ...EVENT_ID, ...EVENT_PARAMS, title: { type: 'str | None', default: null, about: 'Title of the event.' } },
  about: 'Changes an event of the calendar: what is given replaces what was there, the rest stays.',
  run: (app, { event_id, start_datetime, end_datetime, attendees, ...words }) => {
    const event = app.events.get(event_id);
    if (!event) throw indexError(`Calendar Event with id ${event_id} does not exist.`);
    if (words.title) event.title = words.title;
    if (start_datetime) event.start_datetime = givenDateTime(start_datetime);
    if (end_datetime) event.end_datetime = givenDateTime(end_datetime);
    for (const key of ['tag', 'description', 'location'] as const) if (words[key]) event[key] = words[key];
    if (attendees?.length) event.attendees = [...attendees];
    Object.assign(event, calendarEvent(event));
    return `Calendar event ${event_id} successfully edited`;
  },
});

export class CalendarV2 extends CalendarApp {
  override readonly tools: readonly Tool[] = [EDIT, ...CALENDAR_TOOLS];

  constructor(name?: string) {
    super(name, 'CalendarV2');
  }
}
