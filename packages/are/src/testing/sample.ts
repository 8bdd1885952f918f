// Small scenarios for tests and the fuzzer, built in code: one user, a few apps, and the events that a test needs.
import type { Trace, TraceEvent } from '../scenario/schema.ts';
import { checkedTrace, TRACE_VERSION } from '../scenario/schema.ts';

/** Tuesday, 7:00. */
const SAMPLE_START = 1_728_975_600;

export interface SampleEvent {
  readonly id: string;
  readonly type: 'USER' | 'ENV' | 'AGENT' | 'CONDITION';
  /** `App.function` */
  readonly call: string;
  readonly args?: Readonly<Record<string, string | readonly string[]>>;
  readonly after?: readonly string[];
  readonly delay?: number | null;
  readonly time?: number;
  readonly comparator?: string;
}

export const toAgent = (id: string, content: string, more: Partial<SampleEvent> = {}): SampleEvent => ({
  id,
  type: 'USER',
  call: 'AgentUserInterface.send_message_to_agent',
  args: { content },
  ...more,
});
export const toUser = (id: string, after: readonly string[], content = 'Done.', delay = 1): SampleEvent => ({
  id,
  type: 'AGENT',
  call: 'AgentUserInterface.send_message_to_user',
  args: { content },
  after,
  delay,
});
export const mail = (
  id: string,
  after: readonly string[],
  to = 'ana@x.org',
  more: Partial<SampleEvent> = {},
): SampleEvent => ({
  id,
  type: 'AGENT',
  call: 'Emails.send_email',
  args: { recipients: [to], subject: 'Tea', content: 'Tea on Friday at 15:00?' },
  after,
  delay: 1,
  ...more,
});
export const incoming = (id: string, after: readonly string[], delay: number): SampleEvent => ({
  id,
  type: 'ENV',
  call: 'Emails.send_email_to_user_only',
  args: { sender: 'bo@x.org', subject: 'News', content: 'Nothing new.' },
  after,
  delay,
});

/** Ana is invited to tea and answers, and the answer is entered in the calendar. */
export const TWO_TURNS: readonly SampleEvent[] = [
  toAgent('u1', 'Ask Ana for tea and tell me; once she agrees, note it.'),
  mail('o1', ['u1']),
  toUser('o2', ['o1'], 'Asked.'),
  {
    id: 'e1',
    type: 'ENV',
    call: 'Emails.reply_to_email_from_user',
    args: { sender: 'ana@x.org', email_id: '{{o1}}', content: 'With pleasure.' },
    after: ['o2'],
    delay: 20,
  },
  {
    id: 'o3',
    type: 'AGENT',
    call: 'Calendar.add_calendar_event',
    args: {
      title: 'Tea',
      start_datetime: '2024-10-18 15:00:00',
      end_datetime: '2024-10-18 16:00:00',
      attendees: ['Ana Ruiz'],
    },
    after: ['e1'],
    delay: 1,
  },
  toUser('o4', ['o3'], 'Noted.'),
];

export function sampleTrace(events: readonly SampleEvent[] = TWO_TURNS, duration = 600): Trace {
  return checkedTrace({
    version: TRACE_VERSION,
    metadata: {
      definition: {
        scenario_id: 'sample',
        seed: 1,
        duration,
        time_increment_in_seconds: 1,
        start_time: SAMPLE_START,
        tags: ['Adaptability'],
      },
    },
    apps: [
      { name: 'AgentUserInterface', class_name: 'AgentUserInterface', app_state: { messages: [] } },
      {
        name: 'Contacts',
        class_name: 'Contacts',
        app_state: {
          contacts: { c0: contact('c0', 'Lin', 'Ode', true), c1: contact('c1', 'Ana', 'Ruiz', false) },
          view_limit: 10,
        },
      },
      {
        name: 'Emails',
        class_name: 'EmailClientV2',
        app_state: {
          user_email: 'lin@x.org',
          view_limit: 5,
          folders: Object.fromEntries(
            ['INBOX', 'SENT', 'DRAFT', 'TRASH'].map((name) => [name, { folder_name: name, emails: [] }]),
          ),
        },
      },
      { name: 'Calendar', class_name: 'Calendar', app_state: { events: {} } },
      { name: 'SystemApp', class_name: 'SystemApp', app_state: {} },
    ],
    events: events.map(written),
  });
}

const contact = (contact_id: string, first_name: string, last_name: string, is_user: boolean) => ({
  first_name,
  last_name,
  contact_id,
  is_user,
  gender: 'Unknown',
  age: 30,
  nationality: '',
  city_living: 'Oslo',
  country: 'Norway',
  status: 'Employed',
  job: '',
  description: '',
  phone: '+4755501000',
  email: `${contact_id}@x.org`,
  address: '1 Main St',
});

function written({ id, type, call, args = {}, after = [], delay = 0, time, comparator }: SampleEvent): TraceEvent {
  const [app = '', name = ''] = call.split('.');
  return {
    class_name: type === 'AGENT' ? 'OracleEvent' : type === 'CONDITION' ? 'ConditionCheckEvent' : 'Event',
    event_type: type,
    event_time: time ?? null,
    event_id: id,
    dependencies: [...after],
    event_relative_time: time === undefined ? delay : null,
    action: {
      action_id: '',
      app,
      function: name,
      args: Object.entries(args).map(([key, value]) =>
        typeof value === 'string'
          ? { name: key, value, value_type: 'str' }
          : { name: key, value: JSON.stringify(value), value_type: 'list' },
      ),
    },
    ...(comparator !== undefined && { event_time_comparator: comparator }),
  };
}
