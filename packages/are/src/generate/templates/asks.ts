// Shared parts of templates: the usual final sentence, times relative to now, and common calls.
import { formatDateTime } from '../../apps/support/clock.ts';
import type { Values } from '../../value.ts';
import type { Draft, When } from '../draft.ts';
import { dateText, hourText, type Occasion, type Person, type Universe } from '../universe.ts';

export const THEN_TELL = 'Tell me when it is done.';
export const DONE = 'It is done.';

const HOUR = 3600;
const DAY = 24 * HOUR;

export interface Slot {
  start: number;
  end: number;
  /** `on 2024-10-18 from 14:00 to 16:00`, in the user's words. */
  text: string;
}

/** An hour or two in a week without events. */
export function freeSlot({ start, chance }: Universe): Slot {
  const from = start + chance.between(7, 13) * DAY + chance.between(1, 10) * HOUR;
  const to = from + chance.between(1, 2) * HOUR;
  return { start: from, end: to, text: `on ${dateText(from)} from ${hourText(from)} to ${hourText(to)}` };
}

export const slotArgs = ({ start, end }: Slot): Values => ({
  start_datetime: formatDateTime(start),
  end_datetime: formatDateTime(end),
});

/** A title that no event has. */
export const newTitle = ({ words, occasions, chance }: Universe): string =>
  chance.one(words.occasions.filter((title) => !occasions.some((one) => one.title === title)));

export const mail = (draft: Draft, to: Person, subject: string, content: string, when?: When): string =>
  draft.oracle('Emails', 'send_email', { recipients: [to.email], subject, content }, when);

export const chat = (draft: Draft, to: Person, content: string, when?: When): string =>
  draft.oracle('Chats', 'send_message', { user_id: to.id, content }, when);

export const addEvent = (draft: Draft, title: string, slot: Slot, attendees: readonly Person[], when?: When): string =>
  draft.oracle(
    'Calendar',
    'add_calendar_event',
    { title, ...slotArgs(slot), attendees: attendees.map(({ name }) => name) },
    when,
  );

export const deleteEvent = (draft: Draft, { id }: Occasion, when?: When): string =>
  draft.oracle('Calendar', 'delete_calendar_event', { event_id: id }, when);
