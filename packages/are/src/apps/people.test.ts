// Tests the address book and the messenger: rules that the recorded scripts do not cover.
import { describe, expect, it } from 'vitest';
import type { Args, Values } from '../value.ts';
import { ContactsApp } from './contacts.ts';
import { sandbox } from './files/sandbox-tools.ts';
import { weightedRatio } from './messaging/fuzzy.ts';
import { messagingAppV2 } from './messaging/v2-tools.ts';
import { Phone, START } from './testing/phone.ts';

describe('the address book', () => {
  const book = () => new Phone(1, new ContactsApp('Contacts', 'Contacts'));
  const ana = { first_name: 'Ana', last_name: 'Ruiz' };

  it('allows no full name twice, whatever its case', () => {
    const phone = book();
    const id = phone.id('Contacts.add_new_contact', ana);
    expect(phone.raised('Contacts.add_new_contact', { first_name: 'ANA', last_name: 'ruiz' })).toBe(
      `ValueError: Contact already exists with contact id - ${id}.`,
    );
  });

  it('requires exact spelling of gender and status when adding, any case when editing', () => {
    const phone = book();
    expect(phone.raised('Contacts.add_new_contact', { ...ana, gender: 'female' })).toBe(
      "ValueError: 'female' is not a valid Gender",
    );
    const contact_id = phone.id('Contacts.add_new_contact', { ...ana, gender: 'Female' });
    phone.call('Contacts.edit_contact', { contact_id, updates: { gender: 'Gender.MALE', status: 'rEtIred' } });
    expect(phone.record('Contacts.get_contact', { contact_id })).toMatchObject({ gender: 'Male', status: 'Retired' });
  });

  it('rolls an invalid edit back, but keeps fields set before an unknown one', () => {
    const phone = book();
    const contact_id = phone.id('Contacts.add_new_contact', { ...ana, age: 30 });
    const edit = (updates: Args) => phone.raised('Contacts.edit_contact', { contact_id, updates });
    expect(edit({ job: 'cook', age: 101 })).toBe("ValueError: ('Invalid age.', 101)");
    expect(phone.record('Contacts.get_contact', { contact_id })).toMatchObject({ job: null, age: 30 });
    expect(edit({ job: 'cook', shoe: 42 })).toBe('AttributeError: shoe is not a valid attribute of Contact.');
    expect(phone.record('Contacts.get_contact', { contact_id })).toMatchObject({ job: 'cook' });
    expect(edit({ constructor: 'x' })).toMatch(/^AttributeError/);
  });

  it('finds people by name in either order, number and address, and returns pages', () => {
    const phone = book();
    for (let i = 0; i < 12; i++)
      phone.call('Contacts.add_new_contact', {
        first_name: `F${i}`,
        last_name: 'Li',
        phone: `+47 5${i}`,
        email: `E${i}@x.org`,
      });
    const found = (query: string) =>
      (phone.call('Contacts.search_contacts', { query }) as { first_name: string }[]).map((one) => one.first_name);
    expect([found('li f3'), found('F4 li'), found('+47 57'), found('e8@')]).toEqual([['F3'], ['F4'], ['F7'], ['F8']]);
    const page = phone.record('Contacts.get_contacts', { offset: 8 });
    expect((page.contacts as []).length).toBe(4);
    expect(page.metadata).toEqual({ range: [8, 12], total: 12 });
  });

  it('raises a KeyError in the reference’s words', () => {
    const phone = book();
    expect(phone.raised('Contacts.get_contact', { contact_id: 'zz' })).toBe("KeyError: 'Contact zz does not exist.'");
    expect(phone.raised('Contacts.delete_contact', { contact_id: 'zz' })).toBe("KeyError: 'Contact does not exist.'");
    expect(phone.raised('Contacts.get_current_user_details')).toBe("KeyError: 'User Contact does not exist.'");
  });
});

const PEOPLE = { 'Lin Ode': 'c0', 'Ana Ruiz': 'c1', 'Bo Li': 'c2', 'Cy Wu': 'c3' };
function messenger(mode: 'NAME' | 'PHONE_NUMBER' = 'NAME', conversations: Values = {}): Phone {
  const chats = messagingAppV2('Chats');
  chats.loadState({
    conversations,
    messages_view_limit: 10,
    conversation_view_limit: 5,
    mode,
    name_to_id: PEOPLE,
    id_to_name: Object.fromEntries(Object.entries(PEOPLE).map(([name, id]) => [id, name])),
    current_user_id: 'c0',
    current_user_name: 'Lin Ode',
  });
  return new Phone(1, chats, sandbox('Files', 'Files'));
}

describe('the messenger', () => {
  it('continues the only conversation without a custom title', () => {
    const phone = messenger();
    const first = phone.id('Chats.send_message', { user_id: 'c1', content: 'a' });
    expect(phone.id('Chats.send_message', { user_id: 'c1', content: 'b' })).toBe(first);
    phone.call('Chats.change_conversation_title', { conversation_id: first, title: 'Trip' });
    const second = phone.id('Chats.send_message', { user_id: 'c1', content: 'c' });
    expect(second).not.toBe(first);
    expect(phone.call('Chats.get_existing_conversation_ids', { user_ids: ['c1'] })).toEqual([first, second]);
    expect(phone.lines().slice(0, 2)).toEqual(['Chats.get_existing_conversation_ids', 'Chats.send_message']);
  });

  it('updates a title made of names when participants change, and keeps a custom one', () => {
    const phone = messenger();
    const group = phone.id('Chats.create_group_conversation', { user_ids: ['c2', 'c1'] });
    const title = () => phone.record('Chats.read_conversation', { conversation_id: group }).metadata as Values;
    expect(title().conversation_title).toBe('Ana Ruiz, Bo Li');
    phone.call('Chats.add_participant_to_conversation', { conversation_id: group, user_id: 'c3' });
    expect(title().conversation_title).toBe('Ana Ruiz, Bo Li, Cy Wu');
    phone.call('Chats.change_conversation_title', { conversation_id: group, title: 'Us' });
    phone.call('Chats.remove_participant_from_conversation', { conversation_id: group, user_id: 'c1' });
    expect(title().conversation_title).toBe('Us');
  });

  it('raises plain Exceptions for groups and participants, ValueErrors elsewhere', () => {
    const phone = messenger();
    const group = phone.id('Chats.create_group_conversation', { user_ids: ['c2', 'c1'] });
    const pair = phone.id('Chats.send_message', { user_id: 'c1' });
    const args = { conversation_id: group, user_id: 'c1' };
    expect([
      phone.raised('Chats.create_group_conversation', { user_ids: ['c1'] }),
      phone.raised('Chats.add_participant_to_conversation', args),
      phone.raised('Chats.remove_participant_from_conversation', { ...args, user_id: 'c9' }),
      phone.raised('Chats.create_and_add_message', { conversation_id: pair, sender_id: 'c2', content: '' }),
      phone.raised('Chats.send_message_to_group_conversation', { conversation_id: pair }),
      phone.raised('Chats.read_conversation', { conversation_id: 'k' }),
      phone.raised('Chats.send_message', { user_id: 'c9' }),
    ]).toEqual([
      'Exception: Must have at least two other participants',
      'Exception: Participant c1 already in conversation',
      'Exception: Participant c9 not in conversation',
      'Exception: Sender c2 not in conversation',
      `ValueError: Conversation ${pair} is not a group conversation`,
      'ValueError: Conversation with id k not found',
      'ValueError: User c9 does not exist in Ids, you need to provide the Id of an existing user',
    ]);
  });

  it('writes to any number if ids are numbers, and the tools explain which ids they take', () => {
    const phone = messenger('PHONE_NUMBER');
    const conversation_id = phone.id('Chats.send_message', { user_id: '+47 555', content: 'hi' });
    const { metadata } = phone.record('Chats.read_conversation', { conversation_id }) as { metadata: Values };
    expect(metadata.conversation_title).toBe('+47 555');
    expect(phone.raised('Chats.send_message', { user_id: 'nobody' })).toMatch(/is not a valid phone number/);
    const about = (one: Phone) => one.app('Chats').tool('send_message')?.about;
    expect(about(phone)).not.toBe(about(messenger()));
  });

  it('reads the newest first, between whole seconds, and limits page sizes', () => {
    const phone = messenger();
    const conversation_id = phone.id('Chats.send_message', { user_id: 'c1', content: '0' });
    for (let i = 1; i <= 12; i++) {
      phone.now = START + i + 0.75;
      phone.call('Chats.create_and_add_message', { conversation_id, sender_id: 'c1', content: String(i) });
    }
    const read = (args: Args) => phone.record('Chats.read_conversation', { conversation_id, ...args });
    const contents = ({ messages }: Values) => (messages as { content: string }[]).map(({ content }) => content);
    expect(contents(read({ offset: 1, limit: 2 }))).toEqual(['11', '10']);
    expect(contents(read({ min_date: '2024-10-15 07:00:02', max_date: '2024-10-15 07:00:03' }))).toEqual(['3', '2']);
    expect(phone.raised('Chats.read_conversation', { conversation_id, min_date: 'x' })).toBe(
      "ValueError: time data 'x' does not match format '%Y-%m-%d %H:%M:%S'",
    );
    const [listed] = phone.call('Chats.list_recent_conversations', { limit: 1 }) as Values[];
    expect([(listed as Values).last_updated, contents(listed as Values).length]).toEqual([START + 12, 10]);
    expect(phone.raised('Chats.list_recent_conversations', { limit: 6 })).toMatch(/view limit of 5/);
    expect(phone.raised('Chats.list_recent_conversations', { offset: 2 })).toMatch(/larger than the number/);
  });

  it('searches people, titles and texts, by text and by pattern', () => {
    const phone = messenger();
    const ana = phone.id('Chats.send_message', { user_id: 'c1', content: 'Bring 12 Apples' });
    const bo = phone.id('Chats.send_message', { user_id: 'c2', content: 'nothing' });
    const search = (tool: string, query: string) => phone.call(`Chats.${tool}`, { query });
    expect([search('search', 'APPLES'), search('search', 'bo li'), search('search', 'c')]).toEqual([
      [ana],
      [bo],
      [ana, bo],
    ]);
    expect([search('regex_search', '\\d+ apples\\Z'), search('regex_search', '^(?P<a>no)th')]).toEqual([[ana], [bo]]);
    expect(phone.raised('Chats.regex_search', { query: '(' })).toMatch(/^error: /);
    // JavaScript's own engine would never finish this pattern.
    phone.id('Chats.send_message', { user_id: 'c2', content: `${'a'.repeat(60)}!` });
    expect(search('regex_search', '(a+)+$')).toEqual([]);
    expect(phone.raised('Chats.regex_search', { query: '(?=a)' })).toMatch(/^error: lookahead .* is not supported/);
  });

  it('carries files', () => {
    const phone = messenger();
    phone.world.find('FILE_SYSTEM')?.write('a.bin', Uint8Array.of(0, 255));
    const conversation_id = phone.id('Chats.send_message', { user_id: 'c1', attachment_path: 'a.bin' });
    const { messages } = phone.record('Chats.read_conversation', { conversation_id }) as { messages: Values[] };
    const message_id = messages[0]?.message_id as string;
    expect(phone.call('Chats.download_attachment', { conversation_id, message_id, download_path: '' })).toBe('a.bin');
    expect(phone.raised('Chats.send_message', { user_id: 'c1', attachment_path: 'b' })).toBe(
      'ValueError: File b does not exist',
    );
  });

  it('looks names up by similarity, best first', () => {
    const phone = messenger();
    expect(phone.call('Chats.lookup_user_id', { user_name: 'Ana Ruiz' })).toEqual({ 'Ana Ruiz': 'c1' });
    expect(phone.call('Chats.lookup_user_id', { user_name: 'ana' })).toEqual({ 'Ana Ruiz': 'c1' });
    expect(phone.call('Chats.lookup_user_id', { user_name: 'Xerxes' })).toEqual({});
  });
});

// Expected values are those of RapidFuzz 3's WRatio.
it.each([
  ['ana ruiz', 'ana ruiz', 100],
  ['ruiz ana', 'ana ruiz', 95],
  ['ana', 'ana ruiz', 90],
  ['jon smyth', 'john smith', 84.2105263158],
  ['katherine', 'catherine curie lopez', 80],
  ['li', 'oslo', 45],
  ['', 'ana', 0],
])('names are alike: %s, %s', (a, b, ratio) => {
  expect(weightedRatio(a, b)).toBeCloseTo(ratio, 6);
});
