// Tests calendar, reminders, mail, the clock and the chat with the user: rules that the recorded scripts do not cover.
import { describe, expect, it } from 'vitest';
import { type Args, Float } from '../value.ts';
import { CalendarApp, CalendarV2 } from './calendar.ts';
import { emailClientV2 } from './email/tools.ts';
import { sandbox } from './files/sandbox-tools.ts';
import { ReminderApp } from './reminders.ts';
import { SystemApp } from './system.ts';
import { Phone, START } from './testing/phone.ts';
import { AgentUserInterface } from './user-interface.ts';

const DAY = 86400;

describe('the calendar', () => {
  const calendar = () => new Phone(1, new CalendarApp('Calendar', 'Calendar'));

  it('finds overlapping events, not touching ones, and returns them in pages', () => {
    const phone = calendar();
    for (const hour of ['08', '09', '10'])
      phone.call('Calendar.add_calendar_event', {
        title: `at ${hour}`,
        start_datetime: `2024-10-16 ${hour}:00:00`,
        end_datetime: `2024-10-16 ${hour}:59:59`,
      });
    const between = (from: string, to: string, more = {}) =>
      phone.record('Calendar.get_calendar_events_from_to', { start_datetime: from, end_datetime: to, ...more });
    const titles = (result: ReturnType<typeof between>) =>
      (result.events as { title: string }[]).map(({ title }) => title);
    expect(titles(between('2024-10-16 08:59:59', '2024-10-16 10:00:00'))).toEqual(['at 09']);
    const second = between('2024-10-16 00:00:00', '2024-10-17 00:00:00', { offset: 1, limit: 1 });
    expect([titles(second), second.range, second.total]).toEqual([['at 09'], [1, 2], 3]);
  });

  // The expected results are the reference's for these calls.
  it('of version 2 is edited: empty values change nothing, and fields set before an error stay set', () => {
    const phone = new Phone(1, new CalendarV2('Calendar'));
    const event_id = phone.id('Calendar.add_calendar_event', {
      title: 'Tea',
      start_datetime: '2024-10-16 15:00:00',
      end_datetime: '2024-10-16 16:00:00',
      location: 'Ulm',
      attendees: ['Ana'],
    });
    const edit = (args: Args) => phone.call('Calendar.edit_calendar_event', { event_id, ...args });
    expect(edit({ title: 'Coffee' })).toBe(`Calendar event ${event_id} successfully edited`);
    edit({ start_datetime: '2024-10-16 15:30:00', end_datetime: '2024-10-16 17:00:00', attendees: ['Bo', 'Cy'] });
    edit({ attendees: [], title: '', location: '' });
    const raised = (args: Args) => phone.raised('Calendar.edit_calendar_event', { event_id, ...args });
    expect(raised({ event_id: 'zz' })).toBe('IndexError: Calendar Event with id zz does not exist.');
    expect(raised({ title: 5 })).toBe("TypeError: Argument 'title' must be of type str | None, got <class 'int'>");
    expect(raised({ end_datetime: '2024-10-16 10:00:00' })).toBe('ValueError: Start time cannot be after end time.');
    expect(phone.record('Calendar.get_calendar_event', { event_id })).toMatchObject({
      title: 'Coffee',
      location: 'Ulm',
      attendees: ['Bo', 'Cy'],
      start_datetime: 1729092600,
      end_datetime: 1729072800,
      end_strftime: 'Wednesday, 2024-10-16 17:00:00',
    });
    expect(phone.app('Calendar').tool('edit_calendar_event')?.operation).toBe('READ');
  });

  it('ends an event an hour from now whatever its start is, which may be too early', () => {
    const phone = calendar();
    const id = phone.id('Calendar.add_calendar_event', { start_datetime: '2024-10-15 06:00:00' });
    expect(phone.record('Calendar.get_calendar_event', { event_id: id }).end_datetime).toBe(START + 3600);
    expect(phone.raised('Calendar.add_calendar_event', { start_datetime: '2024-10-15 09:00:00' })).toBe(
      'ValueError: Start time cannot be after end time.',
    );
  });

  it('reads dates as strptime does', () => {
    const phone = calendar();
    const starts = (start_datetime: string) =>
      phone.raised('Calendar.get_calendar_events_from_to', { start_datetime, end_datetime: '2025-01-01 00:00:00' });
    expect(starts('2024-2-9 7:5:0')).toBe('nothing was raised');
    for (const wrong of ['2024-02-30 00:00:00', '2024-13-01 00:00:00', '2024-02-01', '2024-02-01 24:00:00', ''])
      expect(starts(wrong)).toBe('ValueError: Invalid datetime format. Please use YYYY-MM-DD HH:MM:SS');
  });

  it('records who added an event, and adds them as attendee', () => {
    const phone = calendar();
    const id = phone.id('Calendar.add_calendar_event_by_attendee', {
      who_add: 'Bo',
      description: 'x',
      attendees: ['Bo'],
    });
    const { title, description, attendees } = phone.record('Calendar.get_calendar_event', { event_id: id });
    expect([title, description, attendees]).toEqual(['Event created by Bo: Event', 'Event created by Bo: x', ['Bo']]);
  });

  it('returns copies', () => {
    const phone = calendar();
    const event_id = phone.id('Calendar.add_calendar_event', { attendees: ['Ana'] });
    (phone.record('Calendar.get_calendar_event', { event_id }).attendees as string[]).push('nobody');
    expect(phone.record('Calendar.get_calendar_event', { event_id }).attendees).toEqual(['Ana']);
  });
});

describe('reminders', () => {
  const add = (phone: Phone, more: object) =>
    phone.id('R.add_reminder', { title: 't', due_datetime: '2024-10-31 07:00:00', description: 'd', ...more });
  const reminders = () => new Phone(1, new ReminderApp('R'));
  const ids = (phone: Phone) =>
    (phone.call('R.get_all_reminders') as { reminder_id: string }[]).map(({ reminder_id }) => reminder_id);

  it('repeat up to the horizon of twelve weeks, and no more than a hundred times', () => {
    const phone = reminders();
    add(phone, { repetition_unit: 'week', repetition_value: 2 });
    expect(ids(phone)).toHaveLength(5);
    phone.call('R.delete_all_reminders');
    add(phone, { repetition_unit: 'hour' });
    expect(ids(phone)).toHaveLength(101);
  });

  it('chain their ids, so that deleting one removes only its first repetition', () => {
    const phone = reminders();
    const id = add(phone, { repetition_unit: 'week', repetition_value: 4 });
    expect(ids(phone)).toEqual([id, `${id}_rep_1`, `${id}_rep_1_rep_1`]);
    phone.call('R.delete_reminder', { reminder_id: id });
    expect(ids(phone)).toEqual([`${id}_rep_1_rep_1`]);
    expect(phone.raised('R.delete_reminder', { reminder_id: 'x' })).toBe('ValueError: Reminder x not found.');
  });

  it('fail on a day that the next month does not have, and on an unknown unit', () => {
    const phone = reminders();
    const repeated = { title: 't', due_datetime: '2024-10-31 07:00:00', description: 'd' };
    expect(phone.raised('R.add_reminder', { ...repeated, repetition_unit: 'month' })).toBe(
      'ValueError: day is out of range for month',
    );
    expect(phone.raised('R.add_reminder', { ...repeated, repetition_unit: 'year' })).toBe(
      'AssertionError: Invalid repetition interval',
    );
  });

  it('notify once, when they are due', () => {
    const phone = reminders();
    add(phone, { due_datetime: '2024-10-15 07:01:00' });
    expect(phone.app('R').poll()).toBeNull();
    phone.now += 60;
    expect(phone.app('R').poll()).toBe(
      'R: New due reminders:\nReminder: t\nDescription: d\nDue Date: 2024-10-15 07:01:00+00:00',
    );
    expect(phone.app('R').poll()).toBeNull();
  });
});

describe('mail', () => {
  const phoneWithMail = () => {
    const phone = new Phone(1, emailClientV2('Emails'), sandbox('Files', 'Files'));
    phone.call('Files.mkdir', { path: 'Downloads' });
    const files = phone.world.find('FILE_SYSTEM');
    files?.write('note.txt', new TextEncoder().encode('héllo'));
    return phone;
  };

  it('attaches files and saves them', () => {
    const phone = phoneWithMail();
    const email_id = phone.id('Emails.send_email', { recipients: ['a@x.org'], attachment_paths: ['note.txt'] });
    const paths = phone.call('Emails.download_attachments', { email_id, folder_name: 'sent' });
    expect(paths).toEqual(['Downloads/note.txt']);
    expect(phone.call('Files.cat', { path: 'Downloads/note.txt' })).toBe('héllo');
    expect(phone.lines()).toEqual([
      'Files.mkdir',
      'Files.exists',
      'Emails.send_email',
      'Emails.download_attachments',
      'Files.cat',
    ]);
    expect(phone.raised('Emails.send_email', { attachment_paths: ['none.txt'] })).toBe(
      'ValueError: File does not exist: none.txt',
    );
    const nowhere = { email_id, folder_name: 'SENT', path_to_save: 'Nowhere' };
    expect(phone.raised('Emails.download_attachments', nowhere)).toBe(
      "FileNotFoundError: [Errno 2] No such file or directory: '/sandbox/Nowhere/note.txt'",
    );
  });

  it("replies to the other person of a thread, even to a mail of one's own", () => {
    const phone = phoneWithMail();
    const first = phone.id('Emails.send_email_to_user_only', { sender: 'b@x.org' });
    const own = phone.id('Emails.reply_to_email', { email_id: first });
    const next = phone.id('Emails.reply_to_email', { email_id: own, folder_name: 'SENT' });
    const { recipients, parent_id, subject } = phone.record('Emails.get_email_by_id', {
      email_id: next,
      folder_name: 'SENT',
    });
    expect([recipients, parent_id, subject]).toEqual([['b@x.org'], own, 'Re: Re: ']);
  });

  it('does not loop on a mail that replies to itself', () => {
    const phone = phoneWithMail();
    const mail = { sender: 'user@meta.com', email_id: 'm', parent_id: 'm', timestamp: 1 };
    const state = phone.app('Emails').getState() as { folders: object };
    const folders = { ...state.folders, SENT: { folder_name: 'SENT', emails: [mail] } };
    phone.app('Emails').loadState({ ...state, folders });
    expect(phone.raised('Emails.reply_to_email', { email_id: 'm', folder_name: 'SENT' })).toBe(
      'ValueError: Email with id m not found',
    );
  });

  it('counts a negative index from the end, and raises an error of its own for each mistake', () => {
    const phone = phoneWithMail();
    phone.call('Emails.send_email_to_user_only', { sender: 'b@x.org', subject: 'old' });
    phone.now += DAY;
    phone.call('Emails.send_email_to_user_only', { sender: 'b@x.org', subject: 'new' });
    expect(phone.record('Emails.get_email_by_index', { idx: -1 }).subject).toBe('old');
    expect(phone.raised('Emails.get_email_by_index', { idx: -3 })).toBe('IndexError: list index out of range');
    expect(phone.raised('Emails.create_and_add_email', { sender: 'b@x.org', folder_name: 'inbox' })).toBe(
      "ValueError: 'inbox' is not a valid EmailFolderName",
    );
  });

  it('logs a wrong type in a tool that the reference does not check, and not in a checked one', () => {
    const phone = phoneWithMail();
    phone.log.length = 0;
    expect(phone.raised('Emails.send_email_to_user_only', { sender: 5 })).toMatch(/^TypeError/);
    expect(phone.raised('Emails.send_email', { recipients: 'a@x.org' })).toMatch(/^TypeError/);
    expect(phone.lines()).toEqual(['Emails.send_email_to_user_only!']);
  });

  it('is created at a given time, and is then read', () => {
    const phone = phoneWithMail();
    const args = { sender: 'b@x.org', email_time: '2024-10-01 00:00:00', folder_name: 'INBOX' };
    const email_id = phone.id('Emails.create_and_add_email_with_time', args);
    const list = phone.record('Emails.list_emails').emails as {
      email_id: string;
      timestamp: number;
      is_read: boolean;
    }[];
    expect(list).toMatchObject([{ email_id, timestamp: START - 14 * DAY - 25200, is_read: true }]);
    expect(phone.raised('Emails.create_and_add_email_with_time', { ...args, email_time: 'soon' })).toBe(
      'ValueError: Invalid datetime format for the email time. Please use YYYY-MM-DD HH:MM:SS',
    );
  });
});

describe('clock and chat', () => {
  it('accept as seconds everything that Python converts to an int', () => {
    const phone = new Phone(1, new SystemApp());
    for (const timeout of [5, new Float(5), 5.9, ' 5 ', true])
      expect(phone.call('SystemApp.wait_for_notification', { timeout })).toBeNull();
    expect(phone.waits).toEqual([5, 5, 5, 5, 1]);
    expect(phone.raised('SystemApp.wait_for_notification', { timeout: 'soon' })).toBe(
      "ValueError: invalid literal for int() with base 10: 'soon'",
    );
    expect(phone.raised('SystemApp.wait_for_notification', { timeout: null })).toBe(
      "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
    );
  });

  it('mark returned messages as read, and start at second 0 when loaded', () => {
    const phone = new Phone(1, new AgentUserInterface());
    phone.call('AgentUserInterface.send_message_to_agent', { content: 'a' });
    phone.now += 10;
    phone.call('AgentUserInterface.send_message_to_agent', { content: 'b', attachments: ['x'] });
    const unread = () => phone.call('AgentUserInterface.get_last_unread_messages') as { content: string }[];
    expect(phone.record('AgentUserInterface.get_last_message_from_user').content).toBe('b');
    expect(unread().map(({ content }) => content)).toEqual(['a']);
    expect(unread()).toEqual([]);
    const app = new AgentUserInterface();
    app.loadState(phone.app('AgentUserInterface').getState() as never);
    expect(app.messages.map(({ timestamp, time_read }) => [timestamp, time_read])).toEqual([
      [0, 10],
      [10, 10],
    ]);
  });
});
