// The calendar whose events can be edited (ARE's CalendarV2): CalendarApp and one tool more. As in the reference the tool is logged as
// a READ, so that no verdict looks at it, an empty value leaves what was there, and what was set before an error stays set.
import { indexError } from '../python-error.ts';
import { toolsOf } from '../tool.ts';
import type { Tool } from '../types.ts';
import { CALENDAR_TOOLS, CalendarApp, calendarEvent, EVENT_ID, EVENT_PARAMS, moment } from './calendar.ts';

const tool = toolsOf<CalendarV2>();
const EDIT = tool({
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
    if (start_datetime) event.start_datetime = moment(start_datetime);
    if (end_datetime) event.end_datetime = moment(end_datetime);
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
